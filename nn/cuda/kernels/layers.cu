/* One launch per layer, in float and over device memory: for every network and board, whatever
 * the size of shared memory. It is the reference on the device, and the fallback where the tower
 * does not fit. */
#include "device.h"
#include "element.h"

/* Planes [n][PLANES][CELLS] to rows [n·CELLS][INPUTS], with zeros past PLANES. */
KERNEL_BOUNDS(planes, 256, 1)(const float *observations, float *rows, int n) {
	long long count = (long long)n * CELLS * INPUTS;
	for (long long i = (long long)blockIdx.x * 256 + threadIdx.x; i < count; i += (long long)gridDim.x * 256) {
		int channel = i % INPUTS;
		long long row = i / INPUTS;
		rows[i] = channel < PLANES ? observations[(row / CELLS * PLANES + channel) * CELLS + row % CELLS] : 0;
	}
}

/* target[rows][outputs] = ReLU(Σ over taps of source[shifted rows][inputs] · weights[tap][inputs][outputs]
 * + biases + skip[rows][outputs]), with skip possibly null and target possibly
 * skip. taps is 9 (3 × 3, rows are cells) or 1 (a plain product). inputs is a multiple of 16,
 * outputs of 4.
 *
 * A block computes 64 rows × 64 outputs, a thread 4 × 4 of them; 16 inputs of a tap at a time
 * pass through shared memory. */
#define TILE 64
#define DEPTH 16
#define A_STRIDE (TILE + 4)

KERNEL_BOUNDS(layer, 256, 2)(const float *source, const float *weights, const float *biases, const float *skip, float *target, int rows, int inputs, int outputs, int taps) {
	__shared__ __align__(16) float a[DEPTH][A_STRIDE];
	__shared__ __align__(16) float b[DEPTH][TILE];
	int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4, first_row = blockIdx.x * TILE, first_output = blockIdx.y * TILE;
	float sums[4][4];
	UNROLL
	for (int i = 0; i < 4; i++) {
		UNROLL
		for (int j = 0; j < 4; j++)
			sums[i][j] = 0;
	}
	/* This thread loads four inputs of a row, and four outputs of an input. */
	int row = first_row + threadIdx.x / 4, input = threadIdx.x % 4 * 4, depth = threadIdx.x / 16;
	int cell = row % CELLS, v = cell / WIDTH, u = cell % WIDTH;
	for (int tap = 0; tap < taps; tap++) {
		int dy = taps == 1 ? 0 : tap / 3 - 1, dx = taps == 1 ? 0 : tap % 3 - 1;
		int inside = row < rows && (taps == 1 || (v + dy >= 0 && v + dy < HEIGHT && u + dx >= 0 && u + dx < WIDTH));
		const float *from = source + ((long long)row + dy * WIDTH + dx) * inputs + input;
		const float *w = weights + ((long long)tap * inputs + depth) * outputs + first_output + x;
		for (int k = 0; k < inputs; k += DEPTH) {
			float4 p = make_float4(0, 0, 0, 0), q = make_float4(0, 0, 0, 0);
			if (inside)
				p = *(const float4 *)(from + k);
			if (first_output + x < outputs)
				q = *(const float4 *)(w + (long long)k * outputs);
			__syncthreads();
			a[input][threadIdx.x / 4] = p.x;
			a[input + 1][threadIdx.x / 4] = p.y;
			a[input + 2][threadIdx.x / 4] = p.z;
			a[input + 3][threadIdx.x / 4] = p.w;
			*(float4 *)&b[depth][x] = q;
			__syncthreads();
			UNROLL
			for (int d = 0; d < DEPTH; d++) {
				float4 f = *(const float4 *)&a[d][y], g = *(const float4 *)&b[d][x];
				float left[4] = {f.x, f.y, f.z, f.w}, right[4] = {g.x, g.y, g.z, g.w};
				UNROLL
				for (int i = 0; i < 4; i++) {
					UNROLL
					for (int j = 0; j < 4; j++)
						sums[i][j] += left[i] * right[j];
				}
			}
		}
	}
	if (first_output + x >= outputs)
		return;
	UNROLL
	for (int i = 0; i < 4; i++) {
		if (first_row + y + i < rows) {
			long long at = (long long)(first_row + y + i) * outputs + first_output + x;
			UNROLL
			for (int j = 0; j < 4; j++) {
				float s = sums[i][j] + biases[first_output + x + j];
				if (skip)
					s += skip[at + j];
				target[at + j] = relu(s);
			}
		}
	}
}
