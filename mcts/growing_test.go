package mcts_test

import (
	"fmt"
	"runtime"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// TestGrowing: a tree that grows is the one that has all its memory at once, move after move, and
// has less memory while it is small.
func TestGrowing(t *testing.T) {
	gumbel := mcts.PublishedGumbel()
	for k, g := range []game.Game{
		game.Must(game.New("go:size=3,players=3")), &maze{
			players: 2, actions: 7, chance: true, seed: 3,
		},
	} {
		for _, o := range []mcts.PUCT{
			{Simulations: 300, C: 0.8, Reuse: true, Noise: 0.25},
			{Simulations: 300, C: 0.8, Reuse: true, BatchSize: 8, VirtualLoss: 0.5,
				FinalSelection: mcts.LowerBound(5, 0.15), FPU: mcts.ParentReduction(0.1)},
			{Simulations: 300, C: 0.8, Reuse: true, MaxNodes: 200, BatchSize: 3},
			{Simulations: 300, C: 0.8, MaxNodes: 40},
			{Simulations: 300, C: 0.8, Gumbel: gumbel},
		} {
			for _, uct := range []bool{false, true} {
				whole := o
				growing := o
				growing.Growing = true
				trees := make([]*mcts.Tree, 2)
				for i, o := range []mcts.PUCT{whole, growing} {
					rng := random.New(uint64(k), random.Test)
					if uct {
						trees[i] = mcts.NewUCT(g,
							mcts.UCT{
								Simulations: o.Simulations, C: o.C, MaxNodes: o.MaxNodes,
								Growing: o.Growing, Reuse: o.Reuse,
								FinalSelection: o.FinalSelection,
							}, rng)
					} else {
						trees[i] = mcts.NewPUCT(g, o, rng)
					}
					trees[i].Start(g.NewState())
				}
				what := fmt.Sprintf("%s, UCT %v, %+v", g.Name(), uct, o)
				if w, s := trees[0].Stats().Bytes,
					trees[1].Stats().Bytes; o.MaxNodes == 0 && s > w/4 {
					t.Errorf("%s: %d bytes to begin with, %d without growing", what, s, w)
				}
				s := g.NewState()
				for ply := 0; ply < 4 && s.CurrentPlayer() != game.Nobody; ply++ {
					for _, tree := range trees {
						run(t, tree, newHashed(g, 0))
					}
					if ply == 2 && o.Gumbel.Considered == 0 { // beyond the budget
						for _, tree := range trees {
							tree.Extend(500)
							run(t, tree, newHashed(g, 0))
							tree.Grow(1 << 30)
							tree.Extend(100)
							run(t, tree, newHashed(g, 0))
						}
					}
					w, s1 := trees[0].Stats(), trees[1].Stats()
					if s1.Bytes > w.Bytes {
						t.Errorf("%s: ply %d: %d bytes, %d without growing",
							what, ply, s1.Bytes, w.Bytes)
					}
					s1.Bytes = w.Bytes
					if w != s1 || trees[0].Dump(game.NoAction) != trees[1].Dump(game.NoAction) {
						t.Fatalf("%s: ply %d: another tree: %+v, want %+v", what, ply, s1, w)
					}
					if err := trees[1].Check(); err != nil {
						t.Errorf("%s: ply %d: %v", what, ply, err)
					}
					a := trees[0].Best()
					s.Apply(a)
					for _, tree := range trees {
						tree.Play(a)
					}
					for s.CurrentPlayer() == game.Chance {
						a := s.(game.Chancer).Sample(random.New(uint64(ply), random.Test))
						s.Apply(a)
						for _, tree := range trees {
							tree.Play(a)
						}
					}
				}
			}
		}
	}
}

// extendable returns equal searches of each kind, that draw from equal streams.
func extendable(g game.Game, simulations int) map[string]*mcts.Tree {
	noise := 0.25
	return map[string]*mcts.Tree{
		"UCT": mcts.NewUCT(g, mcts.UCT{Simulations: simulations, C: 0.8, Reuse: true},
			random.New(5, random.Test)),
		"PUCT": mcts.NewPUCT(g,
			mcts.PUCT{Simulations: simulations, C: 0.8, Noise: noise, Reuse: true},
			random.New(5, random.Test)),
	}
}

// TestExtend: a search that is extended until it has made some simulations, and whose tree grows on
// the way, is the search of that many simulations, whatever its budget was.
func TestExtend(t *testing.T) {
	for _, name := range []string{"go:size=3,players=2,pass=free", "tictactoe:players=3"} {
		g := game.Must(game.New(name))
		for kind, want := range extendable(g, 700) {
			tree := extendable(g, 3)[kind]
			want.Start(g.NewState())
			run(t, want, newHashed(g, 0))
			tree.Start(g.NewState())
			e := newHashed(g, 0)
			grown := 0
			for tree.Stats().Simulations < 700 {
				if !tree.Extend(min(1+grown%7, 700-tree.Stats().Simulations)) {
					t.Fatalf("%s, %s: it can't be extended", name, kind)
				}
				for !tree.Advance(e) {
					tree.Deliver(must(e.Evaluate()))
				}
				// A full tree is not that of a larger one, so it grows before.
				if s := tree.Stats(); 2*s.Nodes > s.Bytes/(32+8*g.Players()+28*g.Actions()) {
					if !tree.Grow(1 << 30) {
						t.Fatalf("%s, %s: it does not grow", name, kind)
					}
					grown++
				}
			}
			if tree.Stats().Simulations != 700 || grown < 3 {
				t.Fatalf("%s, %s: %d simulations, grown %d times",
					name, kind, tree.Stats().Simulations, grown)
			}
			if got := tree.Dump(game.NoAction); got != want.Dump(game.NoAction) {
				t.Errorf("%s, %s: the tree differs:\n%s", name, kind, got)
			}
			if err := tree.Check(); err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
		}
	}
}

// run searches to the end of the budget.
func run(t *testing.T, tree *mcts.Tree, e search.Evaluator) {
	t.Helper()
	if err := search.Run(tree, e); err != nil {
		t.Fatal(err)
	}
}

// TestAgain: another search of the same position has the whole budget again, and adds to the tree.
func TestAgain(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=2,pass=free"))
	for kind, tree := range extendable(g, 50) {
		e := newHashed(g, 0)
		tree.Start(g.NewState())
		for range 40 {
			tree.Extend(50)
			run(t, tree, e)
			for tree.Stats().Full && tree.Grow(1<<30) {
			}
		}
		if n := visits(tree); n != 2000 {
			t.Errorf("%s: %d visits of 2000", kind, n)
		}
		for i := 1; i <= 3; i++ {
			tree.Again()
			run(t, tree, e)
			if s := tree.Stats(); s.Simulations != 50 || s.Full || s.Kept == 0 {
				t.Errorf("%s: search %d: %+v", kind, i, s)
			}
			if n := visits(tree); n != 2000+50*i {
				t.Errorf("%s: %d visits after search %d", kind, n, i)
			}
		}
		before := 0
		for _, c := range tree.Children(nil) {
			if c.Action == tree.Best() {
				before = c.Visits
			}
		}
		tree.Play(tree.Best())
		run(t, tree, e)
		if s := tree.Stats(); s.Simulations != 50 || s.Full || s.Kept < 50 {
			t.Errorf("%s: after a move: %+v", kind, s)
		}
		if n := visits(tree); n < before-1 || n > before+50 {
			t.Errorf("%s: %d visits after a move that had %d", kind, n, before)
		}
	}
}

// TestExtendEnds: a finished game is not searched, and a tree does not grow beyond its memory.
func TestExtendEnds(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	s := randomState(g, 9, random.New(1, random.Test))
	for s.CurrentPlayer() != game.Nobody {
		s.Apply(s.LegalActions(nil)[0])
	}
	for kind, tree := range extendable(g, 50) {
		e := newHashed(g, 0)
		tree.Start(s)
		run(t, tree, e)
		if tree.Extend(10) {
			t.Errorf("%s: the search of a finished game is extended", kind)
		}
		tree.Start(g.NewState())
		if bytes := tree.Stats().Bytes; tree.Grow(bytes) {
			t.Errorf("%s: it grows within its memory", kind)
		} else if !tree.Grow(bytes+bytes/2) || tree.Stats().Bytes > bytes+bytes/2 {
			t.Errorf("%s: from %d it grows to %d bytes", kind, bytes, tree.Stats().Bytes)
		}
	}
}

// TestVariation: the variation of the best action is the principal variation, and visits do not
// rise along a variation.
func TestVariation(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=2,pass=free"))
	for kind, tree := range extendable(g, 300) {
		if v := tree.Variation(nil, 0); len(v) != 0 {
			t.Errorf("%s: a variation before the search: %v", kind, v)
		}
		tree.Start(g.NewState())
		run(t, tree, newHashed(g, 0))
		for _, c := range tree.Children(nil) {
			v := tree.Variation(nil, c.Action)
			if c.Visits == 0 {
				if len(v) != 0 {
					t.Errorf("%s: action %d was not visited: %v", kind, c.Action, v)
				}
				continue
			}
			if v[0].Action != c.Action || v[0].Visits != c.Visits {
				t.Fatalf("%s: the variation of action %d, %d visits, is %v",
					kind, c.Action, c.Visits, v)
			}
			for i := range v[1:] {
				if v[i+1].Visits > v[i].Visits || v[i+1].Visits == 0 {
					t.Errorf("%s: visits rise, or are 0: %v", kind, v)
				}
			}
			if c.Action != tree.Best() {
				continue
			}
			line := tree.PrincipalVariation(nil)
			if len(line) != len(v) {
				t.Fatalf("%s: %v, principal %v", kind, v, line)
			}
			for i := range v {
				if v[i].Action != line[i] {
					t.Errorf("%s: %v, principal %v", kind, v, line)
				}
			}
		}
	}
}

// TestRooms: a tree has room for as many nodes, and for as many edges as these have together,
// whether it grows or not.
func TestRooms(t *testing.T) {
	for _, nodes := range []int{1, 2, 63, 64, 65, 127, 128, 129, 300} {
		for branch := range 5 {
			for n := 1; n < 8; n++ {
				want := min(nodes, nodes*branch/n)
				for _, growing := range []bool{false, true} {
					if got := mcts.Rooms(nodes, branch, n, growing); got != want {
						t.Errorf("growing %v: %d nodes of %d edges, of which there may be %d of %d",
							growing, got, n, nodes, branch)
					}
				}
			}
		}
	}
}

// TestBytesOfNodes: a tree takes as many times what a node takes.
func TestBytesOfNodes(t *testing.T) {
	for kind := range 4 {
		reserved, each := mcts.BytesOf(100, 7, kind&1 != 0, kind&2 != 0)
		if reserved != each {
			t.Errorf("kind %d: %d bytes, each counts as %d", kind, reserved, each)
		}
	}
}

// TestBytesAreAllocated: of a large tree nearly all memory is counted, and no more than there is.
func TestBytesAreAllocated(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for name, o := range map[string]mcts.PUCT{
		"plain": {}, "several under way": {BatchSize: 4},
		"by the bound": {FinalSelection: mcts.LowerBound(mcts.DefaultZ, mcts.DefaultFraction)},
	} {
		o.Simulations, o.C, o.MaxNodes = 10, 1, 50_000
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tree := mcts.NewPUCT(g, o, random.New(1, random.Test))
		runtime.ReadMemStats(&after)
		made, got := int(after.TotalAlloc-before.TotalAlloc), tree.Stats().Bytes
		if got > made || got < made*49/50 {
			t.Errorf("%s: %d bytes, and %d were allocated", name, got, made)
		}
	}
}

// TestEqualPriors: of untried actions with equal priors the first one is tried next.
func TestEqualPriors(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for n := 1; n <= 9; n++ {
		tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: n, C: 100}, random.New(1, random.Test))
		tree.Start(g.NewState())
		run(t, tree, search.NewConstant(g, 0.5))
		visits := 0
		for _, c := range tree.Children(nil) {
			if visits += c.Visits; c.Visits != min(1, max(0, n-int(c.Action))) {
				t.Errorf("after %d simulations action %d has %d visits", n, c.Action, c.Visits)
			}
		}
		if visits != n {
			t.Errorf("%d visits after %d simulations", visits, n)
		}
	}
}

// TestExtendedSearchHasRoom: a search that begins with more simulations than usual has room for
// them, if its nodes are not bounded.
func TestExtendedSearchHasRoom(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	for _, bounded := range []bool{false, true} {
		o := mcts.PUCT{Simulations: 50, C: 1}
		if bounded {
			o.MaxNodes = 60
		}
		tree := mcts.NewPUCT(g, o, random.New(1, random.Test))
		tree.Start(g.NewState())
		before := tree.Stats()
		tree.Extend(500)
		run(t, tree, newHashed(g, 0))
		after := tree.Stats()
		if bounded && (after.Bytes != before.Bytes || after.Nodes != 60 || !after.Full) {
			t.Errorf("a bounded tree becomes %+v", after)
		}
		if !bounded && (after.Full || after.Nodes < before.Nodes+400) {
			t.Errorf("%+v becomes %+v", before, after)
		}
	}
}
