/* Matrix instructions of a warpgroup, four warps (PTX ISA, "Asynchronous warpgroup level matrix
 * instructions"): products of 64 × 16 and 16 × n numbers.
 *
 * A thread records the products that it issues. When all four warps wait, the last thread
 * computes for all: A's registers and shared memory are read only then. From issue to wait the
 * accumulators hold NaNs, since they are undefined on a device.
 */
#include "runtime.h"

#define MAX_PRODUCTS 256
#define MAX_SUMS 16
#define MAX_COLUMNS 256

struct issued {
	int n, sums; /* columns; which of the thread's accumulators */
	int b_columns; /* b is N-major */
	const unsigned *a; /* registers, or null: by descriptor */
	unsigned long long a_descriptor, b_descriptor;
};

/* A thread's accumulators of products in flight. */
struct sums {
	float *c; /* null: free */
	int n;
	float value[MAX_COLUMNS / 2];
};

struct pending {
	int fenced, products, groups;
	struct issued product[MAX_PRODUCTS];
	int group_end[MAX_PRODUCTS];
	struct sums sums[MAX_SUMS];
};

static struct pending pending[MAX_THREADS];

static struct {
	int arrived, wait;
	struct thread *waiting[128];
} warpgroup[MAX_THREADS / 128];

void reset_wgmma(void) {
	for (int i = 0; i < threads; i++) {
		struct pending *p = &pending[i];
		p->fenced = p->products = p->groups = 0;
		for (int j = 0; j < MAX_SUMS; j++)
			p->sums[j].c = 0;
	}
	memset(warpgroup, 0, sizeof warpgroup);
}

void wgmma_fence(void) {
	CALLED();
	pending[self()->number].fenced = 1;
}

unsigned long long host_wgmma_descriptor(shared_address start, int leading_bytes, int stride_bytes, int swizzle) {
	CALLED();
	if (leading_bytes % 16 || stride_bytes % 16 || leading_bytes < 0 || stride_bytes < 0 || leading_bytes >= 1 << 18 || stride_bytes >= 1 << 18)
		fail("wgmma_descriptor: offsets of %d and %d bytes; multiples of 16 below 256 KB are wanted", leading_bytes, stride_bytes);
	check_shared("wgmma_descriptor", start, 16, 16);
	unsigned long long at = start - (shared_address)current->shared;
	if (at >= current->shared_bytes)
		fail("wgmma_descriptor: the operand is not in the launch's dynamic shared memory");
	return at >> 4 | (unsigned long long)leading_bytes >> 4 << 16 | (unsigned long long)stride_bytes >> 4 << 32 | (unsigned long long)swizzle << 62;
}

static void issue(const char *name, int n, float *c, const unsigned *a, unsigned long long a_descriptor, unsigned long long b_descriptor, int b_columns) {
	struct thread *t = self();
	struct pending *p = &pending[t->number];
	if (n < 8 || n > MAX_COLUMNS || n % 8)
		fail("%s: %d columns; a multiple of 8 up to 256 is wanted", name, n);
	if ((t->number | 127) >= threads)
		fail("%s: the block's last warpgroup has fewer than four warps", name);
	if (!p->fenced)
		fail("%s: no wgmma_fence since the last wait", name);
	if (p->products == MAX_PRODUCTS)
		fail("%s: more than %d products of a thread are not waited for", name, MAX_PRODUCTS);
	int s = -1, free = -1;
	for (int i = 0; i < MAX_SUMS; i++) {
		if (p->sums[i].c == c)
			s = i;
		else if (!p->sums[i].c)
			free = i;
	}
	if (s >= 0 && p->sums[s].n != n)
		fail("%s: sums of %d columns are used with %d", name, p->sums[s].n, n);
	if (s < 0) {
		if ((s = free) < 0)
			fail("%s: more than %d accumulators are in flight", name, MAX_SUMS);
		p->sums[s].c = c, p->sums[s].n = n;
		memcpy(p->sums[s].value, c, n / 2 * sizeof *c);
		memset(c, 0xff, n / 2 * sizeof *c);
	}
	p->product[p->products++] = (struct issued){n, s, b_columns, a, a_descriptor, b_descriptor};
}

