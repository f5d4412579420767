/* The heads over the trunk's output [n][cells][channels]. Kernel heads computes the policy's logits
 * and parts of the values' hidden layers, kernel values the rest. All sums are fp32, in an order
 * independent of n. The network's sizes are arguments, so that one image serves every network; those
 * of blocks and stages are macros, see the Go type Heads. */
#include "device.h"
#include "element.h"

/* ---- The policy ---- */

#define POLICY_CELLS 8 /* loads under way */

/* A block computes up to positions positions, at most MOST_POSITIONS: first one or two filters of
 * 1 × 1, filters, into shared memory [positions][filters][cells], a warp for POLICY_CELLS cells, then
 * the rest of the head. weights are [filters][channels] and biases; dense is
 * [filters·cells][actions] and biases, or is not read if is_dense is 0. */
DEVICE void policy(float *maps, int block, const unsigned char *trunk, const float *weights, const float *dense, float *logits, int n, int cells, int channels, const int filters, int actions, int positions, int is_dense) {
	int first = block * positions, count = min(positions, n - first);
	int lane = threadIdx.x % 32;
	for (int row = threadIdx.x / 32 * POLICY_CELLS; row < count * cells; row += HEADS_THREADS / 32 * POLICY_CELLS) {
		const unsigned char *x = trunk + ((long long)first * cells + row) * (channels * ELEMENT);
		float sums[POLICY_CELLS][2];
		UNROLL
		for (int r = 0; r < POLICY_CELLS; r++) {
			UNROLL
			for (int m = 0; m < filters; m++)
				sums[r][m] = 0;
		}
		for (int c = lane * 2; c < channels; c += 64) {
			float2 v[POLICY_CELLS];
			UNROLL
			for (int r = 0; r < POLICY_CELLS; r++)
				v[r] = row + r < count * cells ? load_pair(x + (r * channels + c) * ELEMENT) : make_float2(0, 0);
			UNROLL
			for (int m = 0; m < filters; m++) {
				float u = weights[m * channels + c], w = weights[m * channels + c + 1];
				UNROLL
				for (int r = 0; r < POLICY_CELLS; r++)
					sums[r][m] += v[r].x * u + v[r].y * w;
			}
		}
		for (int step = 16; step > 0; step /= 2) {
			UNROLL
			for (int r = 0; r < POLICY_CELLS; r++) {
				UNROLL
				for (int m = 0; m < filters; m++)
					sums[r][m] += __shfl_xor_sync(0xffffffffu, sums[r][m], step);
			}
		}
		UNROLL
		for (int r = 0; r < POLICY_CELLS; r++) {
			int i = row + r;
			if (lane == r && i < count * cells) {
				UNROLL
				for (int m = 0; m < filters; m++) {
					float v = sums[r][m] + weights[filters * channels + m];
					if (is_dense)
						v = relu(v);
					maps[(i / cells * filters + m) * cells + i % cells] = v;
				}
			}
		}
	}
	__syncthreads();
	logits += (long long)first * actions;
	if (is_dense) {
		/* A thread computes an action for all the block's positions: each weight is read once per
		 * block. */
		for (int action = threadIdx.x; action < actions; action += HEADS_THREADS) {
			float sums[MOST_POSITIONS];
			UNROLL
			for (int p = 0; p < MOST_POSITIONS; p++)
				sums[p] = 0;
			for (int k = 0; k < filters * cells; k++) {
				float w = dense[k * actions + action];
				UNROLL
				for (int p = 0; p < MOST_POSITIONS; p++)
					if (p < count)
						sums[p] += w * maps[p * (filters * cells) + k];
			}
			UNROLL
			for (int p = 0; p < MOST_POSITIONS; p++)
				if (p < count)
					logits[p * actions + action] = sums[p] + dense[filters * cells * actions + action];
		}
		return;
	}
	for (int i = threadIdx.x; i < count * cells; i += HEADS_THREADS)
		logits[i / cells * actions + i % cells] = maps[i / cells * (filters * cells) + i % cells];
	if (filters == 2) {
		/* The pass is linear in the trunk's mean over cells, so it is the mean of its filter. */
		for (int p = threadIdx.x; p < count; p += HEADS_THREADS) {
			float sum = 0;
			for (int cell = 0; cell < cells; cell++)
				sum += maps[(p * filters + 1) * cells + cell];
			logits[p * actions + cells] = sum / cells;
		}
	}
}

/* ---- Hidden layers of the values ---- */

