/* The host's side of device.h: CUDA for kernels that gcc compiles as C. The functions declared
 * here are defined in the .c files.
 */
#ifndef TENGEN_HOST_H
#define TENGEN_HOST_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#pragma GCC visibility push(default)

/* ---- Language ---- */

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__
/* Blocks run one after another, so shared variables may be static. The section is filled with
 * NaNs before each block. */
#define __shared__ static __attribute__((section("tengen_shared")))

#define KERNEL(name) void name
#define KERNEL_BOUNDS(name, threads, blocks) \
	const int host_bounds_##name = (threads);  \
	void name
#define DEVICE static inline __attribute__((always_inline, unused))
#define UNROLL
#define SHARED(type, name) type *name = (type *)host_shared()

typedef struct { unsigned x, y, z; } uint3;
typedef uint3 dim3;
typedef struct __align__(8) { int x, y; } int2;
typedef struct __align__(16) { int x, y, z, w; } int4;
typedef struct __align__(8) { unsigned x, y; } uint2;
typedef struct __align__(16) { unsigned x, y, z, w; } uint4;
typedef struct __align__(8) { float x, y; } float2;
typedef struct __align__(16) { float x, y, z, w; } float4;

DEVICE int2 make_int2(int x, int y) { return (int2){x, y}; }
DEVICE int4 make_int4(int x, int y, int z, int w) { return (int4){x, y, z, w}; }
DEVICE uint2 make_uint2(unsigned x, unsigned y) { return (uint2){x, y}; }
DEVICE uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return (uint4){x, y, z, w}; }
DEVICE float2 make_float2(float x, float y) { return (float2){x, y}; }
DEVICE float4 make_float4(float x, float y, float z, float w) { return (float4){x, y, z, w}; }

/* ---- Indices of a thread ---- */

struct host_thread {
	uint3 index;
};
struct host_grid {
	uint3 block_index, block_dim, grid_dim;
};
extern struct host_thread *host_self; /* the running thread */
extern struct host_grid host_grid;
extern void *host_shared(void);

#define threadIdx (host_self->index)
#define blockIdx (host_grid.block_index)
#define blockDim (host_grid.block_dim)
#define gridDim (host_grid.grid_dim)
#define warpSize 32

/* ---- Barriers ---- */

extern void host_barrier(int id, int threads, int wait, int line);
#define __syncthreads() host_barrier(0, 0, 1, __LINE__)
DEVICE void barrier_sync(int id, int threads) { host_barrier(id, threads, 1, 0); }
DEVICE void barrier_arrive(int id, int threads) { host_barrier(id, threads, 0, 0); }

/* ---- Lanes of a warp ---- */

extern void host_syncwarp(unsigned mask);
/* mode: 0 from lane by, 1 from lane ^ by, 2 from lane - by, 3 from lane + by */
extern unsigned host_shuffle(unsigned mask, unsigned value, int by, int width, int mode);
extern unsigned host_ballot(unsigned mask, int predicate);

#define HOST_FIRST(a, ...) a
#define __syncwarp(...) host_syncwarp(HOST_FIRST(__VA_ARGS__ __VA_OPT__(, ) 0xffffffffu))

DEVICE unsigned __float_as_uint(float x) { unsigned u; memcpy(&u, &x, 4); return u; }
DEVICE float __uint_as_float(unsigned x) { float f; memcpy(&f, &x, 4); return f; }
DEVICE int __float_as_int(float x) { return (int)__float_as_uint(x); }
DEVICE float __int_as_float(int x) { return __uint_as_float((unsigned)x); }

DEVICE float host_shuffle_float(unsigned mask, float v, int by, int width, int mode) {
	return __uint_as_float(host_shuffle(mask, __float_as_uint(v), by, width, mode));
}
DEVICE int host_shuffle_int(unsigned mask, int v, int by, int width, int mode) {
	return (int)host_shuffle(mask, (unsigned)v, by, width, mode);
}
#define HOST_SHUFFLE(mask, v, by, mode, width)                                           \
	_Generic((v), float: host_shuffle_float, int: host_shuffle_int, unsigned: host_shuffle)( \
	    mask, v, by, width, mode)
