package cuda_test

import (
	"testing"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/emulate"
	"tengen/nn/cuda/kernels"
)

// shape is a network by its game's facts: planes, board, players, actions, outputs a player.
func shape(planes, height, width, players, actions, outputs, blocks, filters, hidden int, policy, value string) nn.Spec {
	s := nn.Spec{Planes: planes, Height: height, Width: width, Players: players, Actions: actions, Blocks: blocks, Filters: filters, Hidden: hidden, Policy: policy, Value: value}
	if value == nn.ValueCategorical {
		for i := range outputs {
			s.Support = append(s.Support, float32(i)/float32(outputs-1))
		}
	}
	return s
}

// presets are the networks of configs/, by the name of a preset.
func presets() map[string]nn.Spec {
	return map[string]nn.Spec{
		"quick":             shape(6, 5, 5, 3, 25, 26, 4, 64, 64, nn.PolicyConv, nn.ValueCategorical),
		"changes":           shape(4, 6, 6, 2, 36, 3, 2, 32, 64, nn.PolicyConv, nn.ValueCategorical),
		"go5-four-players":  shape(8, 5, 5, 4, 25, 26, 4, 64, 64, nn.PolicyConv, nn.ValueCategorical),
		"go5-two-player":    shape(4, 5, 5, 2, 26, 26, 4, 64, 64, nn.PolicyConvPass, nn.ValueCategorical),
		"go7-three-players": shape(6, 7, 7, 3, 49, 50, 4, 64, 64, nn.PolicyConv, nn.ValueCategorical),
		"paper-alphazero":   shape(6, 5, 5, 3, 25, 26, 8, 128, 64, nn.PolicyConv, nn.ValueCategorical),
		"paper-descent":     shape(6, 5, 5, 3, 25, 1, 8, 128, 64, nn.PolicyNone, nn.ValueLinear),
		"descent-quick":     shape(6, 5, 5, 3, 25, 1, 2, 32, 64, nn.PolicyNone, nn.ValueLinear),
		"tcg":               shape(33, 4, 7, 2, 28, 3, 3, 48, 64, nn.PolicyConv, nn.ValueCategorical),
		"turtle":            shape(27, 10, 5, 2, 51, 3, 3, 48, 64, nn.PolicyConvPass, nn.ValueCategorical),
	}
}

// TestPresetsHaveATower plans every preset for an H200 and an A10: none may be left to plain layers.
func TestPresetsHaveATower(t *testing.T) {
	for name, spec := range presets() {
		for _, d := range []driver.Device{emulate.Hopper(), emulate.Ampere()} {
			for _, p := range []kernels.Precision{kernels.BF16, kernels.TF32} {
				all := kernels.Ways(spec, p, &d)
				if want := kernels.MMA; all[0] != want && (all[0] != kernels.WGMMA || p != kernels.BF16 || d.Major != 9) {
					t.Errorf("%s in %s on %s: the ways are %v", name, p, d.Name, all)
				}
				r, err := kernels.NewInference(spec, p, all[0], &d)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: %s", name, r.Describe(&d))
			}
		}
	}
}
