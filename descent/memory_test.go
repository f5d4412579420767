package descent_test

import (
	"slices"
	"strings"
	"testing"

	"tengen/descent"
	"tengen/game"
	"tengen/search"
)

// TestMemory plays games with small trees: the tree stays within its cap, every search returns
// an action, and each searched state is reported exactly once, when it is dropped or at the
// end.
func TestMemory(t *testing.T) {
	const most = 300
	full, forgotten := 0, uint64(0)
	for seed := range uint64(24) {
		g := game.Must(game.New([]string{
			"go:size=3,players=3", "go:size=4,players=2", "go:rows=2,columns=4,players=3",
		}[seed%3]))
		rng := newRand(seed)
		o := descent.Options{BestFirst: seed%2 == 1, Iterations: 40, MaxNodes: most}
		tree := descent.New(g, o, rng)
		e := newHashed(g, seed, 0)
		var list []descent.Subtree
		told := 0
		tree.OnForget(func(subs []descent.Subtree) {
			if len(subs) == 0 {
				t.Fatal("told of no subtree")
			}
			list = append(list, subs...)
			for _, sub := range subs {
				told += len(sub.Actions)
			}
		})
		s := g.NewState()
		start := copyOf(g, s)
		var actions []game.Action
		expansions := 0
		for tree.Start(s); s.CurrentPlayer() != game.Nobody; {
			if rng.IntN(6) > 0 {
				search.Run(tree, e)
				if tree.Best() == game.NoAction || tree.Safe() == game.NoAction ||
					len(tree.PrincipalVariation(nil)) == 0 {
					t.Fatalf("no action after %+v", tree.Stats())
				}
			}
			stats := tree.Stats()
			if stats.Nodes > most {
				t.Fatalf("%d states are held", stats.Nodes)
			}
			if stats.Full {
				full++
				if stats.Nodes <= most-g.Actions() {
					t.Fatalf("full with %d of %d states", stats.Nodes, most)
				}
			} else if stats.Simulations > 0 && stats.Simulations < o.Iterations &&
				!tree.Resolved() {
				t.Fatalf("an open search ends with %+v", stats)
			}
			expansions += stats.Expanded
			if err := tree.Invariant(); err != nil {
				t.Fatal(err)
			}
			before := tree.Stats()
			expanded, finished := tree.Held()
			told = 0
			legal := s.LegalActions(nil)
			a := legal[rng.IntN(len(legal))]
			s.Apply(a)
			actions = append(actions, a)
			tree.Play(a)
			if err := tree.Invariant(); err != nil {
				t.Fatal(err)
			}
			after := tree.Stats()
			if n := before.Nodes - after.Nodes; n != int(after.Forgotten-before.Forgotten) {
				t.Fatalf("%d states are dropped, %d forgotten", n, after.Forgotten-before.Forgotten)
			}
			expandedNow, finishedNow := tree.Held()
			if n := expanded + finished - expandedNow - finishedNow; n != told {
				t.Fatalf("%d states are told of when %d are dropped", told, n)
			}
			if s.CurrentPlayer() >= 0 && after.Nodes > most/2 {
				if n := strings.Count(tree.Dump(), "[") / 2; n != after.Nodes {
					t.Fatalf("%d states are held, %d of them below the root", after.Nodes, n)
				}
			}
		}
		stats := tree.Stats()
		forgotten += stats.Forgotten
		list = append(list, tree.Subtrees()...)
		found := replay(t, g, start, actions, false, list)
		decisions := 0
		for _, f := range found {
			if f.state.CurrentPlayer() >= 0 {
				decisions++
			}
		}
		if decisions != expansions {
			t.Errorf("%d states were expanded, and %d told of", expansions, decisions)
		}
	}
	t.Logf("full %d times, %d states forgotten", full, forgotten)
	if full < 10 || forgotten < 1000 {
		t.Errorf("full %d times, %d states forgotten", full, forgotten)
	}
}

