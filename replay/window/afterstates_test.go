package window

import (
	"math"
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/internal/random"

	_ "tengen/game/backgammon"
	"tengen/replay/record"
)

// playDice plays a random game of Hypergammon whose decisions have random root values.
func playDice(g game.Game, number uint64) *record.Game {
	rng := random.New(number, random.Test)
	rec := &record.Game{
		Number: number, Name: g.Name(),
		Seats: []record.SeatRecord{
			{Kind: record.Network, Step: 1}, {Kind: record.Network, Step: 1},
		},
	}
	rec.Returns, rec.Scores = make([]float32, 2), make([]float32, 2)
	s := g.NewState()
	for s.CurrentPlayer() != game.Nobody {
		m := record.Move{Mover: s.CurrentPlayer()}
		if m.Mover == game.Chance {
			m.Action = s.(game.Chancer).Sample(rng)
		} else {
			legal := s.LegalActions(nil)
			m.Action = legal[rng.IntN(len(legal))]
			if len(legal) > 1 {
				v := rng.Float32()
				m.Value = []float32{v, 1 - v}
				m.Visits, m.Choice = []record.Visit{{Action: m.Action, N: 1}}, true
			}
		}
		rec.Moves = append(rec.Moves, m)
		s.Apply(m.Action)
	}
	s.Returns(rec.Returns)
	game.Scores(s, rec.Scores)
	return rec
}

// TestAfterstates: the positions after a player's move and before a roll are the samples, whose
// value is that of the next decision and the result.
func TestAfterstates(t *testing.T) {
	const mix = 0.75
	g := game.Must(game.New("backgammon:checkers=3"))
	window, err := New(g, Config{Capacity: 9, Afterstates: true})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := New(g, Config{Capacity: 9})
	if err != nil {
		t.Fatal(err)
	}
	encoders := make([]*Encoder, 2) // without and with λ-returns, whose weight is 0
	for i := range encoders {
		if encoders[i], err = NewEncoder(window, EncoderConfig{
			Mix: mix, Bootstrap: float64(i) * 1e-30,
		}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range uint64(5) {
		rec := playDice(g, n)
		for _, w := range []*Window{window, plain} {
			if err := w.Add(rec); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := 0
	for i := range window.Len() {
		rec := window.Game(i)
		for ply := 1; ply < len(rec.Moves); ply++ {
			if rec.Moves[ply].Mover == game.Chance {
				want++
			}
		}
	}
	if got := window.Positions(false); got != want {
		t.Fatalf("%d samples of afterstates; there are %d", got, want)
	}
	for _, s := range samplesOf(plain, false) {
		if recordOf(plain, s).Moves[s.Ply].Mover == game.Chance {
			t.Fatal("an afterstate is a sample without Afterstates")
		}
	}
	obs, policy, value := make([]float32, g.Planes().Size()), make([]float32, g.Actions()),
		make([]float32, 2)
	expected := make([]float32, len(obs))
	rng := rand.New(rand.NewPCG(1, 1))
	bootstrapped := 0
	for _, s := range samplesOf(window, false) {
		state, rec := g.NewState(), recordOf(window, s)
		for _, m := range rec.Moves[:s.Ply] {
			state.Apply(m.Action)
		}
		state.Observation(expected)
		// The first decision after the roll: sole actions and further rolls may come before it.
		next := int(s.Ply)
		for next < len(rec.Moves) && len(rec.Moves[next].Value) == 0 {
			next++
		}
		target := float64(rec.Returns[0])
		if next < len(rec.Moves) {
			target = (1-mix)*target + mix*float64(rec.Moves[next].Value[0])
			bootstrapped++
		}
		for i, e := range encoders {
			var weight float32
			symmetry := rng.IntN(e.Symmetries())
			if err := e.Row(s, symmetry, obs, policy, &weight, value); err != nil {
				t.Fatal(err)
			}
			got := value[0]
			if symmetry > 0 {
				got = value[1] // the players change places
			}
			if math.Abs(float64(got)-target) > 1e-6 || weight != 0 {
				t.Fatalf("game %d, ply %d, encoder %d: the value is %v, want %v; the policy's weight is %v", rec.Number, s.Ply, i, value, target, weight)
			}
			if symmetry > 0 {
				continue
			}
			for k := range obs {
				if obs[k] != expected[k] {
					t.Fatalf("game %d, ply %d: element %d of the observation is %v, want %v",
						rec.Number, s.Ply, k, obs[k], expected[k])
				}
			}
		}
	}
	if bootstrapped == 0 {
		t.Error("no afterstate with a decision after it")
	}
}
