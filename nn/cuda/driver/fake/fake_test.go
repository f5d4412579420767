package fake_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
)

func open(t *testing.T) (*fake.Driver, driver.Context) {
	t.Helper()
	d := fake.New(nil)
	ctx, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d, ctx
}

// everything uses each call of a context once and returns the first error.
func everything(ctx driver.Context) (err error) {
	try := func(e error) bool {
		if err == nil {
			err = e
		}
		return err == nil
	}
	p, e := ctx.Alloc(100)
	_ = try(e)
	b, e := ctx.AllocHost(10)
	_ = try(e)
	s, e := ctx.NewStream(false)
	_ = try(e)
	v, e := ctx.NewEvent(true)
	if !try(e) {
		return err
	}
	_, _, e = ctx.Compile(driver.Source{})
	_ = try(e)
	_, e = ctx.Compiler()
	_ = try(e)
	m, e := ctx.Load(nil)
	_ = try(e)
	f, e := ctx.Function(m, "f")
	_ = try(e)
	_, e = ctx.FunctionInfo(f)
	_ = try(e)
	_, e = ctx.Occupancy(f, 1, 1)
	_ = try(e)
	_, _, e = ctx.Memory()
	_ = try(e)
	_, e = ctx.Done(v)
	_ = try(e)
	_, e = ctx.Elapsed(v, v)
	_ = try(e)
	for _, e := range []error{
		ctx.AllowShared(f, 1), ctx.CopyIn(p, b, s), ctx.CopyOut(b, p, s), ctx.Copy(p, p+50, 10, s),
		ctx.Fill(p, 1, 2, s),
		ctx.Launch(f, driver.Grid{}, s, nil), ctx.Record(v, s), ctx.WaitEvent(s, v),
		ctx.SynchronizeEvent(v), ctx.Synchronize(s),
		ctx.Unload(m), ctx.CloseEvent(v), ctx.CloseStream(s), ctx.FreeHost(b), ctx.Free(p),
	} {
		_ = try(e)
	}
	other, e := fake.New(nil).Open(0)
	if try(e) {
		_ = try(ctx.(driver.Neighbour).Reach(other.(driver.Neighbour).Handle()))
	}
	q, e := ctx.NewStream(false)
	if !try(e) {
		return err
	}
	g := ctx.(driver.Grapher)
	graph, e := g.Capture(q, func() error { return ctx.Launch(f, driver.Grid{}, q, nil) })
	if try(e) {
		_ = try(g.LaunchGraph(graph, q))
		_ = try(g.CloseGraph(graph))
	}
	_ = try(ctx.CloseStream(q))
	return err
}

func TestEachCallCanFail(t *testing.T) {
	d, ctx := open(t)
	if err := everything(ctx); err != nil {
		t.Fatal(err)
	}
	names := d.Names()
	if len(names) != 1+32 {
		t.Errorf("%d calls are known: %q", len(names), names)
	}
	if left := d.Left(); !slices.Equal(left, []string{"context 1: open 0x0"}) {
		t.Errorf("left is %q", left)
	}
	for _, call := range names {
		if call == "Open" {
			continue
		}
		d, ctx := open(t)
		wanted := errors.New(call)
		d.Fail(call, 1, wanted)
		if err := everything(ctx); err != wanted {
			t.Errorf("%s: error %v", call, err)
		}
		if err := ctx.Close(); err != nil {
			t.Errorf("%s: close: %v", call, err)
		}
		if left := d.Left(); len(left) > 0 {
			t.Errorf("%s: left after Close: %q", call, left)
		}
	}
}

func TestTheNthCallFails(t *testing.T) {
	d, ctx := open(t)
	wanted := errors.New("third")
	d.Fail("Alloc", 3, wanted)
	for i := 1; i <= 4; i++ {
		if _, err := ctx.Alloc(10); (err == wanted) != (i == 3) {
			t.Errorf("call %d returns %v", i, err)
		}
	}
	if d.Calls("Alloc") != 4 || d.Bytes() != 30 {
		t.Errorf("%d calls, %d bytes", d.Calls("Alloc"), d.Bytes())
	}
}

