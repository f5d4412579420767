package mcts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/internal/planning"
	"tengen/search"
)

// proving returns searches that prove values.
func proving(g game.Game, simulations int) map[string]*mcts.Tree {
	rng := func() *rand.Rand { return random.New(5, random.Test) }
	return map[string]*mcts.Tree{
		"UCT":  mcts.NewUCT(g, mcts.UCT{Simulations: simulations, C: 0.8, Proofs: true}, rng()),
		"PUCT": mcts.NewPUCT(g, mcts.PUCT{Simulations: simulations, C: 0.8, Proofs: true}, rng()),
		"PUCT, batches, bound, reuse": mcts.NewPUCT(g, mcts.PUCT{
			Simulations: simulations, C: 0.8, Proofs: true, BatchSize: 8,
			FinalSelection: mcts.LowerBound(5, 0.15), Reuse: true,
		}, rng()),
		"Gumbel": mcts.NewPUCT(g,
			mcts.PUCT{
				Simulations: simulations, Proofs: true, Gumbel: mcts.PublishedGumbel(),
			}, rng()),
		"Gumbel, PUCT below, reuse": mcts.NewPUCT(g, mcts.PUCT{
			Simulations: simulations, C: 0.8, Proofs: true, Reuse: true,
			Gumbel: mcts.Gumbel{
				Considered: 16, VisitOffset: 50, ValueScale: 0.1, Interior: mcts.ByPUCT,
			},
		}, rng()),
	}
}

