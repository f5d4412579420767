//go:build gpu && linux

package driver

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// everyWrapper calls each of device.h's wrappers.
const everyWrapper = `#include "device.h"
KERNEL_BOUNDS(test, 128, 1)(float *x, const unsigned short *h, int n, float by, long long far) {
	SHARED(unsigned char, s);
	__shared__ float fixed[32];
	shared_address a = shared_of(s) + threadIdx.x * 16;
	unsigned r[4], q[2] = {1, 2};
	float c[4] = {0, 0, 0, 0};
	fixed[threadIdx.x % 32] = by;
	cp_async_16(a, h);
	cp_async_16_zero(a, h, n);
	cp_async_4(a, h);
	cp_async_4_zero(a, h, n);
	cp_async_commit();
	cp_async_wait(0);
	__syncthreads();
	ldmatrix_x4(r, a);
	mma_bf16_16816(c, r, q);
	ldmatrix_x4_trans(r, a);
	mma_tf32_1688(c, r, q);
	ldmatrix_x2(q, a);
	mma_bf16_16816(c, r, q);
	ldmatrix_x2_trans(q, a);
	mma_bf16_16816(c, r, q);
	barrier_arrive(1, 128);
	barrier_sync(2, 64);
	c[0] += bf16_to_float(h[n]) + bf16_low(pack_bf16(c[1], c[2])) + bf16_high(q[0]) + __uint_as_float(float_to_tf32(c[3]));
	c[0] += bf16_to_float(float_to_bf16(c[1])) + __shfl_xor_sync(0xffffffffu, c[2], 1) + fixed[n];
	UNROLL
	for (int i = 0; i < 4; i++)
		x[threadIdx.x * 4 + i + far] = c[i];
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
	wgmma_fence();
	wgmma_commit();
	wgmma_wait(0);
	fence_async_shared();
	x[0] = (float)(wgmma_descriptor(a, 128, 256) + wgmma_descriptor_128(a, 1024));
#endif
}`

// TestDeviceHeaderCompiles compiles the header for devices of each generation and reads the
// kernel's resources.
func TestDeviceHeaderCompiles(t *testing.T) {
	header, err := os.ReadFile("../kernels/device.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, capability := range []int{80, 86, 89, 90} {
		image, _, err := CompileFor(Source{
			Name: "test.cu", Text: everyWrapper,
			Headers: map[string]string{"device.h": string(header)},
		}, capability)
		var l *LibraryError
		if errors.As(err, &l) {
			t.Skip(err)
		}
		if err != nil {
			var c *CompileError
			if errors.As(err, &c) {
				t.Log(c.Log)
			}
			t.Fatalf("for %d: %v", capability, err)
		}
		kernels, err := ReadImage(image)
		if err != nil {
			t.Fatal(err)
		}
		k, ok := kernels["test"]
		t.Logf("%d: %+v", capability, kernels)
		if !ok || k.Registers < 16 || k.Registers > 255 || k.Shared != 1024 || k.Local != 0 {
			t.Errorf("for %d the kernels are %+v", capability, kernels)
		}
	}
	// ReadImage also reports a stack frame.
	image, _, err := CompileFor(Source{Name: "test.cu", Text: `extern "C" __global__ void test(int *x, int n) {
		int local[100];
		for (int i = 0; i < 100; i++) local[i] = x[i];
		for (int i = 0; i < 100; i++) x[i] = local[(i * n) % 100];
	}`}, 80)
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := ReadImage(image)
	if err != nil || kernels["test"].Local < 400 {
		t.Errorf("kernels %+v, error %v", kernels, err)
	}
	_, _, err = CompileFor(Source{
		Name: "test.cu", Text: "__global__ void test(int *x) { x = y; }",
	}, 80)
	if err == nil ||
		!strings.Contains(err.Error(),
			`compile test.cu: test.cu(1): error: identifier "y" is undefined`) ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("a wrong source: error %v", err)
	}
}
