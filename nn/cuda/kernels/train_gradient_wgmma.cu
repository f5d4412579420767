/* The gradient of a 3×3 convolution's weights (train_gradient.cu) with wgmma, for devices 9.0a, in
 * bfloat16. A block computes the taps of one row of the window, for TILE_I channels of x and TILE_O
 * of dz, over one part: each of three warpgroups has one tap. One image serves every board and
 * number of channels.
 *
 * A is x, transposed, in registers, since no descriptor can express shifted rows with zeros off the
 * board: ldmatrix reads them through a table of rows. B is dz as it is in memory, with the columns
 * of the product contiguous: N-major, which the instruction permits of 16-bit numbers. Of a
 * stage's DEPTH positions there are panels of 64 channels, 128 bytes a position, whose 16-byte
 * chunks are permuted as the 128-byte swizzle wants: chunk c of position k is at c ^ k % 8. So
 * neither the copies nor the products meet in a bank.
 *
 * Macros: TILE_I, a multiple of 64 that divides IN; TILE_O, a multiple of 64 up to 256 that divides
 * OUT, TILE_I · TILE_O at most 16384 (sums are registers); DEPTH, a multiple of 64; STAGES, at least 4; SHARED_BYTES;
 * BLOCKS_SM, blocks of a multiprocessor for which registers must suffice. The launch: IN/TILE_I ×
 * OUT/TILE_O × 3 · parts blocks of 384 threads; length is a multiple of 32.
 *
 * Stages and batches of products follow one another as in tower_wgmma.h.
 */
#include "train_element.h"
#include "wgmma.h"

#if defined(__CUDACC__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "this compiler has no wgmma"
#endif

#define THREADS 384
#define TILES (TILE_I / 64)
#define X_ROWS (DEPTH + 2)
#define X_ROW (TILE_I * 2 + 16) /* bytes: rows begin in banks one after the other */
#define PANEL (DEPTH * 128)
#define X_PLACE (DEPTH * TILE_O * 2)
#define TABLE_PLACE (X_PLACE + X_ROWS * X_ROW)
#define STAGE_BYTES ((TABLE_PLACE + 3 * DEPTH * 4 + 1023) / 1024 * 1024)
#define ZEROS (STAGES * STAGE_BYTES) /* eight rows: each tap reads the one in the banks of the row that it replaces */
#define AHEAD (STAGES - 2)
#define ROLLED _Pragma("unroll 1") /* unrolled, copies would need registers that sums have */

#if SHARED_BYTES != ZEROS + 8 * X_ROW
#error "the plan's shared memory differs from the kernel's"
#endif

/* B's descriptor, N-major with the 128-byte swizzle (CUTLASS, mma_traits_sm90_gmma.hpp, Major::MN
 * with LayoutType::B128: in chunks of 16 bytes ((8,n),(8,k)):((1,LBO),(8,SBO)); PTX ISA,
 * "Asynchronous warpgroup level matrix shared memory layout"). Of number (n, k):
 *
 *   bits 0–13   start, in 16 bytes: a multiple of 1024 bytes, so the base offset (bits 49–51) is 0
 *   bits 16–29  leading offset, in 16 bytes: from 64 columns n to the next 64
 *   bits 32–45  stride offset, in 16 bytes: from eight k to the next eight; 128 bytes are between k
 *   bits 62–63  1: 128-byte swizzle, bits 4–6 of an address are exclusive-ored with its bits 7–9
 */
DEVICE unsigned long long columns_descriptor(shared_address panels) {
	return wgmma_descriptor(panels, PANEL, 1024) | 1ull << 62;
}

/* Start the copies of DEPTH positions of x and of dz from p on. A thread has a chunk of each
 * (THREADS / chunks)th row: a multiple of eight rows on, chunks are permuted alike. */
DEVICE void fetch_x(shared_address xs, const element *x, int p, int positions, int window, int width, int in) {
	const int chunks = TILE_I / 8, step = THREADS / chunks;
	int row = threadIdx.x / chunks, v = threadIdx.x % chunks, q = p + (window - 1) * width - 1 + row;
	shared_address to = xs + row * X_ROW + v * 16;
	const element *from = x + (long long)q * in + blockIdx.x * TILE_I + v * 8;
	ROLLED
	for (; row < X_ROWS; row += step) {
		if (q >= 0 && q < positions) cp_async_16(to, from);
		q += step;
		to += step * X_ROW;
		from += (long long)step * in;
	}
}
DEVICE void fetch_z(shared_address zs, const element *dz, int p, int end, int out) {
	const int chunks = TILE_O / 8, step = THREADS / chunks;
	int k = threadIdx.x / chunks, v = threadIdx.x % chunks;
	shared_address to = zs + v / 8 * PANEL + k * 128 + (v % 8 ^ k % 8) * 16;
	const element *any = dz + (long long)p * out, *from = any + (long long)k * out + blockIdx.y * TILE_O + v * 8;
	ROLLED
	for (; k < DEPTH; k += step) {
		int have = p + k < end;
		cp_async_16_zero(to, have ? from : any, have ? 16 : 0);
		to += step * 128;
		from += (long long)step * out;
	}
}

/* Writes the table of the positions from p on in the stage at place: of each tap and position the
 * place of x's row in shared memory. */
