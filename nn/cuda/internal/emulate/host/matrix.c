/* Matrix instructions of a warp, after the layouts in the PTX ISA manual ("Warp-level matrix
 * instructions").
 */
#include "runtime.h"

struct product {
	float *c;
	const unsigned *a, *b;
};

/* The accumulators of mma.m16n8: rows lane / 4 and lane / 4 + 8, columns 2 (lane % 4) and 2 (lane
 * % 4) + 1. */
static void add_up(void *args[32], float sum[16][8]) {
	for (int l = 0; l < 32; l++) {
		float *c = ((struct product *)args[l])->c;
		for (int i = 0; i < 4; i++)
			c[i] = sum[l / 4 + i / 2 * 8][l % 4 * 2 + i % 2];
	}
}

static void accumulators(void *args[32], float sum[16][8]) {
	for (int l = 0; l < 32; l++) {
		float *c = ((struct product *)args[l])->c;
		for (int i = 0; i < 4; i++)
			sum[l / 4 + i / 2 * 8][l % 4 * 2 + i % 2] = c[i];
	}
}

static void multiply(int depth, float a[16][16], float b[16][8], float sum[16][8]) {
	for (int m = 0; m < 16; m++)
		for (int k = 0; k < depth; k++)
			for (int n = 0; n < 8; n++)
				sum[m][n] += a[m][k] * b[k][n];
}

static void bf16_16816(void *args[32], unsigned mask) {
	float a[16][16], b[16][8], sum[16][8];
	for (int l = 0; l < 32; l++) {
		struct product *p = args[l];
		for (int i = 0; i < 8; i++) {
			unsigned short bits = (unsigned short)(p->a[i / 2] >> i % 2 * 16);
			int row = l / 4 + (i / 2 % 2) * 8, column = l % 4 * 2 + i % 2 + i / 4 * 8;
			a[row][column] = bf16_to_float(bits);
		}
		for (int i = 0; i < 4; i++) {
			unsigned short bits = (unsigned short)(p->b[i / 2] >> i % 2 * 16);
			b[l % 4 * 2 + i % 2 + i / 2 * 8][l / 4] = bf16_to_float(bits);
		}
	}
	accumulators(args, sum);
	multiply(16, a, b, sum);
	add_up(args, sum);
}

static void fp16_1688(void *args[32], unsigned mask) {
	float a[16][16], b[16][8], sum[16][8];
	for (int l = 0; l < 32; l++) {
		struct product *p = args[l];
		for (int i = 0; i < 4; i++)
			a[l / 4 + i / 2 * 8][l % 4 * 2 + i % 2] = fp16_to_float((unsigned short)(p->a[i / 2] >> i % 2 * 16));
		for (int i = 0; i < 2; i++)
			b[l % 4 * 2 + i][l / 4] = fp16_to_float((unsigned short)(p->b[0] >> i * 16));
	}
	accumulators(args, sum);
	multiply(8, a, b, sum);
	add_up(args, sum);
}

static float tf32(unsigned bits) { return __uint_as_float(bits & 0xffffe000u); }

static void tf32_1688(void *args[32], unsigned mask) {
	float a[16][16], b[16][8], sum[16][8];
	for (int l = 0; l < 32; l++) {
		struct product *p = args[l];
		for (int i = 0; i < 4; i++)
			a[l / 4 + i % 2 * 8][l % 4 + i / 2 * 4] = tf32(p->a[i]);
		for (int i = 0; i < 2; i++)
			b[l % 4 + i * 4][l / 4] = tf32(p->b[i]);
	}
	accumulators(args, sum);
	multiply(8, a, b, sum);
	add_up(args, sum);
}

void mma_bf16_16816(float *c, const unsigned *a, const unsigned *b) {
	CALLED();
	struct product p = {c, a, b};
	meet("mma_bf16_16816", bf16_16816, 0xffffffffu, &p);
}

void mma_fp16_1688(float *c, const unsigned *a, const unsigned *b) {
	CALLED();
	struct product p = {c, a, b};
	meet("mma_fp16_1688", fp16_1688, 0xffffffffu, &p);
}

void mma_tf32_1688(float *c, const unsigned *a, const unsigned *b) {
	CALLED();
	struct product p = {c, a, b};
	meet("mma_tf32_1688", tf32_1688, 0xffffffffu, &p);
}

struct load {
	unsigned *r;
	shared_address row;
	int matrices, transposed;
};

static void ldmatrix(void *args[32], unsigned mask) {
	struct load *first = args[0];
	for (int i = 0; i < first->matrices; i++) {
		unsigned short m[8][8];
		for (int row = 0; row < 8; row++)
			memcpy(m[row], (void *)((struct load *)args[8 * i + row])->row, 16);
		for (int l = 0; l < 32; l++) {
			int row = l / 4, column = l % 4 * 2;
			unsigned *r = ((struct load *)args[l])->r;
			r[i] = first->transposed ? m[column][row] | (unsigned)m[column + 1][row] << 16
			                         : m[row][column] | (unsigned)m[row][column + 1] << 16;
		}
	}
}

static void ldmatrix_transposed(void *args[32], unsigned mask) { ldmatrix(args, mask); }

void host_ldmatrix(unsigned *r, shared_address row, int matrices, int transposed) {
	CALLED();
	struct load a = {r, row, matrices, transposed};
	if (self()->lane < 8 * matrices)
		check_shared("ldmatrix", row, 16, 16);
	meet("ldmatrix", transposed ? ldmatrix_transposed : ldmatrix, 0xffffffffu, &a);
}
