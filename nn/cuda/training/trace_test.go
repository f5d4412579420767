package training

import (
	"reflect"
	"slices"
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

// noted is a context of a driver without graphs, which notes the names of the kernels launched.
type noted struct {
	driver.Context
	names    map[driver.Function]string
	launched *[]string
}

func (n noted) Function(m driver.Module, name string) (driver.Function, error) {
	f, err := n.Context.Function(m, name)
	n.names[f] = name
	return f, err
}

func (n noted) Launch(
	f driver.Function, g driver.Grid, s driver.Stream, args *driver.Args,
) error {
	*n.launched = append(*n.launched, n.names[f])
	return n.Context.Launch(f, g, s, args)
}

// TestTracedSteps checks that a traced step launches what a step without graphs does, in that
// order and with the same bits; that the work of every launch is known; and that the operations of
// products are three times those of the forward pass, except for the stem's: of nine taps, or of
// one on a board of one cell.
func TestTracedSteps(t *testing.T) {
	for _, side := range []int{3, 1} {
		spec := nn.Spec{Planes: 3, Height: side, Width: side, Players: 2, Actions: side*side + 1,
			Blocks: 1, Filters: 16, Policy: nn.PolicyConvPass, Value: nn.ValueLinear, Hidden: 4,
			Auxiliary: nn.Auxiliary{Cells: []int{3, 2}, Seats: 1, Belief: []int{4, 3}}}
		products := tracedSteps(t, spec)
		positions, taps := 8*float64(side*side), map[int]float64{3: 9, 1: 1}[side]
		if want := 2*positions*taps*16*(2*16+3*2*16) + 3*2*positions*16*16; products != want {
			t.Errorf("%d × %d: products have %v operations, want %v", side, side, products, want)
		}
	}
}

// tracedSteps is TestTracedSteps for a network; it returns the operations of products.
func tracedSteps(t *testing.T, spec nn.Spec) (products float64) {
	t.Helper()
	rng := random.New(trainerSeed, random.Test)
	p, b := nntest.Random(spec, rng), train.RandomBatch(spec, 8, rng)
	open := func(wrap func(driver.Context) driver.Context) *cuda.Device {
		d, err := cuda.Open(fake.Wrap(emulate.ForTest(t, emulate.Options{}), wrap), 0,
			cuda.Options{Unchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}
	c := smallConfig(train.OptimizerAdam)
	c.PolicyLogits = true
	const steps = 5
	var launched []string
	plain := deviceTrainer(t, open(func(c driver.Context) driver.Context {
		return noted{c, map[driver.Function]string{}, &launched}
	}), p, c, kernels.BF16)
	traced := open(func(c driver.Context) driver.Context { return c })
	trace := traced.Trace()
	tr := deviceTrainer(t, traced, p, c, kernels.BF16)
	for range steps {
		launched = nil
		step(t, plain, b)
	}
	var whole, calls []driver.Call
	for i := range steps {
		var err error
		switch i {
		default:
			step(t, tr, b)
		case steps - 2:
			whole, err = trace.Time(true, func() error { _, err := tr.Step(b); return err })
		case steps - 1:
			calls, err = trace.Time(false, func() error { _, err := tr.Step(b); return err })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(must(tr.Params()).Tensors, must(plain.Params()).Tensors) {
		t.Error("traced steps have other bits")
	}
	if !slices.ContainsFunc(whole, func(c driver.Call) bool { return c.Name == driver.CallGraph }) {
		t.Errorf("no graph was launched: %+v", whole)
	}
	var names []string
	for i := range calls {
		w := kernels.WorkOf(&calls[i])
		if w.Bytes == 0 {
			t.Errorf("%s: its work is not known", calls[i].Name)
		}
		if calls[i].Source != nil {
			names = append(names, calls[i].Name)
		}
		if calls[i].Name == "product" || calls[i].Name == "gradient" {
			products += w.FLOP
		}
	}
	if !slices.Equal(names, launched) || len(names) < 40 {
		t.Errorf("the launches of a traced step are\n%v, want\n%v", names, launched)
	}
	return products
}
