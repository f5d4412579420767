package cuda_test

import (
	"fmt"
	"testing"

	"tengen/internal/machine"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// quiet is a context whose calls for a batch do nothing but count.
type quiet struct {
	driver.Context
	calls *int
}

func (q quiet) count() error { *q.calls++; return nil }

func (q quiet) CopyIn(driver.Ptr, []byte, driver.Stream) error  { return q.count() }
func (q quiet) CopyOut([]byte, driver.Ptr, driver.Stream) error { return q.count() }
func (q quiet) Record(driver.Event, driver.Stream) error        { return q.count() }
func (q quiet) SynchronizeEvent(driver.Event) error             { return q.count() }
func (q quiet) Done(driver.Event) (bool, error)                 { return true, q.count() }
func (q quiet) Launch(driver.Function, driver.Grid, driver.Stream, *driver.Args) error {
	return q.count()
}

// quietEvaluator returns an evaluator of the preset paper-alphazero, and the count of its calls.
func quietEvaluator(t testing.TB) (*cuda.Evaluator, *int) {
	t.Helper()
	calls := new(int)
	d, err := cuda.Open(fake.Wrap(fake.New(nil), func(c driver.Context) driver.Context {
		return quiet{c, calls}
	}), 0, cuda.Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	p, err := nn.NewParams(nntest.Presets()["paper-alphazero"])
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Load(p, kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	e := cuda.NewEvaluator(w)
	t.Cleanup(e.Close)
	return e, calls
}

// TestCallsOfABatch checks how many calls of the driver a batch takes: a copy, three kernels, a
// copy of each part of the results, or one of both where little is between them, an event and the
// wait for it. Few rows take no copies.
func TestCallsOfABatch(t *testing.T) {
	e, calls := quietEvaluator(t)
	for _, c := range []struct {
		capacity, rows, want int
	}{{512, 512, 7}, {512, 265, 8}, {265, 265, 7}, {512, 264, 5}, {32, 32, 5}} {
		b := e.NewBatch(c.capacity)
		b.N = c.rows
		*calls = 0
		if err := e.Evaluate(b); err != nil {
			t.Fatal(err)
		}
		if *calls != c.want {
			t.Errorf("%d rows of %d take %d calls, want %d", c.rows, c.capacity, *calls, c.want)
		}
	}
}

// TestFewRowsTakeWhatIsLeft checks that a batch of few rows gets a tower of its own only where that
// has multiprocessors that no other batch needs.
func TestFewRowsTakeWhatIsLeft(t *testing.T) {
	e, calls := quietEvaluator(t)
	few := e.NewBatch(32)
	few.N = 32 // 16 blocks of the 132
	takes := func(want int, when string) {
		t.Helper()
		*calls = 0
		if err := e.Evaluate(few); err != nil {
			t.Fatal(err)
		}
		if *calls != want {
			t.Errorf("%s: %d calls, want %d", when, *calls, want)
		}
	}
	var many []*nn.Batch
	for _, want := range []int{5, 5, 5, 7} { // each of the others takes 40 blocks
		takes(want, fmt.Sprintf("beside %d batches", len(many)))
		b := e.NewBatch(80)
		b.N = 80
		e.Start(b)
		many = append(many, b)
	}
	for _, b := range many {
		if err := e.Wait(b); err != nil {
			t.Fatal(err)
		}
	}
	takes(5, "after them")
}

// TestFewRowsOfManyBatches checks that of sixteen batches as many get a tower of their own as have
// multiprocessors for it, and that the sums of hidden layers of the rest are not split; that this
// stays so while others take the place of those that are done; and that nothing counts at last.
func TestFewRowsOfManyBatches(t *testing.T) {
	const few, large = 4, 6 // calls of a start: three kernels and an event, and two copies
	e, calls := quietEvaluator(t)
	batches := make([]*nn.Batch, 16)
	start := func(i, want int) {
		t.Helper()
		*calls = 0
		if e.Start(batches[i]); *calls != want {
			t.Errorf("batch %d: %d calls, want %d", i, *calls, want)
		}
		blocks, split := cuda.Launched(e, batches[i])
		if blocks != 32 || (split == 1) != (i > 4) {
			t.Errorf("batch %d: %d blocks, sums in %d parts", i, blocks, split)
		}
	}
	for i := range batches {
		batches[i] = e.NewBatch(64)
		batches[i].N = 64 // 32 blocks of the 132
		start(i, map[bool]int{true: few, false: large}[i < 4])
	}
	for range 2 {
		for i, b := range batches {
			if err := e.Wait(b); err != nil {
				t.Fatal(err)
			}
			if i > 4 {
				start(i, large)
				continue
			}
			*calls = 0
			if e.Start(b); *calls != large {
				t.Errorf("batch %d again: %d calls, want %d", i, *calls, large)
			}
		}
	}
	for _, b := range batches {
		if err := e.Wait(b); err != nil {
			t.Fatal(err)
		}
	}
	if n := cuda.Blocks(e); n != 0 {
		t.Errorf("%d blocks count after all", n)
	}
	start(0, few)
	if err := e.Wait(batches[0]); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkSmallBatch evaluates batches of 32 and of 512 rows with calls of the driver that do
// nothing: what the host does beside them. Package driver's BenchmarkBatchCalls has the calls, of
// which it allows 5 µs; the sum is to be at most 6 µs for 32 rows and 10 for 512, and a benchmark
// that finds more fails.
func BenchmarkSmallBatch(b *testing.B) {
	for _, c := range []struct {
		rows  int
		limit float64 // ns of processor time
	}{{32, 1000}, {512, 5000}} {
		b.Run(fmt.Sprint("rows=", c.rows), func(b *testing.B) {
			e, _ := quietEvaluator(b)
			x := e.NewBatch(c.rows)
			x.N = c.rows
			b.ReportAllocs()
			began := machine.CPUTime()
			for b.Loop() {
				e.Start(x)
				if err := e.Wait(x); err != nil {
					b.Fatal(err)
				}
			}
			ns := float64(machine.CPUTime()-began) / float64(b.N)
			b.ReportMetric(ns, "cpu-ns/op")
			if b.N > 10_000 && ns > c.limit {
				b.Errorf("%.0f ns of processor time a batch beside the driver's calls, at most %.0f are wanted", ns, c.limit)
			}
		})
	}
}
