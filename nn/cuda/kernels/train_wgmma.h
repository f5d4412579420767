/* The product of a 3×3 convolution with wgmma, for devices 9.0a, in bfloat16 (train_product.cu with
 * WGMMA, GENERAL and TAPS 9). One image serves all boards and all channels that are multiples of 64.
 *
 * A tile is up to TILE_M positions × TILE_N channels; each of four warpgroups has 64 positions of
 * it and all its channels. As in the tower, A is in registers: consecutive positions with a border
 * of WIDTH + 1 on either side are in shared memory for 64 channels at a time, all taps read from
 * them by ldmatrix, and taps off the board read rows of zeros. A row of x is 16 bytes longer than
 * its data, and the row of zeros has the same number modulo 8, so that the eight rows that ldmatrix
 * reads at once are in different banks.
 *
 * A round is one tap of 64 channels: a stage of weights, rows of 128 bytes with the 128-byte
 * swizzle, so that w needs no other arrangement than for mma.sync. Blocks are persistent: each
 * computes tiles blockIdx.x, + gridDim.x and so on, and rounds follow one another across tiles:
 * while a tile is finished, the weights and positions of the next are on their way. A
 * warpgroup issues half a round's products, waits for those of the half before, and loads the next
 * rows into their registers; so a stage is free when all warps have passed the barrier of the round
 * after the next. The positions of the next 64 channels are fetched in parts, after the
 * last round that reads what they replace.
 *
 * Macros: TILE_N, 64, 96 or 128, which divides OUT; STAGES. The launch: any number of blocks of 512
 * threads.
 */
#include "wgmma.h"

#define WARPGROUPS 4
#define THREADS (128 * WARPGROUPS)
#define TILE_M (64 * WARPGROUPS)
#define CHUNK 64 /* channels at a time */
#define BATCH 2  /* steps of 16 channels that are issued together, half a round */
#define VECTORS 8
#define ROW 144
#define X_ROWS(width) ((TILE_M + 2 * (width) + 2 + 7) / 8 * 8)
#define W_BYTES (TILE_N * 128)
#define AHEAD (STAGES - 2)
#define X_PARTS (TAPS - AHEAD)
#define BORDER (WIDTH + 1)

/* A tile: its first position, its channels, and how many warpgroups have some. */
typedef struct {
	int number, first, column, groups;
} tile;

/* All tiles. First those of TILE_M positions, as many as all blocks have equally many of; then
 * smaller ones, so that the rest is spread over all blocks too. */
typedef struct {
	int count, whole, groups, columns;
} tiling;

DEVICE tiling tiles_of(int positions, int columns) {
	tiling t;
	int blocks = gridDim.x, rest = (positions + 63) / 64;
	t.columns = columns;
	t.whole = rest / WARPGROUPS * columns / blocks * blocks / columns;
	rest -= t.whole * WARPGROUPS;
	t.groups = 1;
	while (t.groups < WARPGROUPS && (rest + t.groups - 1) / t.groups * columns > blocks) t.groups++;
	t.count = (t.whole + (rest + t.groups - 1) / t.groups) * columns;
	return t;
}

DEVICE tile tile_of(const tiling *all, int number) {
	tile t;
	int row = number / all->columns;
	t.number = number;
	t.column = number % all->columns * TILE_N;
	t.groups = row < all->whole ? WARPGROUPS : all->groups;
	t.first = row < all->whole ? row * TILE_M : all->whole * TILE_M + (row - all->whole) * all->groups * 64;
	return t;
}

/* Fetches a part of the rows of x for the channels from chunk on. */
DEVICE void fetch_rows(const tile *t, int chunk, int part, int parts, shared_address to, const element *x, int positions SHAPE_PARAMETERS) {
	int rows = t->groups * 64 + 2 * BORDER;
	for (int i = part * THREADS + threadIdx.x; i < rows * VECTORS; i += parts * THREADS) {
		int row = i / VECTORS, v = i % VECTORS, p = t->first - BORDER + row;
		if (p >= 0 && p < positions)
			cp_async_16(to + row * ROW + v * 16, x + (long long)p * IN + chunk * CHUNK + v * 8);
	}
}

