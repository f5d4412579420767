package window

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/turtle"
	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// gamesWithTargets are played by the tests below.
var gamesWithTargets = []string{
	"go:size=5,players=3", "go:rows=2,columns=3,players=2,pass=free", "mnk",
	"turtle:players=3", "tcg",
}

// Auxiliary targets are those of the game's last state, transformed, whether a window has checked
// the game or it was checked before.
func TestAuxiliaryTargetsOfRealGames(t *testing.T) {
	for _, name := range gamesWithTargets {
		g := game.Must(game.New(name))
		all := g.(game.Symmetric).Symmetries()
		declared, numbers := game.AuxiliaryTargetsOf(g)
		var recs []*record.Game
		for number := range uint64(6) {
			recs = append(recs, playGame(t, g, number))
		}
		w, err := New(g, Config{Capacity: len(recs), Auxiliary: true})
		if err != nil {
			t.Fatal(err)
		}
		encoders := []*Encoder{
			encoderOf(t, w), encoderOf(t, unchecked(t, g, Config{Auxiliary: true}, recs...)),
		}
		rng := random.New(1, random.Test, 60)
		for number, rec := range recs {
			if err := w.Add(rec); err != nil {
				t.Fatal(err)
			}
			s := g.NewState()
			for _, m := range rec.Moves {
				s.Apply(m.Action)
			}
			size := len(declared) * g.Planes().H * g.Planes().W
			cells, seats := make([]int8, size), make([]float32, len(numbers)*g.Players())
			s.(game.AuxiliaryTargetState).AuxiliaryTargets(cells, seats)
			for range 5 {
				k := rng.IntN(len(all))
				want, wantSeats := make([]int8, size), make([]float32, len(seats))
				all[k].TransformCellTargets(declared, want, cells)
				all[k].TransformSeatTargets(len(numbers), wantSeats, seats)
				for _, e := range encoders {
					got, gotSeats, weight := slices.Repeat([]int8{99}, size),
						slices.Repeat([]float32{99}, len(seats)), float32(99)
					if err := e.Auxiliary(plySample(number, rng.IntN(len(rec.Moves))), k, got,
						gotSeats, &weight); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) || !slices.Equal(gotSeats, wantSeats) ||
						weight != 1 {
						t.Fatalf(
							"%s, game %d, symmetry %d: targets %v %v with weight %v, want %v %v",
							name, number, k, got, gotSeats, weight, want, wantSeats)
					}
				}
			}
		}
	}
}

func encoderOf(t testing.TB, w *Window) *Encoder {
	t.Helper()
	e, err := NewEncoder(w, EncoderConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// States of trees, which a game need not have reached, have no targets.
func TestTreesHaveNoAuxiliaryTargets(t *testing.T) {
	g := game.Must(game.New("mnk"))
	w, err := New(g, Config{Capacity: 3, Trees: true, Auxiliary: true})
	if err != nil {
		t.Fatal(err)
	}
	rec := playGame(t, g, 1)
	recordtest.GrowTrees(g, rec, 5, random.New(1, random.Test, 62))
	if err := w.Add(rec); err != nil {
		t.Fatal(err)
	}
	e := encoderOf(t, w)
	for _, s := range samplesOf(w, false) {
		cells, weight := slices.Repeat([]int8{99}, 9), float32(9)
		if err := e.Auxiliary(s, 1, cells, nil, &weight); err != nil {
			t.Fatal(err)
		}
		if s.Tree() < 0 {
			continue
		}
		if weight != 0 || !slices.Equal(cells, slices.Repeat([]int8{game.NoClass}, 9)) {
			t.Fatalf("a state of a tree has targets %v with weight %v", cells, weight)
		}
	}
}

func TestAuxiliaryTargetsAllocateNothing(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	e := encoderOf(t, unchecked(t, g, Config{Auxiliary: true}, playGame(t, g, 1)))
	cells, seats, weight := make([]int8, 25), make([]float32, 3), float32(0)
	job := func() {
		for k := range e.Symmetries() {
			if e.Auxiliary(plySample(0, 3), k, cells, seats, &weight) != nil {
				t.Fatal("an error")
			}
		}
	}
	job()
	if n := testing.AllocsPerRun(10, job); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkAuxiliaryTargetsOfGo measures the targets of a row.
func BenchmarkAuxiliaryTargetsOfGo(b *testing.B) {
	g, games := threePlayerGo(b)
	e := encoderOf(b, unchecked(b, g, Config{Auxiliary: true}, games...))
	cells, seats, weight := make([]int8, 25), make([]float32, 3), float32(0)
	for i := range b.N {
		if err := e.Auxiliary(plySample(i%len(games), 0), i%8, cells, seats, &weight); err != nil {
			b.Fatal(err)
		}
	}
}

// playedTurtles returns the record of a random game of g.
func playedTurtles(g game.Game, number uint64) *record.Game {
	rng := random.New(1, random.Test, 70, number)
	rec := &record.Game{
		Number: number, Name: g.Name(), Seats: make([]record.SeatRecord, g.Players()),
		Returns: make([]float32, g.Players()), Scores: make([]float32, g.Players()),
	}
	for i := range rec.Seats {
		rec.Seats[i].Kind = record.Random
	}
	s := g.NewState()
	for s.CurrentPlayer() != game.Nobody {
		m := record.Move{Mover: s.CurrentPlayer()}
		if m.Mover == game.Chance {
			m.Action = s.(game.Chancer).Sample(rng)
		} else {
			legal := s.LegalActions(nil)
			m.Action, m.Choice = legal[rng.IntN(len(legal))], len(legal) > 1
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
	var recs []*record.Game
	for number := range uint64(4) {
		recs = append(recs, playedTurtles(g, number))
	}
	e := encoderOf(t, unchecked(t, g, Config{Auxiliary: true}, recs...))
	obs, value := make([]float32, g.Planes().Size()), make([]float32, 3)
	policy, weight := make([]float32, g.Actions()), float32(0)
	classes, priors := make([]int8, len(facts)), make([]float32, game.HiddenFactClasses(facts))
	want, wantPriors := slices.Clone(classes), slices.Clone(priors)
	moved, movedPriors := slices.Clone(classes), slices.Clone(priors)
	cells, seats := make([]int8, g.Planes().H*g.Planes().W), make([]float32, 3)
	compared := 0
	for number, rec := range recs {
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
				sample := plySample(number, ply)
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
	sample := plySample(3, len(recs[3].Moves)-1)
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
	if err := e.HiddenFacts(Sample{Game: 3}, 0, classes, priors, &weight); err != nil ||
		weight != 0 || classes[0] != game.NoClass {
		t.Errorf("a tree's state has the weight %g and the hidden facts %v: %v", weight, classes, err)
	}
}
