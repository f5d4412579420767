package nneval

import (
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/search"
)

// turning is a game with one more symmetry, under which planes and players
// change places too.
type turning struct{ game.Game }

func (g turning) Symmetries() []game.Symmetry {
	list := g.Game.(game.Symmetric).Symmetries()
	var other []game.Symmetry
	for _, t := range list {
		t.Planes = slices.Clone(t.Planes)
		t.Players = slices.Clone(t.Players)
		slices.Reverse(t.Planes)
		slices.Reverse(t.Players)
		other = append(other, t)
	}
	return append(slices.Clip(list), other...)
}

// newWeights draws a small network for g.
func newWeights(t testing.TB, g game.Game, seed uint64) *nn.Weights {
	t.Helper()
	return newWeightsOf(t, g, seed, Size{Blocks: 1, Filters: 8, Hidden: 8})
}

func newWeightsOf(t testing.TB, g game.Game, seed uint64, size Size) *nn.Weights {
	t.Helper()
	s, err := Spec(g, size)
	if err != nil {
		t.Fatal(err)
	}
	params, err := nn.NewParams(s)
	if err != nil {
		t.Fatal(err)
	}
	params.Init(random.New(seed, random.Test))
	return nn.Fold(params)
}

// naive evaluates one state by the definition: the image that comes first in
// the order of bits, the first symmetry that gives it.
func naive(g game.Game, w *nn.Weights, s game.State, canonical bool) (policy, values []float32) {
	observation := make([]float32, g.Planes().Size())
	s.Observation(observation)
	list := []game.Symmetry{}
	if x, ok := g.(game.Symmetric); ok {
		list = x.Symmetries()
	}
	best, chosen := observation, -1
	for i := range list {
		if !canonical {
			break
		}
		image := make([]float32, len(observation))
		list[i].Transform(image, observation)
		if chosen < 0 || slices.CompareFunc(image, best, func(a, b float32) int {
			return int(int64(math.Float32bits(a)) - int64(math.Float32bits(b)))
		}) < 0 {
			best, chosen = image, i
		}
	}
	e := nn.NewEvaluator(w)
	b := e.NewBatch(1)
	b.N = 1
	copy(b.Observations, best)
	e.Evaluate(b)
	policy, values = slices.Clone(b.Policy), slices.Clone(b.Values)
	if chosen >= 0 {
		for a := range policy { // a network may have none
			policy[a] = b.Policy[list[chosen].Actions[a]]
		}
		for p, q := range list[chosen].Players {
			values[p] = b.Values[q]
		}
	}
	return policy, values
}

// someStates are decisions of random games, some of them more than once.
func someStates(g game.Game, n int, seed uint64) []game.State {
	rng := random.New(seed, random.Test)
	var list []game.State
	s := g.NewState()
	for len(list) < n {
		switch s.CurrentPlayer() {
		case game.Nobody:
			s = g.NewState()
			continue
		case game.Chance:
			s.Apply(s.(game.Chancer).Sample(rng))
			continue
		}
		c := g.NewState()
		c.CopyFrom(s)
		list = append(list, c)
		if rng.IntN(4) == 0 {
			list = append(list, list[rng.IntN(len(list))])
		}
		legal := s.LegalActions(nil)
		s.Apply(legal[rng.IntN(len(legal))])
	}
	return list[:n]
}

// TestRowsAreTheNaiveOnes: whatever is cached, in whatever batches, each state
// gets the row that the definition gives it, to the bit.
func TestRowsAreTheNaiveOnes(t *testing.T) {
	tic := game.Must(game.New("tictactoe"))
	three := game.Must(game.New("go:size=3,players=3"))
	for _, c := range []struct {
		g    game.Game
		size Size
	}{
		{three, Size{}}, {game.Must(game.New("go:size=3,players=2,pass=free")), Size{}},
		{tic, Size{}}, {turning{tic}, Size{}}, {bare{tic}, Size{}},
		{three, Size{Policy: nn.PolicyNone, Value: nn.ValueLinear}},
		{turning{tic}, Size{Policy: nn.PolicyNone, Value: nn.ValueLinear}},
	} {
		g := c.g
		c.size.Blocks, c.size.Filters, c.size.Hidden = 1, 8, 8
		w := newWeightsOf(t, g, 1, c.size)
		states := someStates(g, 200, 2)
		for _, canonical := range []bool{false, true} {
			var wantPolicy, wantValues []float32
			for _, s := range states {
				p, v := naive(g, w, s, canonical)
				wantPolicy, wantValues = append(wantPolicy, p...), append(wantValues, v...)
			}
			for _, cache := range []*Cache{nil, NewCache(g, 1)} {
				for _, batch := range []int{1, 7, 32} {
					n := New(g, nn.NewEvaluator(w), batch, Options{
						Cache: cache, Weights: w, Canonical: canonical,
					})
					var policy, values []float32
					for part := range slices.Chunk(states, batch) {
						for _, s := range part {
							n.Add(s)
						}
						evaluations := must(n.Evaluate())
						policy, values = append(policy, evaluations.Policy...),
							append(values, evaluations.Values...)
					}
					if !slices.Equal(policy, wantPolicy) || !slices.Equal(values, wantValues) {
						t.Errorf("%s (%T), canonical %v, cache %v, batches of %d: other rows than one by one", g.Name(), g, canonical, cache != nil, batch)
					}
					if s := n.Stats(); cache != nil &&
						(s.Lookups != 200 || s.Hits+s.Rows != 200 || s.Hits == 0) {
						t.Errorf("%s: stats %+v after 200 lookups", g.Name(), s)
					}
				}
			}
		}
	}
}