// TestCompactionKeepsTheTree: the tree below the new position is the same with and without
// compaction, in a game with hardly any transpositions.
func TestCompactionKeepsTheTree(t *testing.T) {
	compactions := 0
	for seed := range uint64(60) {
		g := game.Must(game.New([]string{
			"go:size=3,players=3", "go:size=4,players=2", "go:rows=2,columns=5,players=3",
		}[seed%3]))
		o := descent.Options{
			BestFirst: seed%2 == 1, Iterations: 30, Terminal: descent.Terminal{Depth: seed%4 > 1},
		}
		roomy := descent.New(g, o, newRand(seed))
		o.MaxNodes = 2000
		narrow := descent.New(g, o, newRand(seed))
		e := newHashed(g, seed, 3)
		s := g.NewState()
		roomy.Start(s)
		narrow.Start(s)
		moves := newRand(seed, 1)
		for s.CurrentPlayer() != game.Nobody {
			search.Run(roomy, e)
			search.Run(narrow, e)
			if narrow.Stats().Full {
				break // from here on they differ
			}
			legal := s.LegalActions(nil)
			a := legal[moves.IntN(len(legal))]
			s.Apply(a)
			before := narrow.Stats().Forgotten
			roomy.Play(a)
			narrow.Play(a)
			if narrow.Stats().Forgotten > before {
				compactions++
			}
			if x, y := roomy.Dump(), narrow.Dump(); x != y {
				t.Fatalf("%s, seed %d: with room the tree is\n%s\nwithout\n%s",
					g.Name(), seed, x, y)
			}
		}
	}
	if compactions < 30 {
		t.Errorf("only %d compactions", compactions)
	}
}

// TestMemoryOfEdges: with many transpositions the tree runs out of edges.
func TestMemoryOfEdges(t *testing.T) {
	full, forgotten := 0, uint64(0)
	for i := range 4 {
		// Some 1,400 states can be reached: less than half of the latter.
		most, bestFirst := []int{1500, 3000}[i/2], i%2 == 1
		g := &maze{seed: 3, players: 2, actions: 40, levels: 60, skip: 1, cells: 24, steps: 1000}
		tree := descent.New(g,
			descent.Options{BestFirst: bestFirst, Iterations: 2000, MaxNodes: most}, newRand(1))
		e := newHashed(g, 1, 0)
		s := g.NewState()
		for tree.Start(s); s.CurrentPlayer() != game.Nobody; {
			search.Run(tree, e)
			stats := tree.Stats()
			if stats.Nodes > most-g.Actions() || tree.Edges() > 8*most {
				t.Fatalf("%d edges, %+v", tree.Edges(), stats)
			}
			if stats.Full {
				full++
			}
			a := tree.Best()
			if a == game.NoAction {
				t.Fatalf("no action after %+v", stats)
			}
			s.Apply(a)
			tree.Play(a)
			if s.CurrentPlayer() >= 0 && tree.Edges() > 4*most {
				if held, n := tree.Stats().Nodes, strings.Count(tree.Dump(), "[")/2; n != held {
					t.Fatalf("%d states are held, %d of them below the root", held, n)
				}
			}
		}
		forgotten += tree.Stats().Forgotten
	}
	if full == 0 || forgotten == 0 {
		t.Errorf("full %d times, %d states forgotten", full, forgotten)
	}
}

// TestForgottenAreUpdated: the values of dropped states are updated before they are reported.
func TestForgottenAreUpdated(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	run := func(most int, told func([]descent.Subtree)) int {
		// As in TestSubtreesUpdate.
		tree := descent.New(g,
			descent.Options{BestFirst: true, Iterations: 1, MaxNodes: most}, newRand(1))
		tree.OnForget(told)
		e := search.NewConstant(g, 0.5)
		tree.Start(g.NewState())
		for _, a := range []game.Action{0, 1, 4} {
			search.Run(tree, e)
			tree.Play(a)
		}
		tree.SetIterations(100_000)
		search.Run(tree, e)
		nodes := tree.Stats().Nodes
		tree.Play(8)
		return nodes
	}
	nodes := run(0, func([]descent.Subtree) {
		t.Error("states are forgotten although there is room")
	})
	calls := 0
	run(nodes+20, func(list []descent.Subtree) {
		calls++
		lost := 0
		for i, d := range list[0].Depths {
			if d == 2 {
				lost++
				if v := list[0].Values[2*i : 2*i+2]; !slices.Equal(v, []float32{1, 0}) {
					t.Errorf("the lost reply has the value %v", v)
				}
			}
		}
		if len(list) != 1 || lost != 1 {
			t.Errorf("%d subtrees, %d states at depth 2", len(list), lost)
		}
	})
	if calls != 1 {
		t.Errorf("states are forgotten %d times", calls)
	}
}

