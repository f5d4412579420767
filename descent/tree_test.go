package descent_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"tengen/descent"
	"tengen/game"
	"tengen/search"
)

// TestBudget: each search counts its own iterations; UBFM expands one state in each, and
// Descent follows each to the end.
func TestBudget(t *testing.T) {
	g := game.Must(game.New("go:size=4,players=3"))
	for _, bestFirst := range []bool{false, true} {
		tree := descent.New(g, descent.Options{BestFirst: bestFirst, Iterations: 7}, newRand(1))
		e := newHashed(g, 1, 0)
		s := g.NewState()
		tree.Start(s)
		for range 5 {
			e.n = 0
			nodes := tree.Stats().Nodes
			search.Run(tree, e)
			stats := tree.Stats()
			if stats.Simulations != 7 || stats.Evaluations != e.n ||
				stats.Evaluations > stats.Nodes-nodes || stats.Full || stats.Forgotten != 0 {
				t.Errorf("best first %v: %+v, with %d evaluations", bestFirst, stats, e.n)
			}
			if bestFirst && stats.Expanded != 7 || !bestFirst && stats.Expanded < 70 {
				t.Errorf("best first %v: %d states are expanded", bestFirst, stats.Expanded)
			}
			if bestFirst && stats.MaxDepth > 10 || !bestFirst && stats.MaxDepth < 10 {
				t.Errorf("best first %v: depth %d", bestFirst, stats.MaxDepth)
			}
			if !tree.Advance(e) {
				t.Fatal("the budget is spent")
			}
			a := tree.Best()
			s.Apply(a)
			tree.Play(a)
		}
		tree.SetIterations(9)
		search.Run(tree, e)
		if n := tree.Stats().Simulations; n != 9 {
			t.Errorf("%d iterations of 9", n)
		}
		if !panics(func() { tree.SetIterations(0) }) || !panics(func() { tree.SetIterations(-1) }) {
			t.Error("no budget, or less, is taken")
		}
	}
}

// asking counts the states that a search asks for.
type asking struct {
	*search.Constant
	n int
}

func (a *asking) Add(s game.State) {
	a.n++
	a.Constant.Add(s)
}

// TestAsks: a search that goes on has asked for an evaluation, though many expansions, of finished
// games and known states, need none.
func TestAsks(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	tree := descent.New(g, descent.Options{Iterations: 100_000}, newRand(1))
	tree.Start(g.NewState())
	e := &asking{Constant: search.NewConstant(g, 0.5)}
	for !tree.Advance(e) {
		if e.n == 0 {
			t.Fatalf("nothing is asked: %+v", tree.Stats())
		}
		e.n = 0
		rows, err := e.Evaluate()
		if err != nil {
			t.Fatal(err)
		}
		tree.Deliver(rows)
	}
	if !tree.Resolved() {
		t.Errorf("the search ends with %+v", tree.Stats())
	}
}

// TestTime: the clock ends a search, in the middle of a descent too, but not
// before the root is expanded.
func TestTime(t *testing.T) {
	g := game.Must(game.New("go:size=4,players=3"))
	for _, bestFirst := range []bool{false, true} {
		for _, seconds := range []int{1, 2, 20, 100} {
			tree := descent.New(g,
				descent.Options{
					BestFirst: bestFirst, Time: time.Duration(seconds) * time.Second,
				}, newRand(1))
			now := time.Unix(0, 0)
			tree.SetClock(func() time.Time { return now })
			e := newHashed(g, 1, 0)
			s := g.NewState()
			tree.Start(s)
			for range 3 {
				expanded := 0
				for !tree.Advance(e) {
					expanded++
					now = now.Add(2 * time.Second)
					tree.Deliver(must(e.Evaluate()))
				}
				// An expansion begins only before the time has passed.
				want := max(1, (seconds+1)/2)
				if expanded < want || expanded > want+1 {
					t.Errorf("best first %v: %d expansions of 2 s in %d s",
						bestFirst, expanded, seconds)
				}
				if tree.Best() == game.NoAction {
					t.Errorf("no action after %+v", tree.Stats())
				}
				if err := tree.Invariant(); err != nil {
					t.Error(err)
				}
				// The path is backed up: the root has its best child's value.
				value := make([]float32, 3)
				tree.Value(value)
				for _, c := range tree.Children(nil) {
					if c.Action == tree.Best() && !slices.Equal(c.Value[:3], value) {
						t.Errorf("the root has the value %v, its best child %v", value, c.Value)
					}
				}
				a := s.LegalActions(nil)[3]
				s.Apply(a)
				tree.Play(a)
			}
		}
	}
}

