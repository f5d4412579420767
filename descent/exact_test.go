package descent_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tengen/descent"
	"tengen/game"
	"tengen/search"
)

// exact solves positions by max^n. A player may be indifferent among actions that differ for
// the others, so a position has a set of values: all that result from some way of breaking
// ties, here and further down.
type exact struct {
	g    game.Game
	memo map[uint64][][]float32
}

func newExact(g game.Game) *exact { return &exact{g: g, memo: map[uint64][][]float32{}} }

// values is the set of attainable vectors of utilities.
func (x *exact) values(s game.State) [][]float32 {
	if set, ok := x.memo[s.Hash()]; ok {
		return set
	}
	var set [][]float32
	if s.CurrentPlayer() == game.Nobody {
		u := make([]float32, x.g.Players())
		s.Returns(u)
		set = [][]float32{u}
	} else {
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
func (x *exact) actions(s game.State) map[game.Action][][]float32 {
	m := s.CurrentPlayer()
	legal := s.LegalActions(nil)
	after := make([][][]float32, len(legal))
	threshold := float32(math.Inf(-1))
	for i, a := range legal {
		after[i] = x.values(x.after(s, a))
		least := float32(math.Inf(1))
		for _, v := range after[i] {
			least = min(least, v[m])
		}
		threshold = max(threshold, least)
	}
	good := map[game.Action][][]float32{}
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

func has(set [][]float32, v []float32) bool {
	return slices.ContainsFunc(set, func(w []float32) bool { return slices.Equal(v, w) })
}

func join(set [][]float32, v []float32) [][]float32 {
	if has(set, v) {
		return set
	}
	return append(set, v)
}

// minimax returns the value of s for player 0 of two, by plain minimax.
func minimax(g game.Game, s game.State, memo map[uint64]float32) float32 {
	if v, ok := memo[s.Hash()]; ok {
		return v
	}
	var best float32
	if s.CurrentPlayer() == game.Nobody {
		u := make([]float32, 2)
		s.Returns(u)
		best = u[0]
	} else {
		for i, a := range s.LegalActions(nil) {
			next := copyOf(g, s)
			next.Apply(a)
			v := minimax(g, next, memo)
			if i == 0 || s.CurrentPlayer() == 0 && v > best || s.CurrentPlayer() == 1 && v < best {
				best = v
			}
		}
	}
	memo[s.Hash()] = best
	return best
}

// TestExactByHand compares the solver with positions solved by hand.
func TestExactByHand(t *testing.T) {
	for _, test := range []struct {
		game    string
		actions []game.Action
		want    [][]float32
	}{
		{"tictactoe", nil, [][]float32{{0.5, 0.5}}},
		// X in a corner and the centre, O beside the corner: O must take the
		// far corner, and X makes two threats at once.
		{"tictactoe", []game.Action{0, 1, 4}, [][]float32{{1, 0}}},
		// One row of three points, three colours: the first takes all.
		{"go:rows=1,columns=3,players=3", nil, [][]float32{{1, 0, 0}}},
		// Two in a row of seven win. The first player, on the left edge, has
		// one cell to win on, the second two. The third can win nothing: if it
		// takes the first's cell the second wins, else the first.
		{"mnk:rows=1,columns=7,in_row=2,players=3",
			[]game.Action{0, 4}, [][]float32{{0, 1, 0}, {1, 0, 0}}},
	} {
		g := game.Must(game.New(test.game))
		s := g.NewState()
		for _, a := range test.actions {
			s.Apply(a)
		}
		got := slices.Clone(newExact(g).values(s))
		slices.SortFunc(got, slices.Compare)
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s after %v: the solver gives %v, not %v",
				test.game, test.actions, got, test.want)
		}
	}
}

// TestResolves searches some hundreds of small positions by Descent and UBFM, with misleading
// evaluators, until they are resolved. The value must then be one of max^n's, with two players
// that of minimax; the same holds for every resolved child, and the decisions must be optimal.
// With two players, a game continued from there must end with that value.
func TestResolves(t *testing.T) {
	type position struct {
		g    game.Game
		s    game.State
		name string
	}
	var positions []position
	rng := newRand(1)
	for _, kind := range []struct {
		game             string
		from, to, number int // plies played before
	}{
		{"tictactoe", 0, 5, 60},
		{"tictactoe:players=3", 2, 6, 60},
		{"tictactoe:players=3", 0, 0, 1},
		{"mnk:rows=2,columns=5,in_row=3,players=3", 2, 5, 20},
		{"mnk:rows=1,columns=7,in_row=2,players=3", 0, 3, 20},
		{"mnk:rows=3,columns=4,in_row=3", 3, 6, 20},
		{"mnk:rows=2,columns=6,in_row=4", 4, 7, 20},
		{"go:rows=1,columns=3,players=2", 0, 3, 10},
		{"go:rows=1,columns=3,players=3", 0, 3, 10},
		{"go:rows=1,columns=4,players=2", 0, 4, 20},
		{"go:rows=1,columns=4,players=3", 0, 4, 20},
		{"go:rows=1,columns=4,players=2,reward=win,komi=[0,0.5]", 0, 4, 20},
		{"go:rows=1,columns=5,players=2,max_plies=14", 1, 6, 20},
		{"go:rows=1,columns=5,players=3,max_plies=10", 0, 5, 20},
		{"go:rows=1,columns=3,players=2,pass=free", 0, 4, 10},
		{"go:rows=2,columns=2,players=3,max_plies=9", 0, 4, 10},
	} {
		for range kind.number {
			g := game.Must(game.New(kind.game))
			s, actions := randomState(g, kind.from+rng.IntN(kind.to-kind.from+1), rng)
			positions = append(positions, position{g, s, fmt.Sprint(kind.game, " after ", actions)})
		}
	}
	for i, g := range mazes(240) {
		if s := g.NewState(); s.CurrentPlayer() != game.Nobody {
			positions = append(positions, position{g, s, fmt.Sprint("maze ", i)})
		}
	}

	solvers := map[string]*exact{}
	several, decisive := 0, 0
	for i, p := range positions {
		x := solvers[p.g.Name()]
		if x == nil || p.g.Name() == "maze" {
			x = newExact(p.g)
			solvers[p.g.Name()] = x
		}
		set := x.values(p.s)
		if len(set) > 1 {
			several++
		}
		_, constant := p.g.(game.ConstantSum)
		zeroSum := constant && p.g.Players() == 2
		if zeroSum {
			if v := minimax(p.g, p.s, map[uint64]float32{}); len(set) != 1 || set[0][0] != v {
				t.Fatalf("%s: max^n gives %v, minimax %v", p.name, set, v)
			}
			if set[0][0] != 0.5 {
				decisive++
			}
		}
		for _, bestFirst := range []bool{false, true} {
			name := fmt.Sprintf("%s, best first %v", p.name, bestFirst)
			tree := descent.New(p.g, descent.Options{BestFirst: bestFirst, Iterations: 1 << 20},
				newRand(uint64(i)))
			e := newHashed(p.g, uint64(i), []int{0, 2, 5}[i%3])
			tree.Start(p.s)
			for n := 1; !tree.Advance(e); n++ {
				tree.Deliver(must(e.Evaluate()))
				if n&(n-1) == 0 { // what is said to be resolved on the way is so, too
					x.check(t, name, p.s, tree)
				}
			}
			value := make([]float32, p.g.Players())
			if tree.Value(value); !tree.Resolved() {
				t.Fatalf("%s: not resolved after %+v", name, tree.Stats())
			}
			if !has(set, value) {
				t.Errorf("%s: the value is %v, exactly %v", name, value, set)
			}
			// An iteration expands a state, or meets one that another line has resolved, and
			// resolves the one before it.
			if stats := tree.Stats(); stats.Simulations > 2*stats.Nodes {
				t.Errorf("%s: %d iterations resolve a tree of %d states",
					name, stats.Simulations, stats.Nodes)
			}
			x.check(t, name, p.s, tree)
			good := x.actions(p.s)
			for _, a := range []game.Action{tree.Best(), tree.Safe()} {
				if len(good[a]) == 0 {
					t.Errorf("%s: action %d is not one of max^n's", name, a)
				}
			}
			if !zeroSum {
				continue
			}
			s := copyOf(p.g, p.s)
			for s.CurrentPlayer() != game.Nobody {
				search.Run(tree, e)
				a := tree.Safe()
				s.Apply(a)
				tree.Play(a)
			}
			end := make([]float32, 2)
			if s.Returns(end); !slices.Equal(end, value) {
				t.Errorf("%s: the game ends with %v, resolved as %v", name, end, value)
			}
		}
	}
	t.Logf("%d positions, %d with several values, %d of two players decisive",
		len(positions), several, decisive)
	if len(positions) < 400 || several < 40 || decisive < 50 {
		t.Errorf("%d positions, %d with several values, %d of two players decisive",
			len(positions), several, decisive)
	}
}

// check compares the resolved children of the root with the solver.
func (x *exact) check(t *testing.T, name string, s game.State, tree *descent.Tree) {
	t.Helper()
	for _, c := range tree.Children(nil) {
		if !c.Exact {
			if tree.Completion(c.Action) != 0 {
				t.Fatalf("%s: action %d has completion %d and is not resolved",
					name, c.Action, tree.Completion(c.Action))
			}
			continue
		}
		if set := x.values(x.after(s, c.Action)); !has(set, c.Value[:x.g.Players()]) {
			t.Fatalf("%s: action %d is resolved as %v, exactly %v", name, c.Action, c.Value, set)
		}
		want := 0
		switch c.Value[s.CurrentPlayer()] {
		case 1:
			want = 1
		case 0:
			want = -1
		}
		if tree.Completion(c.Action) != want {
			t.Fatalf("%s: action %d has completion %d with %v",
				name, c.Action, tree.Completion(c.Action), c.Value)
		}
	}
}
