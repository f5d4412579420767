package mcts_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

var _ search.Search = (*mcts.Tree)(nil)

// searches returns one search of each kind on a game.
func searches(g game.Game, simulations int) map[string]*mcts.Tree {
	rng := random.New(5, random.Test)
	noise := 0.25
	return map[string]*mcts.Tree{
		"UCT":  mcts.NewUCT(g, mcts.UCT{Simulations: simulations, C: 0.8}, rng),
		"PUCT": mcts.NewPUCT(g, mcts.PUCT{Simulations: simulations, C: 0.8}, rng),
		"PUCT noise": mcts.NewPUCT(g,
			mcts.PUCT{
				Simulations: simulations, C: 0.8, Noise: noise, FPU: mcts.ParentReduction(0.1),
			}, rng),
		"PUCT reuse": mcts.NewPUCT(g,
			mcts.PUCT{Simulations: simulations, C: 0.8, Noise: noise, Reuse: true}, rng),
		"UCT bound": mcts.NewUCT(g,
			mcts.UCT{
				Simulations: simulations, C: 0.8, FinalSelection: mcts.LowerBound(5, 0.15),
			}, rng),
		"PUCT reuse, options": mcts.NewPUCT(g, mcts.PUCT{
			Simulations: simulations, C: 0.8, FPU: mcts.ParentReduction(0.1), Reuse: true,
			FinalSelection: mcts.LowerBound(5, 0.15),
		}, rng),
		"PUCT reuse, balanced": mcts.NewPUCT(g,
			mcts.PUCT{
				Simulations: simulations, C: 0.8, Noise: noise, Reuse: true, Balanced: true,
			}, rng),
		"Gumbel": mcts.NewPUCT(g,
			mcts.PUCT{Simulations: simulations, Gumbel: mcts.PublishedGumbel()}, rng),
		"Gumbel, PUCT below, reuse": mcts.NewPUCT(g, mcts.PUCT{
			Simulations: simulations, C: 0.8, Reuse: true,
			Gumbel: mcts.Gumbel{
				Considered: 4, VisitOffset: 50, ValueScale: 0.1, Interior: mcts.ByPUCT,
			},
		}, rng),
	}
}

// counting counts the states that an evaluator was given, and checks that in each a player has
// a choice.
type counting struct {
	search.Evaluator
	n, bad int
}

func (c *counting) Add(s game.State) {
	c.n++
	if s.CurrentPlayer() < 0 || len(s.LegalActions(nil)) < 2 {
		c.bad++
	}
	c.Evaluator.Add(s)
}

func visits(t *mcts.Tree) int {
	n := 0
	for _, c := range t.Children(nil) {
		n += c.Visits
	}
	return n
}

// TestBudget: each search of a game makes exactly its number of simulations, requests
// evaluations of decisions only, one per Advance, and leaves a consistent tree.
func TestBudget(t *testing.T) {
	for _, name := range []string{
		"go:size=3,players=3", "tictactoe:players=3",
		"go:rows=1,columns=4,players=2,pass=free", "maze",
	} {
		var g game.Game = &maze{seed: 1, players: 3, actions: 5, plies: 12, steps: 3, chance: true}
		if name != "maze" {
			g = game.Must(game.New(name))
		}
		for kind, tree := range searches(g, 70) {
			rng := random.New(7, random.Test)
			e := &counting{Evaluator: newHashed(g, 0)}
			for s := randomState(g, 0, rng); s.CurrentPlayer() != game.Nobody; {
				tree.Start(s)
				e.n = 0
				rounds := 0
				for !tree.Advance(e) {
					if rounds++; e.n != rounds {
						t.Fatalf("%s, %s: Advance %d added %d states",
							name, kind, rounds, e.n-rounds+1)
					}
					tree.Deliver(must(e.Evaluate()))
				}
				if !tree.Advance(e) {
					t.Fatalf("%s, %s: the search goes on after its end", name, kind)
				}
				if n := visits(tree); n != 70 {
					t.Errorf("%s, %s: the root's actions have %d visits of 70", name, kind, n)
				}
				stats := tree.Stats()
				if stats.Simulations != 70 || stats.Evaluations != e.n || stats.Full {
					t.Errorf("%s, %s: %d evaluations, but %+v", name, kind, e.n, stats)
				}
				if err := tree.Check(); err != nil {
					t.Fatalf("%s, %s: %v", name, kind, err)
				}
				if !randomStep(s, rng) {
					break
				}
			}
			if e.bad > 0 {
				t.Errorf("%s, %s: %d states without a choice were evaluated", name, kind, e.bad)
			}
		}
	}
}

