package mcts_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	_ "tengen/game/goban"
	_ "tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// pair makes a fast and a slow search that should agree, each with its own random source of the
// same seed.
type pair struct {
	fast *mcts.Tree
	slow *slow
	eval *hashed
	text string
}

// source does not use package random: the golden trees depend only on the search,
// the rules of the games and the generator.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// picking says how both searches choose their best action.
type picking struct {
	lower       bool
	z, fraction float64
}

func (k picking) choice() mcts.FinalSelection {
	if k.lower {
		return mcts.LowerBound(k.z, k.fraction)
	}
	return mcts.MostVisits()
}

func pairUCT(g game.Game, o mcts.UCT, k picking, seed uint64) *pair {
	e := newHashed(g, 0)
	o.FinalSelection = k.choice()
	scale := o.Scale
	if scale == 0 {
		scale = 1
	}
	return &pair{
		fast: mcts.NewUCT(g, o, source(seed)),
		slow: &slow{
			g: g, evaluate: e.Of, rng: source(seed),
			simulations: o.Simulations, maxNodes: o.MaxNodes, c: o.C, scale: scale, picking: k,
			proofs: o.Proofs,
		},
		eval: e,
		text: fmt.Sprintf("%s %+v", g.Name(), o),
	}
}

// firstPlay is the first-play urgency of both searches.
type firstPlay struct {
	parent    bool
	reduction float64
}

func pairPUCT(g game.Game, o mcts.PUCT, f firstPlay, k picking, levels int, seed uint64) *pair {
	e := newHashed(g, levels)
	if f.parent {
		o.FPU = mcts.ParentReduction(f.reduction)
	}
	o.FinalSelection = k.choice()
	return &pair{
		fast: mcts.NewPUCT(g, o, source(seed)),
		slow: &slow{
			g: g, evaluate: e.Of, rng: source(seed), puct: true,
			simulations: o.Simulations, maxNodes: o.MaxNodes, c: o.C, reuse: o.Reuse,
			firstPlay: f, noise: o.Noise, picking: k,
			batchSize: o.BatchSize, virtual: o.VirtualLoss, gumbel: gumbelOf(o),
			balanced: o.Balanced, proofs: o.Proofs,
		},
		eval: e,
		text: fmt.Sprintf("%s %+v", g.Name(), o),
	}
}

func gumbelOf(o mcts.PUCT) *slowGumbel {
	if !o.Gumbel.On() {
		return nil
	}
	return &slowGumbel{o: o.Gumbel, noisy: true, virtual: o.VirtualLoss}
}

