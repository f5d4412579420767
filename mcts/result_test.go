package mcts_test

import (
	"math"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// TestChoose draws many actions and compares their frequencies with visits^(1/T).
func TestChoose(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	rng := random.New(2, random.Test)
	tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 60, C: 2}, rng)
	tree.Start(g.NewState())
	search.Run(tree, newHashed(g, 0))
	children := tree.Children(nil)
	for _, temperature := range []float64{1, 0.5, 2} {
		const draws = 20_000
		counts := map[game.Action]int{}
		for range draws {
			counts[tree.Choose(temperature, rng)]++
		}
		sum := 0.0
		for _, c := range children {
			sum += math.Pow(float64(c.Visits), 1/temperature)
		}
		for _, c := range children {
			p := math.Pow(float64(c.Visits), 1/temperature) / sum
			got, sd := float64(counts[c.Action])/draws, math.Sqrt(p*(1-p)/draws)
			if math.Abs(got-p) > 4.5*sd {
				t.Errorf("temperature %g: action %d with %d visits came %.4f of the time, not %.4f",
					temperature, c.Action, c.Visits, got, p)
			}
		}
	}
	for _, temperature := range []float64{0, 1e-3} {
		for range 100 {
			if a := tree.Choose(temperature, rng); a != tree.Best() {
				t.Fatalf("temperature %g: action %d instead of %d", temperature, a, tree.Best())
			}
		}
	}
}

// TestNoSimulations: without simulations PUCT plays by the policy only.
func TestNoSimulations(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	e := newHashed(g, 0)
	rng := random.New(2, random.Test)
	tree := mcts.NewPUCT(g, mcts.PUCT{C: 0.8}, rng)
	s := g.NewState()
	tree.Start(s)
	search.Run(tree, e)
	logits, values := e.Of(s)
	best := game.Action(0)
	for a, x := range logits {
		if x > logits[best] {
			best = game.Action(a)
		}
	}
	if a := tree.Best(); a != best {
		t.Errorf("action %d is chosen, the greatest logit is that of %d", a, best)
	}
	value := make([]float32, 2)
	if tree.Value(value); value[0] != values[0] || value[1] != values[1] {
		t.Errorf("the value is %v, the evaluator's %v", value, values)
	}
	counts := map[game.Action]int{}
	const draws = 20_000
	for range draws {
		counts[tree.Choose(1, rng)]++
	}
	for _, c := range tree.Children(nil) {
		p := float64(c.Prior)
		if got := float64(counts[c.Action]) / draws; math.Abs(got-p) >
			4.5*math.Sqrt(p*(1-p)/draws) {
			t.Errorf("action %d of prior %.4f came %.4f of the time", c.Action, p, got)
		}
	}
}

// chosen is a game of one decision with given results.
type chosen struct{ values []float32 }

func (g *chosen) Name() string         { return "chosen" }
func (g *chosen) Players() int         { return 1 }
func (g *chosen) Actions() int         { return len(g.values) }
func (g *chosen) Planes() game.Shape   { return game.Shape{C: 1, H: 1, W: 1} }
func (g *chosen) Support() []float32   { return nil }
func (g *chosen) NewState() game.State { return &chosenState{g: g, a: -1} }

type chosenState struct {
	g *chosen
	a game.Action
}

func (s *chosenState) CurrentPlayer() game.Player {
	if s.a >= 0 {
		return game.Nobody
	}
	return 0
}

func (s *chosenState) LegalActions(dst []game.Action) []game.Action {
	for a := range s.g.values {
		dst = append(dst, game.Action(a))
	}
	return dst
}

func (s *chosenState) Apply(a game.Action)       { s.a = a }
func (s *chosenState) CopyFrom(src game.State)   { *s = *src.(*chosenState) }
func (s *chosenState) Returns(dst []float32)     { dst[0] = s.g.values[s.a] }
func (s *chosenState) Observation(dst []float32) { dst[0] = 0 }
func (s *chosenState) Hash() uint64              { return uint64(s.a + 1) }

// rowOf evaluates any state by a row of logits, and utility 0.
type rowOf struct {
	logits []float32
	n      int
}

