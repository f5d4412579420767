/* A step is taken twice from the same state, which is kept beside the other: the second must have
 * the bits of the first. Arrays are of 32-bit numbers of any kind, which don't overlap.
 */
#include "device.h"

/* Exchanges n numbers. */
KERNEL(exchange)(unsigned *x, unsigned *y, long long n) {
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	unsigned u = x[i];
	x[i] = y[i];
	y[i] = u;
}

/* Sets differ to 1 if one of n numbers has other bits. */
KERNEL(compare)(const unsigned *x, const unsigned *y, long long n, int *differ) {
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && x[i] != y[i]) *differ = 1;
}