// TestRoom: a tree may have as many nodes, and eight times as many edges, and is crowded beyond
// half of either.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		nodes, edges     int
		allowed, crowded bool
	}{
		{0, 0, true, false},
		{50, 400, true, false}, {51, 400, true, true}, {50, 401, true, true},
		{91, 791, true, true}, {92, 791, false, true}, {91, 792, false, true},
	} {
		tree := descent.New(game.Must(game.New("tictactoe")),
			descent.Options{Iterations: 1, MaxNodes: 100}, newRand(1)) // nine actions
		allowed, crowded := tree.Room(c.nodes, c.edges)
		if allowed != c.allowed || crowded != c.crowded || tree.Stats().Full == c.allowed {
			t.Errorf("%d nodes, %d edges: an expansion is allowed: %v, it is crowded: %v, full: %v",
				c.nodes, c.edges, allowed, crowded, tree.Stats().Full)
		}
	}
}

// TestRootAfterCompaction: in games with transpositions the value of the root follows from its
// children as soon as the position moves on, whichever states are dropped, and no state is held
// twice.
func TestRootAfterCompaction(t *testing.T) {
	compactions := 0
	for _, g := range []*maze{
		{players: 2, actions: 4, levels: 30, skip: 2, cells: 12, steps: 1000},
		{players: 2, actions: 10, levels: 30, skip: 1, cells: 12, steps: 1000},
	} {
		for seed := range uint64(20) {
			g.seed = seed
			tree := descent.New(g, descent.Options{
				BestFirst: seed%2 == 1, Iterations: 60, MaxNodes: 120,
			}, newRand(seed))
			e, moves, s := newHashed(g, seed, 0), newRand(seed, 3), g.NewState()
			for tree.Start(s); s.CurrentPlayer() != game.Nobody; {
				search.Run(tree, e)
				legal := s.LegalActions(nil)
				a := legal[moves.IntN(len(legal))]
				s.Apply(a)
				before := tree.Stats().Forgotten
				tree.Play(a)
				if tree.Stats().Forgotten > before {
					compactions++
				}
				if tree.Stale() {
					t.Fatalf("seed %d: the value of the root is not that of its best child", seed)
				}
				if held, distinct := tree.Stats().Nodes, tree.Distinct(); held != distinct {
					t.Fatalf("seed %d: %d nodes are of %d states", seed, held, distinct)
				}
			}
		}
	}
	if compactions < 100 {
		t.Errorf("only %d compactions", compactions)
	}
}

// TestLeastMemory: a decision is possible with any MaxNodes.
func TestLeastMemory(t *testing.T) {
	g := game.Must(game.New("go:size=4,players=2"))
	for _, bestFirst := range []bool{false, true} {
		tree := descent.New(g,
			descent.Options{BestFirst: bestFirst, Iterations: 50, MaxNodes: 1}, newRand(1))
		e := newHashed(g, 1, 0)
		s := g.NewState()
		for tree.Start(s); s.CurrentPlayer() != game.Nobody; {
			search.Run(tree, e)
			stats := tree.Stats()
			if stats.Nodes > 2*17 || !stats.Full && stats.Simulations < 50 && !tree.Resolved() {
				t.Fatalf("best first %v: %+v", bestFirst, stats)
			}
			a := tree.Best()
			s.Apply(a)
			tree.Play(a)
		}
	}
}
