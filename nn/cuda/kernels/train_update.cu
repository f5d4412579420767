/* Updates of the parameters: packing for the products, sums of the gradients' parts, a batch's
 * measures, the decision whether its step is taken, the optimizer's step, averages. A network's
 * parameters are in one array, the weights of convolutions and dense layers first; so are their
 * gradients and the optimizer's moments.
 */
#include "train_element.h"

/* What the host gives with a batch, as doubles (training.given). */
#define GIVEN_ROWS 0       /* that are measured */
#define GIVEN_CLIP 1       /* the greatest norm of the gradient; 0: any */
#define GIVEN_RATE 2       /* of the optimizer */
#define GIVEN_CORRECTION 3 /* of adam */
#define GIVEN_KEEP 4       /* what decay leaves of a weight */
#define GIVEN_NORM 5       /* rate of the running statistics */
#define GIVEN_AVERAGE 6    /* rate of the averaged parameters */

/* What decide decides. */
#define REFUSED 0 /* 1 if the step changes nothing, otherwise 0 */
#define SCALE 1   /* of the gradient */

#if PRECISION_TF32
DEVICE element to_operand(float x) { return __uint_as_float(float_to_tf32(x)); }
#else
DEVICE element to_operand(float x) { return float_to_element(x); }
#endif

/* Packs the weights [taps][in][out] of the stem (of planes), of so many layers of blocks, which lie
 * one after the other from blocks_at on, and of the hidden layers, of one tap, for the products:
 * forward [out][taps][in], and backward, but not of the stem, [in][taps][out], rotated by 180° and
 * transposed. A block of 256 threads has 32 × 32 weights of a tap, which pass through shared memory, so
 * that reads and writes are contiguous. The launch: the sum of taps · ⌈in/32⌉ · ⌈out/32⌉ over the layers.
 */
#define TILES(taps, in, out) ((taps) * (((in) + 31) / 32) * (((out) + 31) / 32))
KERNEL(pack)(const float *__restrict__ w, element *forward, element *backward, int taps, int planes, int filters, int layers, long long blocks_at,
             int inputs, int width, long long hidden_at) {
	__shared__ element tile[32][33];
	int block = blockIdx.x, in = planes, out = filters;
	if (block < TILES(taps, planes, filters)) {
		backward = 0;
	} else {
		block -= TILES(taps, planes, filters);
		forward += (long long)taps * planes * filters;
		int size = TILES(taps, filters, filters), layer = min(block / size, layers);
		long long from = (long long)layer * taps * filters * filters;
		block -= layer * size;
		forward += from;
		backward += from;
		w += layer < layers ? blocks_at + from : hidden_at;
		in = filters;
		if (layer == layers) {
			taps = 1;
			in = inputs;
			out = width;
		}
	}
	int rows = (in + 31) / 32, columns = (out + 31) / 32, lane = threadIdx.x % 32;
	int t = block / columns / rows, i = block / columns % rows * 32, o = block % columns * 32;
	for (int k = threadIdx.x / 32; k < 32; k += 8) {
		if (i + k >= in || o + lane >= out) continue;
		element v = to_operand(w[((long long)t * in + i + k) * out + o + lane]);
		tile[k][lane] = v;
		if (backward) backward[((long long)(i + k) * taps + taps - 1 - t) * out + o + lane] = v;
	}
	__syncthreads();
	for (int k = threadIdx.x / 32; k < 32; k += 8)
		if (i + lane < in && o + k < out) forward[((long long)(o + k) * taps + t) * in + i + lane] = tile[lane][k];
}

/* Converts observations [rows][planes][cells] to positions [rows·cells][channels], with zeros in
 * channels beyond the planes. Sets bad to 1 if an observation is not finite.
 */
KERNEL(observe)(const float *__restrict__ observations, element *x, long long positions, int planes, int cells, int channels, int *bad) {
	long long n = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (n >= positions * channels) return;
	int c = (int)(n % channels);
	long long p = n / channels;
	float v = c < planes ? observations[(p / cells * planes + c) * cells + p % cells] : 0;
	if (!is_finite(v)) *bad = 1;
	x[n] = float_to_element(v);
}

/* Sums of squares in fp64, of n gradients and of the first of the weights: part[0][block] and
 * part[1][block]; decide adds the blocks. Both arrays are aligned to 16 bytes. Any number of blocks of 256
 * threads in x, two in y.
 */
KERNEL(squares)(const float *__restrict__ gradients, long long n, const float *__restrict__ w, long long weights, double *part) {
	__shared__ double sums[256];
	const float *x = gradients;
	double sum = 0;
	if (blockIdx.y == 1) {
		x = w;
		n = weights;
	}
	long long first = (long long)blockIdx.x * 256 + threadIdx.x, stride = (long long)gridDim.x * 256;
	for (long long i = first; i < n / 4; i += stride) {
		float4 v = ((const float4 *)x)[i];
		sum += ((double)v.x * v.x + (double)v.y * v.y) + ((double)v.z * v.z + (double)v.w * v.w);
	}
	for (long long i = n / 4 * 4 + first; i < n; i += stride) sum += (double)x[i] * x[i];
	sums[threadIdx.x] = sum;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if ((int)threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0) part[blockIdx.y * gridDim.x + blockIdx.x] = sums[0];
}

