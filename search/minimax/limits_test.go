package minimax

import (
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/random"
)

var deep = &grove{
	seed: 9, players: 2, actions: 4, picks: 2, turns: 20, grounds: 1000, chance: true, turned: true,
	regular: true,
}

// TestNodes: the budget is kept to within a few nodes, the result is that of the last depth
// completed, and the first depth is always completed.
func TestNodes(t *testing.T) {
	s := deep.NewState()
	last := 0
	for _, nodes := range []int64{1, 300, 3000, 30_000, 100_000} {
		for _, o := range []Options{
			{Nodes: nodes}, {Nodes: nodes, Prune: true, Star: 2, Table: 1 << 16},
			{Nodes: nodes, Opponents: MaxN}, {Nodes: nodes, Depth: 2},
		} {
			r := searcher(t, deep, o).Search(s)
			if r.Depth < 1 || r.Depth != r.Iterations[len(r.Iterations)-1].Depth ||
				len(r.Iterations) != r.Depth {
				t.Errorf("%+v: depth %d, iterations %+v", o, r.Depth, r.Iterations)
			}
			if r.Nodes > nodes+16 && r.Depth > 1 || o.Depth > 0 && r.Depth > o.Depth {
				t.Errorf("%+v: %d nodes, depth %d", o, r.Nodes, r.Depth)
			}
			direct := o
			direct.Nodes, direct.Depth, direct.Direct = 0, r.Depth, r.Depth < 5
			if want := searcher(t, deep, direct).Search(s); want.Action != r.Action ||
				want.Value != r.Value {
				t.Errorf("%+v: %d (%v), at that depth directly %d (%v)",
					o, r.Action, r.Value, want.Action, want.Value)
			}
			if o.Depth == 0 && o.Opponents == Paranoid && !o.Prune {
				if r.Depth < last {
					t.Errorf("%d nodes go to depth %d, fewer to %d", nodes, r.Depth, last)
				}
				last = r.Depth
			}
		}
	}
	if last < 2 {
		t.Errorf("100,000 nodes go to depth %d", last)
	}
}

// TestTime: the clock stops the search, and its result is that of the last depth completed.
func TestTime(t *testing.T) {
	var now time.Time
	clock := func() time.Time { // which goes on by 1 ms a look
		now = now.Add(time.Millisecond)
		return now
	}
	r := searcher(t, deep, Options{
		Time: 40 * time.Millisecond, Clock: clock,
	}).Search(deep.NewState())
	if r.Depth < 2 || r.Elapsed < 40*time.Millisecond || r.Elapsed > 45*time.Millisecond ||
		r.Complete {
		t.Errorf("depth %d in %v, complete %v", r.Depth, r.Elapsed, r.Complete)
	}
	if r.Nodes > 45*checkEvery {
		t.Errorf("%d nodes in 45 looks at the clock", r.Nodes)
	}
}

// TestStopsWhenComplete: a game that is searched to its end is not searched deeper.
func TestStopsWhenComplete(t *testing.T) {
	g := &grove{seed: 3, players: 2, actions: 2, picks: 1, turns: 4, grounds: 20, turned: true}
	r := searcher(t, g, Options{Nodes: 1 << 40, Prune: true, Table: 1 << 12}).Search(g.NewState())
	if !r.Complete || r.Depth > 4 {
		t.Errorf("complete %v at depth %d", r.Complete, r.Depth)
	}
	if r.Value != searcher(t, g, Options{Depth: 9}).Search(g.NewState()).Value {
		t.Errorf("the value is %v", r.Value)
	}
}

// TestRepeatable: equal calls and streams give equal results, after Reset too.
func TestRepeatable(t *testing.T) {
	o := Options{
		Nodes: 20_000, Prune: true, Star: 1, Table: 1 << 10, Samples: 2, Determinizations: 3,
		RandomTies: true,
	}
	w := searcher(t, deep, o)
	play := func() (line []int64) {
		w.Reset()
		w.SetRand(random.New(2, random.Test))
		s := deep.NewState()
		for s.CurrentPlayer() >= 0 && len(line) < 12 {
			r := w.Search(s)
			line = append(line, int64(r.Action), r.Nodes, r.Leaves, int64(r.Depth))
			s.Apply(r.Action)
		}
		return line
	}
	a, b := play(), play()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("%v, then %v", a, b)
		}
	}
}