// TestDeterminism: the same random source and the same rows give the same search; another
// source gives another.
func TestDeterminism(t *testing.T) {
	g := game.Must(game.New("tictactoe:players=3"))
	for _, bestFirst := range []bool{false, true} {
		run := func(seed uint64, tree *descent.Tree) string {
			tree.SetRand(newRand(seed))
			e := search.NewConstant(g, 0.25)
			s := g.NewState()
			tree.Start(s)
			text := ""
			for range 4 {
				search.Run(tree, e)
				text += fmt.Sprint(tree.Dump(), tree.Stats(), tree.PrincipalVariation(nil),
					tree.Subtrees())
				a := tree.Best()
				s.Apply(a)
				tree.Play(a)
			}
			return text
		}
		o := descent.Options{BestFirst: bestFirst, Iterations: 20}
		tree := descent.New(g, o, nil)
		first := run(1, tree)
		if run(1, descent.New(g, o, nil)) != first || run(1, tree) != first {
			t.Error("the same seed makes another search")
		}
		if run(2, tree) == first {
			t.Error("another seed makes the same search")
		}
	}
}

// TestWithoutRand: the first among equals is explored.
func TestWithoutRand(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	tree := descent.New(g, descent.Options{BestFirst: true, Iterations: 2}, nil)
	tree.Start(g.NewState())
	search.Run(tree, search.NewConstant(g, 0.5))
	if c := tree.Children(nil)[0]; c.Visits != 1 {
		t.Errorf("the first action has %d visits", c.Visits)
	}
}

// TestSoleActions: positions with a sole legal action are searched from the next decision on,
// and the tree is kept over them.
func TestSoleActions(t *testing.T) {
	sole, over := 0, 0
	for i, g := range mazes(200) {
		rng := newRand(uint64(i))
		tree := descent.New(g, descent.Options{BestFirst: i%2 == 0, Iterations: 6}, rng)
		e := newHashed(g, uint64(i), 0)
		s := g.NewState()
		for tree.Start(s); s.CurrentPlayer() != game.Nobody; {
			legal := s.LegalActions(nil)
			if len(legal) == 1 &&
				(tree.Best() != legal[0] || tree.Safe() != legal[0] ||
					tree.Ordinal(0, rng) != legal[0]) {
				t.Fatalf("maze %d: the sole action is %d", i, legal[0])
			}
			search.Run(tree, e)
			value := make([]float32, g.Players())
			tree.Value(value)
			list := tree.Children(nil)
			if len(list) != len(legal) {
				t.Fatalf("maze %d: %d children of %d", i, len(list), len(legal))
			}
			for k, c := range list {
				if c.Action != legal[k] {
					t.Fatalf("maze %d: child %d is %+v", i, k, c)
				}
			}
			// The line can be played, and begins with the best.
			line, walk := tree.PrincipalVariation(nil), copyOf(g, s)
			if len(line) == 0 || line[0] != tree.Best() {
				t.Fatalf("maze %d: the line is %v, action %d the best", i, line, tree.Best())
			}
			for _, a := range line {
				if !slices.Contains(walk.LegalActions(nil), a) {
					t.Fatalf("maze %d: the line %v can't be played", i, line)
				}
				walk.Apply(a)
			}
			dump := tree.Dump()
			s.Apply(line[0])
			tree.Play(line[0])
			if len(legal) == 1 {
				sole++
				visits := 0
				for _, c := range tree.Children(nil) {
					visits += c.Visits
				}
				if s.CurrentPlayer() >= 0 && list[0].Visits != visits {
					t.Fatalf("maze %d: the sole action has %d visits, what follows %d",
						i, list[0].Visits, visits)
				}
				if !slices.Equal(list[0].Value[:len(value)], value) ||
					list[0].Exact != tree.Resolved() || tree.Dump() != dump {
					t.Fatalf("maze %d: the sole action is %+v, the root %v", i, list[0], value)
				}
			}
		}
		over++
		value, end := make([]float32, g.Players()), make([]float32, g.Players())
		s.Returns(end)
		if tree.Best() != game.NoAction || tree.Safe() != game.NoAction ||
			len(tree.Children(nil)) != 0 || !tree.Advance(e) {
			t.Fatalf("maze %d: the search goes on when the game is over", i)
		}
		if tree.Value(value); !slices.Equal(value, end) || !tree.Resolved() ||
			len(tree.PrincipalVariation(nil)) != 0 {
			t.Fatalf("maze %d: the end has the value %v, not %v", i, value, end)
		}
	}
	if sole < 50 || over < 150 {
		t.Errorf("%d sole actions in %d games", sole, over)
	}
}

