package player

import (
	"math/rand/v2"
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

// UCT of a game with hidden information searches information sets, with the chosen rollouts,
// and its analysis describes the search.
func TestUCTWithHiddenInformation(t *testing.T) {
	g := game.Must(game.New("turtle"))
	rollouts := 0
	q, err := game.StrategyOf(g, "hybrid")
	if err != nil {
		t.Fatal(err)
	}
	q.Rollout = nil
	choose := q.Choose
	q.Choose = func(s game.State, rng *rand.Rand) game.Action { rollouts++; return choose(s, rng) }
	p := UCT{Simulations: 60, C: 0.8, Utility: Unit, Rollouts: Rollouts{&q, 0.5}}
	s := dealt(g, 5)
	agent := p.NewAgent(g)
	agent.Begin(random.New(1, random.Test))
	a := must(Decide(agent, s, search.NewConstant(g, 0)))
	v := agent.(Analyzer).Analysis()
	visits := 0
	var actions []game.Action
	for _, m := range v.Moves {
		visits += m.Visits
		actions = append(actions, m.Action)
	}
	if !slices.Equal(actions, s.LegalActions(nil)) || visits != 60 ||
		!slices.Equal(v.PrincipalVariation, []game.Action{a}) || v.Full {
		t.Errorf("the analysis is %+v, the decision %d", v, a)
	}
	if sum := v.Value[0] + v.Value[1]; sum < 0.999 || sum > 1.001 {
		t.Errorf("two players share one win; they are given %v", v.Value)
	}
	if rollouts < 60 {
		t.Errorf("the strategy chooses %d times in 60 rollouts", rollouts)
	}
}

// Players that search information sets have names that Parse reads, with each kind of
// observers, and choose the same action in positions that the player can't tell apart.
func TestObservers(t *testing.T) {
	g := game.Must(game.New("turtle:players=3"))
	dir := newRun(t, g)
	for text, name := range map[string]string{
		"uct:observers=single":                                 "uct:simulations=180,c=0.8,utility=points",
		"uct:simulations=60,rollout=hybrid,observers=multiple": "uct:simulations=60,c=0.8,utility=points,rollout=hybrid,epsilon=0.1,observers=multiple",
		"az:" + dir + ",simulations=40,observers=multiple": "az:" + dir +
			",simulations=40,c_puct=0.8,observers=multiple",
	} {
		p, err := Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(g, p.Name())
		if err != nil || p.Name() != name || again.Name() != name {
			t.Errorf("%s is called %s and read back as %v, %v; %s is wanted",
				text, p.Name(), again, err, name)
		}
		e := p.NewEvaluator(g, 1)
		chosen := map[game.Action]bool{}
		for i := range uint64(6) {
			a, b := dealt(g, i), g.NewState()
			b.CopyFrom(a)
			b.(game.ImperfectInformation).Determinize(random.New(i, random.Test, 1),
				a.CurrentPlayer())
			var actions [2]game.Action
			for k, s := range []game.State{a, b} {
				agent, observer := p.NewAgent(g), NewObserver(g)
				agent.Begin(random.New(1, random.Arena, i))
				observer.Begin(1, random.Arena, i, s.CurrentPlayer())
				actions[k] = must(Decide(agent, observer.Observe(s, 0), e))
			}
			if actions[0] != actions[1] {
				t.Errorf("%s: %d and %d are chosen in positions that look alike",
					text, actions[0], actions[1])
			}
			chosen[actions[0]] = true
		}
		if len(chosen) < 2 {
			t.Errorf("%s always chooses the same", text)
		}
	}
}

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