func (r *rowOf) Add(game.State) { r.n++ }

func (r *rowOf) Evaluate() (search.Evaluations, error) {
	return search.Evaluations{
		Policy: r.logits, Values: make([]float32, 1), Actions: len(r.logits), Players: 1,
	}, nil
}

// TestBestBreaksTies: Best breaks ties among actions with one visit each.
func TestBestBreaksTies(t *testing.T) {
	for _, test := range []struct {
		values, logits []float32
		want           game.Action
		why            string
	}{
		{[]float32{0.1, 0.3, 0.3, 0.2}, []float32{0, 0, 0, 0}, 1,
			"the greater mean, then the lowest"},
		{[]float32{0.1, 0.3, 0.3, 0.2}, []float32{0, 0, 0.1, 0}, 2,
			"the greater mean, then the greater prior"},
		{[]float32{0.4, 0.3, 0.3, 0.2}, []float32{0, 0.1, 0.1, 0.1}, 0,
			"the greater mean before the prior"},
	} {
		g := &chosen{test.values}
		// With so much exploration every action is tried once.
		tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: len(test.values), C: 1000},
			random.New(1, random.Test))
		tree.Start(g.NewState())
		search.Run(tree, &rowOf{logits: test.logits})
		for _, c := range tree.Children(nil) {
			if c.Visits != 1 {
				t.Fatalf("action %d has %d visits", c.Action, c.Visits)
			}
		}
		if a := tree.Best(); a != test.want {
			t.Errorf("%s: action %d, want %d", test.why, a, test.want)
		}
	}
}

// TestFirstPlay works two selections out by hand. The root is worth 0 and the
// actions 0.5, 0.5 and 0, of priors 0.5, 0.3 and 0.2, with C = 1.
func TestFirstPlay(t *testing.T) {
	g := &chosen{[]float32{0.5, 0.5, 0}}
	logits := []float32{float32(math.Log(0.5)), float32(math.Log(0.3)), float32(math.Log(0.2))}
	for _, test := range []struct {
		first mcts.FPU
		want  []int // the action of each simulation
	}{
		// N = 1: 0.5, 0.3, 0.2 → action 0.
		// N = 2: 0.5 + 0.5·1.414/2 = 0.854 against 0.3·1.414 = 0.424 → 0.
		// N = 3: 0.5 + 0.5·1.732/3 = 0.789 against 0.520 → 0.
		// N = 4: 0.5 + 0.5·2/4 = 0.75 against 0.6 → 0.
		// N = 5: 0.5 + 0.5·2.236/5 = 0.724 against 0.671 → 0.
		// N = 6: 0.5 + 0.5·2.449/6 = 0.704 against 0.735 → 1.
		{mcts.Zero(), []int{0, 0, 0, 0, 0, 1}},
		// N = 2: the root's mean is 0.25, 0.854 against 0.674 → 0.
		// N = 3: 0.333; 0.789 against 0.853 → 1.
		// N = 4: 0.375; 0.5 + 0.5·2/3 = 0.833 and 0.5 + 0.3·2/2 = 0.8 against 0.375 + 0.2·2 = 0.775
		// → 0.
		{mcts.ParentReduction(0), []int{0, 0, 1, 0}},
		// The reduction is 0.2·sqrt(0.5) = 0.141.
		// N = 3: 0.789 against 0.853 - 0.141 = 0.711 → 0.
		// N = 4: 0.75 against 0.375 - 0.141 + 0.6 = 0.834 → 1.
		{mcts.ParentReduction(0.2), []int{0, 0, 0, 1}},
	} {
		tree := mcts.NewPUCT(g, mcts.PUCT{C: 1, FPU: test.first}, random.New(1, random.Test))
		for n := range test.want {
			tree.SetSimulations(n + 1)
			tree.Start(g.NewState())
			search.Run(tree, &rowOf{logits: logits})
			want := [3]int{}
			for _, a := range test.want[:n+1] {
				want[a]++
			}
			got := [3]int{}
			for _, c := range tree.Children(nil) {
				got[c.Action] = c.Visits
			}
			if got != want {
				t.Errorf("%+v, %d simulations: visits %v, want %v", test.first, n+1, got, want)
			}
		}
	}
}