// randomPair draws a game, a policy and its options.
func randomPair(rng *rand.Rand) *pair {
	var g game.Game
	switch k := rng.IntN(10); {
	case k < 6:
		m := &maze{
			seed: rng.Uint64(), players: 1 + rng.IntN(4), actions: 1 + rng.IntN(9),
			plies: 2 + rng.IntN(20), steps: 1 + rng.IntN(5), chance: rng.IntN(3) == 0,
		}
		if m.chance {
			// The slow search limits nodes only. With no more outcomes than actions, the fast
			// one has enough edges for its nodes.
			m.actions = max(m.actions, 4)
		}
		g = m
	case k < 7:
		g = game.Must(game.New("tictactoe:players=3"))
	case k < 8:
		g = game.Must(game.New("mnk:rows=3,columns=4,in_row=3,players=2"))
	case k < 9:
		g = game.Must(game.New("go:rows=2,columns=3,players=3"))
	default:
		g = game.Must(game.New("go:rows=1,columns=5,players=2,pass=free"))
	}
	simulations := rng.IntN(120)
	maxNodes := 0
	if rng.IntN(4) == 0 {
		maxNodes = 1 + rng.IntN(100)
	} else {
		maxNodes = 4000
	}
	c := []float64{0, 0.1, 0.8, 2}[rng.IntN(4)]
	k := picking{
		lower: rng.IntN(2) == 0, z: []float64{0, 1, 5}[rng.IntN(3)],
		fraction: []float64{0, 0.15, 1}[rng.IntN(3)],
	}
	if rng.IntN(3) == 0 {
		return pairUCT(g,
			mcts.UCT{
				Simulations: simulations, C: c, Scale: float64(rng.IntN(3)), MaxNodes: maxNodes,
				Proofs: rng.IntN(2) == 0,
			}, k, rng.Uint64())
	}
	o := mcts.PUCT{Simulations: simulations, C: c, MaxNodes: maxNodes, Reuse: rng.IntN(4) > 0}
	if rng.IntN(2) == 0 {
		o.Noise = rng.Float64()
	}
	f := firstPlay{parent: rng.IntN(2) == 0, reduction: 0.3 * rng.Float64()}
	levels, seed := rng.IntN(4), rng.Uint64()
	if rng.IntN(2) == 0 {
		o.BatchSize = 1 + rng.IntN(12)
		o.VirtualLoss = float64(rng.IntN(3)) / 2
	}
	if rng.IntN(2) == 0 {
		o.Gumbel = mcts.Gumbel{
			Considered: 1 + rng.IntN(12), VisitOffset: 60 * rng.Float64(),
			ValueScale: 0.3 * rng.Float64(), Interior: mcts.Interior(rng.IntN(2)),
		}
	}
	if o.Gumbel.On() && rng.IntN(2) == 0 {
		o.Gumbel.Unscaled = rng.IntN(2) == 0
		o.Gumbel.Interior = mcts.Interior(rng.IntN(3))
	}
	o.Balanced = rng.IntN(2) == 0
	o.Proofs = rng.IntN(2) == 0
	return pairPUCT(g, o, f, k, levels, seed)
}

// runAhead is search.Run with calls of Foresee at all times, up to steps() at a time. It returns
// the number of steps taken.
func runAhead(tree *mcts.Tree, e search.Evaluator, steps func() int) (n int) {
	foresee := func() {
		for k := steps(); k > 0 && tree.Foresee(); k-- {
			n++
		}
	}
	for foresee(); !tree.Advance(e); foresee() {
		foresee()
		evaluations, err := e.Evaluate()
		if err != nil {
			panic(err)
		}
		tree.Deliver(evaluations)
	}
	foresee()
	return n
}

