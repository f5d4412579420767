package training

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// flipping is a context that flips the lowest bit of a number after the nth launch of a graph.
type flipping struct {
	driver.Context
	driver.Grapher
	launched, nth *int
	at            *driver.Ptr
}

func (f flipping) LaunchGraph(g driver.Graph, s driver.Stream) error {
	err := f.Grapher.LaunchGraph(g, s)
	if *f.launched++; err == nil && *f.launched == *f.nth {
		bits := make([]byte, 4)
		err = f.CopyOut(bits, *f.at, s)
		bits[0] ^= 1
		if err == nil {
			err = f.CopyIn(*f.at, bits, s)
		}
	}
	return err
}

// every makes one step of so many be taken twice.
func every(t *testing.T, steps int) {
	was := againSteps
	againSteps = steps
	t.Cleanup(func() { againSteps = was })
}

// TestStepsTwice checks that steps that are taken twice leave the bits of those taken once, with
// two under way, and that a bit that is not the same the second time ends the training, with an
// error that names device and step: a loss of the device.
func TestStepsTwice(t *testing.T) {
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p := nntest.Random(spec, rng)
	var batches []*train.Batch
	for range 6 {
		batches = append(batches, train.RandomBatch(spec, 8, rng))
	}
	// run takes the steps, from one that is not the run's first, and flips a bit at the nth launch.
	run := func(
		steps, nth int, at func(b *buffers) driver.Ptr,
	) (all []any, launched int, err error) {
		every(t, steps)
		var place driver.Ptr
		d, err := cuda.Open(fake.Wrap(emulate.ForTest(t, emulate.Options{}),
			func(c driver.Context) driver.Context {
				return flipping{c, c.(driver.Grapher), &launched, &nth, &place}
			}), 0, cuda.Options{Unchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		tr := deviceTrainer(t, d, p, smallConfig(train.OptimizerAdam), kernels.FP32)
		defer tr.Close()
		if at != nil {
			place = at(&tr.buffers)
		}
		state := must(tr.State())
		state.Steps = 100
		if err := tr.SetState(state); err != nil {
			t.Fatal(err)
		}
		for i, b := range batches {
			if err := tr.Start(b); err != nil {
				return nil, launched, err
			}
			if i > 0 {
				l, err := tr.Wait()
				if err != nil {
					_, again := tr.Params()
					if again == nil {
						t.Error("a trainer on a device that computes wrongly goes on")
					}
					return nil, launched, err
				}
				all = append(all, l)
			}
		}
		l, err := tr.Wait()
		if err != nil {
			return nil, launched, err
		}
		return append(all, l, must(tr.Params()).Tensors, must(tr.State())), launched, nil
	}
	once, fewer, err := run(1000, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	twice, more, err := run(3, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(once, twice) || more != fewer+2 {
		t.Errorf("steps taken twice have other bits, or were not: %d launches, %d without",
			more, fewer)
	}
	output := newLayout(spec).output
	// The first two launches are step 102's, the next those of 103 and 104, then two of 105: the
	// first of all steps, 101, is not captured.
	for what, c := range map[string]struct {
		at    func(b *buffers) driver.Ptr
		flips map[int]int // the launch, and the step whose error is wanted, 0 for none
	}{
		// A weight that is not packed: steps see the flipped bit alike if it comes before them.
		"a parameter": {func(b *buffers) driver.Ptr { return floats(b.numbers, output) },
			map[int]int{1: 102, 4: 0, 6: 105}},
		"a moment":   {func(b *buffers) driver.Ptr { return b.moments + 64 }, map[int]int{2: 102}},
		"an average": {func(b *buffers) driver.Ptr { return b.average + 64 }, map[int]int{5: 105}},
		"a sum":      {func(b *buffers) driver.Ptr { return b.output + 8 }, map[int]int{2: 102}},
	} {
		for nth, step := range c.flips {
			_, _, err := run(3, nth, c.at)
			found, since := step > 0, step-3
			if driver.Lost(err) != found {
				t.Errorf("%s after launch %d: error %v", what, nth, err)
			}
			if found && (!strings.Contains(err.Error(), fmt.Sprintf("training step %d,", step)) ||
				!strings.Contains(err.Error(), fmt.Sprintf("of step %d or before", since)) ||
				!strings.Contains(err.Error(), "emulated") || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%s after launch %d: error %v", what, nth, err)
			}
		}
	}
}
