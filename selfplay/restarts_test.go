package selfplay

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"tengen/descent"
	"tengen/internal/stream"
	"tengen/replay"
)

// TestRestarts: a share of games begins with the moves of earlier ones, which are no samples and have
// no targets, chance and hidden deals included; what follows is played as in any game. Games are the
// same on any number of workers.
func TestRestarts(t *testing.T) {
	for name, games := range map[string]int{"go:size=3,players=3": 24, "tictactoe": 40, "tcg": 6, smallTurtle: 8} {
		if testing.Short() && name != "go:size=3,players=3" {
			continue
		}
		for _, learns := range []string{"alphazero", "descent"} {
			s := settings(name)
			s.TemperaturePlies, s.LateTemperature = 2, 0
			job := Job{Games: numbers(games), Iteration: 3, Step: 9, Epsilon: 0.2, Weights: weights(t, s.Game)}
			if learns == "descent" {
				if descent.Check(s.Game, descent.Options{Iterations: 2}) != nil {
					continue
				}
				s = descentSettings(name, descent.Options{Iterations: 2, Terminal: descent.Terminal{Result: true, Depth: true}}, Ordinal)
				job.Weights, job.Exploration = valueWeights(t, s.Game), 0.5
			}
			earlier, _ := playJob(t, s, job, 2, 4)
			window, err := replay.NewWindow(s.Game, replay.WindowConfig{Capacity: 1000, Trees: learns == "descent"})
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range earlier {
				if err := window.Add(g); err != nil {
					t.Fatal(err)
				}
			}
			job.Games, job.Iteration = numbers(2 * games)[games:], 4
			job.Restarts = NewRestarts(0.6, 1, window.Restarts(5))
			job.Population = population(t, s.Game, 0.2)
			want, _ := playJob(t, s, job, 1, 1)
			for _, c := range [][2]int{{1, 5}, {3, 4}} {
				if got, _ := playJob(t, s, job, c[0], c[1]); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s: %d workers, groups of %d: other games than with one of each", name, learns, c[0], c[1])
				}
			}
			restarted, beyond := 0, map[string]bool{}
			for _, g := range want {
				before := window.Positions(false)
				if err := window.Add(g); err != nil {
					t.Fatalf("%s, %s: %v", name, learns, err)
				}
				for _, x := range window.Samples(false)[before:] {
					if int(x.Ply) < g.Prefix {
						t.Errorf("%s, %s, game %d: ply %d of the %d from an earlier game is a sample", name, learns, g.Number, x.Ply, g.Prefix)
					}
				}
				if g.Prefix == 0 {
					continue
				}
				restarted++
				if !slices.ContainsFunc(earlier, func(e *replay.Game) bool {
					return len(e.Moves) > g.Prefix && slices.EqualFunc(e.Moves[:g.Prefix], g.Moves[:g.Prefix], func(a, b replay.Move) bool {
						return a.Action == b.Action && a.Mover == b.Mover
					})
				}) {
					t.Errorf("%s, game %d begins with %d moves of no earlier game", name, g.Number, g.Prefix)
				}
				text := ""
				for _, m := range g.Moves[:min(len(g.Moves), g.Prefix+8)] {
					text += string(rune(m.Action + 32))
				}
				beyond[text] = true
			}
			if share := float64(restarted) / float64(games); math.Abs(share-0.6) > 3*math.Sqrt(0.24/float64(games)) {
				t.Errorf("%s, %s: %d of %d games start from an earlier position", name, learns, restarted, games)
			}
			if len(beyond) < restarted/3 {
				t.Errorf("%s, %s: %d restarts go on in %d ways", name, learns, restarted, len(beyond))
			}
		}
	}
}

// TestDrawRestarts: positions are drawn in proportion to regret^(1/temperature).
func TestDrawRestarts(t *testing.T) {
	g := &replay.Game{Moves: make([]replay.Move, 3)}
	positions := []replay.Restart{{Game: g, Ply: 0, Regret: 0.4}, {Game: g, Ply: 1, Regret: 0.2}, {Game: g, Ply: 2, Regret: 0.2}, {Game: g, Ply: 3, Regret: 0}}
	for temperature, want := range map[float64][]float64{1: {0.5, 0.25, 0.25, 0}, 0.5: {4. / 6, 1. / 6, 1. / 6, 0}, 0.0001: {1, 0, 0, 0}} {
		r := NewRestarts(0.5, temperature, positions)
		rng := stream.New(1, stream.Test)
		const n = 20_000
		counts := make([]float64, len(positions))
		for range n {
			if p, ok := r.draw(rng); ok {
				counts[len(p)] += 2. / n
			}
		}
		for i, c := range counts {
			if math.Abs(c-want[i]) > 5*math.Sqrt(1./n) || want[i] == 0 && c > 0 {
				t.Errorf("temperature %g: position %d is drawn in a share of %g, want %g", temperature, i, c, want[i])
			}
		}
	}
	if NewRestarts(0.5, 1, nil) != nil || NewRestarts(0.5, 1, positions[3:]) != nil {
		t.Error("restarts without a position")
	}
}
