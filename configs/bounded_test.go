package configs

import "testing"

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