/* A batch's measures: sums over its rows (training.measure). */
#define VALUE 0         /* the value's loss, of all players */
#define VALUE_ENTROPY 1 /* of its targets */
#define WEIGHT 2        /* of the policy's targets; with it: */
#define POLICY 3        /* the policy's loss, the entropies of softmax and target, */
#define ACCURACY 6      /* and its hits: the order of softmax_loss's measures */
#define CALIBRATION 7   /* number, predictions and targets of each bin */
#define LABELS 37       /* weight of the auxiliary targets; with it: */
#define CELLS 38        /* the losses of cells */
#define SEATS 39        /* and of seats */
#define FACTS 40        /* weight of the belief's facts; with it: */
#define BELIEF 41       /* the belief's loss and that of the priors; without it: */
#define BELIEF_BINS 43  /* its bins: the order of belief_loss's measures */
#define MEASURES (BELIEF_BINS + 3 * BINS)

/* The losses among them, which must be finite. */
#define LOSSES 5
DEVICE int loss_of(int i) { return i == 0 ? VALUE : i == 1 ? POLICY : i == 2 ? CELLS : i == 3 ? SEATS : BELIEF; }

/* part[block] holds the measures of length rows, summed in order in fp64, a thread each. value
 * is [rows·players][4], policy [rows][4], cells and seats [rows] and belief [rows][32], of the
 * kernels of losses; they are null where there is no such head. Blocks of 256 threads.
 */
KERNEL(measure)(const float *__restrict__ value, int players, const float *__restrict__ policy, const float *__restrict__ weights,
                const double *__restrict__ given, int length, double *part, const float *label_weights, const float *cells, const float *seats,
                const float *fact_weights, const float *belief) {
	__shared__ float measures[256][4], w[256];
	int k = threadIdx.x, row = blockIdx.x * length, rows = min(length, (int)given[GIVEN_ROWS] - row);
	double sum = 0;
	for (int from = 0; from < rows * players; from += 256) {
		int n = min(256, rows * players - from);
		__syncthreads();
		for (int q = 0; q < 4 && k < n; q++) measures[k][q] = value[4 * ((long long)row * players + from + k) + q];
		__syncthreads();
		if (k >= LABELS || (k >= WEIGHT && k <= ACCURACY)) continue;
		for (int i = 0; i < n; i++) {
			const float *m = measures[i];
			if (k == VALUE) sum += m[0];
			if (k == VALUE_ENTROPY) sum += m[3];
			if (k < CALIBRATION || !is_finite(m[1]) || !is_finite(m[2])) continue;
			if (bin_of(m[1]) != (k - CALIBRATION) / 3) continue;
			int what = (k - CALIBRATION) % 3;
			sum += what == 0 ? 1 : m[what];
		}
	}
	for (int from = 0; policy && from < rows; from += 256) {
		int n = min(256, rows - from);
		__syncthreads();
		if (k < n) w[k] = weights[row + from + k];
		for (int q = 0; q < 4 && k < n; q++) measures[k][q] = policy[4 * ((long long)row + from + k) + q];
		__syncthreads();
		if (k < WEIGHT || k > ACCURACY) continue;
		for (int i = 0; i < n; i++)
			if (w[i] > 0) sum += k == WEIGHT ? (double)w[i] : (double)w[i] * measures[i][k == WEIGHT ? 0 : k - POLICY];
	}
	if (k >= MEASURES) return;
	/* Of the auxiliary heads each thread has a column x, with rows' weights but for these and the bins. */
	const float *x = 0, *by = 0;
	int stride = 1;
	if (k == LABELS && (cells || seats)) x = label_weights;
	if (k == CELLS) x = cells;
	if (k == SEATS) x = seats;
	if (k == CELLS || k == SEATS) by = label_weights;
	if (k == FACTS && belief) x = fact_weights;
	if (k >= BELIEF && belief) {
		x = belief + k - BELIEF;
		stride = 32;
		if (k < BELIEF_BINS) by = fact_weights;
	}
	for (int i = row; x && i < row + rows; i++) {
		float v = x[(long long)i * stride], weight = by ? by[i] : 1;
		if (weight > 0) sum += (double)weight * v;
	}
	part[(long long)blockIdx.x * MEASURES + k] = sum;
}

/* Whether a number is neither NaN nor infinite. */
DEVICE int is_finite_double(double x) { return x - x == 0; }

/* Sets refused to 1 if the rows of one of several devices must not be trained on, otherwise to 0: a
 * flag is set, or a loss is not finite. part is that of measure. One block.
 */