// TestAgainstSlow searches the same positions with the fast tree, which looks ahead by random
// numbers of steps, and with the slow one, move after move, and expects equal trees, node by node.
func TestAgainstSlow(t *testing.T) {
	cases := 400
	if testing.Short() {
		cases = 100
	}
	compared, kept, full, several, bounded, other := 0, 0, 0, 0, 0, 0
	pruned, balanced, proven, partly, foreseen := 0, 0, 0, 0, 0
	for i := range cases {
		rng, ahead := random.New(uint64(i), random.Test, 1), random.New(uint64(i), random.Test, 2)
		p := randomPair(rng)
		s := randomState(p.slow.g, rng.IntN(6), rng)
		if s.CurrentPlayer() == game.Nobody {
			continue
		}
		p.fast.Start(s)
		p.slow.start(s)
		for move := range 5 {
			foreseen += runAhead(p.fast, p.eval, func() int { return ahead.IntN(10) })
			p.slow.search()
			if p.fast.Stats().Kept > 0 {
				kept++
			}
			if p.fast.Stats().Full {
				full++
			}
			if p.slow.batchSize > 1 {
				several++
			}
			compare(t, fmt.Sprintf("case %d, move %d: %s", i, move, p.text), p)
			if t.Failed() {
				return
			}
			compared++
			if m, ok := p.slow.g.(*maze); ok && m.chance && p.slow.balanced {
				balanced++
			}
			for _, c := range p.slow.rootChildren() {
				pruned += min(c.Pruned, 1)
				if c.Exact && p.slow.root.proven == nil {
					partly++
				}
			}
			if p.slow.root.proven != nil {
				proven++
			}
			if line, near := p.slow.variation(); !near {
				if got := p.fast.PrincipalVariation(nil); !slices.Equal(got, line) {
					t.Fatalf(
						"case %d, move %d: %s: the variation is %v, that of the slow search %v",
						i, move, p.text, got, line)
				}
				if len(line) > 0 && p.fast.Best() != line[0] {
					t.Fatalf("case %d, move %d: %s: the best action is %d, and the variation %v",
						i, move, p.text, p.fast.Best(), line)
				}
				if p.slow.lower {
					bounded++
					byBound := line
					p.slow.lower = false
					if line, _ := p.slow.variation(); !slices.Equal(line, byBound) {
						other++
					}
					p.slow.lower = true
				}
			}
			// Mostly play the best action, for a deeper subtree.
			a := p.fast.Best()
			if s.CurrentPlayer() == game.Chance {
				a = s.(game.Chancer).Sample(rng)
			} else if rng.IntN(3) == 0 {
				legal := s.LegalActions(nil)
				a = legal[rng.IntN(len(legal))]
			}
			s.Apply(a)
			p.fast.Play(a)
			p.slow.play(a)
			if s.CurrentPlayer() == game.Nobody {
				break
			}
		}
	}
	t.Logf("%d searches compared, %d with a kept tree, %d with a full one, %d with larger batches; %d choices by the lower bound, %d of them not by visits; %d actions pruned; %d with balanced outcomes; %d proven, and %d actions of others", compared, kept, full, several, bounded, other, pruned, balanced, proven, partly)
	t.Logf("%d steps are foreseen", foreseen)
	if compared < 2*cases || kept < cases/2 || full < cases/10 || several < cases/2 ||
		bounded < cases/2 || other < cases/10 || pruned < cases/4 || balanced < cases/10 ||
		proven < cases/2 || partly < cases/10 || foreseen < 50*cases {
		t.Error("too few searches of one sort")
	}
}

// nearlyImproved allows rounding in search.Child.Improved: the slow search computes it in
// float64.
var nearlyImproved = cmp.FilterPath(func(p cmp.Path) bool {
	return p.Last().String() == ".Improved"
},
	cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-5 }))

func compare(t *testing.T, text string, p *pair) {
	t.Helper()
	if err := p.fast.Check(); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	if d := cmp.Diff(p.slow.dump(), p.fast.Dump(game.NoAction)); d != "" {
		t.Errorf("%s: the tree differs (-slow +fast):\n%s", text, d)
	}
	if d := cmp.Diff(p.slow.rootChildren(), p.fast.Children(nil), nearlyImproved); d != "" {
		t.Errorf("%s: the children differ (-slow +fast):\n%s", text, d)
	}
	if s := p.slow.gumbel; s != nil && p.slow.root.choice() {
		if want, _ := p.slow.best(p.slow.root); p.fast.Best() != want {
			got := p.fast.Best()
			t.Errorf("%s: action %d is chosen, not %d", text, got, want)
		}
		value := make([]float32, p.slow.g.Players())
		p.fast.Value(value)
		for i, v := range value {
			want := s.value(p.slow.root, game.Player(i))
			if exact := p.slow.root.proven; exact != nil {
				want = exact[i]
			}
			if math.Abs(float64(v)-want) > 1e-5 {
				t.Errorf("%s: the value of player %d is %g, not %g", text, i, v, want)
			}
		}
	}
	if p.slow.full != p.fast.Stats().Full {
		t.Errorf("%s: Full is %v", text, p.fast.Stats().Full)
	}
}

var update = flag.Bool("update", false, "rewrite testdata/golden.txt with the slow search")

