package mcts_test

import (
	"math"
	"strings"
	"testing"

	"tengen/game"
	"tengen/mcts"
	"tengen/search"
)

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
	nan := math.NaN()
	for _, test := range []struct {
		o    mcts.PUCT
		want string
	}{
		{mcts.PUCT{FinalSelection: mcts.LowerBound(-1, 0)}, "z of the lower bound is -1"},
		{mcts.PUCT{FinalSelection: mcts.LowerBound(nan, 0)}, "z of the lower bound is NaN"},
		{mcts.PUCT{FinalSelection: mcts.LowerBound(1, 1.5)}, "fraction of the most visits is 1.5"},
		{mcts.PUCT{FPU: mcts.ParentReduction(-1)}, "first-play reduction is -1"},
	} {
		if err := test.o.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	if err := (mcts.UCT{FinalSelection: mcts.LowerBound(nan, 0)}).Validate(); err == nil {
		t.Error("UCT accepts z = NaN")
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
