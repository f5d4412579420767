/* Declarations that NVRTC has built in and clang without a CUDA toolkit lacks: enough to compile
 * the kernels' sources as CUDA C++. */
#define __CUDACC__ 1
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#include <__clang_cuda_builtin_vars.h>

#define FUNCTION static __device__ __forceinline__
struct __align__(8) int2 { int x, y; };
struct __align__(16) int4 { int x, y, z, w; };
struct __align__(8) uint2 { unsigned x, y; };
struct __align__(16) uint4 { unsigned x, y, z, w; };
struct __align__(8) float2 { float x, y; };
struct __align__(16) float4 { float x, y, z, w; };
FUNCTION int2 make_int2(int a, int b) { return {a, b}; }
FUNCTION int4 make_int4(int a, int b, int c, int d) { return {a, b, c, d}; }
FUNCTION uint2 make_uint2(unsigned a, unsigned b) { return {a, b}; }
FUNCTION uint4 make_uint4(unsigned a, unsigned b, unsigned c, unsigned d) { return {a, b, c, d}; }
FUNCTION float2 make_float2(float a, float b) { return {a, b}; }
FUNCTION float4 make_float4(float a, float b, float c, float d) { return {a, b, c, d}; }

FUNCTION float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
FUNCTION unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
FUNCTION int min(int a, int b) { return a < b ? a : b; }
FUNCTION int max(int a, int b) { return a > b ? a : b; }
FUNCTION unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
FUNCTION unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
FUNCTION long long min(long long a, long long b) { return a < b ? a : b; }
FUNCTION long long max(long long a, long long b) { return a > b ? a : b; }
FUNCTION float fminf(float a, float b) { return __builtin_fminf(a, b); }
FUNCTION float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
FUNCTION float fabsf(float a) { return __builtin_fabsf(a); }
FUNCTION float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FUNCTION float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
FUNCTION double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
FUNCTION float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
FUNCTION float expf(float a) { return __nvvm_ex2_approx_f(a * 1.442695f); }
FUNCTION float logf(float a) { return __nvvm_lg2_approx_f(a) * 0.6931472f; }
FUNCTION float __expf(float a) { return expf(a); }
FUNCTION float __logf(float a) { return logf(a); }
FUNCTION float __fdividef(float a, float b) { return a / b; }
FUNCTION int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
FUNCTION int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }
FUNCTION int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
FUNCTION int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
FUNCTION void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
FUNCTION void __threadfence() { __nvvm_membar_gl(); }
FUNCTION float __shfl_xor_sync(unsigned m, float v, int by) { return __builtin_bit_cast(float, __nvvm_shfl_sync_bfly_i32(m, __builtin_bit_cast(int, v), by, 31)); }
FUNCTION int __shfl_xor_sync(unsigned m, int v, int by) { return __nvvm_shfl_sync_bfly_i32(m, v, by, 31); }
FUNCTION float __shfl_down_sync(unsigned m, float v, int by) { return __builtin_bit_cast(float, __nvvm_shfl_sync_down_i32(m, __builtin_bit_cast(int, v), by, 31)); }
FUNCTION float __shfl_sync(unsigned m, float v, int lane) { return __builtin_bit_cast(float, __nvvm_shfl_sync_idx_i32(m, __builtin_bit_cast(int, v), lane, 31)); }
FUNCTION unsigned long long __cvta_generic_to_shared(const void *p) { return (unsigned long long)(__attribute__((address_space(3))) void *)p; }
FUNCTION unsigned long long __cvta_generic_to_global(const void *p) { return (unsigned long long)(__attribute__((address_space(1))) void *)p; }
