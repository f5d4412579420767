/* Kernel tower: observations [n][planes][CELLS] in float to the trunk's output
 * [n][CELLS][CHANNELS], by the stem and a number of residual blocks. A block of threads computes
 * POSITIONS positions; see tower.h. */
#include "device.h"
#include "element.h"
#include "tower.h"
#ifdef WGMMA
#include "tower_wgmma.h"
#else
#include "tower_mma.h"
#endif

/* One convolution with its bias, skip connection and ReLU. run steps in a row are of one tap. */
DEVICE void layer(weight_stream *w, unsigned char *shared, int number, int source, int target, int skip, int stride, const int steps, const int stage_steps, const int run) {
	shared_address base = shared_of(shared);
	const float *bias = (const float *)(shared + BIAS_OFFSET) + number % BIAS_SLOTS * CHANNELS;
	for (int rows = 0; rows < ROW_PASSES; rows++) {
		for (int columns = 0; columns < COLUMN_PASSES; columns++) {
			float sums[TILES_M][TILES_N][4];
			UNROLL
			for (int i = 0; i < TILES_M; i++) {
				UNROLL
				for (int j = 0; j < TILES_N; j++) {
					UNROLL
					for (int k = 0; k < 4; k++)
						sums[i][j][k] = 0;
				}
			}
			acquire(w);
			convolve(sums, w, shared + RING_OFFSET, base + source, base + ZEROS_OFFSET, rows * PASS_ROWS, stride, steps, stage_steps, run);
			UNROLL
			for (int i = 0; i < TILES_M; i++)
				finish(sums[i], shared + target, bias, skip, rows * PASS_ROWS + tile_row(i), columns * PASS_COLUMNS + first_column());
		}
	}
}

KERNEL_BOUNDS(tower, THREADS, BLOCKS_SM)(const float *observations, const unsigned char *weights, const float *biases, unsigned char *trunk, int n, int blocks, int planes) {
	SHARED(unsigned char, shared);
	int first = blockIdx.x * POSITIONS, input_steps = INPUT_STEPS(planes), input_stride = INPUT_STRIDE(input_steps);
	weight_stream w;
	w.next = weights;
	w.biases = biases;
	w.ring = shared_of(shared + RING_OFFSET);
	w.bias = shared_of(shared + BIAS_OFFSET);
	w.layer = w.pass = w.stage = w.to = 0;
	w.layers = 1 + 2 * blocks;
	w.stages = STEM_STAGES(input_steps);
	w.from = STAGES - 1;
	for (int i = 0; i < AHEAD; i++)
		fetch(&w);
	load_planes(shared, observations, first, n, planes, input_stride);
	layer(&w, shared, 0, Y_OFFSET, X_OFFSET, 0, input_stride, input_steps, INPUT_STAGE_STEPS, 1);
	for (int number = 1; number < w.layers; number++) {
		int second = number % 2 == 0;
		layer(&w, shared, number, second ? Y_OFFSET : X_OFFSET, second ? X_OFFSET : Y_OFFSET, second, STRIDE, STEPS, STAGE_STEPS, STEPS < STAGE_STEPS ? STEPS : STAGE_STEPS);
	}
	__syncthreads();
	store_trunk(shared, trunk, first, n);
}