// TestPlayKeepsSubtree: Play keeps the subtree below the action played, node by node, and new
// simulations are added to it.
func TestPlayKeepsSubtree(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	e := newHashed(g, 0)
	tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 300, C: 0.8, Reuse: true, MaxNodes: 5000},
		random.New(1, random.Test))
	s := g.NewState()
	tree.Start(s)
	for range 12 {
		search.Run(tree, e)
		a := tree.Best()
		var played search.Child
		for _, c := range tree.Children(nil) {
			if c.Action == a {
				played = c
			}
		}
		want := tree.Dump(a)
		s.Apply(a)
		tree.Play(a)
		if got := tree.Dump(game.NoAction); got != want {
			t.Fatalf("the tree after the move is\n%s\nthe subtree before was\n%s", got, want)
		}
		if err := tree.Check(); err != nil {
			t.Fatal(err)
		}
		if s.CurrentPlayer() == game.Nobody {
			break
		}
		var value [game.MaxPlayers]float32
		tree.Value(value[:])
		if value != played.Value {
			t.Errorf("the root's value is %v; as a child it had %v", value, played.Value)
		}
		kept := strings.Count(want, "\n")
		before := visits(tree)
		search.Run(tree, e)
		if n := visits(tree); n != before+300 {
			t.Errorf("%d visits after a search of 300 on %d", n, before)
		}
		if n := tree.Stats().Kept; n != kept {
			t.Errorf("%d nodes were kept of %d", n, kept)
		}
	}
}

// TestForgets: UCT and PUCT without Reuse drop the tree on Play, as does PUCT after an action
// without visits or while it waits for an evaluation.
func TestForgets(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	e := newHashed(g, 0)
	for kind, tree := range searches(g, 50) {
		tree.Start(g.NewState())
		if len(tree.Children(nil)) != 0 || tree.Best() != game.NoAction ||
			len(tree.PrincipalVariation(nil)) != 0 {
			t.Errorf("%s: something is known before the search", kind)
		}
		search.Run(tree, e)
		tree.Play(tree.Best())
		if kept := len(tree.Children(nil)) > 0; kept != (strings.HasPrefix(kind, "PUCT reuse") ||
			strings.HasSuffix(kind, ", reuse")) {
			t.Errorf("%s: kept is %v", kind, kept)
		}
		search.Run(tree, e)
		if c := tree.Children(nil); len(c) != 8 {
			t.Errorf("%s: %d actions after the first move", kind, len(c))
		}
		tree.Start(g.NewState())
		for range 20 {
			if !tree.Advance(e) {
				tree.Deliver(must(e.Evaluate()))
			}
		}
		if tree.Advance(e) {
			t.Fatalf("%s: the search has ended too early", kind)
		}
		e.Evaluate()
		tree.Play(0)
		if len(tree.Children(nil)) != 0 {
			t.Errorf("%s: a search that awaited an evaluation kept something", kind)
		}
		search.Run(tree, e)
		if n := visits(tree); n != 50 {
			t.Errorf("%s: %d visits of 50", kind, n)
		}
	}
}

// TestForeseesThePath: a search by PUCT foresees all of the tree that its next simulation passes
// through, one by UCT nothing.
func TestForeseesThePath(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	trees := map[string]*mcts.Tree{
		"PUCT": mcts.NewPUCT(g, mcts.PUCT{Simulations: 300, C: 1}, random.New(1, random.Test)),
		"PUCT with proofs": mcts.NewPUCT(g, mcts.PUCT{Simulations: 300, C: 1, Proofs: true},
			random.New(1, random.Test)),
		"UCT": mcts.NewUCT(g, mcts.UCT{Simulations: 300, C: 1}, random.New(1, random.Test)),
	}
	for name, tree := range trees {
		e, compared := newHashed(g, 0), 0
		tree.Start(g.NewState())
		depths := func() (simulations, sum int) {
			s := tree.Stats()
			return s.Simulations, int(math.Round(s.MeanDepth * float64(s.Simulations)))
		}
		for {
			simulations, before := depths()
			nodes := 0
			for tree.Foresee() {
				nodes++
			}
			if edges := tree.Foreseen(); tree.Foresee() || nodes > edges+1 {
				t.Fatalf("%s: %d nodes are foreseen at the end of %d edges", name, nodes, edges)
			}
			if tree.Advance(e) {
				break
			}
			evaluations, err := e.Evaluate()
			if err != nil {
				t.Fatal(err)
			}
			tree.Deliver(evaluations)
			now, sum := depths()
			if name == "UCT" && nodes > 0 || now == simulations && nodes > 0 {
				t.Fatalf("%s: %d nodes are foreseen of none", name, nodes)
			}
			// The last node is a new one, unless the game was over before an evaluation was wanted.
			if name != "UCT" && now == simulations+1 {
				if compared++; nodes != sum-before {
					t.Fatalf("%s, simulation %d: %d nodes are foreseen of a path of depth %d",
						name, now, nodes, sum-before)
				}
			}
		}
		if name != "UCT" && compared < 100 {
			t.Errorf("%d simulations are compared", compared)
		}
	}
}