// TestProofsAreExact: what searches prove is what max^n says, in mazes of up to three players, and
// with enough simulations most roots are proven.
func TestProofsAreExact(t *testing.T) {
	proven, children, kept, open := 0, 0, 0, 0
	for seed := range uint64(40) {
		g := &maze{
			seed: 200 + seed, players: 1 + int(seed%3), actions: 4, plies: 6,
			steps: 1 + int(seed%4),
		}
		x := newExact(g)
		for kind, tree := range proving(g, 5000) {
			s := randomState(g, 0, random.New(seed, random.Test, 4))
			for tree.Start(s); s.CurrentPlayer() != game.Nobody; {
				name := fmt.Sprintf("maze %d, %s", seed, kind)
				search.Run(tree, newHashed(g, 1)) // equal priors
				if err := tree.Check(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				stats := tree.Stats()
				if !stats.Exact {
					open++
					break
				}
				proven++
				if stats.Simulations == 0 {
					kept++
				}
				value := make([]float32, g.Players())
				tree.Value(value)
				if !attained(x.values(s), value) {
					t.Errorf("%s: the value is %v, exactly %v", name, value, x.values(s))
				}
				best := tree.Best()
				if !x.nearlyGood(s, best, 0) {
					t.Errorf("%s: action %d is none of max^n's", name, best)
				}
				for _, c := range tree.Children(nil) {
					if !c.Exact {
						continue
					}
					children++
					if set := x.values(x.after(s, c.Action)); !attained(set,
						c.Value[:g.Players()]) {
						t.Errorf("%s: action %d is worth %v, exactly %v",
							name, c.Action, c.Value, set)
					}
				}
				if tree.Extend(10) {
					t.Errorf("%s: a proven search goes on", name)
				}
				s.Apply(best)
				tree.Play(best)
			}
		}
	}
	t.Logf("%d positions proven, %d of them before their search, with %d actions; %d not proven",
		proven, kept, children, open)
	if kept < 40 || children < proven || open > proven/20 {
		t.Error("too few")
	}
}

// attained reports whether a value is in a set.
func attained(set [][]float64, value []float32) bool {
	for _, v := range set {
		same := true
		for p := range v {
			same = same && v[p] == float64(value[p])
		}
		if same {
			return true
		}
	}
	return false
}

// TestProofsOfAWin: X wins tic-tac-toe at once by one of five actions. The searches choose it and
// say so, and neither the policy target nor a draw by visits has another action.
func TestProofsOfAWin(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	for _, a := range []game.Action{0, 3, 1, 4} {
		s.Apply(a)
	}
	const wins = 2
	rng := random.New(2, random.Test)
	for kind, tree := range proving(g, 400) {
		tree.Start(s)
		search.Run(tree, newHashed(g, 0))
		if n := tree.Stats().Simulations; n >= 100 {
			t.Errorf("%s: %d simulations of a position that is won at once", kind, n)
		}
		for range 20 {
			if a := tree.Choose(1, rng); a != wins {
				t.Errorf("%s: action %d is chosen", kind, a)
			}
		}
		for _, c := range tree.Children(nil) {
			if (c.Action == wins) != (c.Visits > c.Pruned) || c.Action == wins && !c.Exact {
				t.Errorf("%s: %+v", kind, c)
			}
			want := float32(0)
			if c.Action == wins {
				want = 1
			}
			if kind[0] == 'G' && c.Improved != want {
				t.Errorf("%s: the improved policy of action %d is %g", kind, c.Action, c.Improved)
			}
		}
	}
}

// TestProofsOfLosses: O must block, which draws. The searches do, and visits of actions that are
// proven to lose do not count in the policy target.
func TestProofsOfLosses(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	for _, a := range []game.Action{0, 4, 1} {
		s.Apply(a)
	}
	for kind, tree := range proving(g, 200) {
		tree.SetNoise(false)
		tree.Start(s)
		search.Run(tree, newHashed(g, 0))
		losses := 0
		if a := tree.Best(); a != 2 {
			t.Errorf("%s: action %d is chosen", kind, a)
		}
		for _, c := range tree.Children(nil) {
			if c.Action != 2 && c.Exact && (c.Value[1] != 0 || c.Pruned != c.Visits) {
				t.Errorf("%s: %+v", kind, c)
			}
			losses += min(c.Pruned, 1)
		}
		if losses == 0 {
			t.Errorf("%s: nothing is known to lose", kind)
		}
	}
}

// TestProofsAllocateNothing: searches that prove values do not allocate.
func TestProofsAllocateNothing(t *testing.T) {
	g := game.Must(game.New("mnk:rows=3,columns=4,in_row=3,players=3"))
	for kind, tree := range proving(g, 300) {
		e := search.NewConstant(g, 1/float32(g.Players()))
		s := g.NewState()
		run := func() {
			tree.Start(s)
			search.Run(tree, e)
		}
		run()
		if n := testing.AllocsPerRun(10, run); n > 0 {
			t.Errorf("%s: %g allocations a search", kind, n)
		}
	}
}

// TestKnownLossesAreNotPlayed: an action that is proven to lose is neither the best nor drawn while
// another is not proven, even if that one has no visits, or only such as were lost. The lower bound
// asks for a fraction of the visits of actions that are not proven.
func TestKnownLossesAreNotPlayed(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	for _, a := range []game.Action{0, 4, 1} {
		s.Apply(a)
	}
	const blocks = 2
	rng := random.New(3, random.Test)
	for n := range 60 {
		for kind, tree := range proving(g, n) {
			tree.SetNoise(false)
			tree.Start(s)
			search.Run(tree, gloomy{newHashed(g, 0), s.CurrentPlayer(), []float32{0, 0.002}[n%2]})
			known := map[game.Action]bool{}
			for _, c := range tree.Children(nil) {
				if known[c.Action] = c.Exact && c.Value[1] == 0; known[c.Action] &&
					c.Pruned != c.Visits {
					t.Errorf("%s, %d simulations: %+v", kind, n, c)
				}
			}
			if known[blocks] {
				t.Fatalf("%s: action %d loses", kind, blocks)
			}
			for range 10 {
				if a, drawn := tree.Best(), tree.Choose(1, rng); known[a] || known[drawn] {
					t.Errorf("%s, %d simulations: actions %d and %d are chosen, of which one loses",
						kind, n, a, drawn)
				}
			}
		}
	}
}

// TestDrawOfUnvisited: where all visits are pruned, the prior of an action without visits counts,
// and not that of what is pruned.
func TestDrawOfUnvisited(t *testing.T) {
	children := []search.Child{
		{Action: 3, Prior: 0.97, Visits: 5, Pruned: 5}, {Action: 4, Prior: 0.01},
		{Action: 6, Prior: 0.02, Visits: 1, Pruned: 1},
	}
	rng := random.New(4, random.Test)
	for range 50 {
		if a := planning.Draw(children, 1, rng); a != 4 {
			t.Fatalf("action %d is drawn", a)
		}
	}
}
