package trainer

import "time"

// rates are the times that a game and a training step take: halves of what they took in the last iteration, and of what
// was known before.
type rates struct {
	game, step float64 // seconds; 0 while unknown
}

// note takes the games and the steps of an iteration, and the seconds that the run waited for them.
func (r *rates) note(games int, play float64, steps int, update float64) {
	for _, x := range []struct {
		to   *float64
		n    int
		took float64
	}{{&r.game, games, play}, {&r.step, steps, update}} {
		switch each := x.took / float64(max(1, x.n)); {
		case x.n == 0:
		case *x.to == 0:
			*x.to = each
		default:
			*x.to = (*x.to + each) / 2
		}
	}
}

// forecast estimates the time of the iterations to come: of their games, of the steps that the window, which may grow, will
// have then, and of evaluations as far as they have taken a share of the time. It is 0 while a rate is unknown.
func (r *runner) forecast() time.Duration {
	c, w := r.plan.Config, r.updater.window
	if r.rates.game == 0 || r.rates.step == 0 || w.Len() == 0 {
		return 0
	}
	positions := float64(len(w.Samples(false))) / float64(w.Len()) // of a game in the window
	games, steps := 0, 0
	for i := r.state.Iteration; i < c.Training.Iterations; i++ {
		n := r.gamesOf(i)
		games += n
		if per := c.Training.SamplesPerPosition; per > 0 {
			steps += int(per * positions * float64(n) / float64(c.Training.Batch))
			continue
		}
		played := r.state.Games + games
		held := positions * float64(min(played, c.Replay.Window(played)))
		steps += stepsOf(c.Training.Epochs, c.Training.MaxSteps, int(held), c.Training.Batch)
	}
	left := time.Duration((float64(games)*r.rates.game + float64(steps)*r.rates.step) * float64(time.Second))
	return time.Duration(float64(left) / (1 - r.evaluations.budget.share()))
}
