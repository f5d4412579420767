/* BatchNorm in training, followed by the residual and the ReLU:
 *
 *   y = max((z − mean)·scale + β + skip, 0),  scale = γ/√(variance + ε)
 *
 * z is [positions][channels], channels a multiple of 16. Statistics are computed in two stages: a
 * block computes the exact mean and the squared deviations from it over STRETCH positions, then
 * these are combined in fp64 (Chan, Golub, LeVeque 1979). So a small variance with a large mean
 * is exact, unlike E[z²] − mean².
 *
 * Blocks of 256 threads in x share the channels, four per thread, with channels/4 but at most
 * LANES lanes per block; grid y covers the rest.
 */
#include "train_element.h"

#define LANES 32
#define STRETCH 128
#define MOST (STRETCH / 8) /* positions of a thread: a block has at least 256/LANES rows of threads */

/* The channels and positions of a thread. */
#define PLACE                                                                      \
	int lanes = min(channels / 4, LANES), tall = 256 / lanes;                        \
	int lane = threadIdx.x % lanes, row = threadIdx.x / lanes;                       \
	int c = (blockIdx.y * LANES + lane) * 4, on = row < tall && c < channels;        \
	int first = blockIdx.x * STRETCH, last = min(first + STRETCH, positions)

/* Adds the values of a block's row threads in order; the result is each channel's sum. */
DEVICE void add_rows(float (*sums)[4], float *v, int lane, int lanes, int tall) {
	UNROLL
	for (int k = 0; k < 4; k++) sums[threadIdx.x][k] = v[k];
	__syncthreads();
	if ((int)threadIdx.x < lanes)
		UNROLL
		for (int k = 0; k < 4; k++) {
			float s = 0;
			for (int r = 0; r < tall; r++) s += sums[r * lanes + lane][k];
			sums[lane][k] = s;
		}
	__syncthreads();
	UNROLL
	for (int k = 0; k < 4; k++) v[k] = sums[lane][k];
	__syncthreads();
}

/* part[block][0][c] is the mean, part[block][1][c] the sum of squared deviations from it. The
 * second pass reads registers.
 */
KERNEL(norm_moments)(const element *__restrict__ z, float *part, int positions, int channels) {
	__shared__ float sums[256][4];
	PLACE;
	float mean[4] = {0, 0, 0, 0}, squares[4] = {0, 0, 0, 0}, v[4];
	element4 all[MOST];
	UNROLL
	for (int i = 0; i < MOST; i++) {
		int p = first + row + i * tall;
		if (on && p < last) all[i] = *(const element4 *)(z + (long long)p * channels + c);
	}
	UNROLL
	for (int i = 0; i < MOST; i++) {
		if (!on || first + row + i * tall >= last) continue;
		unpack4(v, all[i]);
		UNROLL
		for (int k = 0; k < 4; k++) mean[k] += v[k];
	}
	add_rows(sums, mean, lane, lanes, tall);
	UNROLL
	for (int k = 0; k < 4; k++) mean[k] /= last - first;
	UNROLL
	for (int i = 0; i < MOST; i++) {
		if (!on || first + row + i * tall >= last) continue;
		unpack4(v, all[i]);
		UNROLL
		for (int k = 0; k < 4; k++) squares[k] = fmaf(v[k] - mean[k], v[k] - mean[k], squares[k]);
	}
	add_rows(sums, squares, lane, lanes, tall);
	if (row == 0 && on)
		UNROLL
		for (int k = 0; k < 4; k++) {
			part[(long long)blockIdx.x * 2 * channels + c + k] = mean[k];
			part[((long long)blockIdx.x * 2 + 1) * channels + c + k] = squares[k];
		}
}

/* Blocks of 256 threads that combine stretches have JOINED channels each, and 64 threads per
 * channel. */
#define JOINED 4
#define SHARES (256 / JOINED)

/* Adds the values of a channel's threads in order. */
DEVICE double add_shares(double (*sums)[JOINED], double v, int c, int share) {
	sums[share][c] = v;
	__syncthreads();
	double s = 0;
	for (int i = 0; i < SHARES; i++) s += sums[i][c];
	__syncthreads();
	return s;
}

/* The positions of a stretch. */
#define LENGTH(s) (min(((s) + 1) * stretch, positions) - (s) * stretch)

/* Combines the moments of stretches of so many positions. statistics is [2][channels], mean and variance; scale and
 * inverse are γ/√(variance + ε) and 1/√(variance + ε). Sets bad to 1 if a statistic is not
 * finite. The launch: ⌈channels/4⌉ blocks of 256 threads.
 */
