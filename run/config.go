package run

import (
	"tengen/configs"
	"tengen/game"
	"tengen/nn"
	"tengen/search/nneval"
)

// NetworkSpec returns the shape of the network that a configuration asks for. The
// networks of Descent and of search.afterstates have no policy.
func NetworkSpec(c *configs.Config, g game.Game) (nn.Spec, error) {
	size := nneval.Size{
		Blocks: c.Network.Blocks, Filters: c.Network.Filters, Hidden: c.Network.Hidden,
		Policy: c.Network.Policy, Value: c.Network.Value,
	}
	switch {
	case c.Algorithm == configs.AlgorithmDescent:
		size.Policy, size.Value = nn.PolicyNone, nn.ValueLinear
	case c.Search.Afterstates:
		size.Policy = nn.PolicyNone
	}
	spec, err := nneval.Spec(g, size)
	if err != nil {
		return nn.Spec{}, err
	}
	if c.Training.LabelWeight > 0 {
		cells, seats := game.AuxiliaryTargetsOf(g)
		for _, l := range cells {
			spec.Auxiliary.Cells = append(spec.Auxiliary.Cells, l.Classes)
		}
		spec.Auxiliary.Seats = len(seats)
	}
	if c.Training.BeliefWeight > 0 {
		for _, s := range game.HiddenFactsOf(g) {
			spec.Auxiliary.Belief = append(spec.Auxiliary.Belief, s.Classes)
		}
	}
	return spec, spec.Validate()
}
