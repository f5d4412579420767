package mcts

import (
	"testing"
	"time"

	"tengen/game"
	_ "tengen/game/goban"
	_ "tengen/game/mnk"
	"tengen/internal/random"
	"tengen/search"
)

// ticking is an evaluator on a clock of its own: a batch takes base, and each row row more. A batch
// of fewer than few rows takes base for each row.
type ticking struct {
	*search.Constant
	base, row time.Duration
	few       int
	now       time.Time
	rows      int // of the batch being filled
	batches   map[int]int
}

func (e *ticking) Add(s game.State) {
	e.rows++
	e.Constant.Add(s)
}

func (e *ticking) Evaluate() (search.Evaluations, error) {
	base := e.base
	if e.rows < e.few {
		base *= time.Duration(e.rows)
	}
	e.now = e.now.Add(base + time.Duration(e.rows)*e.row)
	e.batches[e.rows]++
	e.rows = 0
	return e.Constant.Evaluate()
}

// TestAutoBatchSizeFollowsTheClock: with a limit of time the search takes the batch size with
// which a batch's cost is shared by many rows, as long as the budget has room for 8 batches.
func TestAutoBatchSizeFollowsTheClock(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	for _, test := range []struct {
		name             string
		base, row, limit time.Duration
		few              int
		most             int // rows of a batch, at least half of which most batches have
		least            int // simulations of a search
	}{
		{"rows alone cost", 0, time.Millisecond, time.Second, 0, 1, 990},
		{"batches alone cost", time.Millisecond, 0, time.Second, 0, 64, 30_000},
		{"a batch costs as much as 8 rows",
			8 * time.Millisecond, time.Millisecond, time.Second, 0, 64, 700},
		{"no time for large batches",
			8 * time.Millisecond, time.Millisecond, 100 * time.Millisecond, 0, 4, 30},
		{"no time", time.Second, 0, time.Millisecond, 0, 1, 1},
		{"two rows gain nothing, four do", time.Millisecond, 0, time.Second, 4, 64, 30_000},
	} {
		tree := NewPUCT(g,
			PUCT{Simulations: 1 << 20, MaxNodes: 1 << 16, C: 5, BatchSize: AutoBatchSize},
			random.New(1, random.Test))
		e := &ticking{
			Constant: search.NewConstant(g, 1./3), base: test.base, row: test.row, few: test.few,
			now: time.Unix(1000, 0), batches: map[int]int{},
		}
		tree.loop.Now = func() time.Time { return e.now }
		tree.SetTime(test.limit)
		for range 4 { // the first measure
			clear(e.batches)
			tree.Start(g.NewState())
			if err := search.Run(tree, e); err != nil {
				t.Fatal(err)
			}
		}
		large, all := 0, 0
		for rows, n := range e.batches {
			if rows > test.most {
				t.Errorf("%s: a batch has %d rows, at most %d are wanted",
					test.name, rows, test.most)
			}
			if all += n; 2*rows >= test.most {
				large += n
			}
		}
		if n := tree.Stats().Simulations; 2*large < all || n < test.least {
			t.Errorf("%s: %d simulations, in batches %v", test.name, n, e.batches)
		}
	}
}

// TestAutoBatchSizeWithoutClock: without a limit of time the number follows from the simulations.
func TestAutoBatchSizeWithoutClock(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	for simulations, want := range map[int]int{
		1: 1, 15: 1, 16: 2, 32: 4, 100: 8, 180: 16, 5000: 16,
	} {
		trees := [2]*Tree{}
		for i, batchSize := range []int{AutoBatchSize, want} {
			tree := NewPUCT(g, PUCT{Simulations: simulations, C: 2, BatchSize: batchSize},
				random.New(1, random.Test))
			tree.Start(g.NewState())
			if err := search.Run(tree, search.NewConstant(g, 1./3)); err != nil {
				t.Fatal(err)
			}
			if s := tree.Stats(); s.Simulations != simulations {
				t.Errorf("%d simulations of %d", s.Simulations, simulations)
			}
			trees[i] = tree
		}
		if trees[0].Dump(game.NoAction) != trees[1].Dump(game.NoAction) {
			t.Errorf("%d simulations: the tree is not that of batches of %d", simulations, want)
		}
	}
}

// TestTime: a search ends after its time, but at least one simulation, or after its
// simulations, whichever comes first; the next search has its own time.
func TestTime(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for _, test := range []struct {
		limit, tick       time.Duration
		simulations, want int
	}{
		{time.Second, 0, 50, 50},
		{time.Second, 100 * time.Millisecond, 50, 10},
		{time.Second, 2 * time.Second, 50, 1},
		{time.Second, 100 * time.Millisecond, 3, 3},
		{0, time.Hour, 7, 7},
	} {
		for name, tree := range map[string]*Tree{
			"uct": NewUCT(g, UCT{Simulations: test.simulations, C: 0.8},
				random.New(1, random.Test)),
			"puct": NewPUCT(g, PUCT{Simulations: test.simulations, C: 0.8},
				random.New(1, random.Test)),
			"gumbel": NewPUCT(g, PUCT{Simulations: test.simulations, Gumbel: PublishedGumbel()},
				random.New(1, random.Test)),
		} {
			now := time.Unix(1000, 0)
			tree.loop.Now = func() time.Time {
				now = now.Add(test.tick)
				return now
			}
			tree.SetTime(test.limit)
			for range 2 {
				tree.Start(g.NewState())
				search.Run(tree, search.NewConstant(g, 0.5))
				if got := tree.Stats().Simulations; got != test.want {
					t.Errorf(
						"%s, %v at %v a reading, %d simulations at most: %d were made, want %d",
						name, test.limit, test.tick, test.simulations, got, test.want)
				}
				if !tree.Advance(nil) {
					t.Errorf("%s: a search that is over goes on", name)
				}
			}
		}
	}
}
