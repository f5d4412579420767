package emulate_test

import (
	"errors"
	"os"
	"testing"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
)

// open returns a context of an emulated device, or skips the test if emulation is unavailable.
func open(t testing.TB, o emulate.Options) driver.Context {
	t.Helper()
	api := emulate.ForTest(t, o)
	ctx, err := api.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ctx.Close() })
	return ctx
}

// source returns a source that may include device.h.
func source(t testing.TB, text string, defines ...string) driver.Source {
	t.Helper()
	header, err := os.ReadFile("../../kernels/device.h")
	if err != nil {
		t.Fatal(err)
	}
	return driver.Source{
		Name: "test.cu", Text: "#include \"device.h\"\n" + text,
		Headers: map[string]string{"device.h": string(header)}, Defines: defines,
	}
}

// kernel compiles a text and returns its kernel "test".
func kernel(t testing.TB, ctx driver.Context, text string, defines ...string) driver.Function {
	t.Helper()
	image, _, err := ctx.Compile(source(t, text, defines...))
	if err != nil {
		var c *driver.CompileError
		if errors.As(err, &c) {
			t.Fatal(c.Log)
		}
		t.Fatal(err)
	}
	m, err := ctx.Load(image)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ctx.Function(m, "test")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// must ends the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// upload copies numbers to new device memory.
func upload[T float32 | uint16 | uint32 | int32](
	t testing.TB, ctx driver.Context, s []T,
) driver.Ptr {
	t.Helper()
	b := driver.Bytes(s)
	p, err := ctx.Alloc(len(b))
	must(t, err)
	must(t, ctx.CopyIn(p, b, 0))
	return p
}

// download synchronizes and reads.
func download[T float32 | uint16 | uint32 | int32](
	t testing.TB, ctx driver.Context, p driver.Ptr, n int,
) []T {
	t.Helper()
	s := make([]T, n)
	must(t, ctx.CopyOut(driver.Bytes(s), p, 0))
	must(t, ctx.Synchronize(0))
	return s
}

// line returns a one-dimensional grid.
func line(blocks, threads, shared int) driver.Grid {
	return driver.Grid{Blocks: [3]int{blocks, 1, 1}, Threads: [3]int{threads, 1, 1}, Shared: shared}
}

func TestScale(t *testing.T) {
	ctx := open(t, emulate.Options{})
	f := kernel(t, ctx, `KERNEL(test)(float *x, int n, float by) {
		int i = blockIdx.x * blockDim.x + threadIdx.x;
		if (i < n)
			x[i] *= by;
	}`)
	x := []float32{1, 2, 3, 4, 5}
	p := upload(t, ctx, x)
	must(t, ctx.Launch(f, line(3, 2, 0), 0, driver.NewArgs().Ptr(p).Int32(5).Float32(0.5)))
	for i, v := range download[float32](t, ctx, p, 5) {
		if v != x[i]/2 {
			t.Errorf("number %d is %v, not %v", i, v, x[i]/2)
		}
	}
}
