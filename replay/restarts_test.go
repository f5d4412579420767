package replay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tengen/internal/stream"
)

// naiveRestarts returns the regrets of the positions that Restarts may return, by number of the
// game and ply of one game that passed through each, written from the definition.
func naiveRestarts(games []*Game) map[string]float64 {
	type stats struct {
		sums  [2]float64
		games int
	}
	difference := func(g *Game, ply, p int) float64 {
		result := g.Returns
		if len(g.Outcome) > 0 {
			result = g.Outcome
		}
		return float64(result[p]) - float64(g.Moves[ply].Value[p])
	}
	key := func(g *Game, ply int) string {
		text := ""
		for _, m := range g.Moves[:ply] {
			text += fmt.Sprint(m.Action, " ")
		}
		return text
	}
	own := func(g *Game, ply int) bool {
		m := g.Moves[ply]
		return m.Mover >= 0 && len(m.Value) > 0 && g.Seats[m.Mover].Kind == Network
	}
	all := map[string]stats{}
	for _, g := range games {
		for ply := range g.Moves {
			if own(g, ply) {
				s := all[key(g, ply)]
				for p := range 2 {
					s.sums[p] += difference(g, ply, p)
				}
				s.games++
				all[key(g, ply)] = s
			}
		}
	}
	regrets := map[string]float64{}
	for _, g := range games {
		best, most := -1, -1.0
		for ply := g.Prefix; ply < len(g.Moves); ply++ {
			if !own(g, ply) {
				continue
			}
			if r := (math.Pow(difference(g, ply, 0), 2) + math.Pow(difference(g, ply, 1), 2)) / 2; r > most {
				best, most = ply, r
			}
		}
		if best < 0 {
			continue
		}
		s := all[key(g, best)]
		n := float64(s.games)
		if r := (math.Pow(s.sums[0]/n, 2) + math.Pow(s.sums[1]/n, 2)) / 2; r > 1e-15 {
			regrets[key(g, best)] = r
		}
	}
	return regrets
}

// TestRestartsAgainstNaive: with games that share their beginnings the positions and regrets are
// those of the definition, in order.
func TestRestartsAgainstNaive(t *testing.T) {
	shared := 0
	for seed := range uint64(20) {
		rng := stream.New(seed, stream.Test)
		games := playMany(80, seed)
		// Games of one family begin alike.
		for i, g := range games {
			if i%3 > 0 {
				*g = *again(g, games[i-i%3], rng)
			}
			if i%7 == 0 {
				takeOver(g, len(g.Moves)/2)
			}
			if i%5 == 0 {
				g.Outcome = []float32{float32(rng.NormFloat64()), float32(rng.NormFloat64())}
			}
		}
		w := newWindow(t, WindowConfig{Capacity: 60, HeldOut: 0.2, Seed: seed})
		var inside []*Game
		for i, g := range games {
			if err := w.Add(g); err != nil {
				t.Fatal(err)
			}
			if i >= len(games)-60 && !w.Held(g.Number) {
				inside = append(inside, g)
			}
		}
		want := naiveRestarts(inside)
		got := w.Restarts(1000)
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d positions, want %d", seed, len(got), len(want))
		}
		shared += len(inside) - len(want)
		last := math.Inf(1)
		for _, r := range got {
			key := ""
			for _, m := range r.Game.Moves[:r.Ply] {
				key += fmt.Sprint(m.Action, " ")
			}
			if regret, ok := want[key]; !ok || math.Abs(regret-r.Regret) > 1e-9 || r.Regret > last {
				t.Fatalf("seed %d: game %d, ply %d has the regret %g after %g, want %g", seed, r.Game.Number, r.Ply, r.Regret, last, regret)
			}
			last = r.Regret
		}
		if few := w.Restarts(3); len(few) != 3 || few[2] != got[2] {
			t.Errorf("seed %d: of 3 positions the last is %+v, want %+v", seed, few[2], got[2])
		}
	}
	if shared < 20 {
		t.Errorf("%d positions are shared by games: hardly anything is tested", shared)
	}
}

// again returns a game with the moves of another one, and values of its own at its own plies.
func again(g, other *Game, rng *rand.Rand) *Game {
	x := *other
	x.Number, x.Moves = g.Number, nil
	for _, m := range other.Moves {
		if len(m.Value) > 0 {
			m.Value = []float32{rng.Float32(), rng.Float32()}
		}
		x.Moves = append(x.Moves, m)
	}
	return &x
}

// TestLuckIsNoRegret: a value that is the mean of the results has no regret, however far each result
// is from it; one that is not keeps its own.
func TestLuckIsNoRegret(t *testing.T) {
	w := newWindow(t, WindowConfig{Capacity: 100})
	for i := range 4 {
		g := handRecord()
		g.Number = uint64(300 + i)
		for k := range g.Moves {
			g.Moves[k].Value = nil
		}
		g.Moves[2].Value = []float32{0.5, 0.5} // of the network's seat
		g.Outcome = []float32{float32(i % 2), float32(1 - i%2)}
		if err := w.Add(g); err != nil {
			t.Fatal(err)
		}
		want := []float64{0.25, 0, 0.25 / 9, 0}[i]
		got := w.Restarts(10)
		if want == 0 && len(got) > 0 || want > 0 && (len(got) != 1 || math.Abs(got[0].Regret-want) > 1e-12 || got[0].Ply != 2) {
			t.Errorf("after %d games: %+v, want a regret of %g", i+1, got, want)
		}
	}
}
