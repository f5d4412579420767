package training

import (
	"bytes"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// TestCapturedSteps checks that steps and measurements by captured graphs have the bits of those
// whose kernels are launched one by one, that both were captured, and that they are captured anew
// for other memory.
func TestCapturedSteps(t *testing.T) {
	spec := nn.Spec{Planes: 3, Height: 3, Width: 3, Players: 2, Actions: 10, Blocks: 1, Filters: 16,
		Policy: nn.PolicyConvPass, Value: nn.ValueLinear, Hidden: 8,
		Auxiliary: nn.Auxiliary{Cells: []int{3, 2}, Seats: 1, Belief: []int{4, 3}}}
	rng := random.New(trainerSeed, random.Test)
	p := nntest.Random(spec, rng)
	var batches []*train.Batch
	for range 5 {
		batches = append(batches, train.RandomBatch(spec, 8, rng))
	}
	run := func(ungraphed, reorder bool) (all []any) {
		d := emulatedDevice(t, emulate.Options{Reorder: reorder}, true)
		c := smallConfig(train.OptimizerAdam)
		c.PolicyLogits = true
		tr := deviceTrainer(t, d, p, c, kernels.FP32)
		tr.plan.ungraphed = ungraphed
		for i, b := range batches {
			all = append(all, step(t, tr, b))
			l, err := tr.Losses(batches[0])
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, l)
			if captured := tr.training.graph != 0 && tr.held.graph != 0; captured != (i > 0 &&
				i != 3 && !ungraphed) {
				t.Errorf("after step %d, both captured: %v", i+1, captured)
			}
			if i == 2 { // as if memory had moved
				tr.training.of.launches++
				tr.held.of.launches++
			}
		}
		params, err := tr.Params()
		if err != nil {
			t.Fatal(err)
		}
		state, err := tr.State()
		if err != nil {
			t.Fatal(err)
		}
		return append(all, params.Tensors, state)
	}
	if !reflect.DeepEqual(run(false, true), run(true, false)) {
		t.Error("captured steps have other bits")
	}
}

// forgetful is a context whose graphs do nothing.
type forgetful struct {
	driver.Context
	driver.Grapher
}

func (f forgetful) Capture(s driver.Stream, _ func() error) (driver.Graph, error) {
	return f.Grapher.Capture(s, func() error { return nil })
}

// ungraphed is a context of a driver without graphs.
type ungraphed struct{ driver.Context }

// TestWithoutGraphs checks that kernels are launched one by one, with one line in the log, if the
// driver has no graphs, and if a graph does not do what its launches do.
func TestWithoutGraphs(t *testing.T) {
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p, b := nntest.Random(spec, rng), train.RandomBatch(spec, 8, rng)
	var want []nn.Tensor
	for _, c := range []struct {
		says string // an unchecked trainer would not see that a graph is wrong
		wrap func(driver.Context) driver.Context
	}{
		{"", func(c driver.Context) driver.Context { return c }},
		{"the driver has no graphs", func(c driver.Context) driver.Context { return ungraphed{c} }},
		{errGraph.Error(), func(c driver.Context) driver.Context {
			return forgetful{c, c.(driver.Grapher)}
		}},
	} {
		var log bytes.Buffer
		d, err := cuda.Open(fake.Wrap(emulate.ForTest(t, emulate.Options{}),
			c.wrap), 0, cuda.Options{
			Log: slog.New(slog.NewTextHandler(&log, nil)), Unchecked: c.says != errGraph.Error(),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		tr := deviceTrainer(t, d, p, smallConfig(train.OptimizerSGD), kernels.FP32)
		for range 3 {
			step(t, tr, b)
		}
		params, err := tr.Params()
		if err != nil {
			t.Fatal(err)
		}
		if c.says == "" {
			want = params.Tensors
		} else if !reflect.DeepEqual(params.Tensors, want) {
			t.Errorf("%s: other bits", c.says)
		}
		if tr.plan.ungraphed != (c.says != "") ||
			strings.Count(log.String(), "one by one") != min(1, len(c.says)) ||
			!strings.Contains(log.String(), c.says) {
			t.Errorf("%q: graphs are left out: %v; the log is %s", c.says, tr.plan.ungraphed, &log)
		}
	}
}
