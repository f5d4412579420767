/* Declarations of NVRTC's built-in names for g++ -fsyntax-only, so that the CUDA side of device.h
 * and of the kernels is checked as C++. Nothing here runs. Names that device.h does not list are
 * undeclared here, so their use is an error.
 */
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)

struct uint3 { unsigned x, y, z; };
typedef uint3 dim3;
struct __align__(8) int2 { int x, y; };
struct __align__(16) int4 { int x, y, z, w; };
struct __align__(8) uint2 { unsigned x, y; };
struct __align__(16) uint4 { unsigned x, y, z, w; };
struct __align__(8) float2 { float x, y; };
struct __align__(16) float4 { float x, y, z, w; };
int2 make_int2(int, int);
int4 make_int4(int, int, int, int);
uint2 make_uint2(unsigned, unsigned);
uint4 make_uint4(unsigned, unsigned, unsigned, unsigned);
float2 make_float2(float, float);
float4 make_float4(float, float, float, float);

extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
extern const int warpSize;

void __syncthreads();
void __syncwarp(unsigned mask = 0xffffffffu);
void __threadfence();
void __threadfence_block();
#define WORDS_SHUFFLE(type)                                        \
	type __shfl_sync(unsigned, type, int, int width = 32);           \
	type __shfl_xor_sync(unsigned, type, int, int width = 32);       \
	type __shfl_up_sync(unsigned, type, unsigned, int width = 32);   \
	type __shfl_down_sync(unsigned, type, unsigned, int width = 32);
WORDS_SHUFFLE(int)
WORDS_SHUFFLE(unsigned)
WORDS_SHUFFLE(float)
unsigned __ballot_sync(unsigned, int);
int __any_sync(unsigned, int);
int __all_sync(unsigned, int);

template <class T> T __ldg(const T *);
#define WORDS_ATOMIC(type)         \
	type atomicAdd(type *, type);    \
	type atomicMax(type *, type);    \
	type atomicMin(type *, type);    \
	type atomicExch(type *, type);   \
	type atomicOr(type *, type);     \
	type atomicCAS(type *, type, type);
WORDS_ATOMIC(int)
WORDS_ATOMIC(unsigned)

int min(int, int);
unsigned min(unsigned, unsigned);
long long min(long long, long long);
float min(float, float);
int max(int, int);
unsigned max(unsigned, unsigned);
long long max(long long, long long);
float max(float, float);
extern "C" {
float fmaf(float, float, float), fminf(float, float), fmaxf(float, float), fabsf(float);
float expf(float), exp2f(float), logf(float), log2f(float), log1pf(float), sqrtf(float), powf(float, float), tanhf(float), floorf(float), rintf(float);
double fma(double, double, double), sqrt(double), fabs(double);
void *memcpy(void *, const void *, unsigned long);
int printf(const char *, ...);
}
float rsqrtf(float), __expf(float), __logf(float), __fdividef(float, float), __frcp_rn(float);
unsigned __float_as_uint(float);
float __uint_as_float(unsigned);
int __float_as_int(float);
float __int_as_float(int);
int __popc(unsigned), __ffs(int), __clz(int), __float2int_rn(float);
unsigned long __cvta_generic_to_shared(const void *), __cvta_generic_to_global(const void *);
