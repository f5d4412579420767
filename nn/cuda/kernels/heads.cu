/* The heads over the trunk's output [n][CELLS][CHANNELS]. Kernel heads computes the policy's logits
 * and parts of the values' hidden layers, kernel values the rest. All sums are fp32, in an order
 * independent of n. Sizes are macros, see the Go type Heads. */
#include "device.h"
#include "element.h"

/* ---- The policy ---- */

#if MAPS > 0
#define POLICY_CELLS 8 /* loads under way */

/* A block computes POLICY_POSITIONS positions: first MAPS filters of 1 × 1 into shared memory
 * [POLICY_POSITIONS][MAPS][CELLS], a warp for POLICY_CELLS cells, then the rest of the head. weights are
 * [MAPS][CHANNELS] and MAPS biases; dense is [MAPS·CELLS][ACTIONS] and ACTIONS biases. */
DEVICE void policy(float *maps, int block, const unsigned char *trunk, const float *weights, const float *dense, float *logits, int n) {
	int first = block * POLICY_POSITIONS, count = min(POLICY_POSITIONS, n - first);
	int lane = threadIdx.x % 32;
	for (int row = threadIdx.x / 32 * POLICY_CELLS; row < count * CELLS; row += HEADS_THREADS / 32 * POLICY_CELLS) {
		const unsigned char *x = trunk + ((long long)first * CELLS + row) * (CHANNELS * ELEMENT);
		float sums[POLICY_CELLS][MAPS];
		UNROLL
		for (int r = 0; r < POLICY_CELLS; r++) {
			UNROLL
			for (int m = 0; m < MAPS; m++)
				sums[r][m] = 0;
		}
		for (int c = lane * 2; c < CHANNELS; c += 64) {
			float2 v[POLICY_CELLS];
			UNROLL
			for (int r = 0; r < POLICY_CELLS; r++)
				v[r] = row + r < count * CELLS ? load_pair(x + (r * CHANNELS + c) * ELEMENT) : make_float2(0, 0);
			UNROLL
			for (int m = 0; m < MAPS; m++) {
				float u = weights[m * CHANNELS + c], w = weights[m * CHANNELS + c + 1];
				UNROLL
				for (int r = 0; r < POLICY_CELLS; r++)
					sums[r][m] += v[r].x * u + v[r].y * w;
			}
		}
		for (int step = 16; step > 0; step /= 2) {
			UNROLL
			for (int r = 0; r < POLICY_CELLS; r++) {
				UNROLL
				for (int m = 0; m < MAPS; m++)
					sums[r][m] += __shfl_xor_sync(0xffffffffu, sums[r][m], step);
			}
		}
		UNROLL
		for (int r = 0; r < POLICY_CELLS; r++) {
			int i = row + r;
			if (lane == r && i < count * CELLS) {
				UNROLL
				for (int m = 0; m < MAPS; m++) {
					float v = sums[r][m] + weights[MAPS * CHANNELS + m];
#ifdef POLICY_DENSE
					v = relu(v);
#endif
					maps[(i / CELLS * MAPS + m) * CELLS + i % CELLS] = v;
				}
			}
		}
	}
	__syncthreads();
	logits += (long long)first * ACTIONS;
#ifdef POLICY_DENSE
	/* A thread computes an action for all the block's positions: each weight is read once per
	 * block. */
	for (int action = threadIdx.x; action < ACTIONS; action += HEADS_THREADS) {
		float sums[POLICY_POSITIONS];
		UNROLL
		for (int p = 0; p < POLICY_POSITIONS; p++)
			sums[p] = 0;
		for (int k = 0; k < MAPS * CELLS; k++) {
			float w = dense[k * ACTIONS + action];
			UNROLL
			for (int p = 0; p < POLICY_POSITIONS; p++)
				if (p < count)
					sums[p] += w * maps[p * (MAPS * CELLS) + k];
		}
		UNROLL
		for (int p = 0; p < POLICY_POSITIONS; p++)
			if (p < count)
				logits[p * ACTIONS + action] = sums[p] + dense[MAPS * CELLS * ACTIONS + action];
	}
#else
	(void)dense;
	for (int i = threadIdx.x; i < count * CELLS; i += HEADS_THREADS)
		logits[i / CELLS * ACTIONS + i % CELLS] = maps[i / CELLS * (MAPS * CELLS) + i % CELLS];
#if MAPS == 2
	/* The pass is linear in the trunk's mean over cells, so it is the mean of its filter. */
	for (int p = threadIdx.x; p < count; p += HEADS_THREADS) {
		float sum = 0;
		for (int cell = 0; cell < CELLS; cell++)
			sum += maps[(p * MAPS + 1) * CELLS + cell];
		logits[p * ACTIONS + CELLS] = sum / CELLS;
	}
#endif
#endif
}
#endif

