package mcts_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// exact solves positions by max^n. A player may be indifferent among actions that differ for
// the others, so a position has a set of values: all that result from some way of breaking
// ties, here and further down.
type exact struct {
	g    game.Game
	memo map[uint64][][]float64
}

func newExact(g game.Game) *exact { return &exact{g: g, memo: map[uint64][][]float64{}} }

// values is the set of attainable vectors of utilities.
func (x *exact) values(s game.State) [][]float64 {
	if set, ok := x.memo[s.Hash()]; ok {
		return set
	}
	var set [][]float64
	switch s.CurrentPlayer() {
	case game.Nobody:
		u := make([]float32, x.g.Players())
		s.Returns(u)
		set = [][]float64{wide(u)}
	case game.Chance:
		// Combine every member of each outcome's set.
		set = [][]float64{make([]float64, x.g.Players())}
		for _, o := range s.(game.Chancer).Outcomes(nil) {
			var sums [][]float64
			for _, v := range x.values(x.after(s, o.Action)) {
				for _, sum := range set {
					sum = slices.Clone(sum)
					for p := range sum {
						sum[p] += o.Probability * v[p]
					}
					sums = join(sums, sum)
				}
			}
			set = sums
		}
	default:
		for _, list := range x.actions(s) {
			for _, v := range list {
				set = join(set, v)
			}
		}
	}
	x.memo[s.Hash()] = set
	return set
}

// actions returns, for each action that max^n may choose in s, the values that it may then
// have: for each other action some value exists that is not better for the player to move.
func (x *exact) actions(s game.State) map[game.Action][][]float64 {
	m := s.CurrentPlayer()
	legal := s.LegalActions(nil)
	after := make([][][]float64, len(legal))
	threshold := math.Inf(-1)
	for i, a := range legal {
		after[i] = x.values(x.after(s, a))
		least := math.Inf(1)
		for _, v := range after[i] {
			least = min(least, v[m])
		}
		threshold = max(threshold, least)
	}
	good := map[game.Action][][]float64{}
	for i, a := range legal {
		for _, v := range after[i] {
			if v[m] >= threshold {
				good[a] = append(good[a], v)
			}
		}
	}
	return good
}

func (x *exact) after(s game.State, a game.Action) game.State {
	next := copyOf(x.g, s)
	next.Apply(a)
	return next
}

func join(set [][]float64, v []float64) [][]float64 {
	for _, w := range set {
		if slices.Equal(v, w) {
			return set
		}
	}
	return append(set, v)
}

// slowValues computes values by the definition: for every combination of values of the
// positions after s, all best actions of the player to move.
func (x *exact) slowValues(s game.State) [][]float64 {
	if s.CurrentPlayer() < 0 {
		return x.values(s)
	}
	var after [][][]float64
	for _, a := range s.LegalActions(nil) {
		after = append(after, x.slowValues(x.after(s, a)))
	}
	var set [][]float64
	way := make([][]float64, len(after))
	var choose func(i int)
	choose = func(i int) {
		if i < len(after) {
			for _, way[i] = range after[i] {
				choose(i + 1)
			}
			return
		}
		most := 0.0
		for _, v := range way {
			most = max(most, v[s.CurrentPlayer()])
		}
		for _, v := range way {
			if v[s.CurrentPlayer()] == most {
				set = join(set, v)
			}
		}
	}
	choose(0)
	return set
}

func sorted(set [][]float64) [][]float64 {
	set = slices.Clone(set)
	slices.SortFunc(set, slices.Compare)
	return set
}

// TestExactByHand compares the solver with positions solved by hand.
func TestExactByHand(t *testing.T) {
	for _, test := range []struct {
		game    string
		actions []game.Action
		want    [][]float64
	}{
		{"tictactoe", nil, [][]float64{{0.5, 0.5}}},
		// X in a corner and the centre, O beside the corner: O must take the
		// far corner, and X makes two threats at once.
		{"tictactoe", []game.Action{0, 1, 4}, [][]float64{{1, 0}}},
		// One row of three points, three colours: the first takes all.
		{"go:rows=1,columns=3,players=3", nil, [][]float64{{1, 0, 0}}},
		// Two in a row of seven win. The first player, on the left edge, has
		// one cell to win on, the second two. The third can win nothing: if it
		// takes the first's cell the second wins, else the first.
		{"mnk:rows=1,columns=7,in_row=2,players=3",
			[]game.Action{0, 4}, [][]float64{{0, 1, 0}, {1, 0, 0}}},
	} {
		g := game.Must(game.New(test.game))
		s := g.NewState()
		for _, a := range test.actions {
			s.Apply(a)
		}
		if got := sorted(newExact(g).values(s)); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s after %v: the solver gives %v, not %v",
				test.game, test.actions, got, test.want)
		}
	}
}

// TestExactAgainstDefinition compares the solver with the definition on games with many ties.
func TestExactAgainstDefinition(t *testing.T) {
	several := 0
	for seed := range uint64(300) {
		g := &maze{seed: seed, players: 3, actions: 3, plies: 5, steps: 1 + int(seed%2)}
		x, s := newExact(g), g.NewState()
		got, want := sorted(x.values(s)), sorted(x.slowValues(s))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("maze %d: the solver gives %v, the definition %v", seed, got, want)
		}
		if len(want) > 1 {
			several++
		}
	}
	if several < 30 {
		t.Errorf("only %d mazes have several values", several)
	}
}

