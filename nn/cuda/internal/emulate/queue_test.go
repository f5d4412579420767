package emulate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
)

// addText adds to numbers. On another stream, its input may not be there yet.
const addText = `KERNEL(test)(const float *x, float *y, float more) { y[threadIdx.x] = x[threadIdx.x] + more; }`

// pipeline copies in on one stream, computes on a second and copies out on a third, with the
// waits between them or with one omitted. It returns the numbers that arrived before and after
// the host waited.
func pipeline(t *testing.T, o emulate.Options, without int) (before, after []float32) {
	t.Helper()
	ctx := open(t, o)
	f := kernel(t, ctx, addText)
	x, err := ctx.Alloc(32)
	must(t, err)
	y, err := ctx.Alloc(32)
	must(t, err)
	in, err := ctx.AllocHost(32)
	must(t, err)
	out, err := ctx.AllocHost(32)
	must(t, err)
	for i := range driver.View[float32](in) {
		driver.View[float32](in)[i] = float32(i)
		driver.View[float32](out)[i] = -1
	}
	var s [3]driver.Stream
	var e [2]driver.Event
	for i := range s {
		s[i], err = ctx.NewStream(false)
		must(t, err)
	}
	for i := range e {
		e[i], err = ctx.NewEvent(true)
		must(t, err)
	}
	must(t, ctx.CopyIn(x, in, s[0]))
	must(t, ctx.Record(e[0], s[0]))
	if without != 0 {
		must(t, ctx.WaitEvent(s[1], e[0]))
	}
	must(t, ctx.Launch(f, line(1, 8, 0), s[1], driver.NewArgs().Ptr(x).Ptr(y).Float32(10)))
	must(t, ctx.Record(e[1], s[1]))
	if without != 1 {
		must(t, ctx.WaitEvent(s[2], e[1]))
	}
	must(t, ctx.CopyOut(out, y, s[2]))
	before = append(before, driver.View[float32](out)...)
	must(t, ctx.Synchronize(s[2]))
	after = append(after, driver.View[float32](out)...)
	if d, err := ctx.Elapsed(e[0], e[1]); without < 0 && (err != nil || d < 0) {
		t.Errorf("elapsed %v, %v", d, err)
	}
	must(t, ctx.Synchronize(0))
	return before, after
}

func right(got []float32) bool {
	for i, v := range got {
		if v != float32(i+10) {
			return false
		}
	}
	return true
}

func TestMissingWaitsShow(t *testing.T) {
	wrong := [2]int{}
	for seed := range uint64(8) {
		before, after := pipeline(t, emulate.Options{Reorder: true, Seed: seed}, -1)
		if !right(after) || before[0] != -1 {
			t.Errorf("seed %d: with all waits %v arrive, and %v before the host waits",
				seed, after, before)
		}
		for without := range wrong {
			if _, after := pipeline(t, emulate.Options{
				Reorder: true, Seed: seed,
			}, without); !right(after) {
				wrong[without]++
			}
		}
	}
	if wrong[0] == 0 || wrong[1] == 0 {
		t.Errorf("a missing wait shows in %v of 8 orders", wrong)
	}
	if _, after := pipeline(t, emulate.Options{}, 0); !right(after) {
		t.Error("in order of launch the result is wrong")
	}
}

