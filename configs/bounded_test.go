package configs

import "testing"

// TestShare: the nearest limit says how far a run is.
func TestShare(t *testing.T) {
	c := Config{Training: Training{Iterations: 10, Games: 100}}
	for _, x := range []struct {
		minutes              float64
		evaluations          int
		iteration            int
		asked, seconds, want float64
	}{
		{0, 0, 0, 0, 100, 0},
		{0, 0, 3, 500, 100, 0.3},
		{0, 0, 11, 0, 0, 1},
		{10, 0, 3, 0, 60, 0.3},
		{10, 0, 3, 0, 450, 0.75},
		{10, 0, 3, 0, 4500, 1},
		{0, 1000, 3, 800, 4500, 0.8},
		{10, 1000, 3, 200, 240, 0.4},
	} {
		c.Training.Minutes, c.Training.Evaluations = x.minutes, x.evaluations
		if got := c.Share(x.iteration, 100*x.iteration, x.asked, x.seconds); got != x.want {
			t.Errorf("%+v: %g", x, got)
		}
	}
}

func TestIterationsOf(t *testing.T) {
	c := Default()
	c.Training.Iterations, c.Training.Games, c.WarmStart.InitialGames = 10, 100, 50
	if got := c.IterationsOf(3, 350); c.Bounded() || got != 10 {
		t.Errorf("without bounds there are %d iterations", got)
	}
	for i, set := range []func(){func() { c.Checkpoints.Minutes = 5 }, func() { c.Checkpoints.Minutes, c.Checkpoints.Steps = 0, 7 }} {
		set()
		for _, x := range []struct{ iteration, games, want int }{
			{0, 0, 10}, {1, 150, 7}, {3, 350, 9}, {30, 1049, 31}, {30, 1050, 30}, {30, 525, 60},
		} {
			if got := c.IterationsOf(x.iteration, x.games); !c.Bounded() || got != x.want {
				t.Errorf("bound %d: after iteration %d and %d games there are %d, want %d", i, x.iteration, x.games, got, x.want)
			}
		}
	}
}
