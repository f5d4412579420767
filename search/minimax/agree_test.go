package minimax

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// groves draws games of all kinds.
func groves(rng *rand.Rand) *grove {
	g := &grove{
		seed: rng.Uint64(), players: 1 + rng.IntN(4), actions: 1 + rng.IntN(4),
		picks: 1 + rng.IntN(3),
		turns: 2 + rng.IntN(6), grounds: 2 + rng.IntN(40),
		chance: rng.IntN(2) == 0, gains: rng.IntN(3) == 0, thirds: rng.IntN(2) == 0,
		turned: rng.IntN(2) == 0, regular: rng.IntN(2) == 0,
		endless: rng.IntN(2) == 0,
	}
	// If a player may move again after its turn, one turn of the search may be several turns of
	// the game.
	g.regular = g.regular || g.gains
	if g.gains && rng.IntN(3) == 0 {
		g.picks = 0 // turns may then bring as much as they are said to at most
	}
	switch rng.IntN(3) {
	case 0:
		g.undo = true
	case 1:
		g.skip = true
	}
	if g.turned {
		g.lastTurn = rng.IntN(2) == 0
		g.ranges = rng.IntN(2) == 0
	}
	return g
}

// depthFor draws a depth at which full-width search of g does not take too long.
func depthFor(g *grove, rng *rand.Rand) int {
	lines, sets := 1.0, 1.0 // lines of play of a turn
	for k := range min(g.picks, g.actions) {
		sets *= float64(g.actions - k)
		lines += sets
	}
	if g.chance {
		lines *= 4
	}
	depth, size := 1, lines
	for size *= lines; depth < 6 && size < 4000; size *= lines {
		depth++
	}
	return 1 + rng.IntN(depth)
}

// wander returns a position after a few random actions, in which a player is to move.
func wander(g game.Game, rng *rand.Rand, most int) game.State {
	for {
		s := g.NewState()
		for range rng.IntN(most + 1) {
			switch s.CurrentPlayer() {
			case game.Nobody:
			case game.Chance:
				s.Apply(s.(game.Chancer).Sample(rng))
			default:
				legal := s.LegalActions(nil)
				s.Apply(legal[rng.IntN(len(legal))])
			}
		}
		for s.CurrentPlayer() == game.Chance {
			s.Apply(s.(game.Chancer).Sample(rng))
		}
		if s.CurrentPlayer() >= 0 {
			return s
		}
	}
}