/* ReLU(trunk[n][cells·channels] · weights + biases), [n][columns]: all players' hidden layers are
 * one product, of few columns. Its sums have MOST_PARTS parts of about as many stages, or as many as
 * there are stages, which are added in their order. Where few positions would leave most of a device
 * idle, the parts are blocks of their own, split is their number, and kernel values adds them; else
 * split is 1. The result is parts[n][split][columns], without biases and ReLU. A block computes 64
 * positions and 64 columns, its four warps 32 × 32 each; both operands are read through a ring of
 * stages of HIDDEN_STEPS steps. bytes are those of a position's trunk. weights are
 * [columns/64][stages][HIDDEN_STEPS][4 pairs of tiles][lane][4 words], with zeros past the last
 * step. */
#define HIDDEN_BLOCKS(n, columns, split) (((n) + 63) / 64 * ((columns) / 64 * (split)))
#define HIDDEN_STRIDE (HIDDEN_STEPS * STEP_BYTES + 16) /* an odd multiple of 16, see tower.h */
#define HIDDEN_A (64 * HIDDEN_STRIDE)
#define HIDDEN_B (64 * STEP_BYTES * HIDDEN_STEPS)

DEVICE void fetch_hidden(shared_address to, const unsigned char *trunk, const unsigned char *weights, int stage, int last, int first, int n, int bytes) {
	const int chunks = HIDDEN_STEPS * STEP_BYTES / 16;
	if (stage < last) {
		for (int i = threadIdx.x; i < 64 * chunks; i += HEADS_THREADS) {
			int row = i / chunks, at = stage * (HIDDEN_STEPS * STEP_BYTES) + i % chunks * 16;
			int inside = first + row < n && at < bytes;
			cp_async_16_zero(to + row * HIDDEN_STRIDE + i % chunks * 16,
			                 inside ? trunk + (long long)(first + row) * bytes + at : trunk, inside ? 16 : 0);
		}
		for (int i = threadIdx.x * 16; i < HIDDEN_B; i += HEADS_THREADS * 16)
			cp_async_16(to + HIDDEN_A + i, weights + (long long)stage * HIDDEN_B + i);
	}
	cp_async_commit();
}

DEVICE void hidden(unsigned char *shared, int block, const unsigned char *trunk, const unsigned char *weights, float *parts, int split, int n, int bytes, int columns) {
	int stages = (bytes + HIDDEN_STEPS * STEP_BYTES - 1) / (HIDDEN_STEPS * STEP_BYTES), most = min(stages, MOST_PARTS);
	int part = block % split, tile = block / split % (columns / 64);
	int first = block / (split * (columns / 64)) * 64, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	/* A part begins at stage part · stages / most. */
	int from = part * stages / most, to = split == 1 ? stages : (part + 1) * stages / most;
	int next = part + 1, end = next * stages / most; /* the part after that of the stage, and its first stage */
	float sums[2][4][4], total[2][4][4];
	UNROLL
	for (int i = 0; i < 2; i++) {
		UNROLL
		for (int j = 0; j < 4; j++) {
			UNROLL
			for (int k = 0; k < 4; k++)
				sums[i][j][k] = 0;
		}
	}
	weights += (long long)tile * stages * HIDDEN_B;
	for (int stage = from; stage < from + HIDDEN_STAGES - 1; stage++)
		fetch_hidden(shared_of(shared) + stage % HIDDEN_STAGES * (HIDDEN_A + HIDDEN_B), trunk, weights, stage, to, first, n, bytes);
	for (int stage = from; stage < to; stage++) {
		cp_async_wait(HIDDEN_STAGES - 2);
		__syncthreads();
		fetch_hidden(shared_of(shared) + (stage + HIDDEN_STAGES - 1) % HIDDEN_STAGES * (HIDDEN_A + HIDDEN_B), trunk, weights, stage + HIDDEN_STAGES - 1, to, first, n, bytes);
		const unsigned char *slot = shared + stage % HIDDEN_STAGES * (HIDDEN_A + HIDDEN_B);
		shared_address rows = shared_of(slot) + (warp / 2 * 32 + lane % 16) * HIDDEN_STRIDE + lane / 16 * 16;
		UNROLL
		for (int s = 0; s < HIDDEN_STEPS; s++) {
			unsigned a[2][4], b[4][2];
			UNROLL
			for (int i = 0; i < 2; i++)
				ldmatrix_x4(a[i], rows + i * 16 * HIDDEN_STRIDE + s * STEP_BYTES);
			UNROLL
			for (int j = 0; j < 2; j++) {
				uint4 v = *((const uint4 *)(slot + HIDDEN_A) + (s * 4 + warp % 2 * 2 + j) * 32 + lane);
				b[2 * j][0] = v.x;
				b[2 * j][1] = v.y;
				b[2 * j + 1][0] = v.z;
				b[2 * j + 1][1] = v.w;
			}
			UNROLL
			for (int i = 0; i < 2; i++) {
				UNROLL
				for (int j = 0; j < 4; j++)
					mma(sums[i][j], a[i], b[j]);
			}
		}
		if (stage + 1 == end) {
			UNROLL
			for (int i = 0; i < 2; i++) {
				UNROLL
				for (int j = 0; j < 4; j++) {
					UNROLL
					for (int k = 0; k < 4; k++) {
						total[i][j][k] = next == part + 1 ? sums[i][j][k] : total[i][j][k] + sums[i][j][k];
						sums[i][j][k] = 0;
					}
				}
			}
			end = ++next * stages / most;
		}
	}
	UNROLL
	for (int i = 0; i < 2; i++) {
		UNROLL
		for (int half = 0; half < 2; half++) {
			int position = first + warp / 2 * 32 + i * 16 + half * 8 + lane / 4;
			int column = tile * 64 + warp % 2 * 32 + lane % 4 * 2;
			if (position < n) {
				float *out = parts + ((long long)position * split + part) * columns + column;
				UNROLL
				for (int j = 0; j < 4; j++)
					*(float2 *)(out + 8 * j) = make_float2(total[i][j][2 * half], total[i][j][2 * half + 1]);
			}
		}
	}
}

