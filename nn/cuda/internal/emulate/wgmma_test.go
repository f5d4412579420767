package emulate_test

import (
	"fmt"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
)

// wgmmaText multiplies 64·GROUPS × 16·STEPS by 16·STEPS × N: each warpgroup has 64 rows, and the
// steps are issued as two groups. A_PLACE: 0 registers, 1 shared memory without swizzle, 2 with
// swizzle; B_PLACE: 1, 2, or 3: N-major with swizzle. Operands are stored element by element with
// the layouts' formulas.
const wgmmaText = `
#define K (16 * STEPS)
// Without swizzle: cores of 8 rows × 16 bytes; the cores of a column of cores are contiguous.
DEVICE int plain(int row, int k, int rows) { return k / 8 * (rows * 16) + row / 8 * 128 + row % 8 * 16 + k % 8 * 2; }
// With swizzle: panels of 64 numbers along k, a row's 16-byte chunk c stored as chunk c ^ row %
// 8.
DEVICE int swizzled(int row, int k, int rows) { return k / 64 * (rows * 128) + row * 128 + ((k % 64 / 8) ^ (row % 8)) * 16 + k % 8 * 2; }
// N-major with swizzle: panels of 64 rows, in which the chunks of a k are stored like those of a row above.
DEVICE int columns(int row, int k) { return row / 64 * (K * 128) + k * 128 + ((row % 64 / 8) ^ (k % 8)) * 16 + row % 8 * 2; }
DEVICE int at(int place, int row, int k, int rows) { return place == 1 ? plain(row, k, rows) : place == 2 ? swizzled(row, k, rows) : columns(row, k); }
DEVICE unsigned long long descriptor(int place, shared_address start, int step, int first_row, int rows) {
	if (place == 3)
		return wgmma_descriptor(start + OFF + step * 2048, K * 128, 1024) | 1ull << 62;
	if (place == 1)
		return wgmma_descriptor(start + step * 2 * (rows * 16) + first_row * 16, rows * 16, 128);
	return wgmma_descriptor_128(start + OFF + step / 4 * (rows * 128) + step % 4 * 32 + first_row * 128, 1024);
}
#define M (64 * GROUPS)
KERNEL(test)(const unsigned short *a, const unsigned short *b, float *c) {
	SHARED(unsigned char, s);
	unsigned char *sb = s + M * K * 2 + (1024 - M * K * 2 % 1024) % 1024;
	for (int i = threadIdx.x; i < M * K; i += blockDim.x)
		if (A_PLACE)
			*(unsigned short *)(s + at(A_PLACE, i / K, i % K, M)) = a[i];
	for (int i = threadIdx.x; i < N * K; i += blockDim.x)
		*(unsigned short *)(sb + at(B_PLACE, i / K, i % K, N)) = b[i % K * N + i / K];
	fence_async_shared();
	__syncthreads();
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = warp / 4 * 64;
	float sum[N / 2];
	unsigned ra[STEPS][4];
	for (int i = 0; i < N / 2; i++)
		sum[i] = 1;
	for (int step = 0; step < STEPS; step++)
		for (int i = 0; i < 4; i++) {
			int row = warp * 16 + lane / 4 + i % 2 * 8, k = step * 16 + lane % 4 * 2 + i / 2 * 8;
			ra[step][i] = a[row * K + k] | (unsigned)a[row * K + k + 1] << 16;
		}
	FENCE;
	for (int step = 0; step < STEPS; step++) {
		unsigned long long db = descriptor(B_PLACE, shared_of(sb), step, 0, N);
		if (A_PLACE)
			host_wgmma_bf16_ss(N, sum, descriptor(A_PLACE, shared_of(s), step, first, M), db);
		else
			(B_PLACE == 3 ? host_wgmma_bf16_rs_columns : host_wgmma_bf16_rs)(N, sum, ra[step], db);
		if (step == STEPS / 2)
			wgmma_commit();
	}
	wgmma_commit();
	EARLY;
	wgmma_wait(1);
	wgmma_wait(LAST);
	for (int j = 0; j < N / 8; j++)
		for (int i = 0; i < 4; i++)
			c[(warp * 16 + lane / 4 + i / 2 * 8) * N + j * 8 + lane % 4 * 2 + i % 2] = sum[4 * j + i];
}`