// TestGolden compares with recorded trees of the slow search.
func TestGolden(t *testing.T) {
	tictactoe := game.Must(game.New("tictactoe"))
	three := game.Must(game.New("tictactoe:players=3"))
	row := game.Must(game.New("go:rows=1,columns=4,players=3"))
	dice := &maze{seed: 3, players: 2, actions: 4, plies: 9, steps: 4, chance: true}
	noise := 0.25
	pairs := []*pair{
		pairUCT(tictactoe, mcts.UCT{Simulations: 40, C: 0.8}, picking{}, 1),
		pairUCT(row, mcts.UCT{Simulations: 40, C: 0.8, Scale: 4}, picking{}, 2),
		pairPUCT(tictactoe, mcts.PUCT{Simulations: 40, C: 0.8}, firstPlay{}, picking{}, 0, 3),
		pairPUCT(three, mcts.PUCT{Simulations: 40, C: 1.5, Reuse: true}, firstPlay{true, 0.1},
			picking{}, 0, 4),
		pairPUCT(row, mcts.PUCT{Simulations: 40, C: 0.8, Reuse: true, Noise: noise}, firstPlay{},
			picking{}, 0, 5),
		pairPUCT(dice, mcts.PUCT{Simulations: 40, C: 0.8, Reuse: true, Noise: noise},
			firstPlay{true, 0.2}, picking{}, 0, 6),
		pairPUCT(three, mcts.PUCT{Simulations: 40, C: 0.8, Reuse: true, MaxNodes: 15}, firstPlay{},
			picking{}, 0, 7),
		pairPUCT(three, mcts.PUCT{Simulations: 40, C: 1.5, Reuse: true, BatchSize: 6},
			firstPlay{true, 0.1}, picking{}, 0, 8),
		pairPUCT(dice, mcts.PUCT{
			Simulations: 40, C: 0.8, Reuse: true, Noise: noise, BatchSize: 4, VirtualLoss: 0.5,
		}, firstPlay{true, 0.2}, picking{}, 0, 9),
		pairPUCT(three, mcts.PUCT{Simulations: 40, Gumbel: mcts.PublishedGumbel()}, firstPlay{},
			picking{}, 0, 12),
		pairPUCT(dice, mcts.PUCT{
			Simulations: 40, Reuse: true,
			Gumbel: mcts.Gumbel{Considered: 4, VisitOffset: 50, ValueScale: 0.1},
		}, firstPlay{}, picking{}, 0, 13),
		pairPUCT(row, mcts.PUCT{
			Simulations: 40, C: 0.8,
			Gumbel: mcts.Gumbel{
				Considered: 3, VisitOffset: 20, ValueScale: 0.2, Interior: mcts.ByPUCT,
			},
		}, firstPlay{true, 0.1}, picking{}, 0, 14),
		pairPUCT(dice, mcts.PUCT{Simulations: 40, C: 0.8, Reuse: true, Balanced: true}, firstPlay{},
			picking{}, 0, 15),
		pairPUCT(three, mcts.PUCT{Simulations: 40, C: 0.8, Reuse: true, Proofs: true},
			firstPlay{true, 0.1}, picking{}, 0, 16),
		pairPUCT(row, mcts.PUCT{
			Simulations: 12, Reuse: true, Proofs: true, Gumbel: mcts.PublishedGumbel(),
		}, firstPlay{}, picking{}, 0, 17),
	}
	var want, got strings.Builder
	for _, p := range pairs {
		s := p.slow.g.NewState()
		p.fast.Start(s)
		p.slow.start(s)
		for move := range 2 {
			search.Run(p.fast, p.eval)
			p.slow.search()
			title := fmt.Sprintf("%s, move %d\n", p.slow.g.Name(), move)
			want.WriteString(title + p.slow.dump())
			got.WriteString(title + p.fast.Dump(game.NoAction))
			children := p.slow.rootChildren()
			a := slices.MaxFunc(children, func(a, b search.Child) int {
				return a.Visits - b.Visits
			}).Action
			p.fast.Play(a)
			p.slow.play(a)
		}
	}
	path := filepath.Join("testdata", "golden.txt")
	if *update {
		if err := os.WriteFile(path, []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(golden), got.String()); d != "" {
		t.Errorf("-golden +fast:\n%s", d)
	}
	if d := cmp.Diff(string(golden), want.String()); d != "" {
		t.Errorf("-golden +slow:\n%s", d)
	}
}
