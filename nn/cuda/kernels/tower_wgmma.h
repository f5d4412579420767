/* A layer with wgmma, for devices 9.0a, in bfloat16.
 *
 * Each warpgroup (four warps) has TILES_M tiles of 64 rows and all columns of a pass. A is in
 * registers, since no descriptor can express shifted rows with zeros off the board; ldmatrix
 * loads them: a warp has 16 rows of a tile, one ldmatrix per step and tile. B is a stage:
 * [step][two halves of 8 rows of the matrix][PASS_COLUMNS][8 numbers], K-major without swizzle:
 * cores of 8 columns × 16 bytes are contiguous.
 *
 * Products run asynchronously. A warpgroup issues a batch of A_STEPS steps, waits for the
 * previous batch, and loads the next batch's rows into that one's registers, so the tensor cores
 * always have one batch. Therefore a stage's slot is refilled two stages later, when all warps
 * have passed the barrier of the next stage: see acquire.
 */
#ifndef TENGEN_TOWER_WGMMA_H
#define TENGEN_TOWER_WGMMA_H

#include "wgmma.h"

#define PASS_ROWS (WARPS_M * TILES_M * 16)
#define PASS_COLUMNS (TILES_N * 8)
#define AHEAD (STAGES - 2)

DEVICE int tile_row(int tile) { return ((threadIdx.x / 128 * TILES_M + tile) * 4 + threadIdx.x / 32 % 4) * 16; }
DEVICE int first_column(void) { return 0; }

/* Waits for the next stage. After the barrier every warpgroup has finished the stage before the
 * last: it has issued a batch of the last one and waited for all earlier ones. The fence makes
 * the copies visible to wgmma. */
DEVICE void acquire(weight_stream *w) {
	cp_async_wait(STAGES - 3);
	fence_async_shared();
	__syncthreads();
	fetch(w);
	w->from = next_slot(w->from);
}

/* Issues the products of a batch: steps first to first + count - 1 of a tap, step of the stage. a
 * must not be accessed until they are waited for. */
DEVICE void issue(float (*sums)[TILES_N][4], unsigned (*a)[TILES_M][4], const shared_address *rows, shared_address stage, const int count) {
	UNROLL
	for (int s = 0; s < count; s++) {
		UNROLL
		for (int i = 0; i < TILES_M; i++)
			ldmatrix_x4(a[s][i], rows[i] + s * STEP_BYTES);
	}
	UNROLL
	for (int i = 0; i < TILES_M; i++)
		wgmma_tie(sums[i][0]);
	wgmma_fence();
	UNROLL
	for (int s = 0; s < count; s++) {
		unsigned long long b = wgmma_descriptor(stage + s * (PASS_COLUMNS * STEP_BYTES), PASS_COLUMNS * 16, 128);
		UNROLL
		for (int i = 0; i < TILES_M; i++)
			wgmma_rs(sums[i][0], a[s][i], b);
	}
	wgmma_commit();
}

/* Keeps a batch's rows in their registers up to this place, after the wait for its products. */
DEVICE void keep(unsigned (*a)[TILES_M][4], const int count) {
	UNROLL
	for (int s = 0; s < count; s++) {
		UNROLL
		for (int i = 0; i < TILES_M; i++)
			wgmma_keep(a[s][i]);
	}
}

/* Adds a pass of a convolution to the sums. The first stage must have been acquired. A batch has
 * count steps; steps and stage_steps are multiples of count. */
DEVICE void convolve_batches(float (*sums)[TILES_N][4], weight_stream *w, shared_address source, shared_address zeros, int first_row, int stride, const int steps, const int stage_steps, const int count) {
	const int batches = TAPS * steps / count, stage_batches = stage_steps / count;
	int row[TILES_M];
	unsigned inside[TILES_M];
	shared_address rows[TILES_M];
	unsigned a[2][A_STEPS][TILES_M][4];
	int half = threadIdx.x % 32 / 16 * 16;
	UNROLL
	for (int i = 0; i < TILES_M; i++) {
		row[i] = first_row + tile_row(i) + threadIdx.x % 16;
		inside[i] = taps_inside(row[i]);
	}
	UNROLL
	for (int s = 0; s < count; s++) { /* keep reads the second half before it is loaded */
		UNROLL
		for (int i = 0; i < TILES_M; i++)
			a[1][s][i][0] = a[1][s][i][1] = a[1][s][i][2] = a[1][s][i][3] = 0;
	}
	for (int batch = 0; batch < batches; batch += 2) {
		UNROLL
		for (int set = 0; set < 2; set++) {
			int q = batch + set;
			if (set == 0 || batches % 2 == 0 || q < batches) {
				if (q > 0 && q % stage_batches == 0)
					acquire(w);
				int tap = FIRST_TAP + q * count / steps;
				UNROLL
				for (int i = 0; i < TILES_M; i++)
					rows[i] = tap_address(source, zeros, stride, row[i], inside[i], tap) + half + q * count % steps * STEP_BYTES;
				issue(sums, a[set], rows, w->ring + w->from * STAGE_BYTES + q % stage_batches * count * (PASS_COLUMNS * STEP_BYTES), count);
				wgmma_wait(1);
				keep(a[1 - set], count);
			}
		}
	}
	wgmma_wait(0);
	keep(a[0], count);
	keep(a[1], count);
	UNROLL
	for (int i = 0; i < TILES_M; i++)
		wgmma_tie(sums[i][0]);
}

DEVICE void convolve(float (*sums)[TILES_N][4], weight_stream *w, const unsigned char *ring, shared_address source, shared_address zeros, int first_row, int stride, const int steps, const int stage_steps, const int run) {
	(void)ring;
	convolve_batches(sums, w, source, zeros, first_row, stride, steps, stage_steps, run == 1 ? 1 : A_STEPS);
}

#endif
