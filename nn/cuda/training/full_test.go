package training

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// TestFullSizeIsChecked damages kernels so that they are wrong only with more positions than the
// other checks have, or not always the same: the step of all rows must find it, and what it finds
// is one line. Kernels that are right are used, and the trainer then has the state of one that was
// not checked.
func TestFullSizeIsChecked(t *testing.T) {
	api := emulate.ForTest(t, emulate.Options{Devices: []driver.Device{emulate.Ampere()}})
	spec := nn.Spec{Planes: 3, Height: 3, Width: 3, Players: 2, Actions: 10, Blocks: 1, Filters: 16,
		Policy: nn.PolicyConvPass, Value: nn.ValueLinear, Hidden: 8}
	rng := random.New(trainerSeed, random.Test)
	p := nntest.Random(spec, rng)
	c := smallConfig(train.OptimizerAdam)
	c.Batch = 36 // 324 positions
	b := train.RandomBatch(spec, c.Batch, rng)
	run := func(d *cuda.Device) (*Trainer, []nn.Tensor, error) {
		tr, err := NewTrainer([]*cuda.Device{d}, p, c, kernels.FP32)
		if err != nil {
			return nil, nil, err
		}
		step(t, tr, b)
		return tr, append(must(tr.Params()).Tensors, must(tr.State()).Tensors...), nil
	}
	unchecked, want, err := run(emulatedDevice(t, emulate.Options{}, true))
	if err != nil {
		t.Fatal(err)
	}
	unchecked.Close()
	for _, x := range []struct{ file, old, new, says string }{
		{},
		{"train_product.cu", "y[at] = float_to_element(add ?",
			"if (positions > 300 && p == positions - 1) sum[i][j] += 1;\ny[at] = float_to_element(add ?",
			"rows have other activations or gradients than those that they repeat"},
		{kernels.TrainNorm, "2 * channels + c + k] = mean[k];",
			"2 * channels + c + k] = mean[k] + (positions > 300 && last == positions);",
			"has another"},
		{"train_gradient.cu", "* OUT + o] = sum[a][b];",
			"* OUT + o] = positions > 300 && (s + 1) * length >= positions ? 0 : sum[a][b];",
			"another sum for stem.weight than"},
		{kernels.TrainUpdate, "w[i] = x - rate * a /",
			"static int again;\nif (i == 0) again++;\nw[i] = x + (i == 0) * again * 1e-6f - rate * a /",
			"taken twice, has other results"},
	} {
		var log strings.Builder
		d, err := cuda.Open(spoiled(api, x.file, x.old, x.new), 0, cuda.Options{
			Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		tr, got, err := run(d)
		if x.says == "" {
			if err != nil {
				t.Fatal(err)
			}
			if gap := sameBits(got, want); gap != "" || tr.Steps() != 1 {
				t.Errorf("after the check the state is another one: %s", gap)
			}
			if n := strings.Count(log.String(), "training begins"); n < 4 ||
				!strings.Contains(log.String(), `did="a step of all rows, twice" seconds=`) {
				t.Errorf("the log is\n%s", &log)
			}
			tr.Close()
		} else if !errors.As(err, new(*WrongError)) || driver.Lost(err) ||
			!strings.Contains(err.Error(), x.says) || strings.Contains(err.Error(), "\n") ||
			!strings.Contains(err.Error(), "training on "+emulate.Ampere().Name+": ") {
			t.Errorf("%s with %q: error %v", x.file, x.new, err)
		}
		d.Close()
	}
}

// TestFullStepsOfAllNetworks checks that correct kernels pass, with all heads, where the rows
// that are repeated divide the batch and where they don't.
func TestFullStepsOfAllNetworks(t *testing.T) {
	var log strings.Builder
	d, err := cuda.Open(emulate.ForTest(t, emulate.Options{}), 0, cuda.Options{
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	specs := nntest.AllSpecs()
	if !everything {
		specs = specs[len(specs)-2:]
	}
	for i, spec := range specs {
		c := smallConfig(train.OptimizerSGD)
		c.Batch, c.LabelWeight, c.BeliefWeight = 12-i%2, 0.5, 0.5
		p := nntest.Random(spec, random.New(trainerSeed, random.Test))
		deviceTrainer(t, d, p, c, kernels.BF16).Close()
	}
	if strings.Contains(log.String(), "WARN") {
		t.Errorf("the log is\n%s", &log)
	}
}

// TestRowsOfFullCheck checks the rows that a full batch repeats, for batches that have divisors and
// that have none.
func TestRowsOfFullCheck(t *testing.T) {
	device := emulate.Ampere()
	for _, x := range []struct {
		side, batch, rows int
		divides           bool
	}{
		{5, 4096, 32, true}, {19, 256, 2, true}, {9, 1000, 10, true}, {1, 64, 32, true},
		{5, 8, 4, true}, {5, 997, 1, true}, {1, 997, 64, false}, {1, 1, 1, false}, {1, 2, 1, false},
		{2, 8, 4, true},
	} {
		spec := nntest.Specs()[0]
		spec.Height, spec.Width, spec.Policy, spec.Actions = x.side, x.side, nn.PolicyNone, 1
		c := smallConfig(train.OptimizerSGD)
		c.Batch = x.batch
		plan, err := NewPlan(spec, c, kernels.FP32, &device)
		if err != nil {
			t.Fatal(err)
		}
		if rows, divides := plan.fewRows(); rows != x.rows || divides != x.divides {
			t.Errorf("%d rows on %d × %d: %d are repeated, which divide: %v; want %d, %v", x.batch,
				x.side, x.side, rows, divides, x.rows, x.divides)
		}
	}
}
