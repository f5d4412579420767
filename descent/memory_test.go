package descent_test

import (
	"strings"
	"testing"

	"tengen/descent"
	"tengen/game"
	"tengen/search"
)

// TestMemory plays games with little room: no more is held than the cap allows,
// every search can give an action, and all that was searched is either told of
// when it is forgotten or there in the end, and only once.
func TestMemory(t *testing.T) {
	const most = 300
	capped, forgotten := 0, uint64(0)
	for seed := range uint64(24) {
		g := game.Must(game.New([]string{"go:size=3,players=3", "go:size=4,players=2", "go:rows=2,columns=4,players=3"}[seed%3]))
		rng := newRand(seed)
		o := descent.Options{BestFirst: seed%2 == 1, Iterations: 40, MaxNodes: most}
		tree := descent.New(g, o, rng)
		e := newHashed(g, seed, 0)
		var list []descent.Subtree
		told := 0
		tree.OnForget(func(subs []descent.Subtree) {
			list = append(list, subs...)
			for _, sub := range subs {
				told += len(sub.Actions)
			}
		})
		s := g.NewState()
		start := copyOf(g, s)
		var actions []game.Action
		expansions := 0
		for tree.Start(s); s.Mover() != game.Nobody; {
			if rng.IntN(6) > 0 {
				search.Run(tree, e)
				if tree.Best() == game.NoAction || tree.Safe() == game.NoAction || len(tree.Line(nil)) == 0 {
					t.Fatalf("no action after %+v", tree.Stats())
				}
			}
			stats := tree.Stats()
			if stats.Nodes > most {
				t.Fatalf("%d states are held", stats.Nodes)
			}
			if stats.Capped {
				capped++
				if stats.Nodes <= most-g.Actions() {
					t.Fatalf("capped with %d of %d states", stats.Nodes, most)
				}
			} else if stats.Iterations > 0 && stats.Iterations < o.Iterations && !tree.Resolved() {
				t.Fatalf("an open search ends with %+v", stats)
			}
			expansions += stats.Expanded
			if err := tree.Invariant(); err != nil {
				t.Fatal(err)
			}
			before := tree.Stats()
			expanded, finished := tree.Held()
			told = 0
			legal := s.Legal(nil)
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
			if s.Mover() >= 0 && after.Nodes > most/2 {
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
			if f.state.Mover() >= 0 {
				decisions++
			}
		}
		if decisions != expansions {
			t.Errorf("%d states were expanded, and %d told of", expansions, decisions)
		}
	}
	t.Logf("capped %d times, %d states forgotten", capped, forgotten)
	if capped < 10 || forgotten < 1000 {
		t.Errorf("capped %d times, %d states forgotten", capped, forgotten)
	}
}

// TestCompactionKeepsTheTree: what is below the new position is the same
// whether or not room is made, in a game in which hardly any lines join.
func TestCompactionKeepsTheTree(t *testing.T) {
	compactions := 0
	for seed := range uint64(60) {
		g := game.Must(game.New([]string{"go:size=3,players=3", "go:size=4,players=2", "go:rows=2,columns=5,players=3"}[seed%3]))
		o := descent.Options{BestFirst: seed%2 == 1, Iterations: 30, Terminal: descent.Terminal{Depth: seed%4 > 1}}
		roomy := descent.New(g, o, newRand(seed))
		o.MaxNodes = 2000
		narrow := descent.New(g, o, newRand(seed))
		e := newHashed(g, seed, 3)
		s := g.NewState()
		roomy.Start(s)
		narrow.Start(s)
		moves := newRand(seed, 1)
		for s.Mover() != game.Nobody {
			search.Run(roomy, e)
			search.Run(narrow, e)
			if narrow.Stats().Capped {
				break // from here on they differ
			}
			legal := s.Legal(nil)
			a := legal[moves.IntN(len(legal))]
			s.Apply(a)
			before := narrow.Stats().Forgotten
			roomy.Play(a)
			narrow.Play(a)
			if narrow.Stats().Forgotten > before {
				compactions++
			}
			if x, y := roomy.Dump(), narrow.Dump(); x != y {
				t.Fatalf("%s, seed %d: with room the tree is\n%s\nwithout\n%s", g.Name(), seed, x, y)
			}
		}
	}
	if compactions < 30 {
		t.Errorf("only %d compactions", compactions)
	}
}

// TestLeastMemory: whatever MaxNodes, a decision is possible.
func TestLeastMemory(t *testing.T) {
	g := game.Must(game.New("go:size=4,players=2"))
	for _, bestFirst := range []bool{false, true} {
		tree := descent.New(g, descent.Options{BestFirst: bestFirst, Iterations: 50, MaxNodes: 1}, newRand(1))
		e := newHashed(g, 1, 0)
		s := g.NewState()
		for tree.Start(s); s.Mover() != game.Nobody; {
			search.Run(tree, e)
			stats := tree.Stats()
			if stats.Nodes > 2*17 || !stats.Capped && stats.Iterations < 50 && !tree.Resolved() {
				t.Fatalf("best first %v: %+v", bestFirst, stats)
			}
			a := tree.Best()
			s.Apply(a)
			tree.Play(a)
		}
	}
}
