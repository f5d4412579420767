package train

import (
	"math"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

// TestCalibrationOfABatch compares the calibration error and the weight norm of a batch with
// those computed here from the network's utilities and parameters. The batch takes three runs of
// the graph, so that their sums are tested too.
func TestCalibrationOfABatch(t *testing.T) {
	for _, kind := range []string{nn.ValueCategorical, nn.ValueLinear} {
		spec := nn.Spec{Planes: 2, Height: 3, Width: 3, Players: 3, Actions: 9,
			Blocks: 1, Filters: 4,
			Policy: nn.PolicyConv, Value: kind, Hidden: 5}
		if kind == nn.ValueCategorical {
			spec.Support = []float32{0, 0.5, 1}
		}
		rng := random.New(3, random.Test)
		p := nntest.Random(spec, rng)
		c := DefaultConfig()
		c.Batch, c.L2 = 8, 0
		tr := newTrainer(t, p, c)
		b := RandomBatch(spec, 20, rng) // two full runs of the graph and a part of one
		got, err := tr.Losses(b)
		if err != nil {
			t.Fatal(err)
		}
		evaluator := nn.NewEvaluator(nn.Fold(p))
		rows := evaluator.NewBatch(20)
		copy(rows.Observations, b.Observations)
		rows.N = 20
		evaluator.Evaluate(rows)
		var predicted, target [len(nn.Calibration{})]float64
		for i, v := range rows.Values {
			bin := min(max(int(math.Floor(float64(v)*10)), 0), 9)
			predicted[bin] += float64(v)
			if kind == nn.ValueLinear {
				target[bin] += float64(b.Value[i])
				continue
			}
			target[bin] += 0.5*float64(b.Value[3*i+1]) + float64(b.Value[3*i+2])
		}
		want := 0.0
		for i := range predicted {
			want += math.Abs(predicted[i]-target[i]) / 60
		}
		if math.Abs(got.ValueCalibration-want) > 1e-5 || want == 0 {
			t.Errorf("%s: the calibration error is %v, want %v", kind, got.ValueCalibration, want)
		}
		squares := 0.0
		for _, x := range p.Tensors {
			if _, part, _ := cutLast(x.Name); part == "weight" {
				for _, w := range x.Data {
					squares += float64(w) * float64(w)
				}
			}
		}
		if math.Abs(got.WeightNorm-math.Sqrt(squares)) > 1e-6*got.WeightNorm || squares == 0 {
			t.Errorf("%s: the norm of the weights is %v, want %v",
				kind, got.WeightNorm, math.Sqrt(squares))
		}
	}
}
