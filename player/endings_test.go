package player

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/turtle"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
	"tengen/search/minimax"
)

// An ending is the last turns of a small race with open hands.
type ending struct {
	g        game.Game
	s        game.State
	mover    game.Player
	solution *gametest.Solution
	worth    map[game.Action]float64 // of each action, to the player to move
	// open means that another player may be indifferent between actions that differ for the
	// player to move. With three or more players who each maximise their own utility, the
	// result of the player to move then depends on how such ties are broken.
	open bool
}

// endingGames have few cards and few turns.
var endingGames = []string{
	"turtle:hand=2,squares=4,deck=[0,1,1,1,1,1,0],max_turns=9,hands=open",
	"turtle:hand=1,squares=5,deck=[1,0,1,0,1,2,0],max_turns=12,hands=open",
	"turtle:hand=3,squares=6,deck=[1,1,0,1,0,1,1],max_turns=14,hands=open",
	"turtle:players=3,hand=2,squares=4,deck=[0,1,0,1,2,1,1],max_turns=10,unowned=none,hands=open",
	"turtle:players=4,hand=2,squares=5,deck=[1,1,0,0,1,1,0],max_turns=11,hands=open",
}

// endings returns a number of endings, solved exactly. In most of them the choice of the player
// to move matters.
func endings(t *testing.T, n int) (list []ending) {
	t.Helper()
	for i := uint64(0); len(list) < n; i++ {
		g := game.Must(game.New(endingGames[i%uint64(len(endingGames))]))
		rng := random.New(1, random.Test, 70, i)
		s := g.NewState()
		last := g.(*turtle.Game).Rules().MaxTurns - 1 - rng.IntN(3)
		for s.CurrentPlayer() != game.Nobody {
			if s.CurrentPlayer() == game.Chance {
				s.Apply(s.(game.Chancer).Sample(rng))
				continue
			}
			legal := s.LegalActions(nil)
			if s.(game.Turned).Turn() >= last && len(legal) > 1 {
				list = append(list, solved(t, g, s))
				break
			}
			s.Apply(legal[rng.IntN(len(legal))])
		}
	}
	return list
}

