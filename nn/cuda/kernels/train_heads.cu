/* Policy, value and auxiliary heads in training, their losses and gradients. The large products (the
 * hidden layers over the whole trunk) are in train_product.cu; these kernels are small and plain.
 *
 * Shapes: positions are row · cells + cell; x, the trunk, is [positions][channels]; the
 * hidden layers h are [rows][width], all players' side by side, then the belief's, and zeros up to
 * width; logits and targets are as in nn/train: [rows][actions], [rows][players][outputs].
 */
#include "train_element.h"

#define INDEX ((long long)blockIdx.x * blockDim.x + threadIdx.x)

DEVICE float sum_of_warp(float v) {
	for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
	return v;
}

/* The greater number, or NaN if there is one. */
DEVICE float greater(float x, float y) { return y > x || y != y ? y : x; }

DEVICE float max_of_warp(float v) {
	for (int step = 16; step > 0; step /= 2) v = greater(v, __shfl_xor_sync(0xffffffffu, v, step));
	return v;
}

/* Index of the first maximum of values[0..n), by a warp. */
DEVICE int argmax_of_warp(const float *values, int n, int lane) {
	int best = min(lane, n - 1);
	for (int i = lane; i < n; i += 32)
		if (values[i] > values[best]) best = i;
	float top = values[best];
	for (int step = 16; step > 0; step /= 2) {
		float other = __shfl_xor_sync(0xffffffffu, top, step);
		int at = __shfl_xor_sync(0xffffffffu, best, step);
		if (other > top || (other == top && at < best)) {
			top = other;
			best = at;
		}
	}
	return best;
}

/* ---- Losses ---- */

/* A row's factor of a loss that is a mean by weights: mean[0]·weights[row] / mean[1], or 0 if mean[1],
 * the sum of weights, is 0. */
DEVICE float factor_of(const float *weights, const double *mean, long long row) {
	return mean[1] > 0 ? (float)(mean[0] * weights[row] / mean[1]) : 0;
}

/* The cross-entropy −Σ target·log softmax(logits) of each group of n numbers, a warp per group,
 * and d = factor·∂/∂logits. The factor is constant; with weights, it is factor_of the row.
 * measures is [rows·groups][4]: the loss, then
 *
 *   with a support [n]: the expected utilities of softmax and target, and the target's entropy;
 *   without: the entropies of softmax and target, and whether their maxima are at the same index.
 */
KERNEL(softmax_loss)(const float *__restrict__ logits, const float *__restrict__ target, const float *weights, const double *mean, float constant,
                     const float *support, int rows, int groups, int n, float *d, float *measures) {
	int lane = threadIdx.x % 32;
	long long group = INDEX / 32;
	if (group >= (long long)rows * groups) return;
	const float *v = logits + group * n, *t = target + group * n;
	float factor = constant;
	if (weights) factor = factor_of(weights, mean, group / groups);
	float top = __uint_as_float(0xff800000u), total = 0, mass = 0, loss = 0, a = 0, b = 0, c = 0;
	for (int i = lane; i < n; i += 32) top = fmaxf(top, v[i]);
	top = max_of_warp(top);
	for (int i = lane; i < n; i += 32) {
		total += expf(v[i] - top);
		mass += t[i];
	}
	total = sum_of_warp(total);
	mass = sum_of_warp(mass);
	float log_total = logf(total);
	for (int i = lane; i < n; i += 32) {
		float p = expf(v[i] - top) / total;
		loss -= t[i] * (v[i] - top - log_total);
		d[group * n + i] = factor * (mass * p - t[i]);
		float entropy = t[i] > 0 ? t[i] * logf(t[i]) : 0;
		if (support) {
			a += p * support[i];
			b += t[i] * support[i];
			c -= entropy;
		} else {
			if (p > 0) a -= p * logf(p);
			b -= entropy;
		}
	}
	loss = sum_of_warp(loss);
	a = sum_of_warp(a);
	b = sum_of_warp(b);
	c = sum_of_warp(c);
	if (!support) c = argmax_of_warp(v, n, lane) == argmax_of_warp(t, n, lane) ? 1 : 0;
	if (lane == 0) {
		measures[group * 4] = loss;
		measures[group * 4 + 1] = a;
		measures[group * 4 + 2] = b;
		measures[group * 4 + 3] = c;
	}
}

/* After softmax_loss of one group a row, in place of its gradient and its loss: half the sum of the
 * squares of the differences of the logits from the target's logarithms, both without their means
 * over the actions that have a probability; the others do not count. A logarithm relative to that of
 * the greatest probability is at least LEAST_LOGIT. A warp per row. */