/* What is fetched next: a round, and the rows for the chunk after its own. */
typedef struct {
	tile of, rows_of;
	int chunk, tap, slot, rows_chunk;
} stream;

/* Starts the copies of a round. It always commits a group, which is empty at the end. */
DEVICE void fetch(stream *s, const tiling *all, shared_address ring, shared_address xs, const element *x, const element *w, int positions SHAPE_PARAMETERS) {
	const int chunks = IN / CHUNK;
	if (s->of.number < all->count) {
		shared_address to = ring + s->slot * W_BYTES;
		int row = threadIdx.x / VECTORS, v = threadIdx.x % VECTORS;
		const element *from = w + ((long long)(s->of.column + row) * TAPS + s->tap) * IN + s->chunk * CHUNK + v * 8;
		UNROLL
		for (int i = 0; i < TILE_N; i += THREADS / VECTORS)
			if (i + THREADS / VECTORS <= TILE_N || i + row < TILE_N)
				cp_async_16(to + (i + row) * 128 + (v ^ row % 8) * 16, from + (long long)i * TAPS * IN);
	}
	if (s->tap >= AHEAD && s->rows_of.number < all->count)
		fetch_rows(&s->rows_of, s->rows_chunk, s->tap - AHEAD, X_PARTS, xs, x, positions SHAPE);
	cp_async_commit();
	s->slot = s->slot + 1 == STAGES ? 0 : s->slot + 1;
	if (++s->tap < TAPS)
		return;
	s->tap = 0;
	s->of = s->rows_of;
	s->chunk = s->rows_chunk;
	if (++s->rows_chunk == chunks) {
		s->rows_chunk = 0;
		s->rows_of = tile_of(all, s->rows_of.number + gridDim.x);
	}
}

/* Words w[0] to w[3] of four lanes, which share a row, are a matrix: transposes it. */
DEVICE void transpose(unsigned *w, int lane) {
	UNROLL
	for (int bit = 1; bit < 4; bit *= 2) {
		UNROLL
		for (int i = 0; i < 4; i++) {
			if (i & bit) continue;
			unsigned other = __shfl_xor_sync(0xffffffffu, lane & bit ? w[i] : w[i + bit], bit);
			if (lane & bit)
				w[i] = other;
			else
				w[i + bit] = other;
		}
	}
}