// TestContextsWaitForOneAnother passes numbers through two contexts and back, by copies of memory
// that each reaches, with all waits or without one: that is seen in some order.
func TestContextsWaitForOneAnother(t *testing.T) {
	run := func(seed uint64, without int) bool {
		api := emulate.ForTest(t, emulate.Options{Reorder: true, Seed: seed})
		var ctx [2]driver.Context
		var s [2]driver.Stream
		var p, q [2]driver.Ptr
		for i := range ctx {
			var err error
			ctx[i], err = api.Open(0)
			must(t, err)
			defer ctx[i].Close()
			s[i], err = ctx[i].NewStream(false)
			must(t, err)
			p[i], err = ctx[i].Alloc(8)
			must(t, err)
			q[i], err = ctx[i].Alloc(8)
			must(t, err)
		}
		if err := ctx[1].Copy(p[1], p[0], 8, s[1]); err == nil {
			t.Fatal("another context's memory is read without access to it")
		}
		for i := range ctx {
			must(t, ctx[i].(driver.Neighbour).Reach(ctx[1-i].(driver.Neighbour).Handle()))
		}
		waits := 0
		wait := func(of, by int) {
			e, err := ctx[of].NewEvent(false)
			must(t, err)
			must(t, ctx[of].Record(e, s[of]))
			if err := ctx[by].Record(e, s[by]); err == nil {
				t.Fatal("an event of another context is recorded")
			}
			if waits++; waits-1 != without {
				must(t, ctx[by].WaitEvent(s[by], e))
			}
		}
		must(t, ctx[0].Fill(p[0], 5, 8, s[0]))
		wait(0, 1)
		must(t, ctx[1].Copy(p[1], p[0], 8, s[1]))
		wait(1, 0)
		must(t, ctx[0].Fill(p[0], 6, 8, s[0]))
		must(t, ctx[0].Copy(q[0], p[1], 8, s[0]))
		out := make([]byte, 8)
		must(t, ctx[0].CopyOut(out, q[0], s[0]))
		must(t, ctx[0].Synchronize(s[0]))
		must(t, ctx[1].Synchronize(s[1]))
		back := make([]byte, 8)
		must(t, ctx[1].CopyOut(back, p[1], s[1]))
		must(t, ctx[1].Synchronize(0))
		return out[3] == 5 && back[3] == 5
	}
	wrong := [2]int{}
	for seed := range uint64(8) {
		if !run(seed, -1) {
			t.Errorf("seed %d: with all waits other numbers come back", seed)
		}
		for without := range wrong {
			if !run(seed, without) {
				wrong[without]++
			}
		}
	}
	if wrong[0] == 0 || wrong[1] == 0 {
		t.Errorf("a missing wait shows in %v of 8 orders", wrong)
	}
}

// TestEvents checks that Done and SynchronizeEvent reach events without Synchronize.
func TestEvents(t *testing.T) {
	for _, reorder := range []bool{false, true} {
		ctx := open(t, emulate.Options{Reorder: reorder})
		s, err := ctx.NewStream(false)
		must(t, err)
		e, err := ctx.NewEvent(false)
		must(t, err)
		p, err := ctx.Alloc(4)
		must(t, err)
		for range 5 {
			must(t, ctx.Fill(p, 0, 4, s))
		}
		must(t, ctx.Record(e, s))
		for asked := 0; ; asked++ {
			done, err := ctx.Done(e)
			must(t, err)
			if done {
				break
			}
			if asked > 100 {
				t.Fatal("the event is never reached")
			}
		}
		must(t, ctx.Record(e, s))
		must(t, ctx.SynchronizeEvent(e))
		if done, err := ctx.Done(e); !done || err != nil {
			t.Errorf("after SynchronizeEvent: %v, %v", done, err)
		}
		if _, err := ctx.Elapsed(e, e); err == nil {
			t.Error("an event that isn't timed has a time")
		}
		must(t, ctx.CloseEvent(e))
		if ctx.Record(e, s) == nil || ctx.CloseStream(77) == nil {
			t.Error("an unknown handle is accepted")
		}
	}
}

// TestManyArguments checks arguments beyond the registers, of all types.
func TestManyArguments(t *testing.T) {
	ctx := open(t, emulate.Options{})
	var parameters, body strings.Builder
	args := driver.NewArgs()
	y, err := ctx.Alloc(4 * 40)
	must(t, err)
	args.Ptr(y)
	parameters.WriteString("float *y")
	var want []float32
	for i := range 40 {
		fmt.Fprintf(&body, "y[%d] = (float)a%d;", i, i)
		switch i % 3 {
		case 0:
			fmt.Fprintf(&parameters, ", float a%d", i)
			args.Float32(float32(i) + 0.5)
			want = append(want, float32(i)+0.5)
		case 1:
			fmt.Fprintf(&parameters, ", int a%d", i)
			args.Int32(int32(-i))
			want = append(want, float32(-i))
		case 2:
			fmt.Fprintf(&parameters, ", long long a%d", i)
			args.Int64(int64(i) << 33)
			want = append(want, float32(int64(i)<<33))
		}
	}
	f := kernel(t, ctx, fmt.Sprintf("KERNEL(test)(%s) { %s }", parameters.String(), body.String()))
	must(t, ctx.Launch(f, line(1, 1, 0), 0, args))
	compare(t, download[float32](t, ctx, y, 40), want, 0)
}