func TestALostDeviceStaysLost(t *testing.T) {
	d, ctx := open(t)
	lost := &driver.LostError{Device: "fake", Call: "cuStreamSynchronize", Code: 719}
	d.Fail("Synchronize", 1, lost)
	if ctx.Synchronize(0) != error(lost) {
		t.Error("the first call succeeds")
	}
	if _, err := ctx.Alloc(1); err != error(lost) {
		t.Errorf("a later call returns %v", err)
	}
	if err := ctx.Close(); err != error(lost) || len(d.Left()) > 0 {
		t.Errorf("Close returns %v and leaves %q", err, d.Left())
	}
}

// TestWaitsForLostDevices checks that a wait for an event of a device that is lost ends, or, after
// Hang, does not, nor what comes after it; unless the host knew that the event was reached.
func TestWaitsForLostDevices(t *testing.T) {
	for _, c := range []struct{ hang, knew bool }{{false, false}, {true, false}, {true, true}} {
		t.Run("", func(t *testing.T) {
			lost, other := fake.New(nil), fake.New(nil)
			hung := func() int { return 0 }
			if c.hang {
				hung = fake.Hang(t, lost, other)
			}
			a, b := must(lost.Open(0)), must(other.Open(0))
			s, q := must(a.NewStream(false)), must(b.NewStream(false))
			e, f := must(a.NewEvent(false)), must(b.NewEvent(false))
			p := must(b.Alloc(8))
			if err := a.Record(e, s); err != nil {
				t.Fatal(err)
			}
			if c.knew {
				if err := a.SynchronizeEvent(e); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(b.WaitEvent(q, e), b.Record(f, q)); err != nil {
				t.Fatal(err)
			}
			lost.Fail("Synchronize", 1, &driver.LostError{Device: "fake", Code: 719})
			if a.Synchronize(s) == nil {
				t.Error("the device is not lost")
			}
			ends := !c.hang || c.knew
			if done, err := b.Done(f); done != ends || err != nil {
				t.Errorf("%+v: %v, %v", c, done, err)
			}
			calls := []func() error{
				func() error { return b.SynchronizeEvent(f) },
				func() error { return b.Synchronize(q) }, func() error { return b.Synchronize(0) },
				func() error { return b.Free(p) },
			}
			ended := make(chan error, len(calls))
			for _, call := range calls {
				go func() { ended <- call() }()
			}
			for range calls {
				if ends {
					if err := <-ended; err != nil {
						t.Errorf("%+v: %v", c, err)
					}
				}
			}
			for !ends && hung() < len(calls) {
				time.Sleep(time.Millisecond)
			}
			if ends && hung() > 0 || !ends && len(ended) > 0 {
				t.Errorf("%+v: %d calls hang, %d ended", c, hung(), len(ended))
			}
		})
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestMemory checks that copies and fills change exactly their range.
func TestMemory(t *testing.T) {
	_, ctx := open(t)
	p, err := ctx.Alloc(10)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(ctx.Fill(p, 1, 10, 0), ctx.CopyIn(p+2, []byte{5, 6}, 0),
		ctx.Copy(p+8, p+2, 2, 0)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 10)
	if err := ctx.CopyOut(got, p, 0); err != nil {
		t.Fatal(err)
	}
	if want := []byte{1, 1, 5, 6, 1, 1, 1, 1, 5, 6}; !bytes.Equal(got, want) {
		t.Errorf("memory is %v, not %v", got, want)
	}
	if ctx.CopyIn(p+9, []byte{1, 2}, 0) == nil {
		t.Error("a copy beyond the end succeeds")
	}
	var m *driver.MemoryError
	if _, err := ctx.Alloc(1 << 31); !errors.As(err, &m) || m.Wanted != 1<<31 ||
		m.Free != 1<<30-10 {
		t.Errorf("too much memory: %v", err)
	}
	if ctx.Free(p) != nil || ctx.Free(p) == nil {
		t.Error("a second Free of the same memory succeeds")
	}
}
