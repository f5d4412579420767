package training

import (
	"maps"
	"strings"
	"testing"

	"tengen/nn"
	"tengen/nn/cuda/kernels"
	"tengen/nn/train"
)

// TestLaunchesOfStep counts the launches of a step of 8 × 128 on 5 × 5 by kernel.
func TestLaunchesOfStep(t *testing.T) {
	tr, _, _ := countedTrainer(t, 1, false)
	got, n := map[string]int{}, 0
	for _, p := range []program{tr.programs.training, tr.programs.update} {
		for _, l := range p {
			got[l.name]++
			n++
		}
	}
	want := map[string]int{
		"observe": 1, "product": 35, "gradient": 18, "sum_parts": 18,
		"norm_join": 17, "norm_apply": 9, "norm_gate": 1, "norm_backward": 17,
		"hidden_relu": 1, "value_logits": 1, "map_dots": 1, "policy_logits": 1, "softmax_loss": 2,
		"value_backward": 1, "policy_spread": 1, "map_backward": 1, "outer_parts": 1,
		"squares": 1, "measure": 1, "decide": 1, "adam": 1, "pack": 1,
	}
	if n != 131 || !maps.Equal(got, want) {
		t.Errorf("%d launches: %v, want %v", n, got, want)
	}
}

// TestActivationsOfRow holds the bytes of activations, and of gradients of activations, that the
// batch's rows have on the device, a row.
func TestActivationsOfRow(t *testing.T) {
	tr, _, _ := countedTrainer(t, 1, false)
	for _, c := range []struct{ blocks, filters, side, rows, want int }{
		{8, 128, 5, 4096, 180712}, {20, 256, 19, 1024, 11844200},
	} {
		spec := nn.Spec{
			Planes: 6, Height: c.side, Width: c.side, Players: 2, Actions: c.side * c.side,
			Blocks: c.blocks, Filters: c.filters, Policy: nn.PolicyConv, Value: nn.ValueLinear,
			Hidden: 64,
		}
		config := train.DefaultConfig()
		config.Batch = c.rows
		info := tr.device.Info()
		p, err := NewPlan(spec, config, kernels.BF16, &info)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, a := range p.allocations(&buffers{}) {
			if strings.HasSuffix(a.name, "activations") {
				got += a.bytes
			}
		}
		if got%c.rows != 0 || got/c.rows != c.want {
			t.Errorf("%d × %d on %d × %d: %d bytes a row, want %d", c.blocks, c.filters, c.side,
				c.side, got/c.rows, c.want)
		}
	}
}
