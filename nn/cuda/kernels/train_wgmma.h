/* The product of a 3×3 convolution with wgmma, for devices 9.0a, in bfloat16 (train_product.cu with
 * WGMMA, GENERAL and TAPS 9). One image serves all boards and all channels that are multiples of 64.
 *
 * A tile is up to TILE_M positions × TILE_N channels, in stretches of 64 positions; each of two
 * warpgroups has two stretches of it and all their channels. As in the tower, A is in registers:
 * consecutive positions with a border of WIDTH + 1 on either side are in shared memory for 64
 * channels at a time, all taps read from them by ldmatrix, and taps off the board read rows of
 * zeros. A row of x is 16 bytes longer than its data, and the row of zeros has the same number
 * modulo 8, so that the eight rows that ldmatrix reads at once are in different banks.
 *
 * A round is one tap of 64 channels: a stage of weights, rows of 128 bytes with the 128-byte
 * swizzle, so that w needs no other arrangement than for mma.sync. Blocks are persistent: each
 * computes tiles blockIdx.x, + gridDim.x and so on, and rounds follow one another across tiles:
 * while a tile is finished, the weights and positions of the next are on their way. A warpgroup
 * issues half a round's products, waits for those of the half before, and loads the next rows into
 * their registers; so a stage is free when all warps have passed the barrier of the round after the
 * next. The positions of the next 64 channels are fetched in parts, after the last round that reads
 * what they replace; as many rounds later, when a thread's copies have ended, it activates them where it
 * is to (train_product.cu).
 *
 * Macros: TILE_N, 64, 96 or 128, which divides OUT; STAGES. The launch: any number of blocks of 256
 * threads.
 */
#include "wgmma.h"

#define WARPGROUPS 2
#define STRETCHES 2 /* of 64 positions, for each warpgroup */
#define THREADS (128 * WARPGROUPS)
#define MOST (WARPGROUPS * STRETCHES) /* stretches of a tile */
#define TILE_M (64 * MOST)
#define CHUNK 64 /* channels at a time */
#define BATCH 2  /* steps of 16 channels that are issued together, half a round */
#define VECTORS 8
#define ROW 144
#define X_ROWS(width) ((TILE_M + 2 * (width) + 2 + 7) / 8 * 8)
#define W_BYTES (TILE_N * 128)
#define AHEAD (STAGES - 2)
#define X_PARTS (TAPS - AHEAD)
#define BORDER (WIDTH + 1)
#define EIGHTS (TILE_N / 8)

/* A tile: its first position, its channels, and the number of its stretches; 0 past the last. */
typedef struct {
	int number, first, column, stretches;
} tile;

/* First come tiles of TILE_M positions, as many as all blocks have equally many of; then smaller ones,
 * so that the rest is spread over all blocks too. */
DEVICE tile tile_of(int number, int positions, int columns) {
	tile t;
	int blocks = gridDim.x, rest = (positions + 63) / 64, few = 1;
	int whole = rest / MOST * columns / blocks * blocks / columns, row = number / columns;
	rest -= whole * MOST;
	while (few < MOST && (rest + few - 1) / few * columns > blocks) few++;
	t.number = number;
	t.column = number % columns * TILE_N;
	t.first = row < whole ? row * TILE_M : whole * TILE_M + (row - whole) * few * 64;
	t.stretches = row < whole ? MOST : t.first < positions ? few : 0;
	return t;
}

/* Fetches a part of the rows of x for the channels from chunk on. */
DEVICE void fetch_rows(const tile *t, int chunk, int part, int parts, shared_address to, const element *x, int positions SHAPE_PARAMETERS) {
	int rows = t->stretches * 64 + 2 * BORDER;
	for (int i = part * THREADS + threadIdx.x; i < rows * VECTORS; i += parts * THREADS) {
		int row = i / VECTORS, v = i % VECTORS, p = t->first - BORDER + row;
		if (p >= 0 && p < positions)
			cp_async_16(to + row * ROW + v * 16, x + (long long)p * IN + chunk * CHUNK + v * 8);
	}
}

#if !INFERENCE
/* Activates what this thread has fetched by fetch_rows. */
DEVICE void activate_rows(const tile *t, int chunk, int part, int parts, unsigned char *to, int positions, const float *mean, const float *scale, const float *beta SHAPE_PARAMETERS) {
	int rows = t->stretches * 64 + 2 * BORDER;
	_Pragma("unroll 1") /* sums have the registers */
	for (int i = part * THREADS + threadIdx.x; i < rows * VECTORS; i += parts * THREADS) {
		int row = i / VECTORS, v = i % VECTORS, p = t->first - BORDER + row, c = chunk * CHUNK + v * 8;
		if (p >= 0 && p < positions) activate_16(to + row * ROW + v * 16, mean + c, scale + c, beta + c);
	}
}
#endif