KERNEL_BOUNDS(product, THREADS, 1)(const element *__restrict__ x, const element *__restrict__ w, const element *add, element *y, int positions BIAS_PARAMETER SHAPE_PARAMETERS) {
	SHARED(unsigned char, memory);
	const int x_bytes = X_ROWS(WIDTH) * ROW, rounds = IN / CHUNK * TAPS;
	shared_address ring = shared_of(memory), xs = ring + STAGES * W_BYTES, zeros = xs + 2 * x_bytes;
	int lane = threadIdx.x % 32, group = threadIdx.x / 128, row = threadIdx.x / 32 * 16 + lane % 16, half = lane / 16 * 16;
	for (int i = threadIdx.x * 4; i < 8 * ROW; i += THREADS * 4) *(unsigned *)(memory + STAGES * W_BYTES + 2 * x_bytes + i) = 0;

	tiling all = tiles_of(positions, OUT / TILE_N);
	stream s;
	s.of = s.rows_of = tile_of(&all, blockIdx.x);
	s.chunk = s.tap = s.slot = s.rows_chunk = 0;
	if (s.of.number < all.count) fetch_rows(&s.of, 0, 0, 1, xs, x, positions SHAPE);
	if (++s.rows_chunk == IN / CHUNK) {
		s.rows_chunk = 0;
		s.rows_of = tile_of(&all, blockIdx.x + gridDim.x);
	}
	int slot = 0, buffer = 0; /* that are read */
	for (int i = 0; i < AHEAD; i++) fetch(&s, &all, ring, xs + x_bytes, x, w, positions SHAPE);

	for (tile t = tile_of(&all, blockIdx.x); t.number < all.count; t = tile_of(&all, t.number + gridDim.x)) {
		unsigned on_board = taps_on_board(t.first + row, positions SHAPE), a[2][BATCH][4];
		float sums[TILE_N / 2];
		int tap = 0;
		UNROLL
		for (int i = 0; i < TILE_N / 2; i++) sums[i] = 0;
		UNROLL
		for (int i = 0; i < BATCH; i++) a[1][i][0] = a[1][i][1] = a[1][i][2] = a[1][i][3] = 0;
		for (int r = 0; r < rounds; r++) {
			cp_async_wait(STAGES - 3);
			fence_async_shared();
			__syncthreads();
			fetch(&s, &all, ring, xs + (1 - buffer) * x_bytes, x, w, positions SHAPE);
			if (group < t.groups) {
				int shifted = BORDER + row + TAP_OFFSET(tap);
				shared_address from = (on_board >> tap & 1 ? xs + buffer * x_bytes + shifted * ROW : zeros + shifted % 8 * ROW) + half;
				unsigned long long stage = wgmma_descriptor_128(ring + slot * W_BYTES, 1024);
				UNROLL
				for (int set = 0; set < 2; set++) {
					UNROLL
					for (int i = 0; i < BATCH; i++) ldmatrix_x4(a[set][i], from + (set * BATCH + i) * 32);
					wgmma_tie(sums);
					wgmma_fence();
					UNROLL
					for (int i = 0; i < BATCH; i++) wgmma_rs(sums, a[set][i], stage + (set * BATCH + i) * 2);
					wgmma_commit();
					wgmma_wait(1);
					UNROLL
					for (int i = 0; i < BATCH; i++) wgmma_keep(a[1 - set][i]);
				}
			}
			slot = slot + 1 == STAGES ? 0 : slot + 1;
			if (++tap == TAPS) {
				tap = 0;
				buffer = 1 - buffer;
			}
		}
		if (group >= t.groups) continue;
		wgmma_wait(0);
		UNROLL
		for (int i = 0; i < 2 * BATCH; i++) wgmma_keep(a[i / BATCH][i % BATCH]);
		wgmma_tie(sums);

		/* Each lane has two neighbouring channels of each eight, and writes eight of one of four. */
		UNROLL
		for (int below = 0; below < 2; below++) {
			int p = t.first + threadIdx.x / 32 * 16 + below * 8 + lane / 4;
			long long at = (long long)p * OUT + t.column + lane % 4 * 8;
			UNROLL
			for (int j = 0; j < TILE_N / 8; j += 4) {
				unsigned more[4] = {0, 0, 0, 0}, word[4];
				if (add) {
					uint4 v = make_uint4(0, 0, 0, 0);
					if (p < positions) v = *(const uint4 *)(add + at + j * 8);
					more[0] = v.x, more[1] = v.y, more[2] = v.z, more[3] = v.w;
					transpose(more, lane);
				}
				UNROLL
				for (int i = 0; i < 4; i++) {
					float u = sums[(j + i) * 4 + below * 2], v = sums[(j + i) * 4 + below * 2 + 1];
#if INFERENCE
					float2 bias = *(const float2 *)(biases + t.column + (j + i) * 8 + lane % 4 * 2);
					u += bias.x;
					v += bias.y;
#endif
					if (add) {
						u += bf16_low(more[i]);
						v += bf16_high(more[i]);
					}
#if INFERENCE /* NaN stays NaN, as in the definition */
					u = u < 0 ? 0 : u;
					v = v < 0 ? 0 : v;
#endif
					word[i] = pack_bf16(u, v);
				}
				transpose(word, lane);
				if (p < positions) *(uint4 *)(y + at + j * 8) = make_uint4(word[0], word[1], word[2], word[3]);
			}
		}
	}
	cp_async_wait(0);
}