// TestBeforeTheSearch: before the first search the result is empty and no method panics.
func TestBeforeTheSearch(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	tree := descent.New(g, descent.Options{Iterations: 3}, newRand(1))
	tree.Start(g.NewState())
	value := []float32{7, 7}
	rng := newRand(2)
	if tree.Value(value); value[0] != 0 || value[1] != 0 || tree.Resolved() ||
		tree.Best() != game.NoAction || tree.Safe() != game.NoAction ||
		tree.Ordinal(0.5, rng) != game.NoAction ||
		len(tree.Children(nil))+len(tree.PrincipalVariation(nil))+len(tree.Subtrees()) != 0 ||
		tree.Stats() != (search.Stats{}) {
		t.Error("something is known before the search")
	}
	if !panics(func() { tree.Deliver(search.Evaluations{}) }) {
		t.Error("Deliver may come before Advance")
	}
	e := newHashed(g, 1, 0)
	tree.Advance(e)
	if !panics(func() { tree.Advance(e) }) {
		t.Error("Advance may come twice")
	}
}

// TestPlayWhileAwaiting: an expansion whose evaluations are not delivered is undone completely.
func TestPlayWhileAwaiting(t *testing.T) {
	cuts := 0
	for i, g := range append(mazes(100), game.Must(game.New("tictactoe:players=3")),
		game.Must(game.New("go:size=3,players=3"))) {
		for cut := range 7 {
			e := newHashed(g, uint64(i), 0)
			o := descent.Options{BestFirst: i%2 == 0, Iterations: 10}
			tree := descent.New(g, o, newRand(3))
			s := g.NewState()
			tree.Start(s)
			n := 0
			for n < cut && !tree.Advance(e) {
				tree.Deliver(must(e.Evaluate()))
				n++
			}
			expanded, _ := tree.Held()
			nodes := tree.Stats().Nodes
			if n < cut || tree.Advance(e) {
				continue
			}
			// All children of this expansion may have been known, so others may have been
			// expanded since.
			e.Evaluate()
			if tree.Invariant() == nil && cut > 0 {
				t.Fatal("no expansion is under way")
			}
			list := tree.Subtrees()
			a := s.LegalActions(nil)[0]
			s.Apply(a)
			tree.Play(a)
			if err := tree.Invariant(); err != nil {
				t.Fatal(err)
			}
			if now, _ := tree.Held(); now == expanded && cut > 0 && tree.Stats().Nodes != nodes {
				t.Fatalf("%d states are held, %d before", tree.Stats().Nodes, nodes)
			}
			if fmt.Sprint(tree.Subtrees()) != fmt.Sprint(list) {
				t.Fatal("the subtrees have changed")
			}
			search.Run(tree, e)
			if err := tree.Invariant(); err != nil {
				t.Fatal(err)
			}
			judge(t, g, o, e, replay(t, g, g.NewState(), []game.Action{a}, false, tree.Subtrees()))
			cuts++
		}
	}
	if cuts < 100 {
		t.Errorf("only %d searches were cut", cuts)
	}
}

