package emulate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
)

// misuseText is a kernel with many errors, chosen by the argument what; n is 32.
const misuseText = `
DEVICE void deep(float *x, int n) {
	volatile char big[200000];
	big[n] = 1;
	x[0] = big[n];
}
KERNEL_BOUNDS(test, 128, 1)(float *x, int n, int what) {
	SHARED(unsigned char, s);
	__shared__ float fixed[32];
	int i = threadIdx.x;
	float local[4] = {0, 1, 2, 3};
	if (what == 0) x[n + i % 32] = 1;
	if (what == 1 && i == 5) x[n + 4096] = 1;
	if (what == 2 && i == 5) x[-4096] = 1;
	if (what == 3 && i == 5) s[n] = 1;
	if (what == 4 && i == 5) x[0] = s[n + 4096];
	if (what == 5 && i < 64) __syncthreads();
	if (what == 6 && i < 64) __syncthreads();
	if (what == 6 && i >= 64) __syncthreads();
	if (what == 7 && i % 32 != 3) __shfl_xor_sync(0xffffffffu, i, 1);
	if (what == 8 && i == 5) __shfl_sync(1, i, 0);
	if (what == 9 && i == 5) x[0] = local[n];
	if (what == 10 && i == 5) *(float4 *)(x + 1) = make_float4(0, 0, 0, 0);
	if (what == 11 && i == 5) x[0] = 5 / (n - 32);
	if (what == 12 && i == 5) cp_async_16(shared_of(s + 8), x);
	if (what == 13 && i == 5) cp_async_16(shared_of(s + n), x);
	if (what == 14 && i == 5) fixed[n + i] = 1;
	if (what == 15 && i < 32) barrier_sync(1, 64);
	if (what == 16 && i == 5) x[0] = 2147483647 + n;
	if (what == 17 && i == 3) return;
	if (what == 17) __syncwarp();
	if (what == 18 && i < 32) ldmatrix_x4((unsigned *)local, shared_of(local));
	if (what == 20 && i < 32) __shfl_up_sync(i % 2 ? 0xaaaaaaaau : 0x55555555u, i, 1);
	if (what == 21 && i == 5) barrier_sync(1, 40);
	if (what == 22) barrier_sync(1, i < 32 ? 64 : 128);
	if (what == 23 && i < 32) { if (i % 2) __syncwarp(); else __any_sync(0xffffffffu, i); }
}
KERNEL(large)(float *x, int n, int what) { deep(x, n); }`

func TestFaultsAreNamed(t *testing.T) {
	ctx := open(t, emulate.Options{})
	image, _, err := ctx.Compile(source(t, misuseText))
	must(t, err)
	thread5 := "test, block [0 0 0], thread [5 0 0]: "
	for _, c := range []struct {
		what int32
		says string
	}{
		{0, "test: a write beyond the end of an allocation of 128 bytes, at byte 128"},
		{
			1,
			thread5 +
				"access of 16384 bytes after the end of an allocation of 128 bytes in test.cu:",
		},
		{2, thread5 + "access of 16384 bytes before an allocation of 128 bytes in test.cu:"},
		{3, "a write beyond the block's dynamic shared memory: at byte 32 of 32"},
		{4, thread5 + "access of byte 4128 of the block's 32 bytes of shared memory in test.cu:"},
		{5, "deadlock: 64 of 128 threads wait at __syncthreads in line"},
		{6, "__syncthreads: some threads wait in line"},
		{7, "__shfl_xor_sync: lane 3 of warp"},
		{
			8,
			thread5 + "__shfl_sync: lane 5 calls with mask 00000001, which excludes it in test.cu:",
		},
		{9, thread5 + "array index out of bounds"},
		{10, thread5 + "array index out of bounds, misaligned access"},
		{11, thread5 + "array index out of bounds, misaligned access, overflow or division by zero in test.cu:"},
		{
			12,
			thread5 +
				"cp_async: address 0x8 in shared memory is not aligned to 16 bytes in test.cu:",
		},
		{13, thread5 + "cp_async: 16 bytes at 32 are outside the block's 32 bytes of shared memory in test.cu:"},
		{14, thread5 + "array index out of bounds"},
		{15, "deadlock: of 128 threads 32 wait at barriers"},
		{16, thread5 + "array index out of bounds, misaligned access, overflow"},
		{17, "__syncwarp: lane 3 of warp 0 has ended"},
		{18, "ldmatrix: "},
		{19, "the variables of a thread take more than its stack"},
		{20, "shuffle: lane 2 reads lane 1, which mask 55555555 excludes"},
		{21, thread5 + "barrier 1 for 40 threads of 128; a multiple of 32 is wanted"},
		{22, "barrier 1: some threads wait for"},
		{23, "waits in"},
	} {
		t.Run(fmt.Sprint("case ", c.what), func(t *testing.T) {
			ctx := open(t, emulate.Options{})
			m, err := ctx.Load(image)
			must(t, err)
			f, err := ctx.Function(m, map[bool]string{true: "large", false: "test"}[c.what == 19])
			must(t, err)
			p, err := ctx.Alloc(128)
			must(t, err)
			must(t, ctx.Fill(p, 0, 128, 0))
			must(t, ctx.Launch(f, line(1, 128, 32), 0,
				driver.NewArgs().Ptr(p).Int32(32).Int32(c.what)))
			err = ctx.Synchronize(0)
			var lost *driver.LostError
			if !errors.As(err, &lost) {
				t.Fatalf("error %v, want a LostError", err)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q, want %q", err, c.says)
			}
			if _, again := ctx.Alloc(1); !errors.As(again, &lost) {
				t.Errorf("the call after a failure returns %v", again)
			}
		})
	}
}