#define LEAST_LOGIT (-8.0f)
KERNEL(logit_loss)(const float *__restrict__ logits, const float *__restrict__ target, const float *weights, const double *mean,
                   int rows, int n, float *d, float *measures) {
	int lane = threadIdx.x % 32;
	long long row = INDEX / 32;
	if (row >= rows) return;
	const float *v = logits + row * n, *t = target + row * n;
	float *to = d + row * n;
	float factor = factor_of(weights, mean, row), top = 0, all = 0, count = 0, loss = 0;
	for (int i = lane; i < n; i += 32) top = greater(top, t[i]);
	top = max_of_warp(top);
	for (int i = lane; i < n; i += 32) {
		if (!(t[i] > 0)) continue;
		float least = logf(t[i] / top), x = v[i] - (least < LEAST_LOGIT ? LEAST_LOGIT : least);
		to[i] = x;
		all += x;
		count += 1;
	}
	all = sum_of_warp(all);
	count = sum_of_warp(count);
	for (int i = lane; i < n; i += 32) {
		float x = t[i] > 0 ? to[i] - all / count : 0;
		to[i] = factor * x;
		loss += x * x / 2;
	}
	loss = sum_of_warp(loss);
	if (lane == 0) measures[row * 4] = loss;
}

/* The squared error of each of n numbers, d = constant·its gradient, and the measures as in
 * softmax_loss with a support, without an entropy. */
KERNEL(squared_loss)(const float *__restrict__ values, const float *__restrict__ target, float constant, long long n, float *d, float *measures) {
	long long i = INDEX;
	if (i >= n) return;
	float e = values[i] - target[i];
	d[i] = 2 * constant * e;
	measures[i * 4] = e * e;
	measures[i * 4 + 1] = values[i];
	measures[i * 4 + 2] = target[i];
	measures[i * 4 + 3] = 0;
}

/* ---- Hidden layers and the value head ---- */

/* h ← max(h + bias, 0); n is rows·width. */
KERNEL(hidden_relu)(element *h, const float *__restrict__ bias, long long n, int width) {
	long long i = INDEX;
	if (i >= n) return;
	float v = element_to_float(h[i]) + bias[modulo(i, width)];
	h[i] = float_to_element(v <= 0 ? 0 : v);
}

/* Each player's logits from the player's part of rows of width numbers; w is
 * [players·outputs][hidden]. The belief and the numbers of seats are those of one player. */
KERNEL(value_logits)(const element *__restrict__ h, const float *__restrict__ w, const float *__restrict__ bias, float *logits,
                     int rows, int players, int hidden, int outputs, int width) {
	long long i = INDEX;
	if (i >= (long long)rows * players * outputs) return;
	int o = modulo(i, players * outputs);
	const element *from = h + i / (players * outputs) * width + o / outputs * hidden;
	const float *weights = w + (long long)o * hidden;
	float sum = 0;
	if (hidden % 4 == 0) /* the same sum */
		for (int k = 0; k < hidden; k += 4) {
			float v[4];
			float4 u = *(const float4 *)(weights + k);
			load4(v, from + k);
			sum = fmaf(v[3], u.w, fmaf(v[2], u.z, fmaf(v[1], u.y, fmaf(v[0], u.x, sum))));
		}
	else
		for (int k = 0; k < hidden; k++) sum = fmaf(element_to_float(from[k]), weights[k], sum);
	logits[i] = sum + bias[o];
}

/* The gradient of columns of the hidden layers before their ReLU, from the logits' gradient; 0 beyond
 * the players. */
KERNEL(value_backward)(const float *__restrict__ d, const float *__restrict__ w, const element *__restrict__ h, element *dh,
                       int rows, int players, int hidden, int outputs, int width, int columns) {
	long long i = INDEX;
	if (i >= (long long)rows * columns) return;
	int j = modulo(i, columns), p = j / hidden;
	long long row = i / columns, at = row * width + j;
	float sum = 0;
	if (p < players && !(element_to_float(h[at]) <= 0)) {
		const float *from = d + (row * players + p) * outputs;
		for (int o = 0; o < outputs; o++) sum = fmaf(from[o], w[((long long)p * outputs + o) * hidden + j % hidden], sum);
	}
	dh[at] = float_to_element(sum);
}

/* ---- 1×1 convolutions ---- */

/* dots[p][k] = Σ x[p][c]·w[k][c] + bias[k], w [maps][channels], a warp per position; the bias may be
 * null. */