/* What is fetched next: a round, and the rows for the chunk after its own. */
typedef struct {
	tile of, rows_of;
	int chunk, tap, slot, rows_chunk;
} stream;

/* Before a tap of a tile's first channels. At the tile's start AHEAD of its rounds are fetched. */
DEVICE stream stream_of(tile t, int tap, int slot, int positions SHAPE_PARAMETERS) {
	stream s;
	s.of = s.rows_of = t;
	s.tap = tap;
	s.slot = slot;
	s.chunk = 0;
	s.rows_chunk = 1;
	if (IN == CHUNK) {
		s.rows_chunk = 0;
		s.rows_of = tile_of(t.number + gridDim.x, positions, OUT / TILE_N);
	}
	return s;
}

/* Starts the copies of a round. It always commits a group, which is empty at the end. */
DEVICE void fetch(stream *s, shared_address ring, shared_address xs, const element *x, const element *w, int positions SHAPE_PARAMETERS) {
	const int chunks = IN / CHUNK;
	if (s->of.stretches > 0) {
		shared_address to = ring + s->slot * W_BYTES;
		int row = threadIdx.x / VECTORS, v = threadIdx.x % VECTORS;
		const element *from = w + ((long long)(s->of.column + row) * TAPS + s->tap) * IN + s->chunk * CHUNK + v * 8;
		UNROLL
		for (int i = 0; i < TILE_N; i += THREADS / VECTORS)
			if (i + THREADS / VECTORS <= TILE_N || i + row < TILE_N)
				cp_async_16(to + (i + row) * 128 + (v ^ row % 8) * 16, from + (long long)i * TAPS * IN);
	}
	if (s->tap >= AHEAD && s->rows_of.stretches > 0)
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
		s->rows_of = tile_of(s->rows_of.number + gridDim.x, positions, OUT / TILE_N);
	}
}

/* This lane's rows at x and eight rows on, if there are so many: of each 32 channels eight. Zeros, if
 * there are none or x is null. */
DEVICE void load_rows(unsigned (*to)[EIGHTS], const element *x, long long at, int rows SHAPE_PARAMETERS) {
	UNROLL
	for (int below = 0; below < 2; below++) {
		UNROLL
		for (int j = 0; j < EIGHTS; j += 4) {
			uint4 v = make_uint4(0, 0, 0, 0);
			if (x && rows > below * 8) v = *(const uint4 *)(x + at + (long long)below * 8 * OUT + j * 8);
			to[below][j] = v.x;
			to[below][j + 1] = v.y;
			to[below][j + 2] = v.z;
			to[below][j + 3] = v.w;
		}
	}
}

/* Number i of words of two. */
DEVICE float half_of(const unsigned *word, int i) { return i % 2 ? bf16_high(word[i / 2]) : bf16_low(word[i / 2]); }

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

