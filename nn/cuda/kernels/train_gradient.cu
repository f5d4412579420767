/* The gradient of a layer's weights, from its input x and the gradient dz of its output:
 *
 *   part[s][t][i][o] = Σ over the positions p of part s of  x[p + offset(t)][i] · dz[p][o]
 *
 * Part s has the positions from s·length on. Another kernel (sum_parts, train_update.cu) adds the
 * parts in order, without atomics, so that each run has the same bits.
 *
 * Macros: TAPS (9 or 1), HEIGHT, WIDTH, IN, OUT (multiples of 16), one of PRECISION_…, and for
 * the tiled kernel those documented there. With GENERAL, HEIGHT, WIDTH, IN and OUT are arguments
 * after the others, so that one image, compiled ahead, serves every layer.
 */
#include "train_element.h"

#if GENERAL
#define SHAPE_PARAMETERS , int HEIGHT, int WIDTH, int IN, int OUT
#define SHAPE , HEIGHT, WIDTH, IN, OUT
#define HAS(channel, channels) ((channel) < (channels))
#else
#define SHAPE_PARAMETERS
#define SHAPE
#define HAS(channel, channels) 1
#endif
#define CELLS (HEIGHT * WIDTH)

/* Whether tap t of position p is on its board. */
DEVICE int on_board(int p, int t SHAPE_PARAMETERS) {
#if TAPS == 1
	return 1;
#else
	int cell = p % CELLS, y = cell / WIDTH + t / 3 - 1, x = cell % WIDTH + t % 3 - 1;
	return y >= 0 && y < HEIGHT && x >= 0 && x < WIDTH;
#endif
}

#if !PLAIN

/* The tiled kernel: a block computes the taps of one row of the 3×3 window, for TILE_I channels
 * of x and TILE_O of dz, over one part. Positions are the depth of the product, DEPTH at a time,
 * in STAGES stages; the three taps read the same positions, shifted, through a table that maps
 * positions off the board to a row of zeros.
 *
 * Macros: TILE_I = 16·WARPS_I, TILE_O = 8·WARPS_O·TILES_O with TILES_O even; they divide
 * IN and OUT unless GENERAL; DEPTH, a multiple of 16; STAGES. The launch: ⌈IN/TILE_I⌉ × ⌈OUT/TILE_O⌉ ×
 * (TAPS/WINDOW · parts) blocks of 32·WARPS_I·WARPS_O threads; length is a multiple of DEPTH.
 */
#define THREADS (32 * WARPS_I * WARPS_O)
#define TILES_O (TILE_O / (8 * WARPS_O))
#define WINDOW (TAPS == 9 ? 3 : 1)
#define EDGE (WINDOW / 2)
#define PAD (ELEMENT == 4 ? 32 : 16) /* bytes: neither the scalar loads of tf32 nor ldmatrix meet in a bank */
#define X_ROW (TILE_I * ELEMENT + PAD)
#define Z_ROW (TILE_O * ELEMENT + PAD)
#define X_ROWS (DEPTH + 2 * EDGE) /* the row of zeros follows */
#define TABLE_BYTES (WINDOW * DEPTH * 4)
#define STAGE_BYTES ((X_ROWS + 1) * X_ROW + DEPTH * Z_ROW + TABLE_BYTES)

#if !GENERAL && SHARED_BYTES != STAGES * STAGE_BYTES
#error "the plan's shared memory differs from the kernel's"
#endif