// wgmma runs wgmmaText and returns the product, added to ones, and the expected result.
func wgmma(
	t *testing.T, seed uint64, groups, steps, n, aPlace, bPlace int, defines ...string,
) (got, want []float32, err error) {
	t.Helper()
	ctx := open(t, emulate.Options{Seed: seed})
	m, k := 64*groups, 16*steps
	has := strings.Join(defines, " ")
	for _, d := range []string{"FENCE=wgmma_fence()", "EARLY=", "LAST=0", "OFF=0"} {
		name, _, _ := strings.Cut(d, "=")
		if !strings.Contains(has, name+"=") {
			defines = append(defines, d)
		}
	}
	f := kernel(t, ctx, wgmmaText, append(defines,
		fmt.Sprint("GROUPS=", groups), fmt.Sprint("STEPS=", steps), fmt.Sprint("N=", n),
		fmt.Sprint("A_PLACE=", aPlace), fmt.Sprint("B_PLACE=", bPlace))...)
	rng := random.New(1, random.Test, 4)
	a, b, c := randomBF16(rng, m*k), randomBF16(rng, k*n), make([]float32, m*n)
	for i := range c {
		c[i] = 1
	}
	half := func(s []float32) []uint16 {
		h := make([]uint16, len(s))
		for i, x := range s {
			h[i] = bf16(x)
		}
		return h
	}
	pa, pb := upload(t, ctx, half(a)), upload(t, ctx, half(b))
	pc, err := ctx.Alloc(4 * m * n)
	must(t, err)
	shared := 2*m*k + 1024 + 2*k*n
	must(t, ctx.AllowShared(f, shared))
	must(t, ctx.Launch(f, line(1, 128*groups, shared), 0, driver.NewArgs().Ptr(pa).Ptr(pb).Ptr(pc)))
	got = make([]float32, m*n)
	if err := ctx.CopyOut(driver.Bytes(got), pc, 0); err != nil {
		return nil, nil, err
	}
	return got, product(m, n, k, a, b, c), ctx.Synchronize(0)
}

func TestWGMMA(t *testing.T) {
	for _, c := range []struct{ groups, steps, n, a, b int }{
		{1, 1, 8, 0, 1}, {1, 2, 128, 0, 1}, {2, 4, 128, 0, 1}, {2, 4, 128, 0, 2}, {1, 8, 64, 0, 2},
		{2, 4, 128, 1, 1}, {2, 8, 128, 2, 2}, {1, 4, 256, 1, 2}, {2, 8, 24, 2, 1},
		{1, 4, 128, 0, 3}, {2, 2, 64, 0, 3}, {1, 1, 192, 0, 3},
	} {
		t.Run(fmt.Sprintf("%d groups, %d steps, %d columns, places %d and %d",
			c.groups, c.steps, c.n, c.a, c.b), func(t *testing.T) {
			for seed := range uint64(2) {
				got, want, err := wgmma(t, seed, c.groups, c.steps, c.n, c.a, c.b)
				must(t, err)
				compare(t, got, want, 1e-4)
			}
		})
	}
}

// TestWGMMAMisuse checks that results which are undefined on a device are not right in the
// emulation.
func TestWGMMAMisuse(t *testing.T) {
	for _, c := range []struct {
		name, define, says string
		place              int // of B
	}{
		{"no fence", "FENCE=", "no wgmma_fence since the last wait", 1},
		{"no wait", "LAST=1", "were not waited for", 1},
		{"A's registers change", "EARLY=ra[3][0]=0", "", 1},
		{"shared memory changes", "EARLY=__syncthreads(); sb[0]++", "", 1},
		{"not the first row", "OFF=128", "starts 128 bytes after a multiple of 1024", 2},
		{"not the first k", "OFF=128", "starts 128 bytes after a multiple of 1024", 3},
		{"not the first column", "OFF=16", "starts 16 bytes after a multiple of 1024", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, want, err := wgmma(t, 0, 1, 4, 64, 0, c.place, c.define)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("error %v, want %q", err, c.says)
				}
				return
			}
			must(t, err)
			for i := range want {
				if d := got[i] - want[i]; !(d < 1e-4 && d > -1e-4) {
					return
				}
			}
			t.Error("the result is right")
		})
	}
}