KERNEL(map_dots)(const element *__restrict__ x, const float *__restrict__ w, const float *bias, float *dots, int positions, int channels, int maps) {
	int lane = threadIdx.x % 32;
	long long p = INDEX / 32;
	if (p >= positions) return;
	for (int first = 0; first < maps; first += 2) {
		float sum[2] = {0, 0};
		for (int c = lane * 4; c < channels; c += 128) {
			float v[4];
			load4(v, x + p * channels + c);
			for (int k = 0; k < 2; k++)
				if (first + k < maps)
					UNROLL
					for (int q = 0; q < 4; q++) sum[k] = fmaf(v[q], w[(long long)(first + k) * channels + c + q], sum[k]);
		}
		for (int k = 0; k < 2; k++) {
			float s = sum_of_warp(sum[k]);
			if (lane == 0 && first + k < maps) dots[p * maps + first + k] = bias ? s + bias[first + k] : s;
		}
	}
}

/* Adds to the gradient of the trunk the part of the maps, whose gradient d is that of a position or,
 * for maps over the mean of cells positions, of a row; each thread has four channels, n is
 * positions·channels/4. */
KERNEL(map_backward)(const float *__restrict__ d, const float *__restrict__ w, element *dx, long long n, int channels, int maps, int cells) {
	long long i = INDEX;
	if (i >= n) return;
	int c = modulo(i, channels / 4) * 4;
	int p = (int)(i / (channels / 4));
	const float *from = d + (long long)(p / cells) * maps;
	float v[4];
	load4(v, dx + i * 4);
	for (int k = 0; k < maps; k++) {
		float g = from[k] / cells;
		UNROLL
		for (int q = 0; q < 4; q++) v[q] = fmaf(g, w[(long long)k * channels + c + q], v[q]);
	}
	store4(dx + i * 4, v);
}

/* The mean over a row's cells of x, [rows][channels]; each thread has four channels, n is
 * rows·channels/4. */
KERNEL(cell_mean)(const element *__restrict__ x, element *mean, long long n, int channels, int cells) {
	long long i = INDEX;
	if (i >= n) return;
	const element *from = x + i / (channels / 4) * cells * channels + modulo(i, channels / 4) * 4;
	float sum[4] = {0, 0, 0, 0};
	for (int cell = 0; cell < cells; cell++) {
		float v[4];
		load4(v, from + (long long)cell * channels);
		UNROLL
		for (int q = 0; q < 4; q++) sum[q] += v[q];
	}
	UNROLL
	for (int q = 0; q < 4; q++) sum[q] /= cells;
	store4(mean + i * 4, sum);
}

/* ---- The policy head ----
 *
 * The 1×1 convolution has maps rows of weights [maps][channels]; with a pass, the last row is the
 * pass's dense layer over the trunk's mean over cells.
 */

/* Logits of the heads conv (maps 1) and conv+pass (maps 2). */
KERNEL(policy_logits)(const float *__restrict__ dots, const float *__restrict__ bias, float *logits, int rows, int cells, int maps) {
	long long i = INDEX;
	int actions = cells + maps - 1, a = (int)(i % actions);
	long long row = i / actions;
	if (row >= rows) return;
	if (a < cells) {
		logits[i] = dots[(row * cells + a) * maps] + bias[0];
		return;
	}
	float sum = 0;
	for (int c = 0; c < cells; c++) sum += dots[(row * cells + c) * 2 + 1];
	logits[i] = sum / cells + bias[1];
}

/* The gradient of dots, from that of these logits. */
KERNEL(policy_spread)(const float *__restrict__ d, float *d_dots, int rows, int cells, int maps) {
	long long i = INDEX;
	if (i >= (long long)rows * cells * maps) return;
	int k = (int)(i % maps), c = (int)(i / maps % cells), actions = cells + maps - 1;
	const float *from = d + i / maps / cells * actions;
	d_dots[i] = k == 0 ? from[c] : from[cells] / cells;
}

/* The head dense: ReLU of the two maps, map by map, [rows][2·cells]. */
KERNEL(policy_hidden)(const float *__restrict__ dots, const float *__restrict__ bias, element *h, int rows, int cells) {
	long long i = INDEX;
	if (i >= (long long)rows * 2 * cells) return;
	int c = (int)(i % cells), k = (int)(i / cells % 2);
	float v = dots[(i / (2 * cells) * cells + c) * 2 + k] + bias[k];
	h[i] = float_to_element(v <= 0 ? 0 : v);
}

