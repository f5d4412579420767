/* A layer's product with its weights: a 3×3 convolution over boards, or a dense layer. The
 * gradient with respect to a layer's input is a product too, with weights rotated by 180° and
 * transposed (train_update.cu).
 *
 *   y[p][o] = Σ over taps t, channels i of  x[p + offset(t)][i] · w[o][t][i]   (+ add[p][o])
 *
 * Positions p = row · CELLS + cell are consecutive, channels are contiguous (NHWC); a tap off the
 * board adds nothing. For a dense layer TAPS is 1 and a row is a position.
 *
 * Macros: TAPS (9 or 1), HEIGHT, WIDTH, IN, OUT (multiples of 16), one of PRECISION_…, and for
 * the tiled kernel those documented there. With GENERAL, HEIGHT, WIDTH, IN and OUT are arguments
 * after the others, so that one image, compiled ahead, serves every layer. With INFERENCE, for the tiled kernel,
 * y = ReLU(the sum + biases[o]); y is float with FLOAT_RESULT.
 *
 * In training a convolution by the tensor cores has a part in BatchNorm's passes (train_norm.cu), over
 * stretches of 64 positions. Without z it is that of norm_moments, over y: part[stretch][2][OUT]
 * receives mean and squared deviations; part may be null. With mean, scale and beta x is what the layer
 * below has before its BatchNorm, and its activations, which nobody keeps, are multiplied: not with IN
 * other than OUT, unless GENERAL, as the stem's registers would not suffice. With z it is
 * that of norm_gate, in the layer whose activations are out, whose results before BatchNorm are z, and
 * whose activations' gradient is y; y may be out.
 *
 * Each number of y is summed in an order that does not depend on rows, grid or device.
 */
#include "train_element.h"

#if GENERAL
#define SHAPE_PARAMETERS , int HEIGHT, int WIDTH, int IN, int OUT
#define SHAPE , HEIGHT, WIDTH, IN, OUT
#define HAS_COLUMN(o) ((o) < OUT)
#else
#define SHAPE_PARAMETERS
#define SHAPE
#define HAS_COLUMN(o) 1
#endif
#define NORM (!INFERENCE && !PLAIN && TAPS == 9)
#if INFERENCE /* arguments after positions: biases by channel */
#define EPILOGUE_PARAMETERS , const float *biases
#define EPILOGUE , biases
#elif NORM
#define EPILOGUE_PARAMETERS , const element *out, const element *z, const float *mean, const float *scale, const float *beta, float *part
#define EPILOGUE , out, z, mean, scale, beta, part
#include "train_moments.h"
#else
#define EPILOGUE_PARAMETERS
#endif
#if FLOAT_RESULT /* of hidden layers */
#define RESULT float
#else
#define RESULT element
#endif
#define CELLS (HEIGHT * WIDTH)
#define COLUMN_TILES(tile) ((OUT + (tile) - 1) / (tile))

/* Bit t is set if tap t of a position is on its board. */
DEVICE unsigned taps_on_board(int p, int positions SHAPE_PARAMETERS) {
	if (p >= positions) return 0;
#if TAPS == 1
	return 1;
#else
	int cell = p % CELLS, y = cell / WIDTH, x = cell % WIDTH;
	unsigned rows = (y > 0 ? 0007 : 0) | 0070 | (y < HEIGHT - 1 ? 0700 : 0);
	unsigned columns = (x > 0 ? 0111 : 0) | 0222 | (x < WIDTH - 1 ? 0444 : 0);
	return rows & columns;
#endif
}

/* Offset of tap t from its position. */
#if TAPS == 1
#define TAP_OFFSET(t) 0
#else
#define TAP_OFFSET(t) (((t) / 3 - 1) * WIDTH + (t) % 3 - 1)
#endif

#if WGMMA
#include "train_wgmma.h"
#elif !PLAIN

