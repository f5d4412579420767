package driver_test

import (
	"slices"
	"testing"
	"time"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
)

// clocked is a context whose calls are notes: the time between two events is a microsecond for
// each call that was made between them in their stream, and for each event 10.
type clocked struct {
	driver.Context
	driver.Grapher
	now  *time.Duration
	at   map[driver.Event]time.Duration
	made *[]string
}

func (c clocked) Device() driver.Device { return driver.Device{Name: "clocked"} }

func (c clocked) did(what string, d time.Duration) error {
	*c.now += d
	if n := len(*c.made); what == "fill" && n > 0 && (*c.made)[n-1] == what {
		return nil // one is enough
	}
	*c.made = append(*c.made, what)
	return nil
}

func (c clocked) Record(e driver.Event, _ driver.Stream) error {
	err := c.did("event", 10*time.Microsecond)
	c.at[e] = *c.now
	return err
}

func (c clocked) Elapsed(from, to driver.Event) (time.Duration, error) {
	return c.at[to] - c.at[from], nil
}

func (c clocked) Alloc(n int) (driver.Ptr, error) { return 1 << 20, nil }
func (c clocked) Free(driver.Ptr) error           { return nil }

func (c clocked) Fill(driver.Ptr, byte, int, driver.Stream) error {
	return c.did("fill", time.Microsecond)
}

func (c clocked) CopyIn(driver.Ptr, []byte, driver.Stream) error {
	return c.did("copy", 2*time.Microsecond)
}

func (c clocked) Launch(driver.Function, driver.Grid, driver.Stream, *driver.Args) error {
	return c.did("launch", 3*time.Microsecond)
}

func (c clocked) LaunchGraph(g driver.Graph, s driver.Stream) error {
	return c.did("graph", 4*time.Microsecond)
}

// TestTrace checks that each call has an event before and after it, that its time is that of the
// call alone, that those of a graph are made one by one or as one with the arguments that were
// captured, and that work for an idle device waits for fills.
func TestTrace(t *testing.T) {
	inner, err := fake.WithDevices(1).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	var made []string
	c := driver.NewTrace(clocked{
		inner, inner.(driver.Grapher), new(time.Duration), map[driver.Event]time.Duration{}, &made,
	})
	stream, _ := c.NewStream(false)
	module, err := c.Load([]byte("image"))
	if err != nil {
		t.Fatal(err)
	}
	c.Loaded(module, driver.Source{Name: "source.cu"})
	f, err := c.Function(module, "sum")
	if err != nil {
		t.Fatal(err)
	}
	args := driver.NewArgs().Int32(7)
	g, err := c.Capture(stream, func() error {
		if err := c.CopyIn(1<<20, make([]byte, 5), stream); err != nil {
			return err
		}
		return c.Launch(f, driver.Grid{}, stream, args)
	})
	if err != nil {
		t.Fatal(err)
	}
	args.Reset().Int32(8)
	work := func() error {
		if err := c.LaunchGraph(g, stream); err != nil {
			return err
		}
		if err := c.Synchronize(stream); err != nil {
			return err
		}
		return c.Launch(f, driver.Grid{Blocks: [3]int{2, 1, 1}}, stream, args)
	}
	if err := work(); err != nil || len(made) != 4 {
		t.Errorf("calls that are not timed: %v, %v", made, err)
	}
	for _, whole := range []bool{false, true} {
		made = nil
		calls, err := c.Time(whole, work)
		if err != nil {
			t.Fatal(err)
		}
		want := []driver.Call{
			{Name: driver.CallCopyIn, Bytes: 5, Time: 2 * time.Microsecond},
			{Name: "sum", Time: 3 * time.Microsecond}, {Name: "sum", Time: 3 * time.Microsecond},
		}
		order := []string{
			"fill", "event", "copy", "event", "event", "launch", "event",
			"fill", "event", "launch", "event",
		}
		if whole {
			want = []driver.Call{{Name: driver.CallGraph, Time: 4 * time.Microsecond}, want[2]}
			order = []string{
				"fill", "event", "graph", "event", "fill", "event", "launch", "event",
			}
		}
		if len(calls) != len(want) {
			t.Fatalf("whole %v: %+v", whole, calls)
		}
		for i, c := range calls {
			if c.Name != want[i].Name || c.Bytes != want[i].Bytes || c.Time != want[i].Time {
				t.Errorf("whole %v: call %d is %+v, want %+v", whole, i, c, want[i])
			}
			if c.Name == "sum" && (c.Source == nil || c.Source.Name != "source.cu") {
				t.Errorf("its source is %v", c.Source)
			}
		}
		last := len(calls) - 1
		if _, v := calls[last].Args.At(0); v != 8 || calls[last].Grid.Blocks[0] != 2 {
			t.Errorf("the last has argument %d and grid %v", v, calls[last].Grid)
		}
		if !whole {
			if _, v := calls[1].Args.At(0); v != 7 {
				t.Errorf("the captured launch has argument %d", v)
			}
		}
		if !slices.Equal(made[:len(order)], order) {
			t.Errorf("whole %v: the calls are %v", whole, made)
		}
	}
	made = nil
	if err := work(); err != nil || len(made) != 2 {
		t.Errorf("calls after Time: %v, %v", made, err)
	}
}
