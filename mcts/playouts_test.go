package mcts_test

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// mixing is an evaluator that does itself what SetPlayouts does.
type mixing struct {
	search.Evaluator
	playouts *search.Playouts
	n        int
	weight   float64
	values   []float32
}

func (m *mixing) Add(s game.State) {
	m.Evaluator.Add(s)
	for range m.n {
		m.playouts.Add(s)
	}
}

func (m *mixing) Evaluate() (search.Evaluations, error) {
	e, err := m.Evaluator.Evaluate()
	results, _ := m.playouts.Evaluate() // never fails
	m.values = m.values[:0]
	for i := range len(e.Values) / e.Players {
		for p, u := range e.Utilities(i) {
			mean := 0.0
			for k := range m.n {
				mean += float64(results.Utilities(i*m.n + k)[p]) / float64(m.n)
			}
			m.values = append(m.values, float32((1-m.weight)*float64(u)+m.weight*mean))
		}
	}
	e.Values = m.values
	return e, err
}

// TestPlayouts: a tree that mixes playouts into evaluations is the one with an evaluator that does
// so, and not the one without.
func TestPlayouts(t *testing.T) {
	differ := 0
	for number := range uint64(60) {
		rng := random.New(1, random.Test, 41, number)
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
		o := mcts.PUCT{Simulations: 60, C: 0.8, Reuse: true, BatchSize: []int{1, 5}[number%2]}
		n, weight := 1+int(number%3), []float64{0.3, 1}[number%2]
		of := func() *search.Playouts {
			return search.NewPlayouts(g, random.New(number, random.Test, 1))
		}
		fast := mcts.NewPUCT(g, o, random.New(number, random.Test))
		fast.SetPlayouts(of(), n, weight)
		slow := mcts.NewPUCT(g, o, random.New(number, random.Test))
		without := mcts.NewPUCT(g, o, random.New(number, random.Test))
		m := &mixing{newHashed(g, 0), of(), n, weight, nil}
		for range 2 {
			fast.Start(s)
			slow.Start(s)
			without.Start(s)
			run(t, fast, newHashed(g, 0))
			run(t, slow, m)
			run(t, without, newHashed(g, 0))
			a, b, c := fast.Children(nil), slow.Children(nil), without.Children(nil)
			for i := range a {
				if a[i].Visits != b[i].Visits {
					t.Fatalf("search %d (%s): %d visits of action %d, %d by the plain evaluator",
						number, g.Name(), a[i].Visits, a[i].Action, b[i].Visits)
				}
				for p := range g.Players() {
					if math.Abs(float64(a[i].Value[p]-b[i].Value[p])) > 1e-5 {
						t.Fatalf("search %d (%s): value %g of action %d, %g by the plain evaluator",
							number, g.Name(), a[i].Value[p], a[i].Action, b[i].Value[p])
					}
				}
				if a[i].Value != c[i].Value {
					differ++
				}
			}
		}
	}
	if differ < 100 {
		t.Errorf("playouts change %d values", differ)
	}
}

// TestPlayoutsOfAnAbandonedSearch: playouts of a search that was given up do not count in the next
// one.
func TestPlayoutsOfAnAbandonedSearch(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	of := func() *mcts.Tree {
		tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 40, C: 0.8, BatchSize: 4},
			random.New(1, random.Test))
		tree.SetPlayouts(search.NewPlayouts(g, random.New(2, random.Test)), 2, 1)
		return tree
	}
	s := g.NewState()
	tree, e := of(), newHashed(g, 0)
	tree.Start(s)
	for range 5 {
		if tree.Advance(e) {
			t.Fatal("the search is over")
		}
		evaluations, _ := e.Evaluate() // never fails
		tree.Deliver(evaluations)
	}
	tree.Advance(e)
	_, _ = e.Evaluate() // never fails
	s.Apply(4)
	tree.Start(s)
	run(t, tree, e)
	if err := tree.Check(); err != nil {
		t.Fatal(err)
	}
	sum, visits := 0.0, 0
	for _, c := range tree.Children(nil) {
		sum += float64(c.Visits) * float64(c.Value[0])
		visits += c.Visits
	}
	// The middle wins more games played at random than the others.
	if mean := sum / float64(visits); visits != 40 || mean < 0.5 {
		t.Errorf("%d visits, in which the first player has %.2f", visits, mean)
	}
}