/* ---- Hidden layers of the values ---- */

/* ReLU(trunk[n][CELLS·CHANNELS] · weights + biases), [n][HIDDEN_COLUMNS]: all players' hidden
 * layers are one product, of few columns. Its sums have HIDDEN_PARTS parts of about as many stages,
 * which are added in their order. Where few positions would leave most of a device idle, the parts
 * are blocks of their own, split is HIDDEN_PARTS, and kernel values adds them; else split is 1. The
 * result is parts[n][split][HIDDEN_COLUMNS], without biases and ReLU. A block computes 64 positions
 * and 64 columns, its four warps 32 × 32 each; both operands are read through a ring of stages of
 * HIDDEN_STEPS steps. weights are [HIDDEN_COLUMNS/64][stages][HIDDEN_STEPS][4 pairs of
 * tiles][lane][4 words], with zeros past the last step. */
#define HIDDEN_TILES (HIDDEN_COLUMNS / 64)
#define HIDDEN_BLOCKS(n, split) (((n) + 63) / 64 * (HIDDEN_TILES * (split)))
#define HIDDEN_STAGE(part) ((part) * HIDDEN_K_STAGES / HIDDEN_PARTS) /* the first of a part */
#define HIDDEN_STRIDE (HIDDEN_STEPS * STEP_BYTES + 16) /* an odd multiple of 16, see tower.h */
#define HIDDEN_A (64 * HIDDEN_STRIDE)
#define HIDDEN_B (64 * STEP_BYTES * HIDDEN_STEPS)
#define HIDDEN_ROW (CELLS * CHANNELS * ELEMENT) /* bytes */

DEVICE void fetch_hidden(shared_address to, const unsigned char *trunk, const unsigned char *weights, int stage, int last, int first, int n) {
	const int chunks = HIDDEN_STEPS * STEP_BYTES / 16;
	if (stage < last) {
		for (int i = threadIdx.x; i < 64 * chunks; i += HEADS_THREADS) {
			int row = i / chunks, at = stage * (HIDDEN_STEPS * STEP_BYTES) + i % chunks * 16;
			int inside = first + row < n && at < HIDDEN_ROW;
			cp_async_16_zero(to + row * HIDDEN_STRIDE + i % chunks * 16,
			                 inside ? trunk + (long long)(first + row) * HIDDEN_ROW + at : trunk, inside ? 16 : 0);
		}
		for (int i = threadIdx.x * 16; i < HIDDEN_B; i += HEADS_THREADS * 16)
			cp_async_16(to + HIDDEN_A + i, weights + (long long)stage * HIDDEN_B + i);
	}
	cp_async_commit();
}

DEVICE void hidden(unsigned char *shared, int block, const unsigned char *trunk, const unsigned char *weights, float *parts, int split, int n) {
	int part = block % split, tile = block / split % HIDDEN_TILES;
	int first = block / (split * HIDDEN_TILES) * 64, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int from = HIDDEN_STAGE(part), to = HIDDEN_STAGE(split == 1 ? HIDDEN_PARTS : part + 1);
	int next = part + 1; /* that of the stage is before */
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
	weights += (long long)tile * HIDDEN_K_STAGES * HIDDEN_B;
	for (int stage = from; stage < from + HIDDEN_STAGES - 1; stage++)
		fetch_hidden(shared_of(shared) + stage % HIDDEN_STAGES * (HIDDEN_A + HIDDEN_B), trunk, weights, stage, to, first, n);
	for (int stage = from; stage < to; stage++) {
		cp_async_wait(HIDDEN_STAGES - 2);
		__syncthreads();
		fetch_hidden(shared_of(shared) + (stage + HIDDEN_STAGES - 1) % HIDDEN_STAGES * (HIDDEN_A + HIDDEN_B), trunk, weights, stage + HIDDEN_STAGES - 1, to, first, n);
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
		if (stage + 1 == HIDDEN_STAGE(next)) {
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
			next++;
		}
	}
	UNROLL
	for (int i = 0; i < 2; i++) {
		UNROLL
		for (int half = 0; half < 2; half++) {
			int position = first + warp / 2 * 32 + i * 16 + half * 8 + lane / 4;
			int column = tile * 64 + warp % 2 * 32 + lane % 4 * 2;
			if (position < n) {
				float *out = parts + ((long long)position * split + part) * HIDDEN_COLUMNS + column;
				UNROLL
				for (int j = 0; j < 4; j++)
					*(float2 *)(out + 8 * j) = make_float2(total[i][j][2 * half], total[i][j][2 * half + 1]);
			}
		}
	}
}

