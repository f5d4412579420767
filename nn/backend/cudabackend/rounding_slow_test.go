//go:build slow

package cudabackend

import (
	"math"
	"testing"

	"tengen/nn/backend"
	"tengen/nn/train"
)

// What rounding makes of the hundred steps that TestDeviceTraining compares: trainings on the
// processor alone, whose weights differ in the last bit. Figures of docs/results/gpu.md.
func TestRoundingGrows(t *testing.T) {
	p, c, batches := trainingOf(t, longSpec(), longBatch)
	host, err := backend.NewCPU().NewTrainer(p, c)
	if err != nil {
		t.Fatal(err)
	}
	defer train.Close(host)
	neighbours := neighbouringTrainers(t, p, c)
	last := 0.0
	for i := range longSteps {
		want := must(host.Step(batches[i%2])).Total
		last = 0
		for _, n := range neighbours {
			d := math.Abs(must(n.Step(batches[i%2])).Total-want) / want
			last = max(last, d)
			if i == 2 || i == 92 || i == longSteps-1 {
				t.Logf("step %d: off by %.2g of the loss", i, d)
			}
		}
		if i == 2 && last > 1e-5 {
			t.Errorf("rounding alone makes a difference of %g in three steps", last)
		}
	}
	if last < 1e-4 || last > 1e-2 {
		t.Errorf("after %d steps the losses differ by %g; 1e-4 to 1e-2 is known", longSteps, last)
	}
}