// TestForeseenIsForgotten: what was foreseen of a search that goes on in another way, or is given
// up, changes nothing.
func TestForeseenIsForgotten(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	s := g.NewState()
	other := g.NewState()
	other.Apply(4)
	for event, do := range map[string]func(*mcts.Tree){
		"Start":  func(tree *mcts.Tree) { tree.Start(other) },
		"Play":   func(tree *mcts.Tree) { tree.Play(tree.Best()) },
		"Extend": func(tree *mcts.Tree) { tree.Extend(3) },
		"Again":  func(tree *mcts.Tree) { tree.Again() },
	} {
		trees, expected := searches(g, 40), searches(g, 40)
		foreseen := 0
		for _, kind := range slices.Sorted(maps.Keys(trees)) {
			for n := range 40 {
				tree, want := trees[kind], expected[kind]
				for _, x := range []*mcts.Tree{tree, want} {
					e := newHashed(g, 0)
					x.Start(s)
					for range 1 + n {
						x.Advance(e)
						x.Deliver(must(e.Evaluate()))
					}
					for x == tree && x.Foresee() {
						foreseen++
					}
					if x == tree && n%2 > 0 {
						x.Children(nil) // it changes nothing either
					}
					do(x)
					search.Run(x, e)
				}
				if got := tree.Dump(game.NoAction); got != want.Dump(game.NoAction) {
					t.Fatalf("%s, %s after %d evaluations: another tree:\n%s",
						kind, event, 1+n, got)
				}
			}
		}
		if foreseen < 100 {
			t.Errorf("%s: only %d steps are foreseen", event, foreseen)
		}
	}
}

// TestDeterminism: the same seed gives the same search, whatever the tree was used for before.
func TestDeterminism(t *testing.T) {
	g := &maze{seed: 9, players: 3, actions: 6, plies: 15, steps: 4, chance: true}
	e := newHashed(g, 0)
	fresh, used := searches(g, 200), searches(g, 200)
	for kind, tree := range used {
		tree.Start(randomState(g, 3, random.New(1, random.Test)))
		search.Run(tree, e)
		s := randomState(g, 1, random.New(2, random.Test))
		for _, x := range []*mcts.Tree{tree, fresh[kind]} {
			x.SetRand(random.New(3, random.Test))
			x.Start(s)
			search.Run(x, e)
		}
		if tree.Dump(game.NoAction) != fresh[kind].Dump(game.NoAction) {
			t.Errorf("%s: the same seed gave two trees", kind)
		}
	}
}

// TestSoleAction searches states with a sole legal action.
func TestSoleAction(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	e := newHashed(g, 0)
	for kind, tree := range searches(g, 30) {
		s := g.NewState()
		// The last empty cell is 8; a draw follows.
		for _, a := range []game.Action{0, 1, 2, 4, 3, 5, 7, 6} {
			s.Apply(a)
		}
		tree.Start(s)
		search.Run(tree, e)
		c := tree.Children(nil)
		if len(c) != 1 || c[0].Action != 8 || c[0].Visits != 30 || c[0].Value[0] != 0.5 ||
			c[0].Value[1] != 0.5 {
			t.Errorf("%s: the children are %v", kind, c)
		}
		if a, b := tree.Best(), tree.Choose(1, random.New(1, random.Test)); a != 8 || b != 8 {
			t.Errorf("%s: actions %d and %d are chosen", kind, a, b)
		}
		if line := tree.PrincipalVariation(nil); len(line) != 1 || line[0] != 8 {
			t.Errorf("%s: the line is %v", kind, line)
		}
		if n := tree.Stats().Evaluations; n != 0 {
			t.Errorf("%s: %d evaluations", kind, n)
		}
		// The game is over: there is nothing to search.
		tree.Play(8)
		search.Run(tree, e)
		if n := tree.Stats().Simulations; n != 0 || tree.Best() != game.NoAction ||
			len(tree.Children(nil)) != 0 {
			t.Errorf("%s: %d simulations of a finished game", kind, n)
		}
	}
}