// TestUCTByHand: selections agree with the formula computed by hand, on a game of one decision.
func TestUCTByHand(t *testing.T) {
	g := &chosen{[]float32{0.2, 0.6}}
	for _, test := range []struct {
		scale float64
		n     int
		want  [2]int
	}{
		{1, 2, [2]int{1, 1}},
		// ln 2 = 0.693: 0.2 + 0.833 and 0.6 + 0.833 → the second.
		{1, 3, [2]int{1, 2}},
		// ln 3 = 1.099: 0.2 + 1.048 = 1.248; 0.6 + 0.741 = 1.341 → the second.
		{1, 4, [2]int{1, 3}},
		// ln 4 = 1.386: 0.2 + 1.177 = 1.377; 0.6 + 0.680 = 1.280 → the first.
		{1, 5, [2]int{2, 3}},
		// With utilities scaled to 2 and 6, exploration has no effect.
		{10, 5, [2]int{1, 4}},
	} {
		tree := mcts.NewUCT(g, mcts.UCT{Simulations: test.n, C: 1, Scale: test.scale},
			random.New(1, random.Test))
		tree.Start(g.NewState())
		search.Run(tree, &rowOf{})
		c := tree.Children(nil)
		if got := [2]int{c[0].Visits, c[1].Visits}; got != test.want {
			t.Errorf("scale %g, %d simulations: visits %v, want %v",
				test.scale, test.n, got, test.want)
		}
	}
}

// TestLine: the principal variation follows the most visited actions.
func TestLine(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 400, C: 0.8, Reuse: true},
		random.New(1, random.Test))
	tree.Start(g.NewState())
	e := newHashed(g, 0)
	search.Run(tree, e)
	line := tree.PrincipalVariation(nil)
	if len(line) < 3 {
		t.Fatalf("the line is %v", line)
	}
	tree.SetSimulations(0)
	for i, a := range line {
		if b := tree.Best(); a != b {
			t.Errorf("action %d of the line is %d, but Best is %d", i, a, b)
		}
		tree.Play(a)
	}
}