#if defined(__CUDACC__)
DEVICE void prefetch(const void *p) { PTX("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p))); }
#else
DEVICE void prefetch(const void *p) { (void)p; }
#endif

/* Fetches a tile's part of what finish will read into L2, so that it waits less long. */
DEVICE void prefetch_rows(const tile *t, const element *x, int positions SHAPE_PARAMETERS) {
	if (!x) return;
	for (int i = threadIdx.x; i < t->stretches * 64 && t->first + i < positions; i += THREADS) {
		UNROLL
		for (int c = 0; c < TILE_N; c += 64) prefetch(x + (long long)(t->first + i) * OUT + t->column + c);
	}
}

/* Finishes a warpgroup's 64 positions from first on. Each lane has two neighbouring channels of each
 * eight, of two rows. It reads and writes eight of one of four, all at once, since nothing hides the time
 * of a load. */
DEVICE void finish(const float *sums, float2 (*part_of)[TILE_N], int first, int column, const element *add, element *y, int positions EPILOGUE_PARAMETERS SHAPE_PARAMETERS) {
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, rows = positions - first - warp * 16 - lane / 4;
	int c = column + lane % 4 * 8;
	long long at = (long long)(first + warp * 16 + lane / 4) * OUT + c;
	unsigned word[2][EIGHTS];
	load_rows(word, add, at, rows SHAPE);
	UNROLL
	for (int below = 0; below < 2; below++) {
		UNROLL
		for (int i = 0; i < EIGHTS; i++) {
			if (add && i % 4 == 0) transpose(word[below] + i, lane);
			float u = sums[i * 4 + below * 2], v = sums[i * 4 + below * 2 + 1];
#if INFERENCE
			float2 bias = *(const float2 *)(biases + column + i * 8 + lane % 4 * 2);
			u += bias.x;
			v += bias.y;
#endif
			if (add) {
				u += bf16_low(word[below][i]);
				v += bf16_high(word[below][i]);
			}
#if INFERENCE /* NaN stays NaN, as in the definition */
			u = u < 0 ? 0 : u;
			v = v < 0 ? 0 : v;
#endif
			word[below][i] = pack_bf16(u, v);
			if (i % 4 == 3) transpose(word[below] + i - 3, lane);
		}
	}
#if !INFERENCE
	unsigned other[2][EIGHTS];
	if (z) {
		unsigned gate[2][EIGHTS];
		__syncwarp(); /* loads are not moved ahead: there are no registers for more */
		load_rows(gate, out, at, rows SHAPE);
		UNROLL
		for (int i = 0; i < 2 * EIGHTS; i++) {
			UNROLL
			for (int below = 0; below < 2; below++)
				if (half_of(gate[below], i) <= 0) word[below][i / 2] &= 0xffff0000u >> i % 2 * 16;
		}
		__syncwarp();
		load_rows(other, z, at, rows SHAPE);
	}
#endif
	UNROLL
	for (int below = 0; below < 2; below++) {
		UNROLL
		for (int j = 0; j < EIGHTS; j += 4) {
			unsigned *four = word[below] + j;
			if (rows > below * 8) *(uint4 *)(y + at + (long long)below * 8 * OUT + j * 8) = make_uint4(four[0], four[1], four[2], four[3]);
		}
	}
#if !INFERENCE
	if (!part) return;
	UNROLL
	for (int j = 0; j < EIGHTS; j += 4) {
		float one[8], two[8];
		UNROLL
		for (int i = 0; i < 8; i++) {
			float g = half_of(word[0], j * 2 + i), h = half_of(word[1], j * 2 + i);
			if (z) {
				float m = mean[c + j * 8 + i];
				one[i] = g + h;
				two[i] = fmaf(g, half_of(other[0], j * 2 + i) - m, h * (half_of(other[1], j * 2 + i) - m));
			} else {
				float d = rows > 8 ? h - g : 0;
				one[i] = fmaf(d, 0.5f, g);
				two[i] = d * d * 0.5f;
			}
		}
		add_lanes(one, two, 8, z ? -1 : (rows > 0) + (rows > 8), lane);
		part_of[warp][(j + lane % 4) * 8 + channel_of(8, lane)] = make_float2(one[0], two[0]);
	}
	barrier_sync(1 + threadIdx.x / 128, 128);
	int channel = threadIdx.x % 128;
	if (channel >= TILE_N || first >= positions) return;
	write_stretch(part + (long long)(first / 64) * 2 * OUT + column + channel, part_of[0] + channel, TILE_N, 4, 16, positions - first, z != 0, OUT);
#endif
}

KERNEL_BOUNDS(product, THREADS, 1)(const element *__restrict__ x, const element *__restrict__ w, const element *add, element *y, int positions EPILOGUE_PARAMETERS SHAPE_PARAMETERS) {
	SHARED(unsigned char, memory);
	const int x_bytes = X_ROWS(WIDTH) * ROW, rounds = IN / CHUNK * TAPS;
	shared_address ring = shared_of(memory), xs = ring + STAGES * W_BYTES, zeros = xs + 2 * x_bytes;
	float2(*part_of)[TILE_N] = (float2(*)[TILE_N])(memory + STAGES * W_BYTES + 2 * x_bytes + 8 * ROW); /* by warp's rows */
	int lane = threadIdx.x % 32, group = threadIdx.x / 128, row = threadIdx.x / 32 * 16 + lane % 16, half = lane / 16 * 16;
	for (int i = threadIdx.x * 4; i < 8 * ROW; i += THREADS * 4) *(unsigned *)(memory + STAGES * W_BYTES + 2 * x_bytes + i) = 0;

	tile t = tile_of(blockIdx.x, positions, OUT / TILE_N);
	stream s = stream_of(t, 0, 0, positions SHAPE);
	if (t.stretches > 0) fetch_rows(&t, 0, 0, 1, xs, x, positions SHAPE);
	int slot = 0, buffer = 0; /* that are read */
	for (int i = 0; i < AHEAD; i++) fetch(&s, ring, xs + x_bytes, x, w, positions SHAPE);
#if !INFERENCE
	if (mean && !z && t.stretches > 0) {
		cp_async_wait(AHEAD - 1); /* the first round's group has the rows */
		activate_rows(&t, 0, 0, 1, memory + STAGES * W_BYTES, positions, mean, scale, beta SHAPE);
	}
#endif

	for (; t.stretches > 0; t = tile_of(t.number + gridDim.x, positions, OUT / TILE_N)) {
		s = stream_of(t, AHEAD, (slot + AHEAD) % STAGES, positions SHAPE);
		prefetch_rows(&t, add, positions SHAPE);
#if !INFERENCE
		prefetch_rows(&t, out, positions SHAPE);
		prefetch_rows(&t, z, positions SHAPE);
#endif
		/* A warpgroup has stretches group and group + WARPGROUPS; of those that the tile has not, all rows are zeros. */
		unsigned on_board[STRETCHES], a[2][BATCH][STRETCHES][4];
		float sums[STRETCHES][TILE_N / 2];
		int tap = 0;
		UNROLL
		for (int m = 0; m < STRETCHES; m++) {
			on_board[m] = m * WARPGROUPS + group < t.stretches ? taps_on_board(t.first + m * WARPGROUPS * 64 + row, positions SHAPE) : 0;
			UNROLL
			for (int i = 0; i < TILE_N / 2; i++) sums[m][i] = 0;
			UNROLL
			for (int i = 0; i < BATCH; i++) a[1][i][m][0] = a[1][i][m][1] = a[1][i][m][2] = a[1][i][m][3] = 0;
		}
		for (int r = 0; r < rounds; r++) {
			cp_async_wait(STAGES - 3);
			fence_async_shared();
			__syncthreads();
			fetch(&s, ring, xs + (1 - buffer) * x_bytes, x, w, positions SHAPE);
			if (group < t.stretches) {
				shared_address from[STRETCHES];
				unsigned long long stage = wgmma_descriptor_128(ring + slot * W_BYTES, 1024);
				UNROLL
				for (int m = 0; m < STRETCHES; m++) {
					int shifted = BORDER + m * WARPGROUPS * 64 + row + TAP_OFFSET(tap);
					from[m] = (on_board[m] >> tap & 1 ? xs + buffer * x_bytes + shifted * ROW : zeros + shifted % 8 * ROW) + half;
				}
				UNROLL
				for (int set = 0; set < 2; set++) {
					UNROLL
					for (int i = 0; i < BATCH * STRETCHES; i++) ldmatrix_x4(a[set][i / STRETCHES][i % STRETCHES], from[i % STRETCHES] + (set * BATCH + i / STRETCHES) * 32);
					UNROLL
					for (int m = 0; m < STRETCHES; m++) wgmma_tie(sums[m]);
					wgmma_fence();
					UNROLL
					for (int i = 0; i < BATCH * STRETCHES; i++) wgmma_rs(sums[i % STRETCHES], a[set][i / STRETCHES][i % STRETCHES], stage + (set * BATCH + i / STRETCHES) * 2);
					wgmma_commit();
					wgmma_wait(1);
					UNROLL
					for (int i = 0; i < BATCH * STRETCHES; i++) wgmma_keep(a[1 - set][i / STRETCHES][i % STRETCHES]);
				}
			}
#if !INFERENCE
			/* A part of the next rows has come; the products go on meanwhile. */
			if (mean && !z && tap >= AHEAD && s.of.stretches > 0)
				activate_rows(&s.of, s.chunk, tap - AHEAD, X_PARTS, memory + STAGES * W_BYTES + (1 - buffer) * x_bytes, positions, mean, scale, beta SHAPE);
#endif
			slot = slot + 1 == STAGES ? 0 : slot + 1;
			if (++tap == TAPS) {
				tap = 0;
				buffer = 1 - buffer;
			}
		}
		if (group >= t.stretches) continue;
		wgmma_wait(0);
		UNROLL
		for (int i = 0; i < 2 * BATCH * STRETCHES; i++) wgmma_keep(a[i / STRETCHES / BATCH][i / STRETCHES % BATCH][i % STRETCHES]);
		UNROLL
		for (int m = 0; m < STRETCHES; m++) wgmma_tie(sums[m]);
		UNROLL
		for (int m = 0; m < STRETCHES; m++) {
			int first = t.first + (m * WARPGROUPS + group) * 64;
			if (m * WARPGROUPS + group < t.stretches) finish(sums[m], part_of + (m * WARPGROUPS + group) * 4, first, t.column, add, y, positions EPILOGUE SHAPE);
		}
	}
	cp_async_wait(0);
}