// TestAllTerminal searches a position in which all actions end the game: after the root no
// evaluation is needed, and the search must end.
func TestAllTerminal(t *testing.T) {
	g := game.Must(game.New("mnk:rows=1,columns=3,in_row=1,players=3"))
	for kind, tree := range searches(g, 1000) {
		e := &counting{Evaluator: newHashed(g, 0)}
		tree.Start(g.NewState())
		search.Run(tree, e)
		if n := visits(tree); n != 1000 || e.n > 1 {
			t.Errorf("%s: %d visits, %d evaluations", kind, n, e.n)
		}
		for _, c := range tree.Children(nil) {
			if c.Visits > 0 && c.Value != [game.MaxPlayers]float32{1} {
				t.Errorf("%s: action %d is worth %v", kind, c.Action, c.Value)
			}
		}
	}
}

// TestMemory: a search with few nodes uses them all, makes all its simulations, and reports
// that the tree is full; it has room again after the root has moved.
func TestMemory(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	for _, maxNodes := range []int{1, 2, 9, 10, 11, 50, 400} {
		for _, kind := range []string{"UCT", "PUCT", "Gumbel"} {
			rng := random.New(3, random.Test)
			tree := mcts.NewUCT(g, mcts.UCT{Simulations: 500, C: 0.8, MaxNodes: maxNodes}, rng)
			o := mcts.PUCT{Simulations: 500, C: 0.8, MaxNodes: maxNodes, Reuse: true}
			switch kind {
			case "Gumbel":
				o.Gumbel = mcts.PublishedGumbel()
				fallthrough
			case "PUCT":
				tree = mcts.NewPUCT(g, o, rng)
			}
			e := newHashed(g, 0)
			s := g.NewState()
			tree.Start(s)
			bytes := tree.Stats().Bytes
			for move := range 3 {
				search.Run(tree, e)
				stats := tree.Stats()
				if stats.Nodes > maxNodes || stats.Simulations != 500 || stats.Bytes != bytes {
					t.Errorf("%s, at most %d nodes: %+v; %d bytes to begin with",
						kind, maxNodes, stats, bytes)
				}
				if move == 0 && (!stats.Full || stats.Nodes != maxNodes) {
					t.Errorf("%s, at most %d nodes: not full, %+v", kind, maxNodes, stats)
				}
				if err := tree.Check(); err != nil {
					t.Errorf("%s, at most %d nodes: %v", kind, maxNodes, err)
				}
				tree.Play(tree.Best())
			}
		}
	}
}

// TestMemoryWithChance: if chance has more outcomes than there are actions, the tree may run
// out of edges before nodes.
func TestMemoryWithChance(t *testing.T) {
	for seed := range uint64(50) {
		g := &maze{
			seed: seed, players: 2, actions: 1 + int(seed%2), plies: 15, steps: 3, chance: true,
		}
		for maxNodes := 1; maxNodes < 8; maxNodes++ {
			rng := random.New(seed, random.Test)
			tree := mcts.NewPUCT(g,
				mcts.PUCT{Simulations: 60, C: 0.8, MaxNodes: maxNodes, Reuse: true}, rng)
			s := randomState(g, 1, rng)
			for tree.Start(s); s.CurrentPlayer() != game.Nobody; {
				search.Run(tree, newHashed(g, 0))
				if stats := tree.Stats(); stats.Simulations != 60 || stats.Nodes > maxNodes {
					t.Fatalf("maze %d, at most %d nodes: %+v", seed, maxNodes, stats)
				}
				if err := tree.Check(); err != nil {
					t.Fatalf("maze %d, at most %d nodes: %v", seed, maxNodes, err)
				}
				a := tree.Best()
				if s.CurrentPlayer() == game.Chance {
					a = s.(game.Chancer).Sample(rng)
				}
				s.Apply(a)
				tree.Play(a)
			}
		}
	}
}

// TestBytes compares Stats.Bytes with the sizes of the types.
func TestBytes(t *testing.T) {
	if counted, actual := mcts.Sizes(); counted != actual {
		t.Errorf("nodes and edges take %v bytes, counted are %v", actual, counted)
	}
	g := game.Must(game.New("tictactoe"))
	tree := mcts.NewUCT(g, mcts.UCT{MaxNodes: 100}, nil)
	if got, want := tree.Stats().Bytes, 100*(32+8*2+32*9); got != want {
		t.Errorf("100 nodes take %d bytes, not %d", got, want)
	}
}