/* The blocks of the hidden layers come first, then those of the policy. */
KERNEL_BOUNDS(heads, HEADS_THREADS, 2)(const unsigned char *trunk, const unsigned char *hidden_weights, float *parts, const float *policy_weights, const float *dense, float *logits, int split, int n) {
	SHARED(unsigned char, shared);
	int block = blockIdx.x;
	if (block < HIDDEN_BLOCKS(n, split)) {
		hidden(shared, block, trunk, hidden_weights, parts, split, n);
		return;
	}
#if MAPS > 0
	policy((float *)shared, block - HIDDEN_BLOCKS(n, split), trunk, policy_weights, dense, logits, n);
#endif
}

/* ---- The values ---- */

/* A warp computes one player's value of a position: the sums of the hidden layers' parts, the
 * output layer and, for a categorical head, the expectation of the support under the softmax.
 * weights are [PLAYERS][HIDDEN][OUTPUTS], then biases [PLAYERS][OUTPUTS], then the support
 * [OUTPUTS]; biases are those of the hidden layers. */
#define VALUES_THREADS 128
#define LANE_OUTPUTS ((OUTPUTS + 31) / 32)

/* One of a position's hidden numbers. */
DEVICE float hidden_at(const float *parts, const float *biases, int split, int column) {
	float sum = parts[column];
	if (split > 1) {
		UNROLL
		for (int part = 1; part < HIDDEN_PARTS; part++)
			sum += parts[part * HIDDEN_COLUMNS + column];
	}
	return relu(sum + biases[column]);
}

KERNEL_BOUNDS(values, VALUES_THREADS, 1)(const float *parts, const float *biases, const float *weights, float *out, int split, int n) {
	int item = blockIdx.x * (VALUES_THREADS / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
	if (item >= n * PLAYERS)
		return;
	int player = item % PLAYERS;
	const float *x = parts + (long long)(item / PLAYERS) * (split * HIDDEN_COLUMNS);
	const float *w = weights + player * HIDDEN * OUTPUTS, *b = weights + PLAYERS * HIDDEN * OUTPUTS + player * OUTPUTS;
#ifdef VALUE_LINEAR
	float sum = 0;
	for (int k = lane; k < HIDDEN; k += 32)
		sum += hidden_at(x, biases, split, player * HIDDEN + k) * w[k];
	for (int step = 16; step > 0; step /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
	if (lane == 0)
		out[item] = sum + b[0];
#else
	const float *support = weights + PLAYERS * (HIDDEN + 1) * OUTPUTS;
	float logits[LANE_OUTPUTS], top = __uint_as_float(0xff800000u), sum = 0, weighted = 0;
	UNROLL
	for (int j = 0; j < LANE_OUTPUTS; j++)
		logits[j] = 0;
	for (int first = 0; first < HIDDEN; first += 32) {
		float own = first + lane < HIDDEN ? hidden_at(x, biases, split, player * HIDDEN + first + lane) : 0;
		UNROLL
		for (int i = 0; i < 32; i++) {
			float v = __shfl_sync(0xffffffffu, own, i);
			UNROLL
			for (int j = 0; j < LANE_OUTPUTS; j++)
				if (first + i < HIDDEN && lane + 32 * j < OUTPUTS)
					logits[j] += v * w[(first + i) * OUTPUTS + lane + 32 * j];
		}
	}
	UNROLL
	for (int j = 0; j < LANE_OUTPUTS; j++) {
		if (lane + 32 * j < OUTPUTS) {
			logits[j] += b[lane + 32 * j];
			top = fmaxf(top, logits[j]);
		}
	}
	for (int step = 16; step > 0; step /= 2)
		top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
	UNROLL
	for (int j = 0; j < LANE_OUTPUTS; j++) {
		if (lane + 32 * j < OUTPUTS) {
			float e = expf(logits[j] - top);
			sum += e;
			weighted += e * support[lane + 32 * j];
		}
	}
	for (int step = 16; step > 0; step /= 2) {
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
		weighted += __shfl_xor_sync(0xffffffffu, weighted, step);
	}
	if (lane == 0)
		out[item] = weighted / sum;
#endif
}