DEVICE void write_table(unsigned char *memory, int place, int p, int end, int window, int height, int width) {
	int k = threadIdx.x;
	if (k >= DEPTH) return;
	int cell = (p + k) % (height * width), line = cell / width, column = cell - line * width;
	line += window - 1;
	int *table = (int *)(memory + place + TABLE_PLACE) + k;
	ROLLED
	for (int tap = 0; tap < 3; tap++) {
		int row = k + tap, at = column + tap - 1, inside = p + k < end && line >= 0 && line < height && at >= 0 && at < width;
		table[tap * DEPTH] = inside ? place + X_PLACE + row * X_ROW : ZEROS + row % 8 * X_ROW;
	}
}

/* Issues the product of 16 positions and a tile, and waits for the one before, which had the rows
 * before. */
DEVICE void multiply(float *sums, unsigned *a, unsigned *before, shared_address rows, unsigned long long b) {
	ldmatrix_x4_trans(a, rows);
	wgmma_tie(sums);
	wgmma_fence();
	wgmma_rs(sums, a, b);
	wgmma_commit();
	wgmma_wait(1);
	wgmma_keep(before);
}

KERNEL_BOUNDS(gradient, THREADS, BLOCKS_SM)(const element *__restrict__ x, const element *__restrict__ dz, float *part, int positions, int length, int height, int width, int in, int out) {
	SHARED(unsigned char, memory);
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32, tap = warp / 4, row = warp % 4 * 16;
	int window = blockIdx.z % 3, s = blockIdx.z / 3;
	int begin = s * length, end = min(begin + length, positions);
	int pairs = (end - begin + 31) / 32;

	for (int i = threadIdx.x; i < 8 * X_ROW / 4; i += THREADS) ((unsigned *)(memory + ZEROS))[i] = 0;
	for (int r = 0; r < AHEAD; r++) {
		int place = r * STAGE_BYTES, p = begin + r * DEPTH;
		if (p < end) {
			fetch_x(shared_of(memory) + place + X_PLACE, x, p, positions, window, width, in);
			fetch_z(shared_of(memory) + place, dz, p, end, out);
			write_table(memory, place, p, end, window, height, width);
		}
		cp_async_commit();
	}

	float sums[TILES][TILE_O / 2];
	unsigned a[2][4]; /* rows of two products */
	UNROLL
	for (int i = 0; i < TILES; i++) {
		UNROLL
		for (int j = 0; j < TILE_O / 2; j++) sums[i][j] = 0;
	}
	a[1][0] = a[1][1] = a[1][2] = a[1][3] = 0;
	/* The lane's part of an address: see ldmatrix_x4_trans and wgmma's a. */
	shared_address xs = shared_of(memory) + (row + lane / 8 % 2 * 8) * 2;
	int at = TABLE_PLACE + (tap * DEPTH + lane / 16 * 8 + lane % 8) * 4;
	for (int pair = 0; pair < pairs; pair++) {
		int r = pair / (DEPTH / 32), slot = r % STAGES * STAGE_BYTES, k = pair % (DEPTH / 32) * 32;
		if (k == 0) {
			/* After the barrier every warpgroup has finished the stage before the last, whose slot is
			 * filled again. */
			cp_async_wait(STAGES - 3);
			fence_async_shared();
			__syncthreads();
		}
		UNROLL
		for (int step = 0; step < 2; step++) {
			shared_address rows = xs + ((const int *)(memory + slot + at))[k + step * 16];
			unsigned long long b = columns_descriptor(shared_of(memory) + slot + (k + step * 16) * 128);
			UNROLL
			for (int i = 0; i < TILES; i++) {
				int set = (step * TILES + i) % 2;
				multiply(sums[i], a[set], a[1 - set], rows + i * 128, b);
			}
			/* Copies begin between products, which go on meanwhile. */
			int place = (r + AHEAD) % STAGES * STAGE_BYTES, p = begin + (r + AHEAD) * DEPTH;
			if (p < end && k == 0 && step == 0) fetch_x(shared_of(memory) + place + X_PLACE, x, p, positions, window, width, in);
			if (p < end && k == 0 && step == 1) fetch_z(shared_of(memory) + place, dz, p, end, out);
			if (p < end && k == DEPTH - 32 && step == 0) write_table(memory, place, p, end, window, height, width);
		}
		if (k == DEPTH - 32) cp_async_commit();
	}
	wgmma_wait(0);
	wgmma_keep(a[0]);
	wgmma_keep(a[1]);
	UNROLL
	for (int i = 0; i < TILES; i++) wgmma_tie(sums[i]);
	cp_async_wait(0);

	UNROLL
	for (int i = 0; i < TILES; i++)
		UNROLL
		for (int half = 0; half < 2; half++) {
			long long to = ((long long)s * 9 + window * 3 + tap) * in + blockIdx.x * TILE_I + i * 64 + row + half * 8 + lane / 4;
			float *first = part + to * out + blockIdx.y * TILE_O + lane % 4 * 2;
			UNROLL
			for (int j = 0; j < TILE_O / 8; j++) *(float2 *)(first + j * 8) = make_float2(sums[i][4 * j + half * 2], sums[i][4 * j + half * 2 + 1]);
		}
}
