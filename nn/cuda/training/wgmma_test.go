package training

import (
	"log/slog"
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

// TestProductsWithWGMMA trains a network whose blocks' products are tried with wgmma, beside the
// processor: with kernels that are right, without a compiler, and with some that compute something
// else, do not compile, or lose the device, in place of which those with mma.sync are used.
func TestProductsWithWGMMA(t *testing.T) {
	spec := nntest.Shape(3, 3, 3, 1, 9, 1, 1, 64, 4, nn.PolicyConv, nn.ValueLinear)
	ahead := map[string]bool{}
	for _, s := range append(kernels.GeneralSources(kernels.BF16), kernels.WGMMASources()...) {
		ahead[s.Key()] = true
	}
	for _, c := range []struct {
		old, new, says string
		slow           bool
	}{
		{"", "", "every shape", false}, // those that are compiled ahead
		{"(v ^ row % 8)", "(v ^ row % 4)", "differ from the plain kernel's", true},
		{"KERNEL_BOUNDS(product", "nonsense KERNEL_BOUNDS(product", "error: expected", true},
		{"*(uint4 *)(y + at", "*(uint4 *)((element *)16 + at", "device lost", false},
	} {
		if c.slow && !everything {
			continue
		}
		var log strings.Builder
		api := emulate.ForTest(t, emulate.Options{})
		if c.old != "" {
			api = spoiled(api, "train_wgmma.h", c.old, c.new)
		} else {
			api = fake.Compiling(api, func(s *driver.Source) error {
				if !ahead[s.Key()] {
					return &driver.LibraryError{Library: "libnvrtc.so.12", Advice: "install it"}
				}
				return nil
			})
		}
		d, err := cuda.Open(api, 0, cuda.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		rng := random.New(trainerSeed, random.Test)
		p, config := nntest.Random(spec, rng), smallConfig(train.OptimizerSGD)
		got := deviceTrainer(t, d, p, config, kernels.BF16)
		if l := got.plan.block; l.forward.WGMMA != (c.old == "") ||
			l.backward.WGMMA != (c.old == "") || l.forward.Plain || l.backward.Plain ||
			l.forward.General != (c.old == "") {
			t.Errorf("after %q: %+v and %+v", c.says, l.forward, l.backward)
		}
		if !strings.Contains(log.String(), c.says) ||
			strings.Count(log.String(), "WARN") != min(len(c.old), 1) {
			t.Errorf("the log has not %q, or another number of warnings: %s", c.says, &log)
		}
		b := train.RandomBatch(spec, config.Batch, rng)
		host := hostTrainer(t, p, config)
		sameLosses(t, "after "+c.says, step(t, got, b), step(t, host, b), 0.05, 0.1)
		gradients, want := first(must(got.State()).Tensors), first(must(host.State()).Tensors)
		for i, g := range gradients {
			by := apart(g.Data, want[i].Data, typicalOf(want))
			if by > 0.1 || g.Name != want[i].Name {
				t.Errorf("after %q: the gradient %s is %.3g off", c.says, g.Name, by)
			}
		}
		got.Close()
	}
}
