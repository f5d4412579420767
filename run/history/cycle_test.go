package history

import (
	"math"
	"testing"
)

// TestRatesOfCycles: where games never stop, rates are of the whole time.
func TestRatesOfCycles(t *testing.T) {
	for _, c := range []struct {
		training     string
		games, steps float64
	}{
		{"training: {iterations: 4, games: 100}", 10, 10},
		{"training: {iterations: 4, games: 100, cycle: pipelined}", 100. / 14, 10},
		{"training: {iterations: 4, games: 100, cycle: asynchronous}", 100. / 14, 40. / 14},
	} {
		r, err := Read(write(t, "game: go:players=3,size=5\n"+c.training+"\n",
			`{"time":"%s","event":"start","iteration":0}`, iteration(1, 100, 40, 1000, 60, "")))
		if err != nil {
			t.Fatal(err)
		}
		games, _ := r.Iterations.Last(GamesRate)
		steps, _ := r.Iterations.Last(StepsRate)
		if math.Abs(games-c.games) > 1e-9 || math.Abs(steps-c.steps) > 1e-9 {
			t.Errorf("%s: %g games and %g steps a second; want %g, %g",
				c.training, games, steps, c.games, c.steps)
		}
	}
}