/* The head dense's logits; w is [actions][2·cells]. */
KERNEL(policy_dense)(const element *__restrict__ h, const float *__restrict__ w, const float *__restrict__ bias, float *logits, int rows, int actions, int cells) {
	long long i = INDEX;
	if (i >= (long long)rows * actions) return;
	int a = (int)(i % actions), n = 2 * cells;
	const element *from = h + i / actions * n;
	float sum = 0;
	for (int k = 0; k < n; k++) sum = fmaf(element_to_float(from[k]), w[(long long)a * n + k], sum);
	logits[i] = sum + bias[a];
}

/* The gradient of dots, from that of the head dense's logits. */
KERNEL(policy_dense_backward)(const float *__restrict__ d, const float *__restrict__ w, const element *__restrict__ h, float *d_dots, int rows, int actions, int cells) {
	long long i = INDEX;
	if (i >= (long long)rows * 2 * cells) return;
	int n = 2 * cells, j = (int)(i % n);
	long long row = i / n;
	float sum = 0;
	if (!(element_to_float(h[i]) <= 0))
		for (int a = 0; a < actions; a++) sum = fmaf(d[row * actions + a], w[(long long)a * n + j], sum);
	d_dots[(row * cells + j % cells) * 2 + j / cells] = sum;
}

/* ---- Losses of the auxiliary heads ----
 *
 * starts[k] is where the classes of target or fact k start among those of all; after the last, it is
 * their number. A class is -1 where there is none.
 */

/* The logits v of n classes become their softmax; with priors, that of logit + log prior over the
 * classes whose prior is above 0. Returns −log of a class's, by one thread. */
DEVICE float loss_of_class(float *v, const float *priors, int n, int known) {
	float top = __uint_as_float(0xff800000u), total = 0, own = v[known];
	for (int i = 0; i < n; i++)
		if (!priors || priors[i] > 0) top = fmaxf(top, v[i]);
	for (int i = 0; i < n; i++) {
		float e = !priors || priors[i] > 0 ? expf(v[i] - top) : 0;
		v[i] = priors ? priors[i] * e : e;
		total += v[i];
	}
	for (int i = 0; i < n; i++) v[i] /= total;
	return top + logf(total) - own - (priors ? logf(priors[known]) : 0);
}

/* losses[row] is the mean, over pairs of a target and a cell that have a class, of −log softmax of
 * the class; 0 without any. The logits, [positions][classes], become their gradient times
 * factor_of the row. known are [rows][targets][cells]. A warp per row. */
KERNEL(cells_loss)(float *logits, const signed char *__restrict__ known, const int *__restrict__ starts, const float *__restrict__ weights, const double *mean,
                   int rows, int targets, int cells, int classes, float *losses) {
	int lane = threadIdx.x % 32, pairs = targets * cells;
	long long row = INDEX / 32;
	if (row >= rows) return;
	const signed char *of_row = known + row * pairs;
	float count = 0, loss = 0;
	for (int i = lane; i < pairs; i += 32) count += of_row[i] >= 0;
	count = fmaxf(sum_of_warp(count), 1);
	float slope = factor_of(weights, mean, row) / count;
	for (int i = lane; i < pairs; i += 32) {
		int k = i / cells, n = starts[k + 1] - starts[k], is = of_row[i];
		float *v = logits + (row * cells + i % cells) * classes + starts[k];
		if (is >= 0) loss += loss_of_class(v, 0, n, is);
		for (int c = 0; c < n; c++) v[c] = is < 0 ? 0 : slope * (c == is ? v[c] - 1 : v[c]);
	}
	loss = sum_of_warp(loss);
	if (lane == 0) losses[row] = loss / count;
}

/* losses[row] is the mean squared error of n numbers, which become its gradient times factor_of the
 * row; a thread per row. */
KERNEL(seats_loss)(float *numbers, const float *__restrict__ target, const float *__restrict__ weights, const double *mean, int rows, int n, float *losses) {
	long long row = INDEX;
	if (row >= rows) return;
	float slope = 2 * factor_of(weights, mean, row) / n, loss = 0;
	for (long long i = row * n; i < (row + 1) * n; i++) {
		float e = numbers[i] - target[i];
		numbers[i] = slope * e;
		loss += e * e;
	}
	losses[row] = loss / n;
}

/* The sum over known facts of −log b of the class, where b is the softmax of logits and priors. The
 * logits, [rows][classes], become b; d is the gradient times factor_of the row. measures is
 * [rows][32]: the loss, the same of the priors, then for each bin the number of b in it, their sum, and how many
 * are of a fact's class, over known facts and possible classes; 0 for a row of weight 0. A warp per
 * row. */
