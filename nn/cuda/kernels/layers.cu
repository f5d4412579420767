/* One launch per layer, in float and over device memory: for every network and board, whatever
 * the size of shared memory. It is the reference on the device, and the fallback where the tower
 * does not fit. All sizes are arguments, so that one image, compiled ahead, serves every network. */
#include "device.h"

/* NaN stays NaN, as in the definition. */
DEVICE float relu(float x) { return x < 0 ? 0 : x; }

/* Planes [n][planes][cells] to rows [n·cells][inputs], with zeros past the planes. */
KERNEL_BOUNDS(planes, 256, 1)(const float *observations, float *rows, int n, int planes, int cells, int inputs) {
	long long count = (long long)n * cells * inputs;
	for (long long i = (long long)blockIdx.x * 256 + threadIdx.x; i < count; i += (long long)gridDim.x * 256) {
		int channel = i % inputs;
		long long row = i / inputs;
		rows[i] = channel < planes ? observations[(row / cells * planes + channel) * cells + row % cells] : 0;
	}
}

/* target[rows][outputs] = ReLU(Σ over taps of source[shifted rows][inputs] · weights[tap][inputs][outputs]
 * + biases + skip[rows][outputs]), with skip possibly null and target possibly
 * skip. taps is 9 (3 × 3, rows are cells of boards of height × width) or 1 (a plain product). inputs is a multiple of 16,
 * outputs of 4.
 *
 * A block computes 64 rows × 64 outputs, a thread 4 × 4 of them; 16 inputs of a tap at a time
 * pass through shared memory. */
#define TILE 64
#define DEPTH 16
#define A_STRIDE (TILE + 4)

KERNEL_BOUNDS(layer, 256, 2)(const float *source, const float *weights, const float *biases, const float *skip, float *target, int rows, int inputs, int outputs, int taps, int height, int width) {
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
	int cell = row % (height * width), v = cell / width, u = cell % width;
	for (int tap = 0; tap < taps; tap++) {
		int dy = taps == 1 ? 0 : tap / 3 - 1, dx = taps == 1 ? 0 : tap % 3 - 1;
		int inside = row < rows && (taps == 1 || (v + dy >= 0 && v + dy < height && u + dx >= 0 && u + dx < width));
		const float *from = source + ((long long)row + dy * width + dx) * inputs + input;
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

/* The policy's 1 × 1 filters: rows [rows][channels] to maps [rows/cells][count][cells], with ReLU before a dense
 * layer. A warp computes a row; count is at most 2. weights are [count][channels] and count biases. */
KERNEL_BOUNDS(maps, 128, 1)(const float *trunk, const float *weights, float *maps, int rows, int channels, int count, int cells, int dense) {
	int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
	if (row >= rows)
		return;
	const float *x = trunk + (long long)row * channels;
	for (int m = 0; m < count; m++) {
		float sum = 0;
		for (int c = lane * 2; c < channels; c += 64) /* channels is even */
			sum += x[c] * weights[m * channels + c] + x[c + 1] * weights[m * channels + c + 1];
		for (int step = 16; step > 0; step /= 2)
			sum += __shfl_xor_sync(0xffffffffu, sum, step);
		if (lane == 0) {
			float v = sum + weights[count * channels + m];
			maps[((long long)(row / cells) * count + m) * cells + row % cells] = dense ? relu(v) : v;
		}
	}
}

/* Logits [n][actions] from maps. Without a dense layer they are the first map, then the pass: the mean of the
 * second map, since it is linear in the trunk's mean over cells. dense is [count·cells][actions] and biases. */
KERNEL_BOUNDS(policy, 128, 1)(const float *maps, const float *weights, float *logits, int n, int actions, int count, int cells, int dense) {
	long long i = (long long)blockIdx.x * 128 + threadIdx.x;
	if (i >= (long long)n * actions)
		return;
	int action = i % actions;
	const float *x = maps + i / actions * ((long long)count * cells);
	float sum = 0;
	if (dense) {
		for (int k = 0; k < count * cells; k++)
			sum += weights[(long long)k * actions + action] * x[k];
		sum += weights[(long long)count * cells * actions + action];
	} else if (action < cells) {
		sum = x[action];
	} else {
		for (int cell = 0; cell < cells; cell++)
			sum += x[cells + cell];
		sum /= cells;
	}
	logits[i] = sum;
}

DEVICE float value_logit(const float *x, const float *w, const float *b, int hidden, int outputs, int o) {
	float sum = 0;
	for (int k = 0; k < hidden; k++)
		sum += x[k] * w[(long long)k * outputs + o];
	return sum + b[o];
}

/* A warp computes one player's value of a position, as kernel values of heads.cu; it computes a categorical
 * head's logits twice in place of keeping them. */
KERNEL_BOUNDS(values, 128, 1)(const float *hidden, const float *weights, float *out, int n, int players, int width, int columns, int outputs, int linear) {
	int item = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
	if (item >= n * players)
		return;
	int player = item % players;
	const float *x = hidden + (long long)(item / players) * columns + player * width;
	const float *w = weights + (long long)player * width * outputs, *b = weights + (long long)players * width * outputs + player * outputs;
	if (linear) {
		float sum = 0;
		for (int k = lane; k < width; k += 32)
			sum += x[k] * w[k];
		for (int step = 16; step > 0; step /= 2)
			sum += __shfl_xor_sync(0xffffffffu, sum, step);
		if (lane == 0)
			out[item] = sum + b[0];
		return;
	}
	const float *support = weights + (long long)players * (width + 1) * outputs;
	float top = __uint_as_float(0xff800000u), sum = 0, weighted = 0;
	for (int o = lane; o < outputs; o += 32)
		top = fmaxf(top, value_logit(x, w, b, width, outputs, o));
	for (int step = 16; step > 0; step /= 2)
		top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
	for (int o = lane; o < outputs; o += 32) {
		float e = expf(value_logit(x, w, b, width, outputs, o) - top);
		sum += e;
		weighted += e * support[o];
	}
	for (int step = 16; step > 0; step /= 2) {
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
		weighted += __shfl_xor_sync(0xffffffffu, weighted, step);
	}
	if (lane == 0)
		out[item] = weighted / sum;
}