// bare is a game that shows no symmetries.
type bare struct{ game.Game }

// TestTwiceInABatch: a position asked for twice, in whatever orientation, is evaluated once.
func TestTwiceInABatch(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	w := newWeights(t, g, 1)
	corner := func(a game.Action) game.State {
		s := g.NewState()
		s.Apply(a)
		return s
	}
	for _, test := range []struct {
		canonical bool
		rows      uint64
	}{{false, 2}, {true, 1}} {
		n := New(g, nn.NewEvaluator(w), 8, Options{
			Cache: NewCache(g, 1), Weights: w, Canonical: test.canonical,
		})
		for range 2 {
			n.Add(corner(0))
			n.Add(corner(2))
		}
		n.Evaluate()
		if s := n.Stats(); s.Rows != test.rows {
			t.Errorf("canonical %v: %d rows evaluated, want %d", test.canonical, s.Rows, test.rows)
		}
	}
}

// TestCanonicalRowsTurn: an image gets the image of the row.
func TestCanonicalRowsTurn(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	w := newWeights(t, g, 1)
	n := New(g, nn.NewEvaluator(w), 2, Options{Canonical: true})
	for _, sym := range g.(game.Symmetric).Symmetries() {
		s, image := g.NewState(), g.NewState()
		for _, a := range []game.Action{0, 5, 1} {
			s.Apply(a)
			image.Apply(sym.Actions[a])
		}
		n.Add(s)
		n.Add(image)
		evaluations := must(n.Evaluate())
		for a, x := range evaluations.Logits(0) {
			if y := evaluations.Logits(1)[sym.Actions[a]]; x != y {
				t.Errorf("logit %d is %g, in the image %g", a, x, y)
			}
		}
		if !slices.Equal(evaluations.Utilities(0), evaluations.Utilities(1)) {
			t.Errorf("utilities %v, in the image %v",
				evaluations.Utilities(0), evaluations.Utilities(1))
		}
	}
}

// TestRecall: known rows are returned at once, and leave the batch as it was.
func TestRecall(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	w := newWeights(t, g, 1)
	states := someStates(g, 40, 3)
	n := New(g, nn.NewEvaluator(w), 3, Options{Cache: NewCache(g, 1), Weights: w, Canonical: true})
	n.Add(states[0])
	if _, ok := n.Recall(1); ok {
		t.Fatal("a row is known before it was evaluated")
	}
	n.Add(states[0])
	if _, ok := n.Recall(1); ok {
		t.Fatal("a row is known while it waits to be evaluated")
	}
	n.Evaluate()
	check := func(s game.State, evaluations search.Evaluations, i int) {
		t.Helper()
		policy, values := naive(g, w, s, true)
		if !slices.Equal(evaluations.Logits(i), policy) ||
			!slices.Equal(evaluations.Utilities(i), values) {
			t.Errorf("row %v %v, want %v %v",
				evaluations.Logits(i), evaluations.Utilities(i), policy, values)
		}
	}
	fresh := g.NewState()
	fresh.Apply(4)
	fresh.Apply(1)
	n.Add(fresh)
	for range 5 { // more often than the batch could hold
		n.Add(states[0])
		n.Add(states[0])
		evaluations, ok := n.Recall(2)
		if !ok {
			t.Fatal("a row that was evaluated is not known")
		}
		check(states[0], evaluations, 0)
		check(states[0], evaluations, 1)
	}
	n.Add(states[0])
	evaluations := must(n.Evaluate())
	check(fresh, evaluations, 0)
	check(states[0], evaluations, 1)
	if len(evaluations.Values) != 2*g.Players() {
		t.Errorf("%d utilities of two rows", len(evaluations.Values))
	}
	plain := New(g, nn.NewEvaluator(w), 3, Options{})
	plain.Add(fresh)
	plain.Evaluate()
	plain.Add(fresh)
	if _, ok := plain.Recall(1); ok {
		t.Error("a row is known without a cache")
	}
}

// TestOtherWeights: an Evaluator never returns rows of other weights.
func TestOtherWeights(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	c := NewCache(g, 1)
	s := g.NewState()
	for seed := range uint64(3) {
		w := newWeights(t, g, seed)
		n := New(g, nn.NewEvaluator(w), 1, Options{Cache: c, Weights: w})
		n.Add(s)
		evaluations := must(n.Evaluate())
		policy, _ := naive(g, w, s, false)
		if !slices.Equal(evaluations.Policy, policy) {
			t.Errorf("weights %d: the row of others", seed)
		}
	}
}

func TestNetworkAllocatesNothing(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	w := newWeights(t, g, 1)
	states := someStates(g, 256, 4)
	for _, o := range []Options{
		{}, {Canonical: true}, {Cache: NewCache(g, 1), Weights: w},
		{Cache: NewCache(g, 1), Weights: w, Canonical: true},
	} {
		n := New(g, nn.NewEvaluator(w), 8, o)
		i := 0
		if a := testing.AllocsPerRun(60, func() {
			for range 8 {
				n.Add(states[i%len(states)])
				n.Recall(1)
				i++
			}
			n.Evaluate()
		}); a != 0 {
			t.Errorf("cache %v, canonical %v: %v allocations a batch",
				o.Cache != nil, o.Canonical, a)
		}
	}
}

// BenchmarkCanonical times the choice of an orientation and the turn into it.
func BenchmarkCanonical(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	o := newOrientation(g)
	states := someStates(g, 64, 5)
	observation, image := make([]float32, g.Planes().Size()), make([]float32, g.Planes().Size())
	i := 0
	for b.Loop() {
		states[i%64].Observation(observation)
		o.image(o.choose(observation), image, observation)
		i++
	}
}
