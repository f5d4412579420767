package kernels

import (
	"testing"

	"tengen/nn"
	"tengen/nn/cuda/driver"
)

// TestFew checks the plans for few positions: they are faster by the model, and read the stream of
// weights of the others.
func TestFew(t *testing.T) {
	found := 0
	towers(t, func(t *testing.T, r *Tower, d *driver.Device) {
		f := r.Few(d)
		if f == nil {
			return
		}
		found++
		if f.Positions >= r.Positions || f.BlocksSM != 1 || f.alone(d) > 0.8*r.alone(d) {
			t.Errorf("%d positions in %.0f cycles, others %d in %.0f",
				f.Positions, f.alone(d), r.Positions, r.alone(d))
		}
		if f.passColumns() != r.passColumns() || f.WeightBytes() != r.WeightBytes() ||
			f.StageSteps != r.StageSteps || f.InputStageSteps != r.InputStageSteps ||
			f.StageBytes != r.StageBytes {
			t.Errorf("another stream of weights: %+v, %+v", f, r)
		}
		if f.WGMMA && f.StageSteps%f.BatchSteps != 0 {
			t.Errorf("stages of %d steps in batches of %d", f.StageSteps, f.BatchSteps)
		}
	})
	if found < 100 {
		t.Errorf("only %d towers have a plan for few positions", found)
	}
	for _, c := range []struct{ size, positions int }{{5, 2}, {9, 1}, {19, 0}} {
		spec := nn.Spec{
			Planes: 6, Height: c.size, Width: c.size, Players: 2, Actions: c.size * c.size,
			Blocks: 8, Filters: 128, Policy: nn.PolicyConv, Value: nn.ValueLinear, Hidden: 64,
		}
		r, err := NewTower(spec, BF16, true, devices()[0])
		if err != nil {
			t.Fatal(err)
		}
		positions := 0
		if f := r.Few(devices()[0]); f != nil {
			positions = f.Positions
		}
		if positions != c.positions {
			t.Errorf("%d × %d: %d positions a block, want %d",
				c.size, c.size, positions, c.positions)
		}
	}
}