// TestTranspositions: lines that transpose lead to one node, with depth only if they are
// equally long.
func TestTranspositions(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	tree := descent.New(g, descent.Options{Iterations: 1 << 20}, newRand(1))
	e := newHashed(g, 1, 0)
	tree.Start(g.NewState())
	search.Run(tree, e)
	// 5478 positions can be reached, including those with a sole empty cell.
	if n := tree.Stats().Nodes; n > 5478 || !tree.Resolved() {
		t.Errorf("%d states are held", n)
	}
	if e.n != tree.Stats().Evaluations {
		t.Errorf("%d states are evaluated, %d counted", e.n, tree.Stats().Evaluations)
	}

	// There are more edges than states, and there must be room for them.
	states, edges := tree.Stats().Nodes, tree.Edges()
	tree = descent.New(g, descent.Options{Iterations: 1 << 20, MaxNodes: states + 9}, newRand(1))
	tree.Start(g.NewState())
	search.Run(tree, e)
	if stats := tree.Stats(); edges < 2*states || stats.Full || !tree.Resolved() {
		t.Errorf("with %d edges and room for %d states: %+v", edges, states+9, stats)
	}

	// Ways of different length to one place.
	more := 0
	for seed := range uint64(20) {
		var nodes [2]int
		for i := range nodes {
			g := &maze{
				seed: seed, players: 2, actions: 3, levels: 8, skip: 3, cells: 2, steps: 1000,
			}
			tree := descent.New(g,
				descent.Options{
					Iterations: 1 << 20, Terminal: descent.Terminal{Depth: i == 1},
				}, newRand(1))
			tree.Start(g.NewState())
			search.Run(tree, newHashed(g, 1, 0))
			nodes[i] = tree.Stats().Nodes
		}
		if nodes[0] > 2*12 || nodes[1] < nodes[0] {
			t.Errorf("%d states without depth, %d with", nodes[0], nodes[1])
		}
		if nodes[1] > nodes[0] {
			more++
		}
	}
	if more < 10 {
		t.Errorf("only %d mazes have states that are reached at several plies", more)
	}
}

// TestResolvedStays: once resolved, a state keeps its value, even if another child turns out to
// be equally good for its player to move.
func TestResolvedStays(t *testing.T) {
	others := 0 // states whose first best child is another one now
	for seed := range uint64(200) {
		g := &maze{seed: seed, players: 3, actions: 4, levels: 7, skip: 2, cells: 6, steps: 1}
		tree := descent.New(g, descent.Options{BestFirst: true, Iterations: 4}, newRand(seed))
		e := newHashed(g, seed, 0)
		s := g.NewState()
		settled := map[uint64][]float32{}
		for tree.Start(s); s.CurrentPlayer() >= 0; {
			search.Run(tree, e)
			tree.Subtrees()
			now := tree.Settled()
			for key, v := range settled {
				if !slices.Equal(now[key], v) {
					t.Fatalf("a resolved state had the value %v and has %v", v, now[key])
				}
			}
			settled = now
			others += tree.Changeable()
			legal := s.LegalActions(nil)
			a := legal[int(seed)%len(legal)]
			s.Apply(a)
			tree.Play(a)
		}
	}
	if others < 10 {
		t.Errorf("only %d resolved states would change", others)
	}
}

// rowed answers with the same row for every state.
type rowed struct {
	row []float32
	n   int
}

func (r *rowed) Add(game.State) { r.n++ }
func (r *rowed) Evaluate() (search.Evaluations, error) {
	evaluations := search.Evaluations{Players: len(r.row)}
	for range r.n {
		evaluations.Values = append(evaluations.Values, r.row...)
	}
	r.n = 0
	return evaluations, nil
}