/* Starts the copies of DEPTH positions from p on, and writes their table of rows. */
DEVICE void fetch(unsigned char *stage, const element *x, const element *dz, int p, int end, int positions, int window SHAPE_PARAMETERS) {
	shared_address xs = shared_of(stage), zs = xs + (X_ROWS + 1) * X_ROW;
	int *table = (int *)(stage + (X_ROWS + 1) * X_ROW + DEPTH * Z_ROW);
	int shift = TAPS == 9 ? (window - 1) * WIDTH : 0;
	const int xv = TILE_I * ELEMENT / 16, zv = TILE_O * ELEMENT / 16;
	for (int i = threadIdx.x; i < X_ROWS * xv; i += THREADS) {
		int row = i / xv, v = i % xv, q = p + shift - EDGE + row;
		if (q >= 0 && q < positions && HAS(blockIdx.x * TILE_I + v * (16 / ELEMENT), IN)) /* the others' sums are not stored */
			cp_async_16(xs + row * X_ROW + v * 16, (const unsigned char *)(x + (long long)q * IN + blockIdx.x * TILE_I) + v * 16);
	}
	for (int i = threadIdx.x; i < DEPTH * zv; i += THREADS) {
		int row = i / zv, v = i % zv, q = p + row;
		int have = q < end;
		if (!HAS(blockIdx.y * TILE_O + v * (16 / ELEMENT), OUT)) continue;
		cp_async_16_zero(zs + row * Z_ROW + v * 16, (const unsigned char *)(dz + (long long)(have ? q : p) * OUT + blockIdx.y * TILE_O) + v * 16, have ? 16 : 0);
	}
	for (int i = threadIdx.x; i < WINDOW * DEPTH; i += THREADS) {
		int tap = i / DEPTH, k = i % DEPTH;
		table[i] = (p + k < end && on_board(p + k, window * WINDOW + tap SHAPE) ? k + tap : X_ROWS) * X_ROW;
	}
}

