package nneval

import (
	"fmt"
	"math/rand/v2"

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

// probed is the number of positions that Probe evaluates.
const probed = 4

// Probe evaluates the start of g and some positions of random games, always the same ones, and
// returns an error if an output is not finite, the belief of a network of nn.FoldBelief included.
// It finds most networks of finite weights that overflow; evaluators find the others as they meet
// them. name and planes are those of Options. The network must fit g (Fits).
func Probe(g game.Game, network nn.Network, name string, planes []int) error {
	inner := network.NewEvaluator()
	defer nn.Close(inner)
	s := network.Spec()
	o := Options{Name: name, Planes: planes}
	e, _, _ := ForSearch(g, inner, probed, o,
		s.Policy == nn.PolicyNone && game.ObservesAfterstates(g))
	rng := rand.New(rand.NewPCG(0, 0))
	x := g.NewState()
	var legal []game.Action
	for rows, games := 0, 0; rows < probed && games < probed; {
		switch x.CurrentPlayer() {
		case game.Nobody:
			x = g.NewState()
			games++
		case game.Chance:
			x.Apply(x.(game.Chancer).Sample(rng))
		default:
			e.Add(x)
			rows++
			legal = x.LegalActions(legal[:0])
			x.Apply(legal[rng.IntN(len(legal))])
		}
	}
	_, err := e.Evaluate()
	return err
}