void host_wgmma_bf16_rs(int n, float *c, const unsigned *a, unsigned long long b) {
	CALLED();
	issue("wgmma", n, c, a, 0, b, 0);
}

void host_wgmma_bf16_rs_columns(int n, float *c, const unsigned *a, unsigned long long b) {
	CALLED();
	issue("wgmma", n, c, a, 0, b, 1);
}

void host_wgmma_bf16_ss(int n, float *c, unsigned long long a, unsigned long long b) {
	CALLED();
	issue("wgmma", n, c, 0, a, b, 0);
}

void wgmma_commit(void) {
	CALLED();
	struct pending *p = &pending[self()->number];
	if (p->groups == MAX_PRODUCTS)
		fail("wgmma_commit: more than %d groups are not waited for", MAX_PRODUCTS);
	p->group_end[p->groups++] = p->products;
}

/* Number (row, k) of an operand in a descriptor: row is along M or N, k is 0 to 15.
 *
 * K-major: cores are 8 rows of 16 bytes.
 *
 * Without swizzle a core's rows are contiguous, and cores are leading bytes apart along k and
 * stride bytes apart along the rows. With the 128-byte swizzle a row has 128 bytes, of which the
 * instruction reads 32, and groups of eight rows (1024 bytes) are stride bytes apart; bits 4–6 of
 * an address are exclusive-ored with bits 7–9.
 *
 * N-major, with the 128-byte swizzle: 64 numbers along the rows are 128 bytes, eight of these along
 * k are contiguous, stride bytes apart from the next eight; the next 64 rows are leading bytes on.
 *
 * Without a base offset a pattern of the swizzle, 1024 bytes, begins at a multiple of 1024: there an N-major operand
 * starts, and in its first 128 bytes a K-major one. */
static float operand(unsigned long long d, int row, int k, int columns) {
	unsigned long long start = (d & 0x3fff) << 4, leading = (d >> 16 & 0x3fff) << 4, stride = (d >> 32 & 0x3fff) << 4;
	unsigned long long swizzle = d >> 62, at;
	if (d >> 49 & 7)
		fail("wgmma: a descriptor with a base offset");
	if (columns && swizzle != 1)
		fail("wgmma: an N-major descriptor with swizzle mode %llu; 1 (128 bytes) is emulated", swizzle);
	if (swizzle == 1 && start % 1024 >= (columns ? 16 : 128))
		fail("wgmma: a swizzled operand starts %d bytes after a multiple of 1024, but its base offset is 0", (int)(start % 1024));
	if (columns) {
		at = start + row / 64 * leading + k / 8 * stride + k % 8 * 128 + row % 64 * 2;
		at ^= (at >> 7 & 7) << 4;
	} else if (swizzle == 0) {
		at = start + k / 8 * leading + row / 8 * stride + row % 8 * 16 + k % 8 * 2;
	} else if (swizzle == 1) {
		at = start + row / 8 * stride + row % 8 * 128 + k * 2;
		at ^= (at >> 7 & 7) << 4;
	} else {
		fail("wgmma: a descriptor with swizzle mode %llu; 0 and 1 (128 bytes) are emulated", swizzle);
	}
	shared_address p = (shared_address)current->shared + at;
	check_shared("wgmma", p, 2, 2);
	unsigned short x;
	memcpy(&x, (void *)p, 2);
	return bf16_to_float(x);
}