KERNEL(norm_join)(const float *__restrict__ part, int positions, int channels, int stretch, const float *gamma, float epsilon,
                  float *statistics, float *scale, float *inverse, int *bad) {
	__shared__ double sums[SHARES][JOINED];
	int lane = threadIdx.x % JOINED, share = threadIdx.x / JOINED, c = blockIdx.x * JOINED + lane, on = c < channels;
	int stretches = (positions + stretch - 1) / stretch;
	double sum = 0;
	if (on)
		for (int s = share; s < stretches; s += SHARES) sum += (double)part[(long long)s * 2 * channels + c] * LENGTH(s);
	double mean = add_shares(sums, sum, lane, share) / positions;
	sum = 0;
	if (on)
		for (int s = share; s < stretches; s += SHARES) {
			double d = part[(long long)s * 2 * channels + c] - mean;
			sum += part[((long long)s * 2 + 1) * channels + c] + d * d * LENGTH(s);
		}
	float variance = (float)(add_shares(sums, sum, lane, share) / positions);
	if (share > 0 || !on) return;
	float m = (float)mean, i = (float)(1 / sqrt((double)variance + epsilon));
	statistics[c] = m;
	statistics[channels + c] = variance;
	inverse[c] = i;
	scale[c] = gamma[c] * i;
	if (!is_finite(m) || !is_finite(variance)) *bad = 1;
}

/* scale from the running statistics [2][channels], for evaluation. */
KERNEL(norm_running)(const float *__restrict__ statistics, int channels, const float *gamma, float epsilon, float *scale) {
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c < channels) scale[c] = gamma[c] * (float)(1 / sqrt((double)statistics[channels + c] + epsilon));
}

/* y from z; skip may be null, and y may be z. Each thread has four channels of a position; n is
 * positions · channels / 4.
 */
KERNEL(norm_apply)(const element *z, const element *skip, element *y, const float *__restrict__ mean,
                   const float *__restrict__ scale, const float *__restrict__ beta, long long n, int channels) {
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	int c = modulo(i, channels / 4) * 4;
	float v[4], add[4] = {0, 0, 0, 0};
	load4(v, z + i * 4);
	if (skip) load4(add, skip + i * 4);
	UNROLL
	for (int k = 0; k < 4; k++) {
		v[k] = rectified(normalised(v[k], mean[c + k], scale[c + k], beta[c + k]) + add[k]);
	}
	store4(y + i * 4, v);
}

/* The gradient through the ReLU: g = dy where y > 0, else 0; overwrites dy. y is null where it is not
 * kept: without skip it follows from z. part [block][2][channels] receives Σ g and Σ g·(z − mean) over
 * each STRETCH positions.
 */
KERNEL(norm_gate)(const element *__restrict__ y, element *dy, const element *__restrict__ z, const float *__restrict__ mean,
                  const float *__restrict__ scale, const float *__restrict__ beta, float *part, int positions, int channels) {
	__shared__ float sums[256][4];
	PLACE;
	float sum[4] = {0, 0, 0, 0}, product[4] = {0, 0, 0, 0}, m[4] = {0, 0, 0, 0};
	if (on) {
		UNROLL
		for (int k = 0; k < 4; k++) m[k] = mean[c + k];
		for (int p = first + row; p < last; p += tall) {
			long long at = (long long)p * channels + c;
			float out[4], d[4], v[4];
			load4(d, dy + at);
			load4(v, z + at);
			if (y) load4(out, y + at);
			UNROLL
			for (int k = 0; k < 4 && !y; k++) out[k] = normalised(v[k], m[k], scale[c + k], beta[c + k]);
			UNROLL
			for (int k = 0; k < 4; k++) {
				d[k] = out[k] <= 0 ? 0 : d[k];
				sum[k] += d[k];
				product[k] = fmaf(d[k], v[k] - m[k], product[k]);
			}
			store4(dy + at, d);
		}
	}
	add_rows(sums, sum, lane, lanes, tall);
	add_rows(sums, product, lane, lanes, tall);
	if (row == 0 && on)
		UNROLL
		for (int k = 0; k < 4; k++) {
			part[(long long)blockIdx.x * 2 * channels + c + k] = sum[k];
			part[((long long)blockIdx.x * 2 + 1) * channels + c + k] = product[k];
		}
}

/* The end of BatchNorm's sums in the backward pass: with x̂ = (z − mean)·inverse and M positions,
 *
 *   dβ = Σ g,  dγ = Σ g·x̂,  dz = scale·(g − dβ/M − x̂·dγ/M) = scale·g + slope·(z − mean) + shift.
 *
 * A block has JOINED channels.
 */
