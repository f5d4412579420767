package nneval

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/nn"
)

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
