/* The type of activations and their gradients in training.
 *
 *   PRECISION_FP32  float, products by fused multiply-adds
 *   PRECISION_TF32  float, rounded to tf32 on the way into a product
 *   PRECISION_BF16  bfloat16, as unsigned short
 *   PRECISION_FP16  fp16, as unsigned short, in inference only (train_product.cu)
 *
 * Sums are always fp32. One of these macros is 1, the others are undefined.
 */
#ifndef TENGEN_TRAIN_ELEMENT_H
#define TENGEN_TRAIN_ELEMENT_H

#include "device.h"

#if PRECISION_FP16

typedef unsigned short element;
#define ELEMENT 2 /* bytes */

DEVICE void load2(float *to, const element *p) {
	unsigned u = *(const unsigned *)p;
	to[0] = fp16_low(u);
	to[1] = fp16_high(u);
}
DEVICE void store2(element *p, float a, float b) { *(unsigned *)p = pack_fp16(a, b); }

#else

#if PRECISION_BF16

typedef unsigned short element;
#define ELEMENT 2 /* bytes */

DEVICE float element_to_float(element x) { return bf16_to_float(x); }
DEVICE element float_to_element(float x) { return float_to_bf16(x); }

/* Two and four consecutive numbers, aligned to their size. */
DEVICE void load2(float *to, const element *p) {
	unsigned u = *(const unsigned *)p;
	to[0] = bf16_low(u);
	to[1] = bf16_high(u);
}
DEVICE void store2(element *p, float a, float b) { *(unsigned *)p = pack_bf16(a, b); }
typedef uint2 element4;
DEVICE void unpack4(float *to, element4 u) {
	to[0] = bf16_low(u.x);
	to[1] = bf16_high(u.x);
	to[2] = bf16_low(u.y);
	to[3] = bf16_high(u.y);
}
DEVICE void store4(element *p, const float *from) {
	*(uint2 *)p = make_uint2(pack_bf16(from[0], from[1]), pack_bf16(from[2], from[3]));
}

#else

typedef float element;
#define ELEMENT 4

DEVICE float element_to_float(element x) { return x; }
DEVICE element float_to_element(float x) { return x; }
DEVICE void load2(float *to, const element *p) {
	float2 u = *(const float2 *)p;
	to[0] = u.x;
	to[1] = u.y;
}
DEVICE void store2(element *p, float a, float b) { *(float2 *)p = make_float2(a, b); }
typedef float4 element4;
DEVICE void unpack4(float *to, element4 u) {
	to[0] = u.x;
	to[1] = u.y;
	to[2] = u.z;
	to[3] = u.w;
}
DEVICE void store4(element *p, const float *from) { *(float4 *)p = make_float4(from[0], from[1], from[2], from[3]); }

#endif

DEVICE void load4(float *to, const element *p) { unpack4(to, *(const element4 *)p); }

/* A number after BatchNorm, and after its ReLU, where NaN stays. */
DEVICE float normalised(float z, float mean, float scale, float beta) { return fmaf(z - mean, scale, beta); }
DEVICE float rectified(float x) { return x <= 0 ? 0 : x; }

/* BatchNorm and ReLU of four channels; to may be z. */
DEVICE void activate4(element *to, const element *z, const float *mean, const float *scale, const float *beta) {
	float v[4];
	float4 m = *(const float4 *)mean, s = *(const float4 *)scale, b = *(const float4 *)beta;
	load4(v, z);
	v[0] = rectified(normalised(v[0], m.x, s.x, b.x));
	v[1] = rectified(normalised(v[1], m.y, s.y, b.y));
	v[2] = rectified(normalised(v[2], m.z, s.z, b.z));
	v[3] = rectified(normalised(v[3], m.w, s.w, b.w));
	store4(to, v);
}

#endif

/* i % n for an index, by 32-bit arithmetic where it is small. */
DEVICE int modulo(long long i, int n) { return i >> 32 ? (int)(i % n) : (int)((unsigned)i % (unsigned)n); }

/* Whether a number is neither NaN nor infinite, even if the compiler assumes that numbers are
 * finite. */
DEVICE int is_finite(float x) { return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u; }

/* The bins of nn.Calibration, and that of a prediction. */
#define BINS 10
DEVICE int bin_of(float predicted) {
	double p = predicted > 0 ? (predicted < 1 ? predicted : 1) : 0;
	return (int)(p * BINS * 0.9999999999999999);
}

#endif
