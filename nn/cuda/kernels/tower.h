/* The stem and all blocks in one kernel: the code shared by tower_mma.h and tower_wgmma.h. Sizes
 * are macros, chosen and documented by the Go type Tower; the numbers of blocks and of planes are
 * arguments, so that one image serves every depth.
 *
 * A block of threads owns POSITIONS positions: ROWS = POSITIONS · CELLS rows of channels, which
 * stay in shared memory from the planes to the trunk's output, in two buffers X and Y. A layer is
 * TAPS products, one per tap: row r of the output uses row r + dy·WIDTH + dx of the input, or a
 * row of zeros if that cell is off the board. The stem reads planes from Y and writes X; a
 * block's first convolution goes from X to Y, its second from Y to X, whose old numbers are the
 * skip connection: each thread reads and writes its own.
 *
 * A row has STRIDE bytes, an odd multiple of 16, so that eight consecutive rows begin in eight
 * different groups of four banks: ldmatrix has no conflicts. There are eight zero rows, selected
 * by the row's number modulo 8, so that taps off the board have no conflicts either.
 *
 * Weights are streamed from device memory (from L2 except the first time) in stages of
 * STAGE_BYTES, through a ring of STAGES in shared memory; the stream does not stop between
 * layers.
 */
#ifndef TENGEN_TOWER_H
#define TENGEN_TOWER_H

/* On a board of one cell, only the centre of the window is ever on the board. */
#if CELLS == 1
#define TAPS 1
#define FIRST_TAP 4
#else
#define TAPS 9
#define FIRST_TAP 0
#endif

#define ROWS (POSITIONS * CELLS)
#define TRUNK_STAGES (TAPS * STEPS / STAGE_STEPS * COLUMN_PASSES)

/* Steps of the stem per tap, its stages, and bytes from row to row of planes. */
#define INPUT_STEPS(planes) (((planes) * ELEMENT + STEP_BYTES - 1) / STEP_BYTES)
#define STEM_STAGES(steps) (TAPS * (steps) / INPUT_STAGE_STEPS * COLUMN_PASSES)
#define INPUT_STRIDE(steps) ((steps) * STEP_BYTES + 16)

/* The stream of weights. */
typedef struct {
	const unsigned char *next; /* the next stage to fetch */
	const float *biases;       /* [layers][CHANNELS] */
	shared_address ring, bias;
	int layer, pass, stage; /* of the next stage to fetch */
	int layers, stages;     /* of the stream; of a pass over rows in the layer of that stage */
	int to, from;           /* slots of the ring: the next to be filled, the one that is read */
} weight_stream;

DEVICE int next_slot(int slot) { return slot + 1 == STAGES ? 0 : slot + 1; }

/* Starts the copy of the next stage, and of the layer's biases with its first stage. It always
 * commits a group, which is empty at the end. */
DEVICE void fetch(weight_stream *w) {
	if (w->layer < w->layers) {
		shared_address to = w->ring + w->to * STAGE_BYTES;
		UNROLL
		for (int k = 0; k < (STAGE_BYTES + THREADS * 16 - 1) / (THREADS * 16); k++) {
			int i = (k * THREADS + threadIdx.x) * 16;
			if (STAGE_BYTES % (THREADS * 16) == 0 || i < STAGE_BYTES)
				cp_async_16(to + i, w->next + i);
		}
		if (w->stage == 0 && w->pass == 0) {
			shared_address bias = w->bias + w->layer % BIAS_SLOTS * CHANNELS * 4;
			for (int i = threadIdx.x * 4; i < CHANNELS; i += THREADS * 4)
				cp_async_16(bias + i * 4, w->biases + w->layer * CHANNELS + i);
		}
		w->next += STAGE_BYTES;
		if (++w->stage == w->stages) {
			w->stage = 0;
			if (++w->pass < ROW_PASSES) {
				w->next -= (long long)w->stages * STAGE_BYTES;
			} else {
				w->pass = 0;
				w->layer++;
				w->stages = TRUNK_STAGES;
			}
		}
	}
	cp_async_commit();
	w->to = next_slot(w->to);
}

