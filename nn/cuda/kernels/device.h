/* What the kernels use in addition to plain C: one meaning, two implementations. For NVRTC
 * (__CUDACC__) the wrappers are inline PTX; for the emulation on the host
 * (nn/cuda/internal/emulate) they are functions in host.h that compute the same from the
 * documented layouts. Section names are those of the PTX ISA manual.
 *
 * Kernels use the common subset of CUDA C++ and GNU C: no templates, references or C++ casts,
 * explicit casts of void pointers, sizes as macros.
 *
 *   KERNEL(scale)(float *x, int n, float by) {
 *     SHARED(float, buffer);                       // the launch's dynamic shared memory
 *     int i = blockIdx.x * blockDim.x + threadIdx.x;
 *     ...
 *   }
 *
 * Both sides know threadIdx, blockIdx, blockDim, gridDim, warpSize, __shared__,
 * __device__, __restrict__, __launch_bounds__, __syncthreads, __syncwarp,
 * __shfl_sync, __shfl_xor_sync, __shfl_up_sync, __shfl_down_sync (int, unsigned, float),
 * __ballot_sync, __any_sync, __all_sync, __threadfence, __ldg, atomicAdd, atomicMax, atomicExch
 * and atomicCAS on int and unsigned, min, max, fmaf, fminf, fmaxf, expf, logf, sqrtf, rsqrtf,
 * tanhf, __expf, __logf, __fdividef, __float_as_uint, __uint_as_float, __popc, __ffs, __clz,
 * int2, int4, uint2, uint4, float2, float4 and their make_ functions.
 */
#ifndef TENGEN_DEVICE_H
#define TENGEN_DEVICE_H

#if defined(__CUDACC__)

/* A kernel; the second form sets the maximum number of threads per block and the minimum number
 * of blocks per SM. */
#define KERNEL(name) extern "C" __global__ void name
#define KERNEL_BOUNDS(name, threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks) name

/* A function called by kernels. */
#define DEVICE static __device__ __forceinline__

/* The launch's dynamic shared memory, aligned to 1024 bytes. */
#define SHARED(type, name)                                        \
	extern __shared__ __align__(1024) unsigned char shared_memory[]; \
	type *name = (type *)shared_memory

/* Unrolls the loop that follows. */
#define UNROLL _Pragma("unroll")

#ifndef PTX
#define PTX(...) asm volatile(__VA_ARGS__)
#endif

/* An address in shared memory as instructions need it; add bytes to advance. */
typedef unsigned shared_address;

