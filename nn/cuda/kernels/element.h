/* Storage of activations and weights: ELEMENT is 2 bytes (bfloat16, or fp16 with FP16) or 4 (tf32,
 * or float without rounding). A step of a matrix product is 32 bytes of each row: 16 numbers in
 * bfloat16 and fp16, 8 in tf32. In all, an operand's fragment is the 32-bit words t and t + 4 of a
 * row's step, so the same loads serve mma.m16n8k16, two mma.m16n8k8 of fp16, and that of tf32 (see
 * device.h).
 */
#ifndef TENGEN_ELEMENT_H
#define TENGEN_ELEMENT_H

#define STEP_BYTES 32

#if FP16

typedef unsigned short element;
DEVICE element to_element(float x) { return float_to_fp16(x); }
DEVICE float from_element(element x) { return fp16_to_float(x); }

DEVICE void mma(float *c, const unsigned *a, const unsigned *b) {
	mma_fp16_1688(c, a, b);
	mma_fp16_1688(c, a + 2, b + 1);
}

/* Two neighbouring numbers, at an even index. */
DEVICE float2 load_pair(const unsigned char *p) {
	unsigned v = *(const unsigned *)p;
	return make_float2(fp16_low(v), fp16_high(v));
}
DEVICE void store_pair(unsigned char *p, float a, float b) { *(unsigned *)p = pack_fp16(a, b); }

#elif ELEMENT == 2

typedef unsigned short element;
DEVICE element to_element(float x) { return float_to_bf16(x); }
DEVICE float from_element(element x) { return bf16_to_float(x); }

DEVICE void mma(float *c, const unsigned *a, const unsigned *b) { mma_bf16_16816(c, a, b); }

/* Two neighbouring numbers, at an even index. */
DEVICE float2 load_pair(const unsigned char *p) {
	unsigned v = *(const unsigned *)p;
	return make_float2(bf16_low(v), bf16_high(v));
}
DEVICE void store_pair(unsigned char *p, float a, float b) { *(unsigned *)p = pack_bf16(a, b); }

#else

typedef float element;
#ifdef TF32
DEVICE element to_element(float x) { return __uint_as_float(float_to_tf32(x)); }
#else
DEVICE element to_element(float x) { return x; }
#endif
DEVICE float from_element(element x) { return x; }

DEVICE void mma(float *c, const unsigned *a, const unsigned *b) { mma_tf32_1688(c, a, b); }

DEVICE float2 load_pair(const unsigned char *p) { return *(const float2 *)p; }
DEVICE void store_pair(unsigned char *p, float a, float b) {
	*(float2 *)p = make_float2(to_element(a), to_element(b));
}

#endif

/* NaN stays NaN, as in the definition. */
DEVICE float relu(float x) { return x < 0 ? 0 : x; }

#endif
