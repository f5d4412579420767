package run

import (
	"tengen/configs"
	"tengen/game"
	"tengen/nn"
	"tengen/search/nneval"
)

// NetworkSpec returns the shape of the network that a configuration asks for. The
// network of Descent has no policy.
func NetworkSpec(c *configs.Config, g game.Game) (nn.Spec, error) {
	size := nneval.Size{
		Blocks: c.Network.Blocks, Filters: c.Network.Filters, Hidden: c.Network.Hidden,
		Policy: c.Network.Policy, Value: c.Network.Value,
	}
	if c.Algorithm == configs.AlgorithmDescent {
		size.Policy, size.Value = nn.PolicyNone, nn.ValueLinear
	}
	return nneval.Spec(g, size)
}