/* The blocks of the hidden layers come first, then those of the policy, if it has filters. */
KERNEL_BOUNDS(heads, HEADS_THREADS, 2)(const unsigned char *trunk, const unsigned char *hidden_weights, float *parts, const float *policy_weights, const float *dense, float *logits, int split, int n, int cells, int channels, int columns, int filters, int actions, int positions, int is_dense) {
	SHARED(unsigned char, shared);
	int block = blockIdx.x, before = HIDDEN_BLOCKS(n, columns, split);
	if (block < before)
		hidden(shared, block, trunk, hidden_weights, parts, split, n, cells * channels * ELEMENT, columns);
	else if (filters == 1)
		policy((float *)shared, block - before, trunk, policy_weights, dense, logits, n, cells, channels, 1, actions, positions, is_dense);
	else
		policy((float *)shared, block - before, trunk, policy_weights, dense, logits, n, cells, channels, 2, actions, positions, is_dense);
}

/* ---- The values ---- */

/* One of a position's hidden numbers. */
DEVICE float hidden_at(const float *parts, const float *biases, int split, int columns, int column) {
	float sum = parts[column];
	if (split > 1) {
		UNROLL
		for (int part = 1; part < MOST_PARTS; part++)
			if (part < split)
				sum += parts[part * columns + column];
	}
	return relu(sum + biases[column]);
}

/* A warp computes one player's value of a position: the sums of the hidden layers' parts, width
 * numbers of which are the player's, the output layer and, unless the head is linear, the expectation
 * of the support under the softmax, 32 outputs at a time. weights are [players][width][outputs], then
 * biases [players][outputs], then the support [outputs]; biases are those of the hidden layers. */
KERNEL_BOUNDS(values, VALUES_THREADS, 1)(const float *parts, const float *biases, const float *weights, float *out, int split, int n, int players, int width, int columns, int outputs, int linear) {
	int item = blockIdx.x * (VALUES_THREADS / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
	if (item >= n * players)
		return;
	int player = item % players;
	const float *x = parts + (long long)(item / players) * (split * columns);
	const float *w = weights + player * width * outputs, *b = weights + players * width * outputs + player * outputs;
	if (linear) {
		float sum = 0;
		for (int k = lane; k < width; k += 32)
			sum += hidden_at(x, biases, split, columns, player * width + k) * w[k];
		for (int step = 16; step > 0; step /= 2)
			sum += __shfl_xor_sync(0xffffffffu, sum, step);
		if (lane == 0)
			out[item] = sum + b[0];
		return;
	}
	const float *support = weights + players * (width + 1) * outputs;
	float top = __uint_as_float(0xff800000u), sum = 0, weighted = 0;
	for (int output = lane; output - lane < outputs; output += 32) {
		float logit = 0, before = top;
		for (int first = 0; first < width; first += 32) {
			float own = first + lane < width ? hidden_at(x, biases, split, columns, player * width + first + lane) : 0;
			UNROLL
			for (int i = 0; i < 32; i++) {
				float v = __shfl_sync(0xffffffffu, own, i);
				if (first + i < width && output < outputs)
					logit += v * w[(first + i) * outputs + output];
			}
		}
		if (output < outputs) {
			logit += b[output];
			top = fmaxf(top, logit);
		}
		for (int step = 16; step > 0; step /= 2)
			top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
		if (output >= 32) { /* what is summed so far is relative to the greatest before */
			sum *= expf(before - top);
			weighted *= expf(before - top);
		}
		if (output < outputs) {
			float e = expf(logit - top);
			sum += e;
			weighted += e * support[output];
		}
	}
	for (int step = 16; step > 0; step /= 2) {
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
		weighted += __shfl_xor_sync(0xffffffffu, weighted, step);
	}
	if (lane == 0)
		out[item] = weighted / sum;
}