KERNEL(belief_loss)(float *logits, const signed char *__restrict__ facts, const float *__restrict__ priors, const int *__restrict__ starts, const float *__restrict__ weights,
                    const double *mean, int rows, int count, int classes, float *d, float *measures) {
	int lane = threadIdx.x % 32;
	long long row = INDEX / 32;
	if (row >= rows) return;
	const signed char *known = facts + row * count;
	const float *prior = priors + row * classes;
	float *b = logits + row * classes, *to = d + row * classes;
	float loss = 0, without = 0, factor = factor_of(weights, mean, row);
	for (int k = lane; k < count; k += 32) {
		int at = starts[k], n = starts[k + 1] - at, is = known[k];
		if (is >= 0) {
			loss += loss_of_class(b + at, prior + at, n, is);
			without -= logf(prior[at + is]);
		}
		for (int c = 0; c < n; c++) to[at + c] = is < 0 ? 0 : factor * (c == is ? b[at + c] - 1 : b[at + c]);
	}
	loss = sum_of_warp(loss);
	without = sum_of_warp(without);
	__syncwarp(); /* lanes read what others wrote */
	float measure = lane == 0 ? loss : without;
	if (lane > 1) {
		measure = 0;
		for (int k = 0; weights[row] > 0 && k < count; k++)
			for (int i = starts[k]; known[k] >= 0 && i < starts[k + 1]; i++) {
				if (!(prior[i] > 0) || !is_finite(b[i]) || bin_of(b[i]) != (lane - 2) / 3) continue;
				int what = (lane - 2) % 3;
				measure += what == 0 ? 1 : what == 1 ? b[i] : i - starts[k] == known[k];
			}
	}
	measures[row * 32 + lane] = measure;
}

/* ---- Gradients of small layers: sums over rows, in parts that sum_parts adds ---- */

/* part[s][i][j] = Σ a[r][i]·b[r][i / group · m + j] over the rows of part s, of length rows: i < n, j <
 * m, the rows of a and b being so long; a or b is 1 if it is null. Of fewer than 256 numbers each has several
 * threads, which share the rows. Block number block has part block / ⌈n·m/256⌉.
 */
DEVICE void outer(const float *a, const element *b, float *part, int rows, int length, int n, int m, int group, int a_row, int b_row,
                  int block, float *sums) {
	const int size = n * m, wide = (size + 255) / 256, numbers = min(size, 256), shares = 256 / numbers;
	int s = block / wide, share = threadIdx.x / numbers, at = block % wide * 256 + threadIdx.x % numbers, end = min((s + 1) * length, rows);
	int i = at / m;
	const float *x = a + i;
	const element *y = b + i / group * m + at % m;
	float sum = 0;
	if (share < shares && at < size)
		for (int r = s * length + share; r < end; r += shares) {
			float u = a ? x[(long long)r * a_row] : 1, v = b ? element_to_float(y[(long long)r * b_row]) : 1;
			sum = fmaf(u, v, sum);
		}
	if (shares > 1) {
		sums[threadIdx.x] = sum;
		__syncthreads();
		for (int k = 1; share == 0 && k < shares; k++) sum += sums[k * numbers + at];
	}
	if (share == 0 && at < size) part[(long long)s * size + at] = sum;
}

/* Up to five of these; n0, n1 and so on are 0 where there is none. The parts of one follow those of the one
 * before, rounded up to a multiple of 4 numbers. The launch: the sum of parts · ⌈n·m/256⌉ blocks of 256 threads.
 */
#define OUTER(k) const float *a##k, const element *b##k, int rows##k, int length##k, int n##k, int m##k, int group##k, int a_row##k, int b_row##k
#define ADD(k)                                                                                                            \
	if (n##k > 0) {                                                                                                       \
		int parts = (rows##k + length##k - 1) / length##k, blocks = parts * ((n##k * m##k + 255) / 256);                  \
		if (block < blocks) {                                                                                             \
			outer(a##k, b##k, part, rows##k, length##k, n##k, m##k, group##k, a_row##k, b_row##k, block, sums);           \
			return;                                                                                                       \
		}                                                                                                                 \
		block -= blocks;                                                                                                  \
		part += ((long long)parts * n##k * m##k + 3) / 4 * 4;                                                             \
	}
KERNEL(outer_parts)(float *part, OUTER(0), OUTER(1), OUTER(2), OUTER(3), OUTER(4)) {
	__shared__ float sums[256];
	int block = blockIdx.x;
	ADD(0)
	ADD(1)
	ADD(2)
	ADD(3)
	ADD(4)
}
