package descent_test

import (
	"fmt"
	"math/rand/v2"

	"tengen/descent"
	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/search"
)

// A player who makes two threats at once has won, and the search proves it.
func ExampleTree() {
	g := game.Must(game.New("tictactoe"))
	state := g.NewState()
	for _, a := range []game.Action{0, 1, 4, 8} {
		state.Apply(a)
	}

	rng := rand.New(rand.NewPCG(1, 2))
	tree := descent.New(g, descent.Options{BestFirst: true, Iterations: 1000}, rng)
	tree.Start(state)
	search.Run(tree, search.NewConstant(g, 0.5))

	value := make([]float32, 2)
	tree.Value(value)
	fmt.Println(value, tree.Resolved(), game.ActionName(g, state, tree.Best()))
	// Output: [1 0] true a1
}