// TestAllocations: once its stack has grown, a search allocates nothing but its result.
func TestAllocations(t *testing.T) {
	skips := *deep
	skips.players, skips.skip = 3, true
	gains := *deep
	gains.gains = true
	for _, g := range []*grove{deep, &skips, &gains} {
		for _, o := range []Options{
			{Depth: 2}, {Depth: 2, Prune: true, Star: 2, Table: 1 << 12},
			{Depth: 2, Prune: true, Star: 1, Samples: 3},
			{Depth: 2, Opponents: MaxN, Table: 1 << 12},
			{Depth: 2, Opponents: BestReply, Prune: true, Star: 1},
		} {
			w := searcher(t, g, o)
			s := g.NewState()
			w.Search(s)
			w.begin(s)
			w.setLimits(false)
			if n := testing.AllocsPerRun(3, func() { w.iterate(2) }); n != 0 {
				t.Errorf("%+v: an iteration allocates %v times", o, n)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	g := deep
	worth := g.Heuristics()[0]
	unbounded, gaining, empty := worth, worth, worth
	unbounded.High = inf
	gaining.TurnLow = 1
	empty.Value, empty.Gain = nil, func(game.State, game.Action, game.Player) float64 { return 0 }
	for say, o := range map[string]Options{
		"depth is -1":            {Depth: -1},
		"to 10000 is wanted":     {Depth: MaxDepth + 1},
		"time is -1ns":           {Time: -1},
		"nodes is -1":            {Nodes: -1},
		"star is 3":              {Star: 3},
		"opponents is 3":         {Opponents: 3},
		"table is -1":            {Table: -1},
		"samples is -1":          {Samples: -1},
		"determinizations is -1": {Determinizations: -1},
		"bounded by -6 and +Inf": {Heuristic: unbounded},
		"gains of heuristic":     {Heuristic: gaining},
		"has no Value":           {Heuristic: empty},
	} {
		if _, err := New(g, o); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%+v: %v, want an error with %q", o, err, say)
		}
	}
	for _, o := range []Opponents{Paranoid, MaxN, BestReply} {
		if got, err := ParseOpponents(o.String()); err != nil || got != o {
			t.Errorf("%v reads back as %v, %v", o, got, err)
		}
	}
	if _, err := ParseOpponents("kind"); err == nil ||
		!strings.Contains(err.Error(), "paranoid, maxn or brs") {
		t.Errorf("opponents kind: %v", err)
	}
}

// TestStopIf: a search that is to stop ends soon, at any depth, and later ones are as if it had not
// been.
func TestStopIf(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=2"))
	for _, opponents := range []Opponents{Paranoid, MaxN} {
		o := Options{Depth: 20, Opponents: opponents, Prune: opponents == Paranoid}
		var err error
		if o.Heuristic, err = game.HeuristicOf(g, ""); err != nil {
			t.Fatal(err)
		}
		w, err := New(g, o)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		w.StopIf(func() bool { asked++; return asked > 5 })
		r := w.Search(g.NewState())
		if r.Action != game.NoAction || asked > 10 || w.nodes > 10*checkEvery {
			t.Errorf("%v: action %d, asked %d times, after %d nodes", opponents, r.Action, asked,
				w.nodes)
		}
		o.Depth = 3
		fresh, err := New(g, o)
		if err != nil {
			t.Fatal(err)
		}
		w.o.Depth = 3
		w.Reset()
		w.StopIf(func() bool { return false })
		if got, want := w.Search(g.NewState()), fresh.Search(g.NewState()); got.Action !=
			want.Action || got.Nodes != want.Nodes {
			t.Errorf("%v: afterwards action %d after %d nodes, want %d after %d", opponents,
				got.Action, got.Nodes, want.Action, want.Nodes)
		}
	}
}