KERNEL(judge)(const double *__restrict__ part, int parts, const int *__restrict__ flags, float *refused) {
	if (threadIdx.x > 0) return;
	int taken = !flags[0] && !flags[1] && !flags[2];
	for (int k = 0; k < LOSSES; k++) {
		double loss = 0;
		for (int i = 0; i < parts; i++) loss += part[(long long)i * MEASURES + loss_of(k)];
		taken = taken && is_finite_double(loss);
	}
	*refused = !taken;
}

/* to[i] = the sum over devices of shards[k][i], in order; from summed on, their mean. */
KERNEL(join)(const float *__restrict__ shards, float *to, long long n, int devices, long long summed) {
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	float sum = shards[i];
	for (int k = 1; k < devices; k++) sum += shards[k * n + i];
	to[i] = i < summed ? sum : sum / devices;
}

/* Adds the parts, in order: results is the sums of squares of gradients and weights, of blocks
 * parts each, then the measures. The step is taken if the sums are finite and no flag is set, refused (of all
 * devices; null for one) is 0, and no step before it was refused since stopped was cleared; without
 * stopped nothing is decided. One block.
 */
KERNEL(decide)(const double *__restrict__ squares, int blocks, const double *__restrict__ part, int parts, const double *__restrict__ given,
               const int *__restrict__ flags, const float *refused, double *results, float *decision, int *stopped) {
	int k = threadIdx.x;
	double sum = 0;
	if (k < 2)
		for (int i = 0; i < blocks; i++) sum += squares[k * blocks + i];
	else if (k < 2 + MEASURES)
		for (int i = 0; i < parts; i++) sum += part[(long long)i * MEASURES + k - 2];
	if (k < 2 + MEASURES) results[k] = sum;
	__syncthreads();
	if (k > 0 || !stopped) return;
	int taken = !*stopped && (!refused || *refused == 0) && !flags[0] && !flags[1] && !flags[2] && is_finite_double(results[0]) && is_finite_double(results[1]);
	for (int i = 0; i < LOSSES; i++) taken = taken && is_finite_double(results[2 + loss_of(i)]);
	double norm = sqrt(results[0]), most = given[GIVEN_CLIP];
	if (!taken) *stopped = 1;
	decision[REFUSED] = !taken;
	decision[SCALE] = most > 0 && norm > most ? (float)(most / norm) : 1;
}

/* What a step changes besides the parameters: the averages over steps, average ← average + rate·(x −
 * average). The running statistics of BatchNorm follow the n parameters in w, the batch's follow the
 * gradients; the averaged parameters and statistics, all numbers of w, are null without.
 */
DEVICE void step_averages(float *w, const float *g, float *average, long long i, long long n, long long statistics, const double *given) {
	if (i >= n && i < n + statistics) w[i] += (float)given[GIVEN_NORM] * (g[i] - w[i]);
	if (average) average[i] += (float)given[GIVEN_AVERAGE] * (w[i] - average[i]);
}

/* SGD with momentum as in nn/train: w ← keep·w, v ← momentum·v + scale·g + decay·w, w ← w − rate·v.
 * Only the first weights numbers decay, and are multiplied by keep. all is the size of w.
 */
KERNEL(sgd)(float *w, float *velocity, const float *__restrict__ g, long long n, long long weights,
            const double *__restrict__ given, const float *__restrict__ decision, float momentum, float decay,
            float *average, long long statistics, long long all) {
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= all || decision[REFUSED] != 0) return;
	if (i < n) {
		float rate = (float)given[GIVEN_RATE], keep = (float)given[GIVEN_KEEP], scale = decision[SCALE];
		float x = i < weights ? keep * w[i] : w[i];
		float v = momentum * velocity[i] + scale * g[i] + (i < weights ? decay : 0) * x;
		velocity[i] = v;
		w[i] = x - rate * v;
	}
	step_averages(w, g, average, i, n, statistics, given);
}

/* Adam (Kingma, Ba 2015, algorithm 1) as in nn/train: first and second are 1 − β₁ and 1 − β₂, the
 * correction given is 1/(1 − β₂ᵗ), and the rate is divided by 1 − β₁ᵗ. The others are as in sgd.
 */
KERNEL(adam)(float *w, float *m, float *v, const float *__restrict__ g, long long n, long long weights,
             const double *__restrict__ given, const float *__restrict__ decision, float first, float second, float epsilon, float decay,
             float *average, long long statistics, long long all) {
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= all || decision[REFUSED] != 0) return;
	if (i < n) {
		float rate = (float)given[GIVEN_RATE], correction = (float)given[GIVEN_CORRECTION], keep = (float)given[GIVEN_KEEP];
		float scale = decision[SCALE], x = i < weights ? keep * w[i] : w[i];
		float d = scale * g[i] + (i < weights ? decay : 0) * x;
		float a = m[i] + first * (d - m[i]), b = v[i] + second * (d * d - v[i]);
		m[i] = a;
		v[i] = b;
		w[i] = x - rate * a / (sqrtf(b * correction) + epsilon);
	}
	step_averages(w, g, average, i, n, statistics, given);
}