#define HOST_WIDTH(...) HOST_FIRST(__VA_ARGS__ __VA_OPT__(, ) 32)
#define __shfl_sync(mask, v, lane, ...) HOST_SHUFFLE(mask, v, lane, 0, HOST_WIDTH(__VA_ARGS__))
#define __shfl_xor_sync(mask, v, by, ...) HOST_SHUFFLE(mask, v, by, 1, HOST_WIDTH(__VA_ARGS__))
#define __shfl_up_sync(mask, v, by, ...) HOST_SHUFFLE(mask, v, by, 2, HOST_WIDTH(__VA_ARGS__))
#define __shfl_down_sync(mask, v, by, ...) HOST_SHUFFLE(mask, v, by, 3, HOST_WIDTH(__VA_ARGS__))

DEVICE unsigned __ballot_sync(unsigned mask, int p) { return host_ballot(mask, p); }
DEVICE int __any_sync(unsigned mask, int p) { return host_ballot(mask, p) != 0; }
DEVICE int __all_sync(unsigned mask, int p) { return host_ballot(mask, !p) == 0; }

/* ---- Memory ---- */

#define __threadfence() ((void)0)
#define __threadfence_block() ((void)0)
#define __ldg(p) (*(p))
#define HOST_ATOMIC(p, new)          \
	({                                 \
		__typeof__(p) host_p = (p);      \
		__typeof__(*host_p) old = *host_p; \
		*host_p = (new);                 \
		old;                             \
	})
#define atomicAdd(p, v) HOST_ATOMIC(p, old + (v))
#define atomicMax(p, v) HOST_ATOMIC(p, old > (v) ? old : (v))
#define atomicMin(p, v) HOST_ATOMIC(p, old < (v) ? old : (v))
#define atomicExch(p, v) HOST_ATOMIC(p, (v))
#define atomicOr(p, v) HOST_ATOMIC(p, old | (v))
#define atomicCAS(p, is, v) HOST_ATOMIC(p, old == (is) ? (v) : old)

/* ---- Arithmetic ---- */

#define min(a, b) ({ __typeof__(a) host_a = (a); __typeof__(b) host_b = (b); host_a < host_b ? host_a : host_b; })
#define max(a, b) ({ __typeof__(a) host_a = (a); __typeof__(b) host_b = (b); host_a > host_b ? host_a : host_b; })
DEVICE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#define __expf(x) expf(x) /* glibc has functions of these names */
#define __logf(x) logf(x)
DEVICE float __fdividef(float a, float b) { return a / b; }
DEVICE float __frcp_rn(float a) { return 1.0f / a; }
DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
DEVICE int __ffs(int x) { return __builtin_ffs(x); }
DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
DEVICE int __float2int_rn(float x) { return (int)rintf(x); }

/* ---- Wrappers; device.h documents them ---- */

typedef __SIZE_TYPE__ shared_address;
DEVICE shared_address shared_of(const void *p) { return (shared_address)p; }