static void multiply(int first, int index) {
	struct issued *o = &pending[first].product[index];
	float a[64][16], b[16][MAX_COLUMNS];
	for (int t = 0; t < 128; t++) {
		struct issued *q = &pending[first + t].product[index];
		if (q->n != o->n || !q->a != !o->a || q->b_columns != o->b_columns || q->a_descriptor != o->a_descriptor || q->b_descriptor != o->b_descriptor)
			fail("wgmma: the threads of a warpgroup give different operands");
		if (!o->a)
			continue;
		for (int i = 0; i < 8; i++) {
			int row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8, k = t % 4 * 2 + i % 2 + i / 4 * 8;
			a[row][k] = bf16_to_float((unsigned short)(q->a[i / 2] >> i % 2 * 16));
		}
	}
	if (!o->a)
		for (int row = 0; row < 64; row++)
			for (int k = 0; k < 16; k++)
				a[row][k] = operand(o->a_descriptor, row, k, 0);
	for (int n = 0; n < o->n; n++)
		for (int k = 0; k < 16; k++)
			b[k][n] = operand(o->b_descriptor, n, k, o->b_columns);
	for (int row = 0; row < 64; row++) {
		float sum[MAX_COLUMNS];
		/* Four threads hold a row's accumulators. */
		int thread = first + row / 16 * 32 + row % 8 * 4, half = row % 16 / 8 * 2;
		for (int n = 0; n < o->n; n++) {
			struct pending *p = &pending[thread + n % 8 / 2];
			sum[n] = p->sums[p->product[index].sums].value[n / 8 * 4 + half + n % 2];
		}
		for (int k = 0; k < 16; k++)
			for (int n = 0; n < o->n; n++)
				sum[n] += a[row][k] * b[k][n];
		for (int n = 0; n < o->n; n++) {
			struct pending *p = &pending[thread + n % 8 / 2];
			p->sums[p->product[index].sums].value[n / 8 * 4 + half + n % 2] = sum[n];
		}
	}
}

/* Computes all but the latest groups of a warpgroup, and frees the accumulators that no product
 * in flight uses. */
static void finish(int first, int groups) {
	struct pending *p = &pending[first];
	for (int t = 1; t < 128; t++)
		if (pending[first + t].groups != p->groups || pending[first + t].products != p->products)
			fail("wgmma_wait: the threads of a warpgroup have issued different numbers of products");
	int done_groups = p->groups - groups, done = p->group_end[done_groups - 1];
	for (int i = 0; i < done; i++)
		multiply(first, i);
	for (int t = 0; t < 128; t++) {
		struct pending *q = &pending[first + t];
		int used[MAX_SUMS] = {0};
		q->products -= done, q->groups -= done_groups;
		memmove(q->product, q->product + done, q->products * sizeof q->product[0]);
		for (int i = 0; i < q->groups; i++)
			q->group_end[i] = q->group_end[i + done_groups] - done;
		for (int i = 0; i < q->products; i++)
			used[q->product[i].sums] = 1;
		for (int i = 0; i < MAX_SUMS; i++)
			if (q->sums[i].c && !used[i]) {
				memcpy(q->sums[i].c, q->sums[i].value, q->sums[i].n / 2 * sizeof(float));
				q->sums[i].c = 0;
			}
	}
}

void wgmma_wait(int groups) {
	CALLED();
	struct thread *t = self();
	int g = t->number / 128, first = g * 128;
	if ((t->number | 127) >= threads)
		fail("wgmma_wait: the block's last warpgroup has fewer than four warps");
	if (warpgroup[g].arrived > 0 && warpgroup[g].wait != groups)
		fail("wgmma_wait: some threads wait for all but %d groups, others for all but %d", warpgroup[g].wait, groups);
	pending[t->number].fenced = 0;
	warpgroup[g].wait = groups;
	warpgroup[g].waiting[warpgroup[g].arrived++] = t;
	if (warpgroup[g].arrived < 128) {
		t->name = "wgmma_wait", t->mask = 0;
		block(IN_WARP);
		return;
	}
	if (pending[first].groups > groups)
		finish(first, groups);
	warpgroup[g].arrived = 0;
	for (int i = 126; i >= 0; i--)
		make_ready(warpgroup[g].waiting[i]);
}

/* Products in flight would write to registers of a thread that has ended. */
void check_wgmma(void) {
	if (pending[self()->number].products > 0)
		fail("a thread ends with wgmma products that were not waited for");
}