// solved solves the position after each action.
func solved(t *testing.T, g game.Game, s game.State) ending {
	t.Helper()
	e := ending{g: g, s: s, mover: s.CurrentPlayer(), worth: map[game.Action]float64{}}
	var err error
	if e.solution, err = gametest.Solve(g, s, 1_000_000); err != nil {
		t.Fatal(err)
	}
	next := g.NewState()
	for _, a := range s.LegalActions(nil) {
		next.CopyFrom(s)
		next.Apply(a)
		if next.CurrentPlayer() == game.Nobody {
			utilities := make([]float32, g.Players())
			next.Returns(utilities)
			e.worth[a] = float64(utilities[e.mover])
			continue
		}
		after, err := gametest.Solve(g, next, 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		e.worth[a] = after.Values[e.mover]
	}
	if g.Players() > 2 {
		_, e.open = indifferent(g, s, e.mover)
	}
	return e
}

// indifferent returns the exact values of s, and whether another player than the given one has,
// anywhere below, actions with equal values for itself and different values for that player.
func indifferent(g game.Game, s game.State, to game.Player) (values []float64, open bool) {
	values = make([]float64, g.Players())
	after := func(a game.Action) []float64 {
		next := g.NewState()
		next.CopyFrom(s)
		next.Apply(a)
		v, o := indifferent(g, next, to)
		open = open || o
		return v
	}
	switch m := s.CurrentPlayer(); m {
	case game.Nobody:
		utilities := make([]float32, g.Players())
		s.Returns(utilities)
		for p, u := range utilities {
			values[p] = float64(u)
		}
	case game.Chance:
		for _, o := range s.(game.Chancer).Outcomes(nil) {
			for p, v := range after(o.Action) {
				values[p] += o.Probability * v
			}
		}
	default:
		for i, a := range s.LegalActions(nil) {
			v := after(a)
			if i > 0 && m != to && math.Abs(v[m]-values[m]) < 1e-9 &&
				math.Abs(v[to]-values[to]) > 1e-9 {
				open = true
			}
			if i == 0 || v[m] > values[m]+1e-9 {
				values = v
			}
		}
	}
	return values, open
}

// Searches by depth find the value and all best moves of an ending, to the
// rounding of sums.
func TestDepthSearchesSolveEndings(t *testing.T) {
	table := 1 << 16
	options := map[string]minimax.Options{
		"minimax":           {},
		"minimax, table":    {Table: table},
		"minimax, averaged": {Determinizations: 3},
		"alpha-beta":        {Prune: true},
		"alpha-beta, all":   {Prune: true, Star: 2, Table: table},
		"alpha-beta, star":  {Prune: true, Star: 1, Direct: true},
		"averaged, all":     {Prune: true, Star: 2, Table: table, Determinizations: 3},
		"max^n":             {Opponents: minimax.MaxN},
		"best reply":        {Opponents: minimax.BestReply, Prune: true},
	}
	matters, several := 0, 0
	for i, e := range endings(t, 300) {
		if len(e.solution.Best) < len(e.worth) {
			matters++
		}
		if len(e.solution.Best) > 1 {
			several++
		}
		for name, o := range options {
			if o.Opponents != minimax.MaxN && e.g.Players() > 2 {
				continue // the others maximise their own utility
			}
			o.RandomTies = true
			h, err := game.HeuristicOf(e.g, "result")
			if err != nil {
				t.Fatal(err)
			}
			o.Heuristic = h
			w, err := minimax.New(e.g, o)
			if err != nil {
				t.Fatal(err)
			}
			r := w.Search(e.s)
			if math.Abs(r.Value-e.solution.Values[e.mover]) > 1e-7 || !r.Complete {
				t.Fatalf("ending %d of %s: %s finds the value %v, complete %v; it is %v",
					i, e.g.Name(), name, r.Value, r.Complete, e.solution.Values)
			}
			var best []game.Action
			for _, m := range r.Moves {
				if m.Bound == minimax.Exact && m.Value > r.Value-1e-7 {
					best = append(best, m.Action)
				}
			}
			if !slices.Equal(best, e.solution.Best) || !slices.Contains(best, r.Action) {
				t.Fatalf("ending %d of %s: %s finds the best moves %v and plays %d; they are %v",
					i, e.g.Name(), name, best, r.Action, e.solution.Best)
			}
		}
	}
	if matters < 100 || several < 50 {
		t.Errorf("a choice matters in %d endings, and %d have several best moves: too few",
			matters, several)
	}
}

// openly makes a game with open hands implement game.ImperfectInformation, so that its
// information sets, of one state each, can be searched.
type openly struct{ game.Game }

func (o openly) NewState() game.State { return &openlyState{o.Game.NewState()} }

type openlyState struct{ game.State }

func (s *openlyState) CopyFrom(src game.State) {
	s.State.CopyFrom(src.(*openlyState).State)
}
func (*openlyState) Determinize(*rand.Rand, game.Player)      {}
func (s *openlyState) InformationStateKey(game.Player) uint64 { return s.Hash() }
func (s *openlyState) Outcomes(d []game.Outcome) []game.Outcome {
	return s.State.(game.Chancer).Outcomes(d)
}
func (s *openlyState) Sample(rng *rand.Rand) game.Action {
	return s.State.(game.Chancer).Sample(rng)
}

// treeSearches are all Monte Carlo tree searches. Those by information sets search the game as
// an openly one.
var treeSearches = []struct {
	name string
	make func(g game.Game, simulations int, rng *rand.Rand) Tree
}{
	{"uct", func(g game.Game, n int, rng *rand.Rand) Tree {
		return mcts.NewUCT(g, mcts.UCT{Simulations: n, C: 0.7}, rng)
	}},
	{"uct, information sets", func(g game.Game, n int, rng *rand.Rand) Tree {
		return ismcts.NewUCT(openly{g}, mcts.UCT{Simulations: n, C: 0.7},
			ismcts.SingleObserver, rng)
	}},
	{"uct, multiple observers", func(g game.Game, n int, rng *rand.Rand) Tree {
		return ismcts.NewUCT(openly{g}, mcts.UCT{Simulations: n, C: 0.7},
			ismcts.MultipleObservers, rng)
	}},
	{"puct", func(g game.Game, n int, rng *rand.Rand) Tree {
		return mcts.NewPUCT(g, mcts.PUCT{Simulations: n, C: 2}, rng)
	}},
	{"puct, information sets", func(g game.Game, n int, rng *rand.Rand) Tree {
		return ismcts.NewPUCT(openly{g}, mcts.PUCT{Simulations: n, C: 2},
			ismcts.SingleObserver, rng)
	}},
	{"puct, multiple observers", func(g game.Game, n int, rng *rand.Rand) Tree {
		return ismcts.NewPUCT(openly{g}, mcts.PUCT{Simulations: n, C: 2},
			ismcts.MultipleObservers, rng)
	}},
	{"gumbel", func(g game.Game, n int, rng *rand.Rand) Tree {
		t := mcts.NewPUCT(g, mcts.PUCT{Simulations: n, C: 2, Gumbel: gumbelByPUCT}, rng)
		t.SetNoise(false)
		return t
	}},
	{"gumbel, information sets", func(g game.Game, n int, rng *rand.Rand) Tree {
		t := ismcts.NewPUCT(openly{g}, mcts.PUCT{Simulations: n, C: 2, Gumbel: gumbelByPUCT},
			ismcts.SingleObserver, rng)
		t.SetNoise(false)
		return t
	}},
}

// gumbelByPUCT converges: mcts.Improved does not try all actions.
var gumbelByPUCT = mcts.Gumbel{
	Considered: 16, VisitOffset: 50, ValueScale: 0.1, Interior: mcts.ByPUCT,
}

// solveByTrees lets every tree search decide a number of endings, except open ones. All
// decisions must be optimal. off bounds the mean error of their values, which include exploring
// simulations.
func solveByTrees(t *testing.T, n, simulations int, off float64) {
	t.Helper()
	list := slices.DeleteFunc(endings(t, n), func(e ending) bool { return e.open })
	several := 0
	for _, e := range list {
		if e.g.Players() > 2 {
			several++
		}
	}
	if n = len(list); several < n/10 {
		t.Errorf("%d of %d endings have more than two players: too few", several, n)
	}
	for k, c := range treeSearches {
		best, difference := 0, 0.0
		for i, e := range list {
			rng := random.New(1, random.Test, 71, uint64(i), uint64(k))
			x := c.make(e.g, simulations, rng)
			state := e.s
			if _, hides := x.(*ismcts.Tree); hides {
				state = &openlyState{e.s}
			}
			// UCT values new nodes by playouts, PUCT by a constant.
			var evaluator search.Evaluator = search.NewConstant(e.g, 1/float32(e.g.Players()))
			switch {
			case c.name == "uct":
				evaluator = search.NewPlayouts(e.g, rng)
			case c.name[0] == 'u':
				evaluator = search.NewPlayouts(openly{e.g}, rng)
			}
			x.Start(state)
			search.Run(x, evaluator)
			a := x.Best()
			if slices.Contains(e.solution.Best, a) {
				best++
			} else {
				t.Errorf("ending %d of %s: %s plays %d, worth %.3f; %v are worth %.3f", i,
					e.g.Name(), c.name, a, e.worth[a], e.solution.Best, e.solution.Values[e.mover])
			}
			for _, child := range x.Children(nil) {
				if child.Action == a {
					difference += math.Abs(float64(child.Value[e.mover])-e.worth[a]) / float64(n)
				}
			}
		}
		t.Logf("%s plays a best move in %d of %d endings; its values are off by %.4f",
			c.name, best, n, difference)
		if difference > off {
			t.Errorf("%s: the values are off by %.4f, more than %.4f", c.name, difference, off)
		}
	}
}

// Monte-Carlo searches play a best move, and come near its value.
func TestTreeSearchesSolveEndings(t *testing.T) { solveByTrees(t, 250, 2000, 0.02) }
