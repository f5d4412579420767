package history

import (
	"math"
	"testing"
)

// TestRatesOfCycles: where games never stop, rates are of the whole time; and the number of iterations is an estimate
// if they are bounded.
func TestRatesOfCycles(t *testing.T) {
	for _, c := range []struct {
		training     string
		games, steps float64
		all          int
	}{
		{"training: {iterations: 4, games: 100}", 10, 10, 4},
		{"training: {iterations: 4, games: 100, cycle: pipelined}", 100. / 14, 10, 4},
		{"training: {iterations: 4, games: 100, cycle: continuous}", 100. / 14, 40. / 14, 4},
		{"training: {iterations: 4, games: 50, cycle: continuous, samples_per_position: 1}\ncheckpoints: {steps: 40}\nwarm_start: {initial_games: 0}", 100. / 14, 40. / 14, 2},
	} {
		r, err := Read(write(t, "game: go:players=3,size=5\n"+c.training+"\n", `{"time":"%s","event":"start","iteration":0}`, iteration(1, 100, 40, 1000, 60, "")))
		if err != nil {
			t.Fatal(err)
		}
		games, _ := r.Iterations.Last(GamesRate)
		steps, _ := r.Iterations.Last(StepsRate)
		if math.Abs(games-c.games) > 1e-9 || math.Abs(steps-c.steps) > 1e-9 || r.All() != c.all {
			t.Errorf("%s: %g games and %g steps a second, %d iterations; want %g, %g, %d", c.training, games, steps, r.All(), c.games, c.steps, c.all)
		}
	}
}
