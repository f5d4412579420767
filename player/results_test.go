package player

import (
	"slices"
	"testing"

	"tengen/descent"
	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
	"tengen/search/minimax"
)

// TestResults checks the contract of search.Result for every search: before the first search it
// is empty; after it all legal actions are listed in ascending order, the principal variation
// begins with the best action, and a won position is recognised.
func TestResults(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	hiding := openly{g}
	rng := random.New(1, random.Test, 90)
	searcher, err := minimax.New(g, minimax.Options{Depth: 9, Prune: true})
	if err != nil {
		t.Fatal(err)
	}
	won := g.NewState() // X wins with action 2
	for _, a := range []game.Action{0, 3, 1, 4} {
		won.Apply(a)
	}
	run := func(s search.Search, state game.State) func() {
		return func() {
			s.Start(state)
			search.Run(s, search.NewConstant(g, 0.5))
		}
	}
	uct, puct := mcts.NewUCT(g, mcts.UCT{Simulations: 500, C: 0.8}, rng),
		mcts.NewPUCT(g, mcts.PUCT{Simulations: 500, C: 0.8}, rng)
	single := ismcts.NewUCT(hiding, mcts.UCT{Simulations: 500, C: 0.8}, ismcts.SingleObserver, rng)
	multiple := ismcts.NewPUCT(hiding, mcts.PUCT{Simulations: 500, C: 0.8},
		ismcts.MultipleObservers, rng)
	ubfm := descent.New(g, descent.Options{BestFirst: true, Iterations: 500}, rng)
	for name, x := range map[string]struct {
		result search.Result
		run    func()
	}{
		"UCT":                      {uct, run(uct, won)},
		"PUCT":                     {puct, run(puct, won)},
		"UCT, single observer":     {single, run(single, &openlyState{won})},
		"PUCT, multiple observers": {multiple, run(multiple, &openlyState{won})},
		"UBFM":                     {ubfm, run(ubfm, won)},
		"alpha-beta":               {searcher, func() { searcher.Search(won) }},
	} {
		r := x.result
		value := []float32{7, 7}
		if r.Value(value); !slices.Equal(value, []float32{0, 0}) || len(r.Children(nil)) != 0 ||
			r.Best() != game.NoAction || len(r.PrincipalVariation(nil)) != 0 || r.Stats().Exact {
			t.Errorf("%s: before the search the value is %v, the best %d of %v",
				name, value, r.Best(), r.Children(nil))
		}
		x.run()
		var actions []game.Action
		var best search.Child
		for _, c := range r.Children(nil) {
			actions = append(actions, c.Action)
			if c.Action == r.Best() {
				best = c
			}
		}
		if legal := won.LegalActions(nil); !slices.Equal(actions, legal) || best.Action != 2 ||
			best.Visits == 0 && !best.Exact || best.Value[0] != 1 || best.Value[1] != 0 {
			t.Errorf("%s: the legal actions are %v, the children %+v, the best %d",
				name, legal, r.Children(nil), r.Best())
		}
		if line := r.PrincipalVariation(nil); len(line) == 0 || line[0] != 2 {
			t.Errorf("%s: the principal variation is %v", name, line)
		}
		stats := r.Stats()
		if r.Value(value); stats.Exact && value[0] != 1 || stats.Exact != best.Exact ||
			stats.Nodes == 0 || stats.Full {
			t.Errorf("%s: the value is %v, %+v", name, value, stats)
		}
	}
}
