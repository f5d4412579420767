package mcts_test

import (
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// TestEarlyStop: with a limit in simulations a search that stops early chooses the same action as
// one that does not, with larger batches and in a tree that was kept too, and makes fewer
// simulations where an action leads.
func TestEarlyStop(t *testing.T) {
	saved, all := map[string]int{}, map[string]int{}
	for number := range uint64(400) {
		rng := random.New(1, random.Test, 17, number)
		var g game.Game = &maze{
			seed: number, players: 3, actions: 6, plies: 12, steps: 8, chance: true,
		}
		if names := []string{
			"tictactoe", "go:size=3,players=2,pass=free", "tictactoe:players=3",
		}; number%4 < 3 {
			g = game.Must(game.New(names[number%4]))
		}
		s := randomState(g, rng.IntN(5), rng)
		if s.CurrentPlayer() < 0 || len(s.LegalActions(nil)) < 2 {
			continue
		}
		n, kind, kept := 1+rng.IntN(300), "puct", number%3 == 0
		var choice mcts.FinalSelection
		switch number % 5 {
		case 0:
			kind = "uct"
		case 1, 2:
			kind, choice = "puct by the lower bound",
				mcts.LowerBound(mcts.DefaultZ, []float64{mcts.DefaultFraction, 0.8}[number/5%2])
		}
		batchSize := []int{1, 1, 5, 16}[rng.IntN(4)]
		c := []float64{0.3, 0.8, 3}[rng.IntN(3)]
		made := [2]int{}
		best := [2]game.Action{}
		for early := range 2 {
			var tree *mcts.Tree
			if kind == "uct" {
				tree = mcts.NewUCT(g, mcts.UCT{Simulations: n, C: c, Reuse: kept},
					random.New(number, random.Test))
			} else {
				tree = mcts.NewPUCT(g,
					mcts.PUCT{
						Simulations: n, C: c, Reuse: kept, BatchSize: batchSize,
						FinalSelection: choice,
					},
					random.New(number, random.Test))
			}
			tree.Start(s)
			e := newHashed(g, 0)
			if kept {
				run(t, tree, e)
				tree.Play(tree.Best())
			}
			tree.SetEarlyStop(early == 1)
			run(t, tree, e)
			made[early], best[early] = tree.Stats().Simulations, tree.Best()
			if err := tree.Check(); err != nil {
				t.Fatal(err)
			}
		}
		if best[0] != best[1] || made[1] > made[0] {
			t.Errorf("search %d (%s, %s, %d simulations, batches of %d): %d after %d simulations, %d after %d", number, g.Name(), kind, n, batchSize, best[0], made[0], best[1], made[1])
		}
		saved[kind] += made[0] - made[1]
		all[kind] += made[0]
	}
	for kind, n := range saved {
		if share := float64(n) / float64(all[kind]); share < 0.02 || share > 0.6 {
			t.Errorf("%s: %.3f of the simulations are saved", kind, share)
		}
	}
}

// TestEarlyStopIsLast: a search does not stop while the second can still catch up, and not where
// visits don't choose.
func TestEarlyStopIsLast(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=2,pass=free"))
	stopped := 0
	for seed := range uint64(40) {
		n := 20 + int(seed)*7
		tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: n, C: 0.4}, random.New(seed, random.Test))
		s := randomState(g, int(seed%6), random.New(2, random.Test, seed))
		tree.Start(s)
		tree.SetEarlyStop(true)
		run(t, tree, newHashed(g, 0))
		made := tree.Stats().Simulations
		if made == n {
			continue
		}
		stopped++
		first, second := 0, 0
		for _, c := range tree.Children(nil) {
			if c.Visits > first {
				first, second = c.Visits, first
			} else {
				second = max(second, c.Visits)
			}
		}
		// It is asked every 8 simulations: 8 before it was not certain yet.
		if left := n - made; first-second <= left || first-second > left+2*8 {
			t.Errorf("search %d stopped with %d and %d visits and %d simulations left",
				seed, first, second, left)
		}
	}
	if stopped < 10 {
		t.Errorf("%d of 40 searches stopped early", stopped)
	}
	gumbel := mcts.PublishedGumbel()
	tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 200, C: 0.1, Gumbel: gumbel},
		random.New(1, random.Test))
	tree.Start(g.NewState())
	tree.SetEarlyStop(true)
	run(t, tree, newHashed(g, 0))
	if made := tree.Stats().Simulations; made != 200 {
		t.Errorf("a search by Gumbel stopped after %d simulations", made)
	}
}

// TestDecided compares with all that the simulations left can do to two actions.
func TestDecided(t *testing.T) {
	for _, c := range []mcts.FinalSelection{
		mcts.MostVisits(), mcts.LowerBound(0, 0), mcts.LowerBound(0, 0.15), mcts.LowerBound(0, 0.6),
		mcts.LowerBound(0, 1),
	} {
		decided := 0
		for first := range int32(40) {
			for second := range first + 1 {
				for left := range int32(6) {
					// The second has the better mean: it is chosen if it may be.
					want := true
					for more := range left + 1 {
						a, b := first+left-more, second+more
						if !c.ByBound() {
							want = want && a > b
						} else if most := max(a, b); b > 0 {
							want = want && c.Bound(float64(b), float64(b), b,
								most) < c.Bound(0, 0, a, most)
						}
					}
					got := c.Decided(first, second, int(left))
					if got && !want {
						t.Errorf("%+v: decided with %d and %d visits and %d left",
							c, first, second, left)
					}
					if got {
						decided++
					}
				}
			}
		}
		if _, fraction := c.Parameters(); decided == 0 != (c.ByBound() && fraction == 0) {
			t.Errorf("%+v: decided %d times", c, decided)
		}
	}
}

// TestEarlyStopByTime: with a limit of time a search stops where it is improbable that another
// action catches up, after some simulations at least; pondering does not stop.
func TestEarlyStopByTime(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	// nearly all visits go to one action, or all get as many
	for _, c := range []float64{0.05, 100} {
		tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 1 << 20, MaxNodes: 1 << 12, C: c},
			random.New(1, random.Test))
		now := time.Unix(1000, 0)
		tree.SetNow(func() time.Time { now = now.Add(time.Millisecond); return now })
		tree.SetTime(time.Second)
		tree.SetEarlyStop(true)
		tree.Start(g.NewState())
		var e search.Evaluator = search.NewConstant(g, 0.5)
		if c < 1 {
			e = &leaning{search.NewConstant(g, 0.5)}
		}
		run(t, tree, e)
		if n := tree.Stats().Simulations; c < 1 && (n < 400 || n > 750) || c > 1 && n < 850 {
			t.Errorf("c=%g: the search of 1000 readings of the clock stopped after %d simulations",
				c, n)
		}
		if c < 1 {
			tree.Extend(1000)
			run(t, tree, e)
			if n := tree.Stats().Simulations; n < 1400 {
				t.Errorf("pondering stopped early: %d simulations", n)
			}
		}
	}
}

// leaning prefers the first action.
type leaning struct{ *search.Constant }

func (l *leaning) Evaluate() (search.Evaluations, error) {
	e, err := l.Constant.Evaluate()
	for i := range len(e.Policy) {
		e.Policy[i] = 0
		if i%e.Actions == 0 {
			e.Policy[i] = 2
		}
	}
	return e, err
}