// TestBound compares with figures computed by hand from the formula.
func TestBound(t *testing.T) {
	for _, test := range []struct {
		z, fraction  float64
		sum, squares float64
		visits, most int32
		want         float64
	}{
		// Variance 0.25 and 1/4·10⁻⁴/(100+10⁻⁴) more; 100.02 visits are effective.
		{2, 0.15, 50, 50, 100, 100,
			0.5 - 2*math.Sqrt((0.25+0.25e-4/100.0001)*(100+1e-8)/(100.0001*100.0001))},
		// One visit: the variance is that of the prior, 0.25·1/2, of two visits' worth.
		{1, 0, 0.7, 0.49, 1, 1, 0.7 - math.Sqrt((2.5e-9+0.125)/2)},
		{0, 0, 0.7, 0.49, 1, 1, 0.7},
		{5, 0.15, 7, 6, 14, 100, math.Inf(-1)}, // too few visits
		{0, 0.15, 7.5, 6, 15, 100, 0.5},        // just enough
		{5, 0, 0, 0, 0, 0, math.Inf(-1)},
	} {
		if got := mcts.LowerBound(test.z, test.fraction).Bound(test.sum, test.squares, test.visits,
			test.most); math.Abs(got-test.want) > 1e-12 && got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// TestOptionsOutOfRange: Validate names the option, and its range.
func TestOptionsOutOfRange(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		o    mcts.PUCT
		want string
	}{
		{mcts.PUCT{Simulations: -1}, "simulations is -1"},
		{mcts.PUCT{C: -1}, "c is -1"},
		{mcts.PUCT{C: nan}, "c is NaN"},
		{mcts.PUCT{C: inf}, "c is +Inf"},
		{mcts.PUCT{MaxNodes: -1}, "max nodes is -1"},
		{mcts.PUCT{BatchSize: -2}, "batch size is -2"},
		{mcts.PUCT{VirtualLoss: -1}, "virtual loss is -1"},
		{mcts.PUCT{VirtualLoss: nan}, "virtual loss is NaN"},
		{mcts.PUCT{VirtualLoss: inf}, "virtual loss is +Inf"},
		{mcts.PUCT{Noise: -0.1}, "noise weight is -0.1"},
		{mcts.PUCT{Noise: 1.1}, "noise weight is 1.1"},
		{mcts.PUCT{FPU: mcts.ParentReduction(inf)}, "first-play reduction is +Inf"},
		{mcts.PUCT{FinalSelection: mcts.LowerBound(-1, 0)}, "z of the lower bound is -1"},
		{mcts.PUCT{FinalSelection: mcts.LowerBound(nan, 0)}, "z of the lower bound is NaN"},
		{mcts.PUCT{FinalSelection: mcts.LowerBound(1, 1.5)}, "fraction of the most visits is 1.5"},
		{mcts.PUCT{FPU: mcts.ParentReduction(-1)}, "first-play reduction is -1"},
	} {
		if err := test.o.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	for _, o := range []mcts.UCT{
		{FinalSelection: mcts.LowerBound(nan, 0)}, {C: -1}, {Scale: -1}, {Scale: nan}, {Scale: inf},
	} {
		if o.Validate() == nil {
			t.Errorf("UCT accepts %+v", o)
		}
	}
	in := mcts.PUCT{Noise: 1, VirtualLoss: 9, FPU: mcts.ParentReduction(0)}
	if err := in.Validate(); err != nil {
		t.Error(err)
	}
}

// bandit is a game of one move, whose pay depends on the action and on a chance outcome after it.
// Action 0 pays 0 or 1, action 1 pays 0.45 or 0.55.
type bandit struct{ maze }

func (g *bandit) Name() string         { return "bandit" }
func (g *bandit) NewState() game.State { return &banditState{} }

type banditState struct {
	mazeState
	acts []game.Action
}

func (s *banditState) CurrentPlayer() game.Player {
	return []game.Player{0, game.Chance, game.Nobody}[len(s.acts)]
}
func (s *banditState) LegalActions(dst []game.Action) []game.Action { return append(dst, 0, 1) }
func (s *banditState) Apply(a game.Action)                          { s.acts = append(s.acts, a) }
func (s *banditState) CopyFrom(src game.State) {
	s.acts = append(s.acts[:0], src.(*banditState).acts...)
}
func (s *banditState) Returns(dst []float32) {
	switch luck := float32(s.acts[1] & 1); s.acts[0] {
	case 0:
		dst[0] = luck
	case 1:
		dst[0] = 0.45 + 0.1*luck
	}
}
func (s *banditState) Hash() uint64 { return 1 }

// TestLowerBoundPrefersTheCertain: of two actions with equal means the bound chooses the one whose
// utilities spread less, also if chance follows.
func TestLowerBoundPrefersTheCertain(t *testing.T) {
	g := &bandit{maze{players: 1, actions: 2}}
	for seed := range uint64(20) {
		for kind, tree := range map[string]*mcts.Tree{
			"UCT": mcts.NewUCT(g,
				mcts.UCT{
					Simulations: 60, C: 5,
					FinalSelection: mcts.LowerBound(mcts.DefaultZ, mcts.DefaultFraction),
				}, source(seed)),
			"PUCT": mcts.NewPUCT(g,
				mcts.PUCT{
					Simulations: 60, C: 5,
					FinalSelection: mcts.LowerBound(mcts.DefaultZ, mcts.DefaultFraction),
				}, source(seed)),
		} {
			tree.Start(g.NewState())
			search.Run(tree, search.NewConstant(g, 0.5))
			if tree.Best() != 1 {
				t.Errorf("%s, seed %d: the best is %d of %+v",
					kind, seed, tree.Best(), tree.Children(nil))
			}
			if a := tree.Choose(0, nil); a != 1 {
				t.Errorf("%s, seed %d: at temperature 0 it chooses %d", kind, seed, a)
			}
		}
	}
}
