package nneval

import (
	"fmt"

	"tengen/game"
	"tengen/nn"
)

// Size holds the settings of a network that do not follow from its game.
type Size struct {
	Blocks, Filters, Hidden int
	// a policy head of package nn (nn.PolicyNone: values alone), or Auto
	Policy string
	Value  string // a value head of package nn, or Auto
}

// Auto is the head that fits the game: for the policy "conv" or
// "conv+pass" where actions are cells, else "dense"; for the value
// "categorical" where the game has a support, else "linear".
const Auto = "auto"

// Spec returns the description of a network of the given size for a game.
func Spec(g game.Game, size Size) (nn.Spec, error) {
	planes := g.Planes()
	spec := nn.Spec{
		Planes: planes.C, Height: planes.H, Width: planes.W,
		Players: g.Players(), Actions: g.Actions(),
		Blocks: size.Blocks, Filters: size.Filters, Hidden: size.Hidden,
		Policy: size.Policy, Value: size.Value,
	}
	if spec.Policy == Auto || spec.Policy == "" {
		switch g.Actions() {
		case spec.Cells():
			spec.Policy = nn.PolicyConv
		case spec.Cells() + 1:
			spec.Policy = nn.PolicyConvPass
		default:
			spec.Policy = nn.PolicyDense
		}
	}
	if spec.Value == Auto || spec.Value == "" {
		spec.Value = nn.ValueLinear
		if len(g.Support()) > 1 {
			spec.Value = nn.ValueCategorical
		}
	}
	if spec.Value == nn.ValueCategorical {
		spec.Support = g.Support()
	}
	return spec, spec.Validate()
}

// Fits returns an error if a network with the given description can't evaluate
// positions of g.
func Fits(g game.Game, s nn.Spec) error {
	planes := g.Planes()
	switch {
	case s.Planes != planes.C || s.Height != planes.H || s.Width != planes.W:
		return fmt.Errorf("the network sees %d planes of %d×%d, but %s shows %d of %d×%d",
			s.Planes, s.Height, s.Width, g.Name(), planes.C, planes.H, planes.W)
	case s.Players != g.Players():
		return fmt.Errorf("the network values %d players, but %s has %d",
			s.Players, g.Name(), g.Players())
	case s.Policy != nn.PolicyNone && s.Actions != g.Actions():
		return fmt.Errorf("the network knows %d actions, but %s has %d",
			s.Actions, g.Name(), g.Actions())
	}
	return nil
}
