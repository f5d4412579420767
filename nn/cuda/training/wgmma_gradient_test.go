package training

import (
	"bytes"
	"log/slog"
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

// stopwatch is a context in which a launch of a gradient takes as long as its number of threads
// says: blocks of wgmma have 384.
type stopwatch struct {
	driver.Context
	wgmma, other time.Duration
	gradients    map[driver.Function]bool
	passed       *time.Duration
	at           map[driver.Event]time.Duration
}

func (s stopwatch) Function(m driver.Module, name string) (driver.Function, error) {
	f, err := s.Context.Function(m, name)
	s.gradients[f] = name == "gradient"
	return f, err
}

func (s stopwatch) Launch(
	f driver.Function, g driver.Grid, to driver.Stream, args *driver.Args,
) error {
	if s.gradients[f] {
		if g.Threads[0] == 384 {
			*s.passed += s.wgmma
		} else {
			*s.passed += s.other
		}
	}
	return s.Context.Launch(f, g, to, args)
}

// Device is one whose times mean something.
func (s stopwatch) Device() driver.Device {
	d := s.Context.Device()
	d.Emulated = false
	return d
}

func (s stopwatch) Record(e driver.Event, to driver.Stream) error {
	s.at[e] = *s.passed
	return s.Context.Record(e, to)
}

func (s stopwatch) Elapsed(from, to driver.Event) (time.Duration, error) {
	return s.at[to] - s.at[from], nil
}

// TestWGMMAGradientIsChosen checks that the gradient with wgmma is used where it is faster, and not
// where it is not, disagrees or does not compile, and that a step with it is the processor's.
func TestWGMMAGradientIsChosen(t *testing.T) {
	spec := nn.Spec{Planes: 3, Height: 1, Width: 3, Players: 2, Actions: 3, Blocks: 1, Filters: 64,
		Policy: nn.PolicyConv, Value: nn.ValueLinear, Hidden: 8}
	rng := random.New(trainerSeed, random.Test)
	p := nntest.Random(spec, rng)
	c := smallConfig(train.OptimizerSGD)
	for _, x := range []struct {
		what         string
		wgmma, other time.Duration
		spoil        string // is replaced by 1 in the kernel
		says         string
		want         bool
	}{
		{"it is faster", 8, 10, "", "time=8ns", true},
		{"it is hardly faster", 19, 20, "", "time=19ns", false},
		{"it disagrees", 1, 10, "line >= 0", "its results differ", false},
		{"it does not compile", 1, 10, "int row = k + tap", "a slow kernel replaces", false},
	} {
		var log bytes.Buffer
		api := fake.Wrap(emulate.ForTest(t, emulate.Options{}),
			func(ctx driver.Context) driver.Context {
				return stopwatch{
					ctx, x.wgmma, x.other, map[driver.Function]bool{}, new(time.Duration),
					map[driver.Event]time.Duration{},
				}
			})
		d, err := cuda.Open(api, 0, cuda.Options{
			Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		info := d.Info()
		plan := must(NewPlan(spec, c, kernels.BF16, &info))
		if x.spoil != "" {
			text := &plan.block.wgmmaGradient.Source.Text
			if !strings.Contains(*text, x.spoil) {
				t.Fatalf("the kernel has no %q", x.spoil)
			}
			*text = strings.Replace(*text, x.spoil, "1", 1)
		}
		trial := must(d.Trial())
		defer trial.Close()
		stream := must(trial.Session().NewStream(false))
		b := newBuilder(plan, trial.Session(), stream, trial.Compile, map[string]driver.Module{})
		if err := b.tryWGMMAGradient(d.Options().Log, &namedLayer{"the blocks", &b.block},
			plan.block.gradient.AsPlain(kernels.BF16)); err != nil {
			t.Fatal(err)
		}
		g := plan.block.gradient
		if g.Plain || g.WGMMA != x.want || plan.block.wgmmaGradient != nil ||
			!strings.Contains(log.String(), x.says) {
			t.Errorf("%s: %s is used; the log is\n%s", x.what, g.Describe(), &log)
		}
	}
	d := emulatedDevice(t, emulate.Options{}, false)
	tr := deviceTrainer(t, d, p, c, kernels.BF16)
	if !tr.plan.block.gradient.WGMMA || tr.plan.stem.gradient.WGMMA {
		t.Error("no wgmma in a step")
	}
	batch := train.RandomBatch(spec, c.Batch, rng)
	sameLosses(t, "with wgmma", step(t, tr, batch), step(t, hostTrainer(t, p, c), batch), 0.05, 0.2)
}
