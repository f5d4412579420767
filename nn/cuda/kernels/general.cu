/* What networks of every shape need beside the general products (train_product.cu with INFERENCE): the observations as
 * rows of elements, and the policy's filters over a trunk of elements. The other heads are those of layers.cu. All
 * sizes are arguments. Macros: ELEMENT, TF32 (element.h). */
#include "device.h"
#include "element.h"

/* Planes [n][planes][cells] to rows [n·cells][inputs], with zeros past the planes. */
KERNEL_BOUNDS(planes, 256, 1)(const float *observations, element *rows, int n, int planes, int cells, int inputs) {
	long long count = (long long)n * cells * inputs;
	for (long long i = (long long)blockIdx.x * 256 + threadIdx.x; i < count; i += (long long)gridDim.x * 256) {
		int channel = i % inputs;
		long long row = i / inputs;
		rows[i] = to_element(channel < planes ? observations[(row / cells * planes + channel) * cells + row % cells] : 0);
	}
}

/* As kernel maps of layers.cu. */
KERNEL_BOUNDS(maps, 128, 1)(const unsigned char *trunk, const float *weights, float *maps, int rows, int channels, int count, int cells, int dense) {
	int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
	if (row >= rows)
		return;
	const unsigned char *x = trunk + (long long)row * channels * ELEMENT;
	for (int m = 0; m < count; m++) {
		float sum = 0;
		for (int c = lane * 2; c < channels; c += 64) { /* channels is even */
			float2 v = load_pair(x + c * ELEMENT);
			sum += v.x * weights[m * channels + c] + v.y * weights[m * channels + c + 1];
		}
		for (int step = 16; step > 0; step /= 2)
			sum += __shfl_xor_sync(0xffffffffu, sum, step);
		if (lane == 0) {
			float v = sum + weights[count * channels + m];
			maps[((long long)(row / cells) * count + m) * cells + row % cells] = dense ? relu(v) : v;
		}
	}
}
