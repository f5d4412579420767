package player

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts/ismcts"
	"tengen/search"
	"tengen/search/belief"
)

// Infer returns tree, which is searched with a network, in a form that first infers what is hidden
// from what others did (belief.Inference): it asks the network for the policies of their decisions,
// in so many worlds. It asks for at most batch evaluations at once. It returns an error where g
// does not permit that.
func Infer(g game.Game, tree Tree, worlds, batch int) (Tree, error) {
	f, err := belief.NewInference(g, worlds)
	if err != nil {
		return nil, err
	}
	x := &inferring{Tree: tree, inference: f, batch: batch}
	tree.(*ismcts.Tree).SetDealer(f) // the tree of a game with imperfect information
	return x, nil
}

// CheckInference returns an error where g does not permit Infer.
func CheckInference(g game.Game) error {
	_, err := belief.NewInference(g, 1)
	return err
}

// inferring is a tree that infers before it searches.
type inferring struct {
	Tree
	inference *belief.Inference
	batch     int
	rng       *rand.Rand
	searching bool
}

// SetRand implements Tree.
func (x *inferring) SetRand(rng *rand.Rand) {
	x.rng = rng
	x.Tree.SetRand(rng)
}

// Start implements search.Search.
func (x *inferring) Start(s game.State) {
	x.searching = false
	x.inference.Begin(s, s.CurrentPlayer(), x.rng)
	x.Tree.Start(s)
}

// Advance implements search.Search.
func (x *inferring) Advance(requests search.Requests) (done bool) {
	x.searching = x.searching || x.inference.Advance(requests, x.batch)
	return x.searching && x.Tree.Advance(requests)
}

// Deliver implements search.Search.
func (x *inferring) Deliver(evaluations search.Evaluations) {
	if x.searching {
		x.Tree.Deliver(evaluations)
	} else {
		x.inference.Deliver(evaluations)
	}
}
