package minimax_test

import (
	"fmt"

	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/search/minimax"
)

// O answers a corner with the centre: everything else loses.
func Example() {
	g := game.Must(game.New("tictactoe"))
	s, err := minimax.New(g, minimax.Options{Prune: true, Table: 1 << 20})
	if err != nil {
		panic(err)
	}
	state := g.NewState()
	state.Apply(0)
	r := s.Search(state)
	fmt.Println(game.ActionName(g, state, r.Action), r.Value, r.Complete)
	// Output: b2 0.5 true
}