DEVICE float bf16_to_float(unsigned short x) { return __uint_as_float((unsigned)x << 16); }
DEVICE unsigned short float_to_bf16(float x) {
	unsigned u = __float_as_uint(x);
	if ((u & 0x7fffffffu) > 0x7f800000u)
		return 0x7fff; /* cvt gives one NaN only */
	return (unsigned short)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
DEVICE unsigned pack_bf16(float low, float high) {
	return (unsigned)float_to_bf16(low) | (unsigned)float_to_bf16(high) << 16;
}
DEVICE float bf16_low(unsigned x) { return __uint_as_float(x << 16); }
DEVICE float bf16_high(unsigned x) { return __uint_as_float(x & 0xffff0000u); }
DEVICE float fp16_to_float(unsigned short x) {
	unsigned sign = (unsigned)(x & 0x8000u) << 16, exponent = x >> 10 & 31, mantissa = x & 1023u;
	if (exponent == 31)
		return __uint_as_float(sign | 0x7f800000u | mantissa << 13);
	float v = exponent ? __uint_as_float((exponent + 112) << 23 | mantissa << 13) : (float)mantissa * 0x1p-24f;
	return sign ? -v : v;
}
DEVICE unsigned short float_to_fp16(float x) {
	unsigned u = __float_as_uint(x), sign = u >> 16 & 0x8000u, v = u & 0x7fffffffu;
	if (v > 0x7f800000u)
		return 0x7fff; /* as above */
	if (v >= 0x477ff000u) /* 65520 */
		return (unsigned short)(sign | 0x7c00u);
	if (v < 0x38800000u) /* below 2^-14 numbers are multiples of 2^-24; rintf rounds ties to even */
		return (unsigned short)(sign | (unsigned)rintf(__uint_as_float(v) * 0x1p24f));
	return (unsigned short)(sign | (v + 0xfffu + (v >> 13 & 1u) - 0x38000000u) >> 13);
}
DEVICE unsigned pack_fp16(float low, float high) {
	return (unsigned)float_to_fp16(low) | (unsigned)float_to_fp16(high) << 16;
}
DEVICE float fp16_low(unsigned x) { return fp16_to_float((unsigned short)x); }
DEVICE float fp16_high(unsigned x) { return fp16_to_float((unsigned short)(x >> 16)); }
DEVICE unsigned float_to_tf32(float x) {
	unsigned u = __float_as_uint(x);
	if ((u & 0x7f800000u) == 0x7f800000u)
		return u & 0x7fffffu ? 0x7fffe000u : u;
	return (u + 0x1000u) & 0xffffe000u;
}

extern void mma_fp16_1688(float *c, const unsigned *a, const unsigned *b);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 /* it is not defined for the runtime */
extern void mma_bf16_16816(float *c, const unsigned *a, const unsigned *b);
extern void mma_tf32_1688(float *c, const unsigned *a, const unsigned *b);
#endif

extern void host_ldmatrix(unsigned *r, shared_address row, int matrices, int transposed);
DEVICE void ldmatrix_x4(unsigned *r, shared_address row) { host_ldmatrix(r, row, 4, 0); }
DEVICE void ldmatrix_x4_trans(unsigned *r, shared_address row) { host_ldmatrix(r, row, 4, 1); }
DEVICE void ldmatrix_x2(unsigned *r, shared_address row) { host_ldmatrix(r, row, 2, 0); }
DEVICE void ldmatrix_x2_trans(unsigned *r, shared_address row) { host_ldmatrix(r, row, 2, 1); }

extern void host_cp_async(shared_address dst, const void *src, int size, int bytes);
DEVICE void cp_async_16(shared_address dst, const void *src) { host_cp_async(dst, src, 16, 16); }
DEVICE void cp_async_16_zero(shared_address dst, const void *src, int bytes) { host_cp_async(dst, src, 16, bytes); }
DEVICE void cp_async_4(shared_address dst, const void *src) { host_cp_async(dst, src, 4, 4); }
DEVICE void cp_async_4_zero(shared_address dst, const void *src, int bytes) { host_cp_async(dst, src, 4, bytes); }
extern void cp_async_commit(void);
extern void cp_async_wait(int groups);

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
extern void wgmma_fence(void);
extern void wgmma_commit(void);
extern void wgmma_wait(int groups);
/* c += a · b, with n columns (8 to 256, a multiple of 8), a in registers or by descriptor. All
 * 128 threads of a warpgroup call it. */
extern void host_wgmma_bf16_rs(int n, float *c, const unsigned *a, unsigned long long b_descriptor);
/* The same with b N-major. */
extern void host_wgmma_bf16_rs_columns(int n, float *c, const unsigned *a, unsigned long long b_descriptor);
extern void host_wgmma_bf16_ss(int n, float *c, unsigned long long a_descriptor, unsigned long long b_descriptor);
extern unsigned long long host_wgmma_descriptor(shared_address start, int leading_bytes, int stride_bytes, int swizzle);
DEVICE unsigned long long wgmma_descriptor(shared_address start, int leading_bytes, int stride_bytes) {
	return host_wgmma_descriptor(start, leading_bytes, stride_bytes, 0);
}
DEVICE unsigned long long wgmma_descriptor_128(shared_address start, int stride_bytes) {
	return host_wgmma_descriptor(start, 16, stride_bytes, 1);
}
#endif
#define fence_async_shared() ((void)0)

#pragma GCC visibility pop

#endif