func TestMemory(t *testing.T) {
	small := emulate.Hopper()
	small.Memory = 1000
	ctx := open(t, emulate.Options{Devices: []driver.Device{small}})
	p, err := ctx.Alloc(300)
	must(t, err)
	q, err := ctx.Alloc(300)
	must(t, err)
	if p%256 != 0 || q%256 != 0 {
		t.Errorf("addresses %#x and %#x are not aligned", p, q)
	}
	var m *driver.MemoryError
	if _, err := ctx.Alloc(401); !errors.As(err, &m) || m.Wanted != 401 || m.Free != 400 {
		t.Errorf("error %v", err)
	}
	if free, total, err := ctx.Memory(); free != 400 || total != 1000 || err != nil {
		t.Errorf("free %d of %d, %v", free, total, err)
	}
	must(t, ctx.Fill(p, 3, 300, 0))
	must(t, ctx.Copy(q+100, p+50, 200, 0))
	out := make([]byte, 300)
	must(t, ctx.CopyOut(out, q, 0))
	for i, v := range out {
		if want := byte(map[bool]int{true: 3, false: 0xff}[i >= 100]); v != want {
			t.Fatalf("byte %d is %d, not %d", i, v, want)
		}
	}
	for name, err := range map[string]error{
		"beyond the end":       ctx.Fill(p+1, 0, 300, 0),
		"in no allocation":     ctx.CopyIn(1, out, 0),
		"overlapping":          ctx.Copy(p, p+10, 20, 0),
		"an address inside":    ctx.Free(p + 1),
		"Go's memory unpinned": ctx.FreeHost(out),
	} {
		var c *driver.CallError
		if !errors.As(err, &c) || c.Code != 1 {
			t.Errorf("%s: error %v", name, err)
		}
	}
	must(t, ctx.Free(p))
	if ctx.Free(p) == nil {
		t.Error("a second Free of the same memory succeeds")
	}
	must(t, ctx.Free(0))
	// Detect a kernel that still uses freed memory.
	f := kernel(t, ctx, `KERNEL(test)(float *x) { x[0] = 1; }`)
	must(t, ctx.Launch(f, line(1, 1, 0), 0, driver.NewArgs().Ptr(p)))
	if err := ctx.Synchronize(0); err == nil {
		t.Error("a write to freed memory succeeds")
	}
	if err := ctx.Close(); err == nil || ctx.Close() != nil {
		t.Errorf("close of a lost context: %v, and nothing the second time", err)
	}
}

func TestModules(t *testing.T) {
	ctx := open(t, emulate.Options{})
	image, _, err := ctx.Compile(source(t, `
		KERNEL(one)(float *x) { __shared__ float s[100]; s[threadIdx.x] = 1; x[0] = s[threadIdx.x]; }
		KERNEL_BOUNDS(two, 64, 1)(float *x) { __shared__ float a[10], b[200]; int i = threadIdx.x; a[i % 10] = b[i] = 2; __syncthreads(); x[0] = a[i % 7] + b[i + 1]; }
		KERNEL(three)(float *x) { x[0] = 3; }`))
	must(t, err)
	m, err := ctx.Load(image)
	must(t, err)
	other, err := ctx.Load(image) // an image loaded twice is two modules
	must(t, err)
	for name, want := range map[string]driver.FunctionInfo{
		"one": {Shared: 1024, MaxThreads: 1024}, "two": {Shared: 1024, MaxThreads: 64},
		"three": {MaxThreads: 1024},
	} {
		f, err := ctx.Function(m, name)
		must(t, err)
		if again, _ := ctx.Function(m, name); again != f {
			t.Errorf("%s has two handles", name)
		}
		if info, err := ctx.FunctionInfo(f); info != want || err != nil {
			t.Errorf("%s is %+v, not %+v (%v)", name, info, want, err)
		}
		if n, err := ctx.Occupancy(f, 256, 100<<10); err != nil || n != 2 {
			t.Errorf("%s: %d blocks on an SM, %v", name, n, err)
		}
	}
	f, err := ctx.Function(m, "three")
	must(t, err)
	must(t, ctx.Unload(m))
	if ctx.Unload(m) == nil || ctx.Launch(f, line(1, 1, 0), 0, driver.NewArgs().Ptr(0)) == nil {
		t.Error("a module that is unloaded is used")
	}
	if _, err := ctx.Function(other, "three"); err != nil {
		t.Error(err)
	}
	if c, err := ctx.Compiler(); err != nil || !strings.HasPrefix(c, "gcc ") {
		t.Errorf("compiler %q, %v", c, err)
	}
}