/* Which taps of a row are on the board: bit 3·(dy+1) + dx+1. */
DEVICE unsigned taps_inside(int row) {
	if (row >= ROWS)
		return 0;
	int cell = row % CELLS, y = cell / WIDTH, x = cell % WIDTH;
	unsigned inside = 0x1ff;
	if (y == 0)
		inside &= ~0x007u;
	if (y == HEIGHT - 1)
		inside &= ~0x1c0u;
	if (x == 0)
		inside &= ~0x049u;
	if (x == WIDTH - 1)
		inside &= ~0x124u;
	return inside;
}

/* Address of a row's input at a tap. */
DEVICE shared_address tap_address(shared_address source, shared_address zeros, int stride, int row, unsigned inside, int tap) {
	int shifted = row + (tap / 3 - 1) * WIDTH + tap % 3 - 1;
	return inside >> tap & 1 ? source + shifted * stride : zeros + (shifted & 7) * stride;
}

/* Writes planes [CELLS][planes] of the block's positions to Y and clears everything that is read
 * as zero: padded channels, rows past the last position, zero rows. A thread has several loads
 * under way, since observations may be in the host's memory. */
#define LOADS 8
DEVICE void load_planes(unsigned char *shared, const float *observations, int first, int n, int planes, int stride) {
	const uint4 zero = make_uint4(0, 0, 0, 0);
	for (int i = threadIdx.x * 16; i < ROWS * stride; i += THREADS * 16)
		*(uint4 *)(shared + Y_OFFSET + i) = zero;
	for (int i = threadIdx.x * 16; i < ZEROS_BYTES; i += THREADS * 16)
		*(uint4 *)(shared + ZEROS_OFFSET + i) = zero;
	__syncthreads();
	int count = min(POSITIONS, n - first) * planes * CELLS;
	const float *from = observations + (long long)first * (planes * CELLS);
	for (int start = threadIdx.x; start < count; start += LOADS * THREADS) {
		float v[LOADS];
		UNROLL
		for (int k = 0; k < LOADS; k++) {
			int i = start + k * THREADS;
			v[k] = i < count ? from[i] : 0;
		}
		UNROLL
		for (int k = 0; k < LOADS; k++) {
			int i = start + k * THREADS;
			int all = i / CELLS, position = all / planes, plane = all % planes, row = position * CELLS + i % CELLS;
			if (i < count)
				*(element *)(shared + Y_OFFSET + row * stride + plane * ELEMENT) = to_element(v[k]);
		}
	}
}

/* Writes the trunk [positions][CELLS][CHANNELS] of the block's positions. */
DEVICE void store_trunk(const unsigned char *shared, unsigned char *trunk, int first, int n) {
	const int chunks = CHANNELS * ELEMENT / 16;
	int count = min(POSITIONS, n - first) * CELLS * chunks;
	uint4 *to = (uint4 *)trunk + (long long)first * (CELLS * chunks);
	for (int i = threadIdx.x; i < count; i += THREADS)
		to[i] = *(const uint4 *)(shared + X_OFFSET + i / chunks * STRIDE + i % chunks * 16);
}

/* Finishes 16 rows of sums, in mma's layout of a tile: bias, skip, ReLU. row and column are those
 * of the tile's first number. */
DEVICE void finish(float (*sums)[4], unsigned char *target, const float *bias, int skip, int row, int column) {
	int lane = threadIdx.x % 32;
	column += lane % 4 * 2;
	UNROLL
	for (int half = 0; half < 2; half++) {
		int r = row + lane / 4 + 8 * half;
		unsigned char *p = target + r * STRIDE + column * ELEMENT;
		if (r < ROWS) {
			UNROLL
			for (int j = 0; j < TILES_N; j++, p += 8 * ELEMENT) {
				float2 b = *(const float2 *)(bias + column + 8 * j);
				float u = sums[j][2 * half] + b.x, v = sums[j][2 * half + 1] + b.y;
				if (skip) {
					float2 old = load_pair(p);
					u += old.x;
					v += old.y;
				}
				store_pair(p, relu(u), relu(v));
			}
		}
	}
}

#endif