DEVICE void norm_slopes(const float *part, int positions, int channels, int stretch, const float *scale, const float *inverse,
                        float *d_gamma, float *d_beta, float *slope, float *shift, int block, double (*sums)[JOINED]) {
	int lane = threadIdx.x % JOINED, share = threadIdx.x / JOINED, c = block * JOINED + lane, on = c < channels;
	int stretches = (positions + stretch - 1) / stretch;
	double sum = 0, product = 0;
	if (on)
		for (int s = share; s < stretches; s += SHARES) {
			sum += part[(long long)s * 2 * channels + c];
			product += part[((long long)s * 2 + 1) * channels + c];
		}
	sum = add_shares(sums, sum, lane, share);
	product = add_shares(sums, product, lane, share);
	if (share > 0 || !on) return;
	double i = inverse[c], a = scale[c];
	product *= i;
	d_beta[c] = (float)sum;
	d_gamma[c] = (float)product;
	slope[c] = (float)(-a * i * product / positions);
	shift[c] = (float)(-a * sum / positions);
}

/* to[i] = the sum over parts of part[s][i]: eight partial sums in order, then their sum in order. A
 * block has SUMMED numbers. A thread reads four at once if n is a multiple of 4: parts of
 * convolutions are in L2, and are read the faster the more reads are under way.
 */
#define SUMMED 128
DEVICE void sum_of_parts(const float *part, float *to, long long n, int parts, int block, float (*sums)[SUMMED]) {
	int lane = threadIdx.x % 32, share = threadIdx.x / 32;
	long long first = (long long)block * SUMMED, i = first + 4 * lane;
	float sum[4] = {0, 0, 0, 0};
	if (n % 4 == 0) {
		if (i < n)
			for (int s = share; s < parts; s += 8) {
				float4 x = *(const float4 *)(part + s * n + i);
				sum[0] += x.x;
				sum[1] += x.y;
				sum[2] += x.z;
				sum[3] += x.w;
			}
	} else {
		for (int s = share; s < parts; s += 8)
			for (int k = 0; k < 4; k++)
				if (i + k < n) sum[k] += part[s * n + i + k];
	}
	for (int k = 0; k < 4; k++) sums[share][4 * lane + k] = sum[k];
	__syncthreads();
	i = first + threadIdx.x;
	if (threadIdx.x >= SUMMED || i >= n) return;
	float all = sums[0][threadIdx.x];
	for (int k = 1; k < 8; k++) all += sums[k][threadIdx.x];
	to[i] = all;
}

/* Adds what kernels before have left in parts, all in one launch: the slopes of a BatchNorm, unless
 * part is null, and up to six sums of gradients, of n0, n1 and so on numbers; n is 0 where there is none.
 * The launch: blocks of 256 threads, ⌈channels/JOINED⌉ for the slopes, then ⌈n/SUMMED⌉ for each sum.
 */
#define SUM(k) const float *__restrict__ part##k, float *to##k, long long n##k, int parts##k
#define ADD(k)                                                                     \
	if (block < (n##k + SUMMED - 1) / SUMMED) {                                    \
		sum_of_parts(part##k, to##k, n##k, parts##k, block, memory.sums);          \
		return;                                                                    \
	}                                                                              \
	block -= (int)((n##k + SUMMED - 1) / SUMMED)
KERNEL(sum_parts)(const float *__restrict__ part, int positions, int channels, int stretch, const float *scale, const float *inverse,
                  float *d_gamma, float *d_beta, float *slope, float *shift, SUM(0), SUM(1), SUM(2), SUM(3), SUM(4), SUM(5)) {
	__shared__ union {
		double shares[SHARES][JOINED];
		float sums[8][SUMMED];
	} memory;
	int block = blockIdx.x;
	if (part) {
		int joins = (channels + JOINED - 1) / JOINED;
		if (block < joins) {
			norm_slopes(part, positions, channels, stretch, scale, inverse, d_gamma, d_beta, slope, shift, block, memory.shares);
			return;
		}
		block -= joins;
	}
	ADD(0);
	ADD(1);
	ADD(2);
	ADD(3);
	ADD(4);
	ADD(5);
}

/* dz, which overwrites z. Threads as in norm_apply. Sets bad to 1 if a number is not finite. If below is
 * not null, it is what the layer below had before its BatchNorm, whose activations y were not kept, and y
 * receives them again.
 */
KERNEL(norm_backward)(const element *__restrict__ g, element *z, const float *__restrict__ mean, const float *__restrict__ scale,
                      const float *__restrict__ slope, const float *__restrict__ shift, long long n, int channels, int *bad,
                      const element *__restrict__ below, const float *below_mean, const float *below_scale, const float *below_beta, element *y) {
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	int c = modulo(i, channels / 4) * 4;
	float d[4], v[4];
	load4(d, g + i * 4);
	load4(v, z + i * 4);
	int finite = 1;
	UNROLL
	for (int k = 0; k < 4; k++) {
		v[k] = scale[c + k] * d[k] + (slope[c + k] * (v[k] - mean[c + k]) + shift[c + k]);
		finite &= is_finite(v[k]);
	}
	store4(z + i * 4, v);
	if (!finite) *bad = 1;
	if (below) activate4(y + i * 4, below + i * 4, below_mean + c, below_scale + c, below_beta + c);
}