// TestConverges searches small positions with many simulations and expects an action that max^n
// may choose and, if the position has one value, that value.
func TestConverges(t *testing.T) {
	type position struct {
		g       game.Game
		s       game.State
		actions string
	}
	var positions []position
	named := func(name string, actions ...game.Action) {
		g := game.Must(game.New(name))
		s := g.NewState()
		for _, a := range actions {
			s.Apply(a)
		}
		positions = append(positions, position{g, s, fmt.Sprint(name, actions)})
	}
	named("tictactoe")
	named("tictactoe", 0)
	named("tictactoe", 0, 1)
	named("mnk:rows=1,columns=7,in_row=2,players=3", 0, 4)
	named("go:rows=1,columns=3,players=3")
	named("go:rows=1,columns=3,players=2")
	named("go:rows=1,columns=4,players=2")
	named("go:rows=1,columns=4,players=3")
	named("go:rows=1,columns=3,players=2,pass=free")
	rng := random.New(1, random.Test, 2)
	for i := range 6 {
		name := []string{
			"tictactoe", "tictactoe:players=3", "mnk:rows=2,columns=5,in_row=3,players=3",
		}[i%3]
		g := game.Must(game.New(name))
		s := randomState(g, 3+i%3, rng)
		positions = append(positions, position{g, s, fmt.Sprint(name, " random ", i)})
	}
	for seed := range uint64(10) {
		g := &maze{
			seed: 50 + seed, players: 1 + int(seed%3), actions: 4, plies: 5, steps: 6,
			chance: seed%2 == 0,
		}
		s := randomState(g, 0, rng)
		if s.CurrentPlayer() != game.Nobody {
			positions = append(positions, position{g, s, fmt.Sprint("maze ", seed)})
		}
	}

	// The mean over all simulations includes early ones, before the best action was known.
	const tolerance = 0.1
	sole := 0
	for i, p := range positions {
		rng := random.New(uint64(i), random.Test, 3)
		x := newExact(p.g)
		set := x.values(p.s)
		if len(set) == 1 {
			sole++
		}
		players := p.g.Players()
		for _, v := range []struct {
			name string
			tree *mcts.Tree
			eval search.Evaluator
		}{
			{"UCT", mcts.NewUCT(p.g, mcts.UCT{Simulations: 100_000, C: 0.8, MaxNodes: 50_000}, rng),
				search.NewPlayouts(p.g, rng)},
			{
				"PUCT", mcts.NewPUCT(p.g, mcts.PUCT{Simulations: 100_000, C: 0.8, MaxNodes: 50_000},
					rng), search.NewConstant(p.g, 1/float32(players)),
			},
			{
				"Gumbel", mcts.NewPUCT(p.g,
					mcts.PUCT{
						Simulations: 100_000, MaxNodes: 50_000, Gumbel: mcts.PublishedGumbel(),
					}, rng), search.NewConstant(p.g, 1/float32(players)),
			},
			{"Gumbel, PUCT below", mcts.NewPUCT(p.g, mcts.PUCT{
				Simulations: 100_000, C: 0.8, MaxNodes: 50_000,
				Gumbel: mcts.Gumbel{
					Considered: 16, VisitOffset: 50, ValueScale: 0.1, Interior: mcts.ByPUCT,
				},
			}, rng), search.NewConstant(p.g, 1/float32(players))},
		} {
			v.tree.Start(p.s)
			search.Run(v.tree, v.eval)
			value := make([]float32, players)
			v.tree.Value(value)
			if a := v.tree.Best(); !x.nearlyGood(p.s, a, tolerance) {
				t.Errorf("%s, %s: action %d is none of max^n's (value %v, exact %v)",
					p.actions, v.name, a, value, set)
			}
			if len(set) > 1 || v.name == "Gumbel" {
				// Full Gumbel stops trying actions below the root: see mcts.Improved.
				continue
			}
			for seat, want := range set[0] {
				if math.Abs(float64(value[seat])-want) > tolerance {
					t.Errorf("%s, %s: the value is %v, exactly %v", p.actions, v.name, value, set)
					break
				}
			}
		}
	}
	if sole < len(positions)/2 {
		t.Errorf("only %d of %d positions have one value", sole, len(positions))
	}
}

// nearlyGood reports whether max^n may choose a in s, if the player to move takes utilities
// that differ by less than slack as equal.
func (x *exact) nearlyGood(s game.State, a game.Action, slack float64) bool {
	m := s.CurrentPlayer()
	threshold, most := math.Inf(-1), math.Inf(-1)
	for _, b := range s.LegalActions(nil) {
		least := math.Inf(1)
		for _, v := range x.values(x.after(s, b)) {
			least = min(least, v[m])
			if a == b {
				most = max(most, v[m])
			}
		}
		threshold = max(threshold, least)
	}
	return most >= threshold-slack
}
