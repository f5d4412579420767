package window

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/turtle"
	"tengen/internal/random"
	"tengen/replay/record"
)

// playedTurtles returns the record of a random game of g.
func playedTurtles(g game.Game, number uint64) *record.Game {
	rng := random.New(1, random.Test, 70, number)
	rec := &record.Game{
		Number: number, Name: g.Name(), Seats: make([]record.SeatRecord, g.Players()),
		Returns: make([]float32, g.Players()),
	}
	s := g.NewState()
	for s.CurrentPlayer() != game.Nobody {
		m := record.Move{Mover: s.CurrentPlayer()}
		if m.Mover == game.Chance {
			m.Action = s.(game.Chancer).Sample(rng)
		} else {
			legal := s.LegalActions(nil)
			m.Action = legal[rng.IntN(len(legal))]
		}
		rec.Moves = append(rec.Moves, m)
		s.Apply(m.Action)
	}
	s.Returns(rec.Returns)
	return rec
}

// The hidden facts of a sample are those of its position, as its player to move does not see them,
// whether Row was called before or not, and whatever was read in between.
func TestHiddenFactsOfSamples(t *testing.T) {
	g := game.Must(game.New("turtle:players=3,history=1"))
	facts := game.HiddenFactsOf(g)
	symmetries := g.(game.Symmetric).Symmetries()
	targets := NewAuxiliaryTargets(g)
	e, err := NewEncoder(g, EncoderConfig{Auxiliary: targets})
	if err != nil {
		t.Fatal(err)
	}
	obs, value := make([]float32, g.Planes().Size()), make([]float32, 3)
	policy, weight := make([]float32, g.Actions()), float32(0)
	classes, priors := make([]int8, len(facts)), make([]float32, game.HiddenFactClasses(facts))
	want, wantPriors := slices.Clone(classes), slices.Clone(priors)
	moved, movedPriors := slices.Clone(classes), slices.Clone(priors)
	cells, seats := make([]int8, g.Planes().H*g.Planes().W), make([]float32, 3)
	compared := 0
	for number := range uint64(4) {
		rec := playedTurtles(g, number)
		s := g.NewState()
		for ply, m := range rec.Moves {
			if m.Mover >= 0 && len(s.LegalActions(nil)) > 1 {
				compared++
				x := s.(*turtle.State)
				x.HiddenFacts(m.Mover, want)
				x.HiddenFactPriors(m.Mover, wantPriors)
				symmetry := compared % len(symmetries)
				symmetries[symmetry].TransformHiddenFacts(facts, moved, want)
				symmetries[symmetry].TransformHiddenFactClasses(movedPriors, wantPriors)
				sample := Sample{Game: rec, Ply: int32(ply)}
				if compared%3 > 0 {
					if err := e.Row(sample, symmetry, obs, policy, &weight, value); err != nil {
						t.Fatal(err)
					}
				}
				if compared%3 > 1 {
					if err := e.Auxiliary(sample, symmetry, cells, seats, &weight); err != nil {
						t.Fatal(err)
					}
				}
				weight = 0
				if err := e.HiddenFacts(sample, symmetry, classes, priors, &weight); err != nil ||
					weight != 1 {
					t.Fatalf("ply %d: weight %g, %v", ply, weight, err)
				}
				if !slices.Equal(classes, moved) || !slices.Equal(priors, movedPriors) {
					t.Fatalf("ply %d: the hidden facts are %v, want %v; or the priors differ",
						ply, classes, moved)
				}
			}
			s.Apply(m.Action)
		}
	}
	rec := playedTurtles(g, 9)
	sample := Sample{Game: rec, Ply: int32(len(rec.Moves) - 1)}
	if n := testing.AllocsPerRun(10, func() {
		if err := e.Row(sample, 5, obs, policy, &weight, value); err != nil {
			t.Fatal(err)
		}
		if err := e.HiddenFacts(sample, 5, classes, priors, &weight); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("a row with its hidden facts allocates %v times", n)
	}
	if err := e.HiddenFacts(Sample{
		Game: rec, tree: &record.IndexedTree{},
	}, 0, classes, priors, &weight); err != nil || weight != 0 || classes[0] != game.NoClass {
		t.Errorf("a tree's state has the weight %g and the hidden facts %v: %v", weight, classes, err)
	}
}
