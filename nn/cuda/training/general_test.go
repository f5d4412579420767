package training

import (
	"fmt"
	"log/slog"
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

// TestTrainingWithoutCompiler trains with the kernels that are compiled ahead alone, in every
// precision, beside the processor. The kernels are checked as always.
func TestTrainingWithoutCompiler(t *testing.T) {
	for _, precision := range []kernels.Precision{kernels.FP32, kernels.TF32, kernels.BF16} {
		ahead := map[string]bool{}
		for _, s := range kernels.GeneralSources(precision) {
			ahead[s.Key()] = true
		}
		var log strings.Builder
		api := fake.Compiling(emulate.ForTest(t, emulate.Options{}), func(s *driver.Source) error {
			if !ahead[s.Key()] {
				return &driver.LibraryError{Library: "libnvrtc.so.12", Advice: "install it"}
			}
			return nil
		})
		d, err := cuda.Open(api, 0, cuda.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		spec := nntest.AuxiliarySpecs()[0]
		rng := random.New(trainerSeed, random.Test)
		p := nntest.Random(spec, rng)
		c := smallConfig(train.OptimizerAdam)
		got, want := deviceTrainer(t, d, p, c, precision), hostTrainer(t, p, c)
		tolerance := map[kernels.Precision]float64{
			kernels.FP32: 1e-4, kernels.TF32: 0.01, kernels.BF16: 0.05,
		}[precision]
		for range 2 {
			b := train.RandomBatch(spec, c.Batch, rng)
			g, w := step(t, got, b), step(t, want, b)
			if by := (g.Total - w.Total) / w.Total; by > tolerance || by < -tolerance {
				t.Errorf("%s: the loss is %g, the processor's %g", precision, g.Total, w.Total)
			}
		}
		if !got.plan.general ||
			got.plan.block.forward != nil &&
				got.plan.block.forward.Plain != (precision == kernels.FP32) {
			t.Errorf("%s: other kernels than the general ones", precision)
		}
		if n := strings.Count(log.String(), "kernels for networks of every shape"); n != 1 ||
			strings.Contains(log.String(), "WARN") {
			t.Errorf("%s: the log is\n%s", precision, &log)
		}
		got.Close()
		d.Close()
	}
}

// TestPresetsAreCompiledAhead checks that the list of kernels to compile ahead has those with which
// each preset's network is trained without a compiler, with batches small and large, on devices
// large and small, and that small batches have blocks of 64 positions.
func TestPresetsAreCompiledAhead(t *testing.T) {
	tiles := map[int]int{}
	for _, precision := range []kernels.Precision{kernels.FP32, kernels.TF32, kernels.BF16} {
		ahead := map[string]bool{}
		for _, s := range kernels.GeneralSources(precision) {
			ahead[fmt.Sprint(s.Name, s.Defines)] = true
		}
		for name, spec := range nntest.Presets() {
			for _, x := range []struct {
				device     driver.Device
				sms, batch int
			}{
				{emulate.Hopper(), 132, 64}, {emulate.Hopper(), 132, 4096},
				{emulate.Ampere(), 28, 256},
			} {
				x.device.SMs = x.sms
				c := train.DefaultConfig()
				c.Batch = x.batch
				p, err := NewPlan(spec, c, precision, &x.device)
				if err != nil {
					t.Fatal(name, err)
				}
				p.generalise(&x.device)
				for _, l := range []linear{p.stem, p.block, p.dense} {
					var sources []driver.Source
					for _, x := range []*kernels.Product{l.forward, l.backward} {
						if x != nil {
							sources = append(sources, x.Source)
							if !x.Plain {
								tiles[x.TileM]++
							}
						}
					}
					if l.gradient != nil {
						sources = append(sources, l.gradient.Source)
					}
					for _, s := range sources {
						if !ahead[fmt.Sprint(s.Name, s.Defines)] {
							t.Fatalf("%s in %s, batches of %d on %s: %s %v is not in the list",
								name, precision, x.batch, x.device.Name, s.Name, s.Defines)
						}
					}
				}
			}
		}
	}
	if tiles[64] == 0 || tiles[128] == 0 || len(tiles) != 2 {
		t.Errorf("products by positions of a block: %v", tiles)
	}
}