func searcher(t testing.TB, g game.Game, o Options) *Searcher {
	t.Helper()
	s, err := New(g, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// same compares a result with the reference's, to the bit.
func same(c choice, r Result) error {
	if r.Action != c.actions[c.best] || r.Value != c.values[c.best] {
		return fmt.Errorf("chooses %d of value %v, where %d of value %v is wanted",
			r.Action, r.Value, c.actions[c.best], c.values[c.best])
	}
	if len(r.Moves) != len(c.actions) {
		return fmt.Errorf("%d moves of %d", len(r.Moves), len(c.actions))
	}
	for i, m := range r.Moves {
		if m.Action != c.actions[i] || m.Bound == Exact && m.Value != c.values[i] ||
			m.Bound == Upper && (m.Value < c.values[i] || m.Value > c.values[c.best]) {
			return fmt.Errorf("move %+v, where %d of value %v is wanted",
				m, c.actions[i], c.values[i])
		}
	}
	if len(r.PrincipalVariation) == 0 || r.PrincipalVariation[0] != r.Action {
		return fmt.Errorf("line %v for %d", r.PrincipalVariation, r.Action)
	}
	return nil
}

// TestPlain compares full-width search with the reference: values, choices and counts.
func TestPlain(t *testing.T) {
	rng := random.New(1, random.Test, 1)
	for i := range 400 {
		g := groves(rng)
		h := g.Heuristics()[0]
		s := wander(g, rng, 4)
		depth := depthFor(g, rng)
		opponents := Opponents(rng.IntN(3))
		c := refer(g, h, s, depth, opponents, 0, 0)
		if c.nodes > mostNodes {
			continue
		}
		before := s.Hash()
		r := searcher(t, g, Options{
			Depth: depth, Opponents: opponents, Longhand: i%2 == 0,
		}).Search(s)
		if err := same(c, r); err != nil {
			t.Fatalf("%s, %v, depth %d: %v", g.Name(), opponents, depth, err)
		}
		if s.Hash() != before {
			t.Fatal("the search has changed the state")
		}
		if r.Depth != depth || len(r.Iterations) != 1 || r.Leaves != c.leaves {
			t.Fatalf("%s, %v: depth %d, %d leaves, where %d and %d are wanted",
				g.Name(), opponents, r.Depth, r.Leaves, depth, c.leaves)
		}
		if i%2 == 0 && (r.Nodes != c.nodes || r.Complete == c.cut) {
			t.Fatalf("%s, %v: %d nodes, complete %v; %d and %v are wanted",
				g.Name(), opponents, r.Nodes, r.Complete, c.nodes, !c.cut)
		}
		if opponents == MaxN {
			for p, v := range r.Values {
				if v != c.vectors[c.best][p] {
					t.Fatalf("%s: max^n values %v, where %v are wanted",
						g.Name(), r.Values, c.vectors[c.best])
				}
			}
		}
	}
}

// TestPruned compares all ways of pruning with the reference, on the same and on further
// positions: equal values and choices, to the bit.
func TestPruned(t *testing.T) {
	rng := random.New(1, random.Test, 2)
	var plain, pruned int64
	compared := 0
	for range 3000 {
		g := groves(rng)
		h := g.Heuristics()[0]
		s := wander(g, rng, 4)
		depth := depthFor(g, rng)
		o := Options{
			Depth: depth, Opponents: []Opponents{Paranoid, Paranoid, MaxN, BestReply}[rng.IntN(4)],
			Prune: rng.IntN(5) > 0, Star: rng.IntN(3),
			Table: []int{0, 64, 1 << 10, 1 << 14}[rng.IntN(4)], Direct: rng.IntN(2) == 0,
			Longhand: rng.IntN(3) == 0,
		}
		if rng.IntN(5) == 0 {
			o.Nodes = 1 << 40 // deepens iteratively
		}
		samples := 0
		c := refer(g, h, s, depth, o.Opponents, samples, 0)
		if c.nodes > mostNodes {
			continue
		}
		compared++
		w := searcher(t, g, o)
		r := w.Search(s)
		if err := same(c, r); err != nil {
			t.Fatalf("%s, %+v: %v", g.Name(), o, err)
		}
		if r.Depth != depth && !r.Complete {
			t.Fatalf("%s, %+v: depth %d", g.Name(), o, r.Depth)
		}
		if r.Complete && c.cut && !o.Prune {
			t.Fatalf("%s, %+v: complete, though lines are cut short", g.Name(), o)
		}
		if o.Prune && r.Depth == depth {
			plain, pruned = plain+c.leaves, pruned+r.Leaves
		}
		// A filled table changes nothing.
		if err := same(c, w.Search(s)); err != nil {
			t.Fatalf("%s, %+v, again: %v", g.Name(), o, err)
		}
	}
	if compared < 2300 {
		t.Errorf("only %d positions are compared", compared)
	}
	if pruned*3 > plain*2 {
		t.Errorf("pruned searches have %d leaves, plain ones %d", pruned, plain)
	}
}

// TestWindows checks the fail-soft values of alpha-beta for random windows: at most alpha they
// are upper bounds, at least beta lower bounds, and between the two exact. All windows use one
// table.
func TestWindows(t *testing.T) {
	rng := random.New(1, random.Test, 6)
	below, above, within := 0, 0, 0
	for range 800 {
		g := groves(rng)
		g.chance = g.chance || rng.IntN(2) == 0
		s := wander(g, rng, 4)
		depth := depthFor(g, rng)
		o := Options{
			Depth: depth, Opponents: []Opponents{Paranoid, BestReply}[rng.IntN(2)], Prune: true,
			Star: rng.IntN(3), Table: []int{0, 1 << 10, 1 << 14}[rng.IntN(3)],
			Longhand: rng.IntN(2) == 0,
		}
		c := refer(g, g.Heuristics()[0], s, depth, o.Opponents, 0, 0)
		if c.nodes > mostNodes {
			continue
		}
		w := searcher(t, g, o)
		w.Search(s) // fills the table
		w.begin(s)
		w.setLimits(false)
		w.root.left = depth
		f := w.frames[0]
		f.state.CopyFrom(s)
		if w.turned {
			w.limit = f.turned.Turn() + depth
		}
		for i, a := range c.actions {
			for range 6 {
				want := c.values[i] - w.gain(f, a, w.me)
				alpha := want + float64(rng.IntN(9)-6)/2
				beta := alpha + float64(1+rng.IntN(8))/2
				got := w.alphaBeta(1, w.enter(0, a, w.me, w.root), alpha, beta)
				w.leave(0)
				const rounding = 1e-12 // of the gain
				switch {
				case got <= alpha:
					below++
					if want > got+rounding {
						t.Fatalf("%s, %+v: at most %v in (%v, %v), where %v is wanted",
							g.Name(), o, got, alpha, beta, want)
					}
				case got >= beta:
					above++
					if want < got-rounding {
						t.Fatalf("%s, %+v: at least %v in (%v, %v), where %v is wanted",
							g.Name(), o, got, alpha, beta, want)
					}
				default:
					within++
					if want < got-rounding || want > got+rounding {
						t.Fatalf("%s, %+v: %v in (%v, %v), where %v is wanted",
							g.Name(), o, got, alpha, beta, want)
					}
				}
			}
		}
	}
	if min(below, above, within) < 500 {
		t.Errorf("%d values below the window, %d above, %d within", below, above, within)
	}
}

// TestIdenticalChoices compares minimax and alpha-beta with ties drawn from
// equal streams.
func TestIdenticalChoices(t *testing.T) {
	rng := random.New(1, random.Test, 3)
	var plain, pruned int64
	for i := range 10_000 {
		g := &grove{
			seed: rng.Uint64(), players: 2, actions: 4, picks: 1, turns: 8, grounds: 50,
			regular: true, turned: true, gains: i%2 == 0,
		}
		s := wander(g, rng, 3)
		var results [2]Result
		for k := range results {
			w := searcher(t, g, Options{Depth: 3, Prune: k == 1, RandomTies: true})
			w.SetRand(random.New(1, random.Test, 4, uint64(i)))
			results[k] = w.Search(s)
		}
		if a, b := results[0], results[1]; a.Action != b.Action || a.Value != b.Value {
			t.Fatalf("%s: minimax chooses %d (%v), alpha-beta %d (%v)",
				g.Name(), a.Action, a.Value, b.Action, b.Value)
		}
		plain, pruned = plain+results[0].Nodes, pruned+results[1].Nodes
	}
	if pruned >= plain {
		t.Errorf("alpha-beta visits %d nodes, minimax %d", pruned, plain)
	}
}

// TestValue: the value of a position is that of its best action, at a chance
// state the mean.
func TestValue(t *testing.T) {
	rng := random.New(1, random.Test, 7)
	for range 300 {
		g := groves(rng)
		s := wander(g, rng, 3)
		depth := depthFor(g, rng)
		c := refer(g, g.Heuristics()[0], s, depth, Paranoid, 0, 0)
		if c.nodes > mostNodes {
			continue
		}
		o := Options{Depth: depth, Prune: rng.IntN(2) == 0, Star: rng.IntN(3)}
		r := searcher(t, g, o).Evaluate(s, s.CurrentPlayer())
		if r.Value != c.values[c.best] || !o.Prune && r.Leaves != c.leaves {
			t.Fatalf("%s, %+v: %v after %d leaves, where %v after %d are wanted",
				g.Name(), o, r.Value, r.Leaves, c.values[c.best], c.leaves)
		}
	}
	// Chance first: 16 states of one game, each weighted by its probability.
	for _, turned := range []bool{false, true} {
		g := &grove{
			seed: 8, players: 2, actions: 3, picks: 1, turns: 6, grounds: 30, chance: true,
			turned: turned, regular: true,
		}
		s := g.NewState()
		for s.CurrentPlayer() != game.Chance {
			s.Apply(s.LegalActions(nil)[0])
		}
		mean, leaves := 0.0, int64(0)
		for _, o := range s.(game.Chancer).Outcomes(nil) {
			next := g.NewState()
			next.CopyFrom(s)
			next.Apply(o.Action)
			c := refer(g, g.Heuristics()[0], next, 2, Paranoid, 0, 0)
			v := c.values[c.best]
			if next.CurrentPlayer() != 0 {
				v = -v
			}
			mean, leaves = mean+float64(o.Probability*v), leaves+c.leaves
		}
		r := searcher(t, g, Options{Depth: 2}).Evaluate(s, 0)
		if d := r.Value - mean; d > 1e-12 || d < -1e-12 || r.Leaves != leaves {
			t.Errorf("turned %v: %v after %d leaves, where %v after %d are wanted",
				turned, r.Value, r.Leaves, mean, leaves)
		}
	}
}

// TestTies: every action with the greatest value is drawn, and no other.
func TestTies(t *testing.T) {
	rng := random.New(1, random.Test, 5)
	drawn := 0
	for range 40 {
		g := &grove{
			seed: rng.Uint64(), players: 2, actions: 4, picks: 1, turns: 4, grounds: 3,
			regular: true, turned: true,
		}
		s := wander(g, rng, 2)
		c := refer(g, g.Heuristics()[0], s, 2, Paranoid, 0, 0)
		seen := map[game.Action]bool{}
		w := searcher(t, g, Options{Depth: 2, Prune: true, RandomTies: true})
		w.SetRand(rng)
		for range 100 {
			seen[w.Search(s).Action] = true
		}
		for i, a := range c.actions {
			if want := c.values[i] == c.values[c.best]; seen[a] != want {
				t.Fatalf("%s: of values %v, action %d is drawn: %v", g.Name(), c.values, a, seen[a])
			}
		}
		if len(seen) > 1 {
			drawn++
		}
	}
	if drawn == 0 {
		t.Error("there are no ties")
	}
}

// TestTieRanks: with Ties, pruned and plain searches take the best action of least rank, the first
// of these, and the same value as without.
func TestTieRanks(t *testing.T) {
	rng := random.New(1, random.Test, 31)
	differ := 0
	for range 200 {
		g := groves(rng)
		s := wander(g, rng, 6)
		depth := 1 + rng.IntN(3)
		rank := func(a game.Action) int { return int(a*7+3) % 3 }
		o := Options{Depth: depth, Samples: 1}
		plain := searcher(t, g, o).Search(s)
		o.Ties = rank
		got := searcher(t, g, o).Search(s)
		want := plain.Action
		for _, m := range plain.Moves {
			if m.Value == plain.Value && rank(m.Action) < rank(want) {
				want = m.Action
			}
		}
		if want != plain.Action {
			differ++
		}
		o.Prune, o.Star, o.Table = true, 2, 1<<16
		pruned := searcher(t, g, o).Search(s)
		if got.Action != want || pruned.Action != want || got.Value != plain.Value ||
			pruned.Value != plain.Value {
			t.Fatalf("%+v, depth %d: %d (%v), pruned %d (%v); want %d (%v)",
				g, depth, got.Action, got.Value, pruned.Action, pruned.Value, want, plain.Value)
		}
	}
	if differ < 5 {
		t.Errorf("in %d positions only there was a choice", differ)
	}
}

// TestValueRange: the range of a position's values grows with the remaining turns.
func TestValueRange(t *testing.T) {
	g := &grove{
		seed: 1, players: 3, actions: 2, picks: 1, turns: 9, grounds: 9, gains: true, regular: true,
	}
	turn := float64(mostGain * 2)
	for _, c := range []struct {
		rule  Opponents
		turns float64 // of anybody, in five turns of the search
	}{{Paranoid, 5}, {BestReply, 15}} {
		w := searcher(t, g, Options{Opponents: c.rule})
		floor, ceiling := w.valueRange(w.frames[0], context{left: 5})
		if d := floor - (low - c.turns*turn); d > 0 || d < -1e-6 {
			t.Errorf("%v: values are at least %v", c.rule, floor)
		}
		if d := ceiling - (high + c.turns*turn); d < 0 || d > 1e-6 {
			t.Errorf("%v: values are at most %v", c.rule, ceiling)
		}
	}
}