/* The tiled kernel computes TILE_M positions × TILE_N channels per block, as an implicit matrix
 * product: consecutive positions with a border of WIDTH + 1 on either side are in shared memory
 * for CHUNK channels at a time, and all taps read from them, row by row, with a row of zeros for
 * positions off the board. Weights are fetched tap by tap, in STAGES stages. A row of shared
 * memory is 16 bytes longer than its data, so that the eight rows that ldmatrix reads at once are
 * in different banks.
 *
 * Macros: TILE_M = 16·WARPS_M·TILES_M, TILE_N = 8·WARPS_N·TILES_N with TILES_N even, OUT a
 * multiple of TILE_N unless GENERAL; CHUNK divides IN, CHUNK·ELEMENT a multiple of 32; STAGES.
 * The launch: ⌈OUT/TILE_N⌉ · ⌈positions/TILE_M⌉ blocks of 32·WARPS_M·WARPS_N threads,
 * all channels of a stretch of positions one after the other. With TILES_M 2 there may be more
 * blocks, up to twice as many: the last ones then have half the positions, so that all end at about
 * the same time.
 */
#define THREADS (32 * WARPS_M * WARPS_N)
#define TILES_M (TILE_M / (16 * WARPS_M))
#define TILES_N (TILE_N / (8 * WARPS_N))
#define HALF (16 * WARPS_M) /* positions of half a tile, with TILES_M 2 */
#define BORDER (TAPS == 9 ? WIDTH + 1 : 0)
#define ROW (CHUNK * ELEMENT + 16)
#define X_ROWS (TILE_M + 2 * BORDER) /* the row of zeros follows */
#define X_BYTES ((X_ROWS + 1) * ROW)
#define X_BUFFERS (TAPS == 1 ? STAGES : 2)
#define W_BYTES (TILE_N * ROW)
#define VECTORS (CHUNK * ELEMENT / 16)
#define ROUNDS (IN / CHUNK * TAPS)

#if !GENERAL && SHARED_BYTES != X_BUFFERS * X_BYTES + STAGES * W_BYTES
#error "the plan's shared memory differs from the kernel's"
#endif

/* Starts the copies of round r: chunk r / TAPS of the channels, tap r % TAPS; x_rows of x. */
DEVICE void fetch(int r, shared_address xs, shared_address ws, const element *x, const element *w, int first, int x_rows, int positions, int column SHAPE_PARAMETERS) {
	int chunk = r / TAPS, tap = r % TAPS;
	if (tap == 0) {
		shared_address to = xs + chunk % X_BUFFERS * X_BYTES;
		for (int i = threadIdx.x; i < x_rows * VECTORS; i += THREADS) {
			int row = i / VECTORS, v = i % VECTORS, p = first - BORDER + row;
			if (p >= 0 && p < positions)
				cp_async_16(to + row * ROW + v * 16, (const unsigned char *)(x + (long long)p * IN + chunk * CHUNK) + v * 16);
		}
	}
	shared_address to = ws + r % STAGES * W_BYTES;
	for (int i = threadIdx.x; i < TILE_N * VECTORS; i += THREADS) {
		int row = i / VECTORS, v = i % VECTORS;
		if (HAS_COLUMN(column + row)) /* the others' sums are not stored */
			cp_async_16(to + row * ROW + v * 16,
			            (const unsigned char *)(w + ((long long)(column + row) * TAPS + tap) * IN + chunk * CHUNK) + v * 16);
	}
}

#define ACTIVATES (NORM && (GENERAL || IN == OUT))
#if ACTIVATES
/* Activates what this thread has fetched of a chunk of x. */
DEVICE void activate(unsigned char *xs, int chunk, int first, int x_rows, int positions, const float *mean, const float *scale, const float *beta SHAPE_PARAMETERS) {
	unsigned char *to = xs + chunk % X_BUFFERS * X_BYTES;
	_Pragma("unroll 1") /* sums have the registers */
	for (int i = threadIdx.x; i < x_rows * VECTORS; i += THREADS) {
		int row = i / VECTORS, v = i % VECTORS, p = first - BORDER + row, c = chunk * CHUNK + v * (16 / ELEMENT);
		if (p >= 0 && p < positions) activate_16(to + row * ROW + v * 16, mean + c, scale + c, beta + c);
	}
}
#endif

