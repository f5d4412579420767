/* Updates of the parameters: packing for the products, sums of the gradients' parts, the
 * optimizer's step, averages. A network's parameters are in one array, the weights of
 * convolutions and dense layers first; so are their gradients and the optimizer's moments.
 */
#include "train_element.h"

#if PRECISION_TF32
DEVICE element to_operand(float x) { return __uint_as_float(float_to_tf32(x)); }
#else
DEVICE element to_operand(float x) { return float_to_element(x); }
#endif

/* Packs weights [layers][taps][in][out] for the products: forward [out][taps][in], and backward
 * [in][taps][out], rotated by 180° and transposed (null if not needed). Grid y is the layer.
 */
KERNEL(pack)(const float *__restrict__ w, element *forward, element *backward, int taps, int in, int out) {
	long long size = (long long)taps * in * out, n = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (n >= size) return;
	int o = (int)(n % out), i = (int)(n / out % in), t = (int)(n / out / in);
	long long layer = blockIdx.y * size;
	element v = to_operand(w[layer + n]);
	forward[layer + ((long long)o * taps + t) * in + i] = v;
	if (backward) backward[layer + ((long long)i * taps + taps - 1 - t) * out + o] = v;
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

/* to[i] = the sum over parts of part[s][i]: eight partial sums in order, then their sum in order.
 * Blocks of 256 threads have 32 numbers each.
 */
KERNEL(sum_parts)(const float *__restrict__ part, float *to, long long n, int parts) {
	__shared__ float sums[8][32];
	int lane = threadIdx.x % 32, share = threadIdx.x / 32;
	long long i = (long long)blockIdx.x * 32 + lane;
	float sum = 0;
	if (i < n)
		for (int s = share; s < parts; s += 8) sum += part[s * n + i];
	sums[share][lane] = sum;
	__syncthreads();
	if (share > 0 || i >= n) return;
	for (int k = 1; k < 8; k++) sum += sums[k][lane];
	to[i] = sum;
}

/* part[block] is the sum of squares of x, in fp64; the host adds the blocks. Any number of blocks
 * of 256 threads.
 */
KERNEL(squares)(const float *__restrict__ x, long long n, double *part) {
	__shared__ double sums[256];
	double sum = 0;
	for (long long i = (long long)blockIdx.x * 256 + threadIdx.x; i < n; i += (long long)gridDim.x * 256) sum += (double)x[i] * x[i];
	sums[threadIdx.x] = sum;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if ((int)threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0) part[blockIdx.x] = sums[0];
}

/* SGD with momentum as in nn/train: w ← keep·w, v ← momentum·v + scale·g + decay·w, w ← w − rate·v.
 * Only the first weights numbers decay, and are multiplied by keep.
 */
KERNEL(sgd)(float *w, float *velocity, const float *__restrict__ g, long long n, long long weights,
            float rate, float momentum, float scale, float decay, float keep) {
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	float x = i < weights ? keep * w[i] : w[i];
	float v = momentum * velocity[i] + scale * g[i] + (i < weights ? decay : 0) * x;
	velocity[i] = v;
	w[i] = x - rate * v;
}

/* Adam (Kingma, Ba 2015, algorithm 1) as in nn/train: first and second are 1 − β₁ and 1 − β₂,
 * correction is 1/(1 − β₂ᵗ), and rate is divided by 1 − β₁ᵗ. keep is as in sgd.
 */
KERNEL(adam)(float *w, float *m, float *v, const float *__restrict__ g, long long n, long long weights,
             float rate, float first, float second, float correction, float epsilon, float scale, float decay, float keep) {
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	float x = i < weights ? keep * w[i] : w[i];
	float d = scale * g[i] + (i < weights ? decay : 0) * x;
	float a = m[i] + first * (d - m[i]), b = v[i] + second * (d * d - v[i]);
	m[i] = a;
	v[i] = b;
	w[i] = x - rate * a / (sqrtf(b * correction) + epsilon);
}

/* average ← average + rate·(x − average): the averaged parameters, and the running statistics. */
KERNEL(average)(float *to, const float *__restrict__ x, long long n, float rate) {
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) to[i] += rate * (x[i] - to[i]);
}
