package mcts_test

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/mcts"
	"tengen/search"
)

// A player to move with two in a row completes the row.
func ExampleTree() {
	g := game.Must(game.New("tictactoe"))
	state := g.NewState()
	for _, a := range []game.Action{0, 3, 1, 4} {
		state.Apply(a)
	}

	rng := rand.New(rand.NewPCG(1, 2))
	tree := mcts.NewUCT(g, mcts.UCT{Simulations: 500, C: 0.8}, rng)
	tree.Start(state)
	search.Run(tree, search.NewPlayouts(g, rng))
	fmt.Println(game.ActionName(g, state, tree.Best()))
	// Output: c3
}
