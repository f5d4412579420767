/* A product's part in BatchNorm (train_product.cu): its input, and sums over positions in its epilogue. */
#ifndef TENGEN_TRAIN_MOMENTS_H
#define TENGEN_TRAIN_MOMENTS_H

/* BatchNorm and ReLU of 16 bytes of an input in shared memory, in place. */
DEVICE void activate_16(unsigned char *x, const float *mean, const float *scale, const float *beta) {
	UNROLL
	for (int i = 0; i < 16 / ELEMENT; i += 4) activate4((element *)x + i, (element *)x + i, mean + i, scale + i, beta + i);
}

/* Sums of count channels, 8 or 4, over a warp's rows, which lanes l, l + 4, l + 8 and so on have:
 * a[0] and b[0] become those of channel channel_of(count, lane). If n is not negative, it is the number
 * of this lane's rows, a their mean and b their squared deviations from it, which are combined as in
 * norm_join. */
DEVICE int channel_of(const int count, int lane) {
	int eighth = (lane & 4) + (lane >> 2 & 2) + (lane >> 4 & 1);
	return count == 8 ? eighth : eighth / 2;
}
DEVICE void add_lanes(float *a, float *b, const int count, float n, int lane) {
	UNROLL
	for (int bit = 4; bit < 32; bit *= 2) {
		const int half = count * 2 / bit; /* 0: the lanes have sums of the same channel */
		int upper = half > 0 && lane & bit;
		float others = n < 0 ? 0 : __shfl_xor_sync(0xffffffffu, n, bit), share = 0, both = 0;
		if (n + others > 0) {
			share = others / (n + others);
			both = n * share;
		}
		UNROLL
		for (int i = 0; i < (half > 0 ? half : 1); i++) {
			float u = upper ? a[i + half] : a[i], v = upper ? b[i + half] : b[i];
			float d = __shfl_xor_sync(0xffffffffu, upper ? a[i] : a[i + half], bit);
			b[i] = v + __shfl_xor_sync(0xffffffffu, upper ? b[i] : b[i + half], bit);
			if (n < 0) {
				a[i] = u + d;
			} else {
				a[i] = fmaf(d - u, share, u);
				b[i] = fmaf((d - u) * (d - u), both, b[i]);
			}
		}
		if (n >= 0) n += others;
	}
}

/* Writes the sums of a stretch: those of its warps, each of so many rows, in order. gate: sums, not
 * moments. rows are the stretch's. */
DEVICE void write_stretch(float *to, const float2 *warp, int stride, int warps, int warp_rows, int rows, int gate, int channels) {
	float one = 0, two = 0, n = 0;
	for (int k = 0; k < warps; k++) {
		float2 v = warp[k * stride];
		float others = min(max(rows - k * warp_rows, 0), warp_rows), d = v.x - one;
		if (others == 0) break;
		n += others;
		two += gate ? v.y : fmaf(d * d, (n - others) * others / n, v.y);
		one = gate ? one + v.x : fmaf(d, others / n, one);
	}
	to[0] = one;
	to[channels] = two;
}

#endif
