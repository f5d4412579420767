package nntest

import "tengen/nn"

// Shape describes a network for a game with so many planes, cells, players, actions and, with a categorical
// value head, different utilities.
func Shape(planes, height, width, players, actions, utilities, blocks, filters, hidden int, policy, value string) nn.Spec {
	s := nn.Spec{Planes: planes, Height: height, Width: width, Players: players, Actions: actions, Blocks: blocks, Filters: filters, Hidden: hidden, Policy: policy, Value: value}
	if value == nn.ValueCategorical {
		for i := range utilities {
			s.Support = append(s.Support, float32(i)/float32(utilities-1))
		}
	}
	return s
}

// Presets returns the networks of the presets in configs by the presets' names.
func Presets() map[string]nn.Spec {
	return map[string]nn.Spec{
		"quick":             Shape(6, 5, 5, 3, 25, 26, 4, 64, 64, nn.PolicyConv, nn.ValueCategorical),
		"changes":           Shape(4, 6, 6, 2, 36, 3, 2, 32, 64, nn.PolicyConv, nn.ValueCategorical),
		"go5-three-players": Shape(6, 5, 5, 3, 25, 26, 6, 80, 64, nn.PolicyConv, nn.ValueCategorical),
		"go5-four-players":  Shape(8, 5, 5, 4, 25, 26, 4, 64, 64, nn.PolicyConv, nn.ValueCategorical),
		"go5-two-player":    Shape(4, 5, 5, 2, 26, 26, 4, 64, 64, nn.PolicyConvPass, nn.ValueCategorical),
		"go7-three-players": Shape(6, 7, 7, 3, 49, 50, 4, 64, 64, nn.PolicyConv, nn.ValueCategorical),
		"paper-alphazero":   Shape(6, 5, 5, 3, 25, 26, 8, 128, 64, nn.PolicyConv, nn.ValueCategorical),
		"paper-descent":     Shape(6, 5, 5, 3, 25, 1, 8, 128, 64, nn.PolicyNone, nn.ValueLinear),
		"descent-quick":     Shape(6, 5, 5, 3, 25, 1, 2, 32, 64, nn.PolicyNone, nn.ValueLinear),
		"connect-four":      Shape(4, 6, 7, 2, 7, 3, 4, 64, 64, nn.PolicyDense, nn.ValueCategorical),
		"tcg":               Shape(33, 4, 7, 2, 28, 3, 3, 48, 64, nn.PolicyConv, nn.ValueCategorical),
		"turtle":            Shape(27, 10, 5, 2, 51, 3, 3, 48, 64, nn.PolicyConvPass, nn.ValueCategorical),
	}
}