// TestUnboundedMemory: without MaxNodes there is room for all simulations, after SetSimulations
// too.
func TestUnboundedMemory(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	for kind, tree := range searches(g, 10) {
		e := newHashed(g, 0)
		tree.Start(g.NewState())
		for _, n := range []int{10, 3000, 20} {
			tree.SetSimulations(n)
			search.Run(tree, e)
			if stats := tree.Stats(); stats.Full || stats.Simulations != n {
				t.Errorf("%s: %d simulations wanted: %+v", kind, n, stats)
			}
			tree.Play(tree.Best())
			if err := tree.Check(); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

// TestAllocations: a tree that has been used before allocates nothing while it plays a game.
func TestAllocations(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	for kind, tree := range searches(g, 200) {
		rng := random.New(1, random.Test)
		for name, e := range map[string]search.Evaluator{
			"constant": search.NewConstant(g, 0.3), "playouts": search.NewPlayouts(g, rng),
		} {
			if name == "playouts" && kind != "UCT" {
				continue
			}
			s := g.NewState()
			children := make([]search.Child, 0, g.Actions())
			line := make([]game.Action, 0, 1000)
			if n := testing.AllocsPerRun(20, func() {
				tree.Start(s)
				for range 3 {
					runAhead(tree, e, func() int { return 100 })
					children = tree.Children(children[:0])
					line = tree.PrincipalVariation(line[:0])
					tree.Play(tree.Choose(1, rng))
				}
			}); n != 0 {
				t.Errorf("%s, %s: %v allocations", kind, name, n)
			}
		}
	}
}

// TestMisuse: misuse panics with a message that names the mistake.
func TestMisuse(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	rng := random.New(1, random.Test)
	e := newHashed(g, 0)
	started := func() *mcts.Tree {
		tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 5}, rng)
		tree.Start(g.NewState())
		return tree
	}
	bad := func(logit, value float32) search.Evaluations {
		evaluations := search.Evaluations{
			Actions: 9, Players: 2, Policy: make([]float32, 9), Values: make([]float32, 2),
		}
		evaluations.Policy[3], evaluations.Values[1] = logit, value
		return evaluations
	}
	nan := float32(math.NaN())
	for want, f := range map[string]func(){
		"Advance is called before Deliver": func() {
			tree := started()
			tree.Advance(e)
			tree.Advance(e)
		},
		"Deliver is called before Advance": func() { started().Deliver(bad(0, 0)) },
		"utility that is not a number": func() {
			tree := started()
			tree.Advance(e)
			tree.Deliver(bad(0, nan))
		},
		"logits that are not numbers": func() {
			tree := started()
			tree.Advance(e)
			tree.Deliver(bad(nan, 0))
		},
		"policy logits that are not numbers": func() {
			tree := started()
			tree.Advance(e)
			tree.Deliver(bad(float32(math.Inf(1)), 0))
		},
		"simulations is -1": func() { mcts.NewUCT(g, mcts.UCT{Simulations: -1}, rng) },
		"simulations is -2": func() { started().SetSimulations(-2) },
		"c is -1":           func() { mcts.NewPUCT(g, mcts.PUCT{C: -1}, rng) },
		"c is NaN":          func() { mcts.NewPUCT(g, mcts.PUCT{C: math.NaN()}, rng) },
		"scale is -1":       func() { mcts.NewUCT(g, mcts.UCT{Scale: -1}, rng) },
		"max nodes is -1":   func() { mcts.NewUCT(g, mcts.UCT{MaxNodes: -1}, rng) },
		"nodes of up to 9 edges are too many": func() {
			mcts.NewUCT(g, mcts.UCT{MaxNodes: 1 << 30}, rng)
		},
		"noise weight is 1.5": func() { mcts.NewPUCT(g, mcts.PUCT{Noise: 1.5}, rng) },
		"considered is -2": func() {
			mcts.NewPUCT(g, mcts.PUCT{Gumbel: mcts.Gumbel{Considered: -2}}, rng)
		},
		"c_visit is NaN": func() {
			mcts.NewPUCT(g, mcts.PUCT{
				Gumbel: mcts.Gumbel{Considered: 2, VisitOffset: math.NaN()},
			}, rng)
		},
		"c_scale is -1": func() {
			mcts.NewPUCT(g, mcts.PUCT{Gumbel: mcts.Gumbel{Considered: 2, ValueScale: -1}}, rng)
		},
		"interior is 3": func() {
			mcts.NewPUCT(g, mcts.PUCT{Gumbel: mcts.Gumbel{Interior: 3}}, rng)
		},
		"first-play reduction is -0.1": func() {
			mcts.NewPUCT(g, mcts.PUCT{FPU: mcts.ParentReduction(-0.1)}, rng)
		},
	} {
		got := func() (text string) {
			defer func() { text = fmt.Sprint(recover()) }()
			f()
			return ""
		}()
		if !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}
