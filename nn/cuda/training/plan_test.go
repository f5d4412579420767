package training

import (
	"fmt"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// TestTrainingMemory plans each preset's training at batches of 256, 4,096 and 16,384 rows.
func TestTrainingMemory(t *testing.T) {
	device := emulate.Hopper()
	const gib = 1 << 30
	for name, spec := range nntest.Presets() {
		for _, precision := range []kernels.Precision{kernels.FP32, kernels.TF32, kernels.BF16} {
			last := int64(0)
			for _, batch := range []int{1, 256, 4096, 16384} {
				c := train.DefaultConfig()
				c.Batch, c.EMADecay = batch, 0.999
				plan, err := NewPlan(spec, c, precision, &device)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				// Convolutions keep their output before BatchNorm, stem and blocks after it.
				kept := int64(2+3*spec.Blocks) *
					int64(batch*spec.Cells()*kernels.Channels(spec.Filters)*precision.Element())
				if got := plan.Bytes(); got <= last || got < kept || got > 2*kept+gib/4 ||
					got > 40*gib {
					t.Errorf("%s, %s, batch %d: %.2f GiB, of which %.2f are kept activations",
						name, precision, batch, float64(got)/gib, float64(kept)/gib)
				}
				last = plan.Bytes()
				if name == "paper-alphazero" {
					t.Logf("%s, %s, batch %d: %.2f GiB", name, precision, batch, float64(last)/gib)
				}
			}
		}
	}
}

// TestPlaces checks that each number of a network has a place of its own in the layout, in the part
// for its kind; and that what a board of one cell does not use is decayed as on the processor.
func TestPlaces(t *testing.T) {
	all := nntest.Presets()
	for i, spec := range nntest.AllSpecs() {
		all[fmt.Sprint(i)] = spec
	}
	for name, spec := range all {
		l := newLayout(spec)
		taken := make([]bool, l.total)
		for _, p := range l.tensors {
			from, to := 0, l.weights
			switch {
			case !p.learned:
				from, to = l.learned, l.total
			case !strings.HasSuffix(p.name, ".weight"):
				from, to = l.weights, l.learned
			}
			for i := range p.size() {
				at := p.at(i)
				if at < from || at >= to || taken[at] {
					t.Fatalf("%s: number %d of %s is at %d, in %d to %d; taken: %v",
						name, i, p.name, at, from, to, at < len(taken) && taken[at])
				}
				taken[at] = true
			}
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	device := emulate.Hopper()
	spec, c := nntest.Presets()["quick"], train.DefaultConfig()
	for say, change := range map[string]func(s *nn.Spec, c *train.Config, p *kernels.Precision){
		`training on a device: unknown precision "fp16"; there are bf16, tf32, fp32`: func(
			_ *nn.Spec, _ *train.Config, p *kernels.Precision,
		) {
			*p = "fp16"
		},
		"network: filters is 0; at least 1 is wanted": func(
			s *nn.Spec, _ *train.Config, _ *kernels.Precision,
		) {
			s.Filters = 0
		},
		"training: batch is 0; at least 1 row is wanted": func(
			_ *nn.Spec, c *train.Config, _ *kernels.Precision,
		) {
			c.Batch = 0
		},
		"training on a device: a batch of 100000000 rows has 2.5e+09 positions; fewer than 2³¹ - 2²⁰ are possible": func(_ *nn.Spec, c *train.Config, _ *kernels.Precision) { c.Batch = 1e8 },
	} {
		s, c, p := spec, c, kernels.TF32
		change(&s, &c, &p)
		if _, err := NewPlan(s, c, p, &device); err == nil || err.Error() != say {
			t.Errorf("error %v, want %q", err, say)
		}
	}
}

// TestPacking checks that tensors are copied to their places and back, with every head.
func TestPacking(t *testing.T) {
	for i, spec := range nntest.AllSpecs() {
		l := newLayout(spec)
		p := nntest.Random(spec, random.New(trainerSeed, random.Test))
		array := make([]float32, l.total)
		l.pack(array, p)
		for k := range l.tensors {
			for j, v := range p.Tensors[k].Data {
				if at := l.tensors[k].at(j); array[at] != v {
					t.Fatalf("network %d: number %d of %s is not at %d", i, j, p.Tensors[k].Name, at)
				}
			}
		}
		if gap := sameBits(l.unpack(array).Tensors, p.Tensors); gap != "" {
			t.Errorf("network %d: after packing, %s", i, gap)
		}
	}
}
