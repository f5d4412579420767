package nntest

import "tengen/nn"

// Shape describes a network for a game with so many planes, cells, players, actions and, with a
// categorical value head, different utilities.
func Shape(
	planes, height, width, players, actions, utilities, blocks, filters, hidden int,
	policy, value string,
) nn.Spec {
	s := nn.Spec{
		Planes: planes, Height: height, Width: width, Players: players, Actions: actions,
		Blocks: blocks, Filters: filters, Hidden: hidden, Policy: policy, Value: value,
	}
	if value == nn.ValueCategorical {
		for i := range utilities {
			s.Support = append(s.Support, float32(i)/float32(utilities-1))
		}
	}
	return s
}

// Presets returns the networks of the presets in configs by the presets' names, without the heads
// that only training has. A test of package trainer compares them.
func Presets() map[string]nn.Spec {
	m := map[string]nn.Spec{
		"backgammon": Shape(276, 1, 1, 2, 56, 0, 1, 64, 64, nn.PolicyNone,
			nn.ValueCategorical),
		"connect-four": Shape(4, 6, 7, 2, 7, 3, 4, 64, 64, nn.PolicyDense,
			nn.ValueCategorical),
		"connect-four-descent": Shape(4, 6, 7, 2, 7, 3, 3, 32, 64, nn.PolicyNone, nn.ValueLinear),
		"descent-ablation":     Shape(4, 6, 6, 2, 36, 1, 2, 32, 64, nn.PolicyNone, nn.ValueLinear),
		"descent-quick":        Shape(6, 5, 5, 3, 25, 1, 2, 32, 64, nn.PolicyNone, nn.ValueLinear),
		"go5-four-players": Shape(8, 5, 5, 4, 25, 26, 4, 64, 64, nn.PolicyConv,
			nn.ValueCategorical),
		"go5-three-players": Shape(6, 5, 5, 3, 25, 26, 6, 80, 64, nn.PolicyConv,
			nn.ValueCategorical),
		"go5-two-player": Shape(4, 5, 5, 2, 26, 26, 4, 64, 64, nn.PolicyConvPass,
			nn.ValueCategorical),
		"go7-three-players": Shape(6, 7, 7, 3, 49, 50, 4, 64, 64, nn.PolicyConv,
			nn.ValueCategorical),
		"go9": Shape(4, 9, 9, 2, 82, 3, 3, 32, 64, nn.PolicyConvPass,
			nn.ValueCategorical),
		"hypergammon": Shape(276, 1, 1, 2, 56, 0, 1, 64, 64, nn.PolicyNone,
			nn.ValueCategorical),
		"kuhn": Shape(11, 1, 1, 2, 2, 0, 0, 64, 64, nn.PolicyConvPass,
			nn.ValueCategorical),
		"kuhn-three-players": Shape(17, 1, 1, 3, 2, 0, 0, 64, 64, nn.PolicyConvPass,
			nn.ValueCategorical),
		"leduc": Shape(35, 1, 3, 2, 3, 0, 1, 64, 64, nn.PolicyConv, nn.ValueCategorical),
		"paper-alphazero": Shape(6, 5, 5, 3, 25, 26, 8, 128, 64, nn.PolicyConv,
			nn.ValueCategorical),
		"paper-descent": Shape(6, 5, 5, 3, 25, 1, 8, 128, 64, nn.PolicyNone, nn.ValueLinear),
		"quick":         Shape(6, 5, 5, 3, 25, 26, 4, 64, 64, nn.PolicyConv, nn.ValueCategorical),
		"tcg":           Shape(33, 4, 7, 2, 28, 3, 2, 32, 64, nn.PolicyConv, nn.ValueCategorical),
		"turtle": Shape(43, 10, 5, 2, 51, 3, 2, 24, 64, nn.PolicyConvPass,
			nn.ValueCategorical),
	}
	for name, support := range map[string][]float32{ // utilities at unequal distances
		"backgammon":         {0, 1. / 6, 2. / 6, 4. / 6, 5. / 6, 1},
		"hypergammon":        {0, 1. / 6, 2. / 6, 4. / 6, 5. / 6, 1},
		"kuhn":               {0, 1. / 4, 3. / 4, 1},
		"kuhn-three-players": {0, 1. / 6, 4. / 6, 5. / 6, 1},
		"leduc": {0, 1. / 13, 2. / 13, 3. / 13, 4. / 13, 5. / 13, 6. / 13, 1. / 2,
			7. / 13, 8. / 13, 9. / 13, 10. / 13, 11. / 13, 12. / 13, 1},
	} {
		spec := m[name]
		spec.Support = support
		m[name] = spec
	}
	return m
}