// TestAfterAFaultAnotherContextWorks checks that a failure in one context affects neither other
// contexts nor the process.
func TestAfterAFaultAnotherContextWorks(t *testing.T) {
	bad, good := open(t, emulate.Options{}), open(t, emulate.Options{})
	text := `KERNEL(test)(float *x, int n) { x[n] = 1; }`
	x, err := bad.Alloc(4)
	must(t, err)
	must(t, bad.Launch(kernel(t, bad, text), line(1, 1, 0), 0,
		driver.NewArgs().Ptr(x).Int32(1<<12)))
	if bad.Synchronize(0) == nil {
		t.Fatal("no error after a fault")
	}
	y, err := good.Alloc(4)
	must(t, err)
	must(t, good.Launch(kernel(t, good, text), line(1, 1, 0), 0, driver.NewArgs().Ptr(y).Int32(0)))
	if v := download[float32](t, good, y, 1); v[0] != 1 {
		t.Errorf("%v is read, where 1 was written", v[0])
	}
	// Go's signal handler is restored: a nil pointer panics and does not end the process.
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var nothing *[4]int
	nothing[n()]++
}

func n() int { return 2 }

// TestLaunchesAreChecked checks arguments, grids and memory that the real driver does not always
// reject.
func TestLaunchesAreChecked(t *testing.T) {
	ctx := open(t, emulate.Options{Devices: []driver.Device{emulate.Ampere()}})
	f := kernel(t, ctx,
		`KERNEL_BOUNDS(test, 64, 1)(float *x, int n, float y, long long z, unsigned w) {}`)
	ok := func() *driver.Args {
		return driver.NewArgs().Ptr(0).Int32(1).Float32(1).Int64(1).Int32(1)
	}
	must(t, ctx.Launch(f, line(1, 64, 0), 0, ok()))
	for _, c := range []struct {
		name string
		grid driver.Grid
		args *driver.Args
		says string
	}{
		{"too few", line(1, 1, 0), driver.NewArgs().Ptr(0), "test takes 5 arguments, not 1"},
		{"none", line(1, 1, 0), nil, "test takes 5 arguments, not 0"},
		{"float for int", line(1, 1, 0),
			driver.NewArgs().Ptr(0).Float32(1).Float32(1).Int64(1).Int32(1),
			"argument 2 of test is a float, but its parameter is a int"},
		{"no blocks", line(0, 1, 0), ok(), "blocks"},
		{"more threads than KERNEL_BOUNDS", line(1, 96, 0), ok(), "of which it permits 64"},
		{"shared memory that wasn't asked for", line(1, 1, 50000), ok(), "49152 are allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := ctx.Launch(f, c.grid, 0, c.args)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
	must(t, ctx.AllowShared(f, 99<<10))
	must(t, ctx.Launch(f, line(1, 1, 99<<10), 0, ok()))
	if err := ctx.AllowShared(f, 100<<10); err == nil ||
		!strings.Contains(err.Error(), "the device permits 101376") {
		t.Errorf("error %v", err)
	}
	must(t, ctx.Synchronize(0))
}

// TestSourcesAreChecked compiles C that is not C++, and plain mistakes.
func TestSourcesAreChecked(t *testing.T) {
	ctx := open(t, emulate.Options{})
	for _, c := range []struct{ text, says string }{
		{"KERNEL(test)(void *p) { float *x = p; x[0] = 1; }", "void *"},
		{"KERNEL(test)(float *p) { q[0] = 1; }", "'q' undeclared"},
		{"KERNEL(test)(float *p) { int *q = p; }", "incompatible pointer"},
		{"KERNEL(test)(float *p) { nothing(p); }", "nothing"},
	} {
		_, _, err := ctx.Compile(source(t, c.text))
		var e *driver.CompileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) ||
			!strings.HasPrefix(err.Error(), "compile test.cu: test.cu:2:") {
			t.Errorf("%s: error %v, want %q", c.text, err, c.says)
		}
	}
	image, _, err := ctx.Compile(source(t, "KERNEL(test)(double x) {}"))
	must(t, err)
	m, err := ctx.Load(image)
	must(t, err)
	if _, err := ctx.Function(m, "test"); err == nil || !strings.Contains(err.Error(), "double") {
		t.Errorf("a kernel of a double: error %v", err)
	}
	if _, err := ctx.Function(m, "other"); err == nil ||
		!strings.Contains(err.Error(), "not found") {
		t.Errorf("a kernel that isn't there: error %v", err)
	}
	if _, err := ctx.Load(image[:100]); err == nil ||
		!strings.Contains(err.Error(), "image is invalid") {
		t.Errorf("half an image: error %v", err)
	}
}

// TestWGMMAIsHoppers checks that only Hopper has wgmma.
func TestWGMMAIsHoppers(t *testing.T) {
	ctx := open(t, emulate.Options{Devices: []driver.Device{emulate.Ampere()}})
	_, _, err := ctx.Compile(source(t, "KERNEL(test)(float *x) { wgmma_fence(); x[0] = 1; }"))
	var e *driver.CompileError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "wgmma_fence") {
		t.Errorf("error %v", err)
	}
}