DEVICE shared_address shared_of(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/* ---- bfloat16, stored as unsigned short; rounding to nearest, ties to even ---- */

DEVICE float bf16_to_float(unsigned short x) { return __uint_as_float((unsigned)x << 16); }

DEVICE unsigned short float_to_bf16(float x) {
	unsigned short r;
	PTX("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(x));
	return r;
}

/* Packs two numbers into one register: low in bits 0–15, which come first in memory. */
DEVICE unsigned pack_bf16(float low, float high) {
	unsigned r;
	PTX("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
	return r;
}

DEVICE float bf16_low(unsigned x) { return __uint_as_float(x << 16); }
DEVICE float bf16_high(unsigned x) { return __uint_as_float(x & 0xffff0000u); }

/* ---- fp16, stored as unsigned short; rounding as above, to infinity from 65,520 on ---- */

DEVICE float fp16_to_float(unsigned short x) {
	float r;
	PTX("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x));
	return r;
}
DEVICE unsigned short float_to_fp16(float x) {
	unsigned short r;
	PTX("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
	return r;
}
DEVICE unsigned pack_fp16(float low, float high) {
	return (unsigned)float_to_fp16(low) | (unsigned)float_to_fp16(high) << 16;
}
DEVICE float fp16_low(unsigned x) { return fp16_to_float((unsigned short)x); }
DEVICE float fp16_high(unsigned x) { return fp16_to_float((unsigned short)(x >> 16)); }

/* tf32: a float rounded to 10 bits of mantissa, ties away from zero. */
DEVICE unsigned float_to_tf32(float x) {
	unsigned r;
	PTX("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
	return r;
}

/* ---- Matrix products of a warp: all 32 lanes call them. g = lane / 4, t = lane % 4 ----
 *
 * c += a · b with fp32 sums. If a register holds two numbers, the first has the low bits.
 *
 * mma_bf16_16816: mma.m16n8k16, a is 16×16, b is 16×8, c is 16×8.
 *   a[0]: (row g,     columns 2t, 2t+1)      a[1]: (row g + 8, columns 2t, 2t+1)
 *   a[2]: (row g,     columns 2t+8, 2t+9)    a[3]: (row g + 8, columns 2t+8, 2t+9)
 *   b[0]: (rows 2t, 2t+1,   column g)        b[1]: (rows 2t+8, 2t+9, column g)
 *   c[0], c[1]: (row g, columns 2t, 2t+1)    c[2], c[3]: (row g + 8, columns 2t, 2t+1)
 */
DEVICE void mma_bf16_16816(float *c, const unsigned *a, const unsigned *b) {
	PTX("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* mma_fp16_1688: mma.m16n8k8 (7.5), a is 16×8, b is 8×8, c is 16×8: a half of the above.
 *   a[0]: (row g, columns 2t, 2t+1)          a[1]: (row g + 8, columns 2t, 2t+1)
 *   b[0]: (rows 2t, 2t+1, column g)
 *   c as above
 */
DEVICE void mma_fp16_1688(float *c, const unsigned *a, const unsigned *b) {
	PTX("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

/* mma_tf32_1688: mma.m16n8k8, a is 16×8, b is 8×8, c is 16×8. The low 13 bits
 * of a and b are ignored: round with float_to_tf32.
 *   a[0]: (row g, column t)      a[1]: (row g + 8, column t)
 *   a[2]: (row g, column t + 4)  a[3]: (row g + 8, column t + 4)
 *   b[0]: (row t, column g)      b[1]: (row t + 4, column g)
 *   c as above
 */
DEVICE void mma_tf32_1688(float *c, const unsigned *a, const unsigned *b) {
	PTX("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Loads 8×8 matrices of 16-bit numbers from shared memory; each row has 16 contiguous bytes,
 * aligned to 16. Lane l passes the address of row l % 8 of matrix l / 8 (for x2 only lanes 0–15
 * count; the others' addresses are ignored). r[i] is from matrix i: row g, columns 2t and 2t+1;
 * with _trans, rows 2t and 2t+1 of column g.
 */
DEVICE void ldmatrix_x4(unsigned *r, shared_address row) {
	PTX("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
	    : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory");
}
DEVICE void ldmatrix_x4_trans(unsigned *r, shared_address row) {
	PTX("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
	    : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory");
}
DEVICE void ldmatrix_x2(unsigned *r, shared_address row) {
	PTX("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(row) : "memory");
}
DEVICE void ldmatrix_x2_trans(unsigned *r, shared_address row) {
	PTX("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(row) : "memory");
}

/* ---- Asynchronous copies from device memory to shared memory ----
 *
 * Addresses are aligned to the size. A thread's copies up to a commit form a group;
 * cp_async_wait(n), n a constant, waits for all of the thread's groups but the latest n. Other
 * threads see the data after a barrier that follows the wait. Before 8.0 a copy, of 16 bytes or of
 * none, is done at once, by a load and a store.
 */
#if __CUDA_ARCH__ < 800
DEVICE void cp_async_16_zero(shared_address dst, const void *src, int bytes) {
	const uint4 v = bytes ? *(const uint4 *)src : make_uint4(0, 0, 0, 0);
	PTX("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(dst), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
DEVICE void cp_async_16(shared_address dst, const void *src) { cp_async_16_zero(dst, src, 16); }
DEVICE void cp_async_commit(void) {}
#define cp_async_wait(n) ((void)(n))
#else
DEVICE void cp_async_16(shared_address dst, const void *src) {
	PTX("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(dst), "l"(__cvta_generic_to_global(src)) : "memory");
}
/* Reads only the first bytes (0–16) and pads with zeros. */
DEVICE void cp_async_16_zero(shared_address dst, const void *src, int bytes) {
	PTX("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes) : "memory");
}
DEVICE void cp_async_4(shared_address dst, const void *src) {
	PTX("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(dst), "l"(__cvta_generic_to_global(src)) : "memory");
}
DEVICE void cp_async_4_zero(shared_address dst, const void *src, int bytes) {
	PTX("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes) : "memory");
}
DEVICE void cp_async_commit(void) { PTX("cp.async.commit_group;" ::: "memory"); }
#define cp_async_wait(n) PTX("cp.async.wait_group %0;" ::"n"(n) : "memory")
#endif

/* ---- Barriers of some warps of a block ----
 *
 * id is 1–15 (0 is that of __syncthreads), threads a multiple of 32. barrier_sync waits until
 * this many threads have called barrier_sync or barrier_arrive.
 */
DEVICE void barrier_sync(int id, int threads) { PTX("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
DEVICE void barrier_arrive(int id, int threads) { PTX("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

/* ---- Matrix products of a warpgroup (9.0a: __CUDA_ARCH_FEAT_SM90_ALL is defined) ----
 *
 * wgmma.mma_async m64nNk16: c += a · b, a is 64×16, b is 16×N, sums in fp32, by the
 * 128 threads of four warps w = 0 to 3 that start at a multiple of four.
 *   c[4j] to c[4j+3]: rows 16w on, columns 8j on, as in mma_bf16_16816's c
 *   a[0] to a[3]: rows 16w on, as in mma_bf16_16816's a
 * The instruction's text depends on N: package kernels generates it (on the host:
 * host_wgmma_bf16_rs and _ss in host.h).
 *
 * wgmma_fence is needed before the first product, and between other accesses to c's or a's
 * registers and a product. Products up to a commit form a group; wgmma_wait(n), n a constant,
 * waits for all groups but the latest n. Until then c is undefined, and a's registers and the
 * operands in shared memory must not change. Products see data that ordinary stores or cp.async
 * wrote to shared memory only after fence_async_shared, called by the writing thread (for
 * cp.async: the thread that waited), and a barrier.
 */
DEVICE void wgmma_fence(void) { PTX("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void wgmma_commit(void) { PTX("wgmma.commit_group.sync.aligned;" ::: "memory"); }
#define wgmma_wait(n) PTX("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")
DEVICE void fence_async_shared(void) { PTX("fence.proxy.async.shared::cta;" ::: "memory"); }

/* Descriptor of an operand in shared memory, K-major: number (row, k), row along M or N. Offsets
 * are multiples of 16 bytes below 2^18.
 *
 * wgmma_descriptor, no swizzle: cores of 8 rows by 16 bytes lie in 128 contiguous bytes;
 *   start + k/8 · leading_bytes + row/8 · stride_bytes + row%8 · 16 + k%8 · 2
 * wgmma_descriptor_128, 128-byte swizzle: rows of 128 bytes, eight of them in 1024;
 *   at = start + row/8 · stride_bytes + row%8 · 128 + k · 2, where bits 4–6 of the
 *   address at are exclusive-ored with its bits 7–9. The rows start at a
 *   multiple of 1024, start is in the first of them: + 32 for each step of 16 along k.
 */
DEVICE unsigned long long wgmma_descriptor(shared_address start, int leading_bytes, int stride_bytes) {
	return (unsigned long long)((start & 0x3ffff) >> 4) | (unsigned long long)(leading_bytes >> 4) << 16 |
	       (unsigned long long)(stride_bytes >> 4) << 32;
}
DEVICE unsigned long long wgmma_descriptor_128(shared_address start, int stride_bytes) {
	return wgmma_descriptor(start, 16, stride_bytes) | 1ull << 62;
}

#else
#include "host.h"
#endif

#endif