KERNEL_BOUNDS(gradient, THREADS, 1)(const element *__restrict__ x, const element *__restrict__ dz, float *part, int positions, int length SHAPE_PARAMETERS) {
	SHARED(unsigned char, memory);
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int warp_i = warp / WARPS_O * 16, warp_o = warp % WARPS_O * TILES_O * 8;
	int window = blockIdx.z % (TAPS / WINDOW), s = blockIdx.z / (TAPS / WINDOW);
	int begin = s * length, end = min(begin + length, positions);
	int rounds = (end - begin + DEPTH - 1) / DEPTH;

	for (int i = threadIdx.x; i < STAGES * (X_ROW / 4); i += THREADS)
		((unsigned *)(memory + i / (X_ROW / 4) * STAGE_BYTES + X_ROWS * X_ROW))[i % (X_ROW / 4)] = 0;

	float sum[WINDOW][TILES_O][4];
	UNROLL
	for (int i = 0; i < WINDOW; i++)
		UNROLL
		for (int j = 0; j < TILES_O; j++) sum[i][j][0] = sum[i][j][1] = sum[i][j][2] = sum[i][j][3] = 0;

	for (int r = 0; r < STAGES - 1; r++) {
		if (r < rounds) fetch(memory + r * STAGE_BYTES, x, dz, begin + r * DEPTH, end, positions, window SHAPE);
		cp_async_commit();
	}
	for (int r = 0; r < rounds; r++) {
		cp_async_wait(STAGES - 2);
		__syncthreads();
		int next = r + STAGES - 1;
		if (next < rounds) fetch(memory + next % STAGES * STAGE_BYTES, x, dz, begin + next * DEPTH, end, positions, window SHAPE);
		cp_async_commit();

		const unsigned char *stage = memory + r % STAGES * STAGE_BYTES, *zs = stage + (X_ROWS + 1) * X_ROW;
		const int *table = (const int *)(zs + DEPTH * Z_ROW);
#if PRECISION_BF16
		/* Both operands have the depth as rows: ldmatrix transposes them. */
		int k_a = lane / 16 * 8 + lane % 8, i_a = (warp_i + lane / 8 % 2 * 8) * 2;
		shared_address z = shared_of(zs) + (lane / 8 % 2 * 8 + lane % 8) * Z_ROW + (warp_o + lane / 16 * 8) * 2;
		UNROLL
		for (int k = 0; k < DEPTH; k += 16) {
			unsigned a[WINDOW][4], b[TILES_O / 2][4];
			UNROLL
			for (int i = 0; i < WINDOW; i++) ldmatrix_x4_trans(a[i], shared_of(stage) + table[i * DEPTH + k + k_a] + i_a);
			UNROLL
			for (int j = 0; j < TILES_O / 2; j++) ldmatrix_x4_trans(b[j], z + k * Z_ROW + j * 32);
			UNROLL
			for (int i = 0; i < WINDOW; i++)
				UNROLL
				for (int j = 0; j < TILES_O; j++) mma_bf16_16816(sum[i][j], a[i], b[j / 2] + j % 2 * 2);
		}
#else
		int g = lane / 4, t = lane % 4;
		UNROLL
		for (int k = 0; k < DEPTH; k += 8) {
			unsigned a[WINDOW][4], b[TILES_O][2];
			UNROLL
			for (int i = 0; i < WINDOW; i++) {
				const float *low = (const float *)(stage + table[i * DEPTH + k + t]) + warp_i + g;
				const float *high = (const float *)(stage + table[i * DEPTH + k + t + 4]) + warp_i + g;
				a[i][0] = float_to_tf32(low[0]);
				a[i][1] = float_to_tf32(low[8]);
				a[i][2] = float_to_tf32(high[0]);
				a[i][3] = float_to_tf32(high[8]);
			}
			UNROLL
			for (int j = 0; j < TILES_O; j++) {
				const float *z = (const float *)(zs + (k + t) * Z_ROW) + warp_o + j * 8 + g;
				b[j][0] = float_to_tf32(z[0]);
				b[j][1] = float_to_tf32(z[Z_ROW]); /* four rows on, in floats */
			}
			UNROLL
			for (int i = 0; i < WINDOW; i++)
				UNROLL
				for (int j = 0; j < TILES_O; j++) mma_tf32_1688(sum[i][j], a[i], b[j]);
		}
#endif
	}
	cp_async_wait(0);

	UNROLL
	for (int i = 0; i < WINDOW; i++)
		UNROLL
		for (int half = 0; half < 2; half++) {
			int tap = window * WINDOW + i, row = blockIdx.x * TILE_I + warp_i + half * 8 + lane / 4;
			if (!HAS(row, IN)) continue;
			float *to = part + (((long long)s * TAPS + tap) * IN + row) * OUT + blockIdx.y * TILE_O + warp_o + lane % 4 * 2;
			UNROLL
			for (int j = 0; j < TILES_O; j++)
				if (HAS(blockIdx.y * TILE_O + warp_o + j * 8, OUT)) *(float2 *)(to + j * 8) = make_float2(sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
		}
}

#else

/* The plain kernel: fused multiply-adds, 64 × 64 channels of one tap per block, 16 positions at a
 * time. The launch: ⌈IN/64⌉ × ⌈OUT/64⌉ × (TAPS · parts) blocks of 256 threads.
 */
KERNEL(gradient)(const element *__restrict__ x, const element *__restrict__ dz, float *part, int positions, int length SHAPE_PARAMETERS) {
	__shared__ float xs[16][64], zs[16][64];
	int tap = blockIdx.z % TAPS, s = blockIdx.z / TAPS;
	int offset = TAPS == 9 ? (tap / 3 - 1) * WIDTH + tap % 3 - 1 : 0;
	int begin = s * length, end = min(begin + length, positions);
	int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
	float sum[4][4];
	UNROLL
	for (int i = 0; i < 4; i++)
		UNROLL
		for (int j = 0; j < 4; j++) sum[i][j] = 0;
	for (int p = begin; p < end; p += 16) {
		for (int n = threadIdx.x; n < 16 * 64; n += 256) {
			int k = n / 64, q = p + k, i = blockIdx.x * 64 + n % 64, o = blockIdx.y * 64 + n % 64;
			xs[k][n % 64] = q < end && i < IN && on_board(q, tap SHAPE) ? element_to_float(x[(long long)(q + offset) * IN + i]) : 0;
			zs[k][n % 64] = q < end && o < OUT ? element_to_float(dz[(long long)q * OUT + o]) : 0;
		}
		__syncthreads();
		UNROLL
		for (int k = 0; k < 16; k++)
			UNROLL
			for (int i = 0; i < 4; i++)
				UNROLL
				for (int j = 0; j < 4; j++) sum[i][j] = fmaf(xs[k][ty + 16 * i], zs[k][tx + 16 * j], sum[i][j]);
		__syncthreads();
	}
	UNROLL
	for (int a = 0; a < 4; a++)
		UNROLL
		for (int b = 0; b < 4; b++) {
			int i = blockIdx.x * 64 + ty + 16 * a, o = blockIdx.y * 64 + tx + 16 * b;
			if (i < IN && o < OUT) part[(((long long)s * TAPS + tap) * IN + i) * OUT + o] = sum[a][b];
		}
}

#endif