// TestRows: if utilities sum to a constant an evaluation is shifted to that sum, else it is
// used unchanged; a row with a value that is not finite is replaced by an even result.
func TestRows(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		game      string
		terminal  descent.Terminal
		row, want []float32
	}{
		{"tictactoe", descent.Terminal{}, []float32{0.5, 0.5}, []float32{0.5, 0.5}},
		{"tictactoe", descent.Terminal{}, []float32{0.75, 0.75}, []float32{0.5, 0.5}},
		{"tictactoe", descent.Terminal{}, []float32{1.5, -1}, []float32{1.75, -0.75}},
		{"tictactoe", descent.Terminal{Depth: true}, []float32{1.5, -1}, []float32{1.75, -0.75}},
		{"tictactoe", descent.Terminal{}, []float32{nan, 1}, []float32{0.5, 0.5}},
		{"tictactoe", descent.Terminal{}, []float32{1, -inf}, []float32{0.5, 0.5}},
		{"tictactoe:players=3",
			descent.Terminal{}, []float32{0.5, 0.25, 1}, []float32{0.25, 0, 0.75}},
		{"tictactoe:players=3",
			descent.Terminal{}, []float32{0, nan, 1}, []float32{1.0 / 3, 1.0 / 3, 1.0 / 3}},
		{"tictactoe:players=3", descent.Terminal{},
			[]float32{math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
			[]float32{1.0 / 3, 1.0 / 3, 1.0 / 3}},
		{"go:size=3,players=2", descent.Terminal{}, []float32{1.5, -1}, []float32{1.5, -1}},
		{"go:size=3,players=3",
			descent.Terminal{}, []float32{1.5, inf, 0}, []float32{1.0 / 3, 1.0 / 3, 1.0 / 3}},
		{"go:size=3,players=2,reward=win",
			descent.Terminal{}, []float32{1.5, -1}, []float32{1.75, -0.75}},
		{"go:size=3,players=2,reward=win",
			descent.Terminal{Score: true}, []float32{1.5, -1}, []float32{1.5, -1}},
	} {
		g := game.Must(game.New(test.game))
		tree := descent.New(g,
			descent.Options{Iterations: 1, BestFirst: true, Terminal: test.terminal}, newRand(1))
		tree.Start(g.NewState())
		search.Run(tree, &rowed{row: test.row})
		got := make([]float32, g.Players())
		if tree.Value(got); !slices.Equal(got, test.want) {
			t.Errorf("%s, %v: the row %v makes %v, not %v",
				test.game, test.terminal, test.row, got, test.want)
		}
	}
	// With a constant sum the two players order all evaluations in exactly opposite ways,
	// however small the difference.
	g := game.Must(game.New("tictactoe"))
	rng := newRand(3)
	for range 2000 {
		x := rng.Float32()
		a, b := rowValue(g, x, rng.Float32()*1e-6), rowValue(g, x, rng.Float32()*1e-6)
		if (a[0] < b[0]) != (a[1] > b[1]) || a[0]+a[1] != 1 {
			t.Fatalf("%v and %v", a, b)
		}
	}
}

// rowValue returns the value that a search gives a row.
func rowValue(g game.Game, u, v float32) []float32 {
	tree := descent.New(g, descent.Options{Iterations: 1, BestFirst: true}, nil)
	tree.Start(g.NewState())
	search.Run(tree, &rowed{row: []float32{u, v}})
	value := make([]float32, 2)
	tree.Value(value)
	return value
}

// TestAllocations: once the arrays have grown a search allocates nothing.
func TestAllocations(t *testing.T) {
	g := game.Must(game.New("go:size=4,players=3"))
	for _, bestFirst := range []bool{false, true} {
		rng := newRand(1)
		tree := descent.New(g,
			descent.Options{BestFirst: bestFirst, Iterations: 20, Time: time.Hour}, rng)
		e := search.NewConstant(g, 0.3)
		s, first := g.NewState(), g.NewState()
		children := make([]search.Child, 0, 20)
		line := make([]game.Action, 0, 200)
		play := func() {
			s.CopyFrom(first)
			tree.Start(s)
			for range 10 {
				search.Run(tree, e)
				children = tree.Children(children[:0])
				line = tree.PrincipalVariation(line[:0])
				a := tree.Ordinal(0.5, rng)
				tree.Safe()
				s.Apply(a)
				tree.Play(a)
			}
		}
		for range 20 {
			play()
		}
		// The games differ, so an array may occasionally still grow.
		if n := testing.AllocsPerRun(30, play); n > 1 {
			t.Errorf("best first %v: %v allocations a game", bestFirst, n)
		}
	}
}
