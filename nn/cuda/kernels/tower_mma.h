/* A layer with mma.sync, for every device, in bfloat16, fp16 or tf32.
 *
 * WARPS_M × WARPS_N warps share a pass's rows and columns; each has TILES_M × TILES_N tiles of 16
 * × 8 sums in registers. A stage holds the weights as fragments: [step][pair of column
 * tiles][lane][4 words], so a lane reads two tiles' fragments with one load of 16 bytes, next to
 * its neighbours': no conflicts. Fragments of the next step are loaded while those of the current
 * one are multiplied, also across stages: the barrier for a stage precedes the last step of the
 * stage before it.
 */
#ifndef TENGEN_TOWER_MMA_H
#define TENGEN_TOWER_MMA_H

#define PASS_ROWS (WARPS_M * TILES_M * 16)
#define PASS_COLUMNS (WARPS_N * TILES_N * 8)
#define AHEAD (STAGES - 1) /* stages that are fetched before the first is read */

DEVICE int tile_row(int tile) { return (threadIdx.x / 32 / WARPS_N * TILES_M + tile) * 16; }
DEVICE int first_column(void) { return threadIdx.x / 32 % WARPS_N * TILES_N * 8; }

/* Waits for the next stage. After the barrier all warps have read the previous stage, whose slot
 * receives the next fetch. */
DEVICE void acquire(weight_stream *w) {
	cp_async_wait(STAGES - 2);
	__syncthreads();
	fetch(w);
	w->from = next_slot(w->from);
}

DEVICE void load_fragments(unsigned (*a)[4], unsigned (*b)[2], const shared_address *rows, const unsigned char *stage, int offset, int step) {
	UNROLL
	for (int i = 0; i < TILES_M; i++)
		ldmatrix_x4(a[i], rows[i] + offset * STEP_BYTES);
	const uint4 *pairs = (const uint4 *)stage + (step * (PASS_COLUMNS / 16) + first_column() / 16) * 32 + threadIdx.x % 32;
	UNROLL
	for (int j = 0; j < TILES_N / 2; j++) {
		uint4 v = pairs[j * 32];
		b[2 * j][0] = v.x;
		b[2 * j][1] = v.y;
		b[2 * j + 1][0] = v.z;
		b[2 * j + 1][1] = v.w;
	}
}

/* Adds a pass of a convolution to the sums. The first stage must have been acquired. steps are
 * per tap, stage_steps per stage; run divides both. */
DEVICE void convolve(float (*sums)[TILES_N][4], weight_stream *w, const unsigned char *ring, shared_address source, shared_address zeros, int first_row, int stride, const int steps, const int stage_steps, const int run) {
	const int stages = TAPS * steps / stage_steps;
	int row[TILES_M];
	unsigned inside[TILES_M];
	shared_address rows[TILES_M];
	unsigned a[2][TILES_M][4], b[2][TILES_N][2];
	int lane = threadIdx.x % 32;
	UNROLL
	for (int i = 0; i < TILES_M; i++) {
		row[i] = first_row + tile_row(i) + lane % 16;
		inside[i] = taps_inside(row[i]);
		rows[i] = tap_address(source, zeros, stride, row[i], inside[i], FIRST_TAP) + lane / 16 * 16;
	}
	load_fragments(a[0], b[0], rows, ring + w->from * STAGE_BYTES, 0, 0);
	for (int stage = 0; stage < stages; stage++) {
		UNROLL
		for (int s = 0; s < stage_steps; s++) {
			const int next = s + 1 == stage_steps ? 0 : s + 1;
			if (next > 0 || stage + 1 < stages) {
				if (next == 0)
					acquire(w);
				if (next % run == 0) {
					int k = stage * stage_steps + s + 1, tap = FIRST_TAP + k / steps;
					UNROLL
					for (int i = 0; i < TILES_M; i++)
						rows[i] = tap_address(source, zeros, stride, row[i], inside[i], tap) + lane / 16 * 16 + k % steps * STEP_BYTES;
				}
				load_fragments(a[(s + 1) % 2], b[(s + 1) % 2], rows, ring + w->from * STAGE_BYTES, next % run, next);
			}
			UNROLL
			for (int i = 0; i < TILES_M; i++) {
				UNROLL
				for (int j = 0; j < TILES_N; j++)
					mma(sums[i][j], a[s % 2][i], b[s % 2][j]);
			}
		}
		if (stage_steps % 2 == 1) { /* the next stage begins with the other half */
			UNROLL
			for (int i = 0; i < TILES_M; i++) {
				UNROLL
				for (int k = 0; k < 4; k++)
					a[0][i][k] = a[1][i][k];
			}
			UNROLL
			for (int j = 0; j < TILES_N; j++) {
				b[0][j][0] = b[1][j][0];
				b[0][j][1] = b[1][j][1];
			}
		}
	}
}

#endif