/* This thread's numbers of a row of an array. */
#define LOAD_ROW(to, from)                     \
	UNROLL                                       \
	for (int j = 0; j < TILES_N; j++)            \
		if (HAS_COLUMN(column + warp_n + j * 8)) load2(to[j], (from) + at + j * 8)

KERNEL_BOUNDS(product, THREADS, 2)(const element *__restrict__ x, const element *__restrict__ w, const element *add, RESULT *y, int positions EPILOGUE_PARAMETERS SHAPE_PARAMETERS) {
	SHARED(unsigned char, memory);
	shared_address xs = shared_of(memory), ws = xs + X_BUFFERS * X_BYTES;
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int tile = blockIdx.x / COLUMN_TILES(TILE_N), column = blockIdx.x % COLUMN_TILES(TILE_N) * TILE_N;
	int first = tile * TILE_M, tiles = TILES_M;
#if TILE_M == 2 * HALF
	int whole = (positions + HALF - 1) / HALF - gridDim.x / COLUMN_TILES(TILE_N);
	if (tile >= whole) {
		first = (whole + tile) * HALF;
		tiles = 1;
	}
#endif
	int warp_m = warp / WARPS_N * tiles * 16, warp_n = warp % WARPS_N * TILES_N * 8;
	int x_rows = tiles * HALF + 2 * BORDER;

	for (int i = threadIdx.x; i < X_BUFFERS * (ROW / 4); i += THREADS)
		((unsigned *)(memory + i / (ROW / 4) * X_BYTES + X_ROWS * ROW))[i % (ROW / 4)] = 0;

	/* ldmatrix: this lane passes the address of one row of x in each tile, and of one of w. */
	unsigned on_board[TILES_M];
	UNROLL
	for (int i = 0; i < TILES_M; i++) on_board[i] = taps_on_board(first + warp_m + i * 16 + lane % 16, positions SHAPE);
	int x_row = BORDER + warp_m + lane % 16, x_byte = lane / 16 * 16;
	int w_at = (warp_n + lane % 8 + lane / 16 * 8) * ROW + lane / 8 % 2 * 16;

	float sum[TILES_M][TILES_N][4];
	UNROLL
	for (int i = 0; i < TILES_M; i++)
		UNROLL
		for (int j = 0; j < TILES_N; j++) sum[i][j][0] = sum[i][j][1] = sum[i][j][2] = sum[i][j][3] = 0;

	for (int r = 0; r < STAGES - 1; r++) {
		if (r < ROUNDS) fetch(r, xs, ws, x, w, first, x_rows, positions, column SHAPE);
		cp_async_commit();
	}
	for (int r = 0; r < ROUNDS; r++) {
		cp_async_wait(STAGES - 2);
#if ACTIVATES
		if (mean && !z && r % TAPS == 0) activate(memory, r / TAPS, first, x_rows, positions, mean, scale, beta SHAPE);
#endif
		__syncthreads();
		if (r + STAGES - 1 < ROUNDS) fetch(r + STAGES - 1, xs, ws, x, w, first, x_rows, positions, column SHAPE);
		cp_async_commit();

		int tap = r % TAPS;
		shared_address from = xs + r / TAPS % X_BUFFERS * X_BYTES + x_byte, weights = ws + r % STAGES * W_BYTES + w_at;
		shared_address rows[TILES_M];
		UNROLL
		for (int i = 0; i < TILES_M; i++)
			rows[i] = from + (on_board[i] >> tap & 1 ? x_row + i * 16 + TAP_OFFSET(tap) : X_ROWS) * ROW;
		UNROLL
		for (int k = 0; k < CHUNK * ELEMENT / 32; k++) { /* 16 channels in bf16, 8 in tf32 */
			unsigned a[TILES_M][4], b[TILES_N / 2][4];
			UNROLL
			for (int i = 0; i < TILES_M; i++)
				if (i < tiles) ldmatrix_x4(a[i], rows[i] + k * 32);
			UNROLL
			for (int j = 0; j < TILES_N / 2; j++) ldmatrix_x4(b[j], weights + j * 16 * ROW + k * 32);
#if ELEMENT == 4
			UNROLL
			for (int i = 0; i < TILES_M; i++)
				UNROLL
				for (int q = 0; q < 4 && i < tiles; q++) a[i][q] = float_to_tf32(__uint_as_float(a[i][q]));
#endif
			UNROLL
			for (int i = 0; i < TILES_M; i++)
				UNROLL
				for (int j = 0; j < TILES_N && i < tiles; j++) {
#if PRECISION_BF16
					mma_bf16_16816(sum[i][j], a[i], b[j / 2] + j % 2 * 2);
#elif PRECISION_FP16
					mma_fp16_1688(sum[i][j], a[i], b[j / 2] + j % 2 * 2);
					mma_fp16_1688(sum[i][j], a[i] + 2, b[j / 2] + j % 2 * 2 + 1);
#else
					mma_tf32_1688(sum[i][j], a[i], b[j / 2] + j % 2 * 2);
#endif
				}
		}
	}
	cp_async_wait(0);

#if NORM
	float products[TILES_N][2]; /* Σ y·(z − mean) by channel */
	UNROLL
	for (int j = 0; j < TILES_N; j++) products[j][0] = products[j][1] = 0;
#endif
	UNROLL
	for (int i = 0; i < TILES_M; i++)
		UNROLL
		for (int half = 0; half < 2; half++) {
			int p = first + warp_m + i * 16 + half * 8 + lane / 4;
			if (p >= positions || i >= tiles) continue;
			long long at = (long long)p * OUT + column + warp_n + lane % 4 * 2;
			float more[TILES_N][2]; /* loads of a row wait together */
			if (add) {
				LOAD_ROW(more, add);
			}
			UNROLL
			for (int j = 0; j < TILES_N; j++) {
				if (!HAS_COLUMN(column + warp_n + j * 8)) continue;
				float a = sum[i][j][half * 2], b = sum[i][j][half * 2 + 1];
#if INFERENCE
				a += biases[column + warp_n + lane % 4 * 2 + j * 8];
				b += biases[column + warp_n + lane % 4 * 2 + j * 8 + 1];
#endif
				if (add) {
					a += more[j][0];
					b += more[j][1];
				}
#if INFERENCE /* NaN stays NaN, as in the definition */
				a = a < 0 ? 0 : a;
				b = b < 0 ? 0 : b;
#elif NORM
				a = element_to_float(float_to_element(a));
				b = element_to_float(float_to_element(b));
#endif
				sum[i][j][half * 2] = a;
				sum[i][j][half * 2 + 1] = b;
			}
#if NORM
			if (z) {
				LOAD_ROW(more, out);
				UNROLL
				for (int j = 0; j < TILES_N; j++)
					UNROLL
					for (int v = 0; v < 2; v++)
						if (HAS_COLUMN(column + warp_n + j * 8) && more[j][v] <= 0) sum[i][j][half * 2 + v] = 0;
				LOAD_ROW(more, z);
				UNROLL
				for (int j = 0; j < TILES_N; j++) {
					if (!HAS_COLUMN(column + warp_n + j * 8)) continue;
					const float *m = mean + column + warp_n + lane % 4 * 2 + j * 8;
					UNROLL
					for (int v = 0; v < 2; v++) products[j][v] = fmaf(sum[i][j][half * 2 + v], more[j][v] - m[v], products[j][v]);
				}
			}
#endif
			UNROLL
			for (int j = 0; j < TILES_N; j++) {
				if (!HAS_COLUMN(column + warp_n + j * 8)) continue;
#if FLOAT_RESULT
				*(float2 *)(y + at + j * 8) = make_float2(sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
#else
				store2(y + at + j * 8, sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
#endif
			}
		}
#if NORM
	if (!part) return;
	float2(*part_of)[TILE_N] = (float2(*)[TILE_N])memory; /* by warp's rows */
	__syncthreads();
	UNROLL
	for (int j = 0; j < TILES_N; j += 2) {
		float one[4], two[4]; /* sums of four channels */
		int n = z ? -1 : 0;
		UNROLL
		for (int v = 0; v < 4; v++) {
			one[v] = sum[0][j + v / 2][v % 2];
			two[v] = z ? products[j + v / 2][v % 2] : 0;
		}
		UNROLL
		for (int k = 0; k < 2 * TILES_M; k++) {
			if (k / 2 >= tiles || first + warp_m + k * 8 + lane / 4 >= positions) continue;
			if (!z) n = k + 1;
			UNROLL
			for (int v = 0; v < 4 && k > 0; v++) {
				float d = sum[k / 2][j + v / 2][k % 2 * 2 + v % 2];
				if (z) {
					one[v] += d;
				} else {
					d -= one[v];
					one[v] = fmaf(d, 1.f / (k + 1), one[v]);
					two[v] = fmaf(d * d, (float)k / (k + 1), two[v]);
				}
			}
		}
		add_lanes(one, two, 4, n, lane);
		int v = channel_of(4, lane);
		if (lane < 16) part_of[warp / WARPS_N][warp_n + (j + v / 2) * 8 + lane % 4 * 2 + v % 2] = make_float2(one[0], two[0]);
	}
	__syncthreads();
	const int warp_rows = tiles * 16;
	for (int i = threadIdx.x; i < tiles * HALF / 64 * TILE_N; i += THREADS) {
		int from = first + i / TILE_N * 64, c = i % TILE_N;
		if (from < positions && HAS_COLUMN(column + c))
			write_stretch(part + (long long)(from / 64) * 2 * OUT + column + c, part_of[i / TILE_N * (64 / warp_rows)] + c, TILE_N, 64 / warp_rows, warp_rows, positions - from, z != 0, OUT);
	}
#endif
}

#else

/* The plain kernel: fused multiply-adds on 64 × 64 tiles, 16 channels at a time. It is used for
 * fp32, as the reference of the tiled kernel, and for boards whose border does not fit shared
 * memory. The launch: ⌈OUT/64⌉ · ⌈positions/64⌉ blocks of 256 threads.
 */
KERNEL(product)(const element *__restrict__ x, const element *__restrict__ w, const element *add, element *y, int positions SHAPE_PARAMETERS) {
	__shared__ float xs[16][65], ws[16][65];
	int first = blockIdx.x / COLUMN_TILES(64) * 64, column = blockIdx.x % COLUMN_TILES(64) * 64;
	int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
	float sum[4][4];
	UNROLL
	for (int i = 0; i < 4; i++)
		UNROLL
		for (int j = 0; j < 4; j++) sum[i][j] = 0;
	for (int chunk = 0; chunk < IN; chunk += 16)
		for (int tap = 0; tap < TAPS; tap++) {
			for (int i = threadIdx.x; i < 64 * 16; i += 256) {
				int row = i / 16, c = i % 16, p = first + row, o = column + row;
				int on = taps_on_board(p, positions SHAPE) >> tap & 1;
				xs[c][row] = on ? element_to_float(x[(long long)(p + TAP_OFFSET(tap)) * IN + chunk + c]) : 0;
				ws[c][row] = o < OUT ? element_to_float(w[((long long)o * TAPS + tap) * IN + chunk + c]) : 0;
			}
			__syncthreads();
			UNROLL
			for (int c = 0; c < 16; c++)
				UNROLL
				for (int i = 0; i < 4; i++)
					UNROLL
					for (int j = 0; j < 4; j++) sum[i][j] = fmaf(xs[c][ty + 16 * i], ws[c][tx + 16 * j], sum[i][j]);
			__syncthreads();
		}
	UNROLL
	for (int i = 0; i < 4; i++)
		UNROLL
		for (int j = 0; j < 4; j++) {
			int p = first + ty + 16 * i, o = column + tx + 16 * j;
			if (p >= positions || o >= OUT) continue;
			long long at = (long long)p * OUT + o;
			y[at] = float_to_element(add ? sum[i][j] + element_to_float(add[at]) : sum[i][j]);
		}
}

#endif
