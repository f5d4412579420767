package training

import (
	"bytes"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

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

// stopwatch is a context in which a gradient's blocks of 512 threads and a product's of 128 are the
// fastest.
type stopwatch struct {
	driver.Context
	names  map[driver.Function]string
	passed *time.Duration
	at     map[driver.Event]time.Duration
}

func (s stopwatch) Function(m driver.Module, name string) (driver.Function, error) {
	f, err := s.Context.Function(m, name)
	s.names[f] = name
	return f, err
}

func (s stopwatch) Launch(
	f driver.Function, g driver.Grid, to driver.Stream, args *driver.Args,
) error {
	switch s.names[f] {
	case "gradient":
		*s.passed += time.Millisecond / time.Duration(g.Threads[0])
	case "product":
		*s.passed += time.Microsecond * time.Duration(g.Threads[0])
	}
	return s.Context.Launch(f, g, to, args)
}

func (s stopwatch) Record(e driver.Event, to driver.Stream) error {
	s.at[e] = *s.passed
	return s.Context.Record(e, to)
}

func (s stopwatch) Elapsed(from, to driver.Event) (time.Duration, error) {
	return s.at[to] - s.at[from], nil
}

// TestChoice checks that the fastest variants of the blocks' gradient and product are chosen, that
// a step with them has the bits of one without, and that a variant which does not compile is left
// out.
func TestChoice(t *testing.T) {
	spec := nn.Spec{Planes: 3, Height: 2, Width: 2, Players: 2, Actions: 4, Blocks: 1, Filters: 128,
		Policy: nn.PolicyConv, Value: nn.ValueLinear, Hidden: 8}
	rng := random.New(trainerSeed, random.Test)
	p, batch := nntest.Random(spec, rng), train.RandomBatch(spec, 8, rng)
	var want []nn.Tensor
	for _, c := range []struct {
		candidates int
		breaks     bool // the fastest does not compile
		says       string
		gradient   int // its warps
		product    int
	}{{1, false, "", 8, 8}, {3, false, "64 × 128 channels a block of 16 warps", 16, 4},
		{3, true, "a kernel is left out", 8, 4}} {
		var log bytes.Buffer
		api := fake.Wrap(emulate.ForTest(t, emulate.Options{}),
			func(x driver.Context) driver.Context {
				return stopwatch{
					x, map[driver.Function]string{}, new(time.Duration),
					map[driver.Event]time.Duration{},
				}
			})
		if c.breaks {
			api = fake.Compiling(api, func(s *driver.Source) error {
				if strings.Contains(strings.Join(s.Defines, " "), "WARPS_I=4 WARPS_O=4") {
					return &driver.CompileError{Name: s.Name, Log: "broken"}
				}
				return nil
			})
		}
		d, err := cuda.Open(api, 0, cuda.Options{
			Candidates: c.candidates, Unchecked: c.candidates == 1,
			Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		tr := deviceTrainer(t, d, p, smallConfig(train.OptimizerSGD), kernels.BF16)
		g, f, back := tr.plan.block.gradient, tr.plan.block.forward, tr.plan.block.backward
		if g.WarpsI*g.WarpsO != c.gradient || f.WarpsM*f.WarpsN != c.product ||
			back.WarpsM*back.WarpsN != c.product || !strings.Contains(log.String(), c.says) {
			t.Errorf("%+v: %s and %s are used; the log is %s", c, g.Describe(), f.Describe(), &log)
		}
		step(t, tr, batch)
		got := must(tr.Params()).Tensors
		if want == nil {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: other bits", c)
		}
	}
}
