package trainer

import (
	"context"
	"fmt"
	"time"

	"tengen/nn"
	"tengen/selfplay"
)

// A crowd is how many games self-play plays at a time: on how many workers, in groups of how many games.
type crowd struct{ workers, games int }

func (c crowd) String() string { return fmt.Sprintf("%d × %d", c.workers, c.games) }

// tuneGain is the least gain in evaluations a second for which more games are played at a time: more games
// take memory, and make the networks of a continuous cycle's games older.
const tuneGain = 1.05

// tuneTrials is the number of measurements in the time of selfplay.tune_seconds.
const tuneTrials = 8

// climb looks for the crowd with the highest rate, from a first one on, with at most a number of measurements. It
// doubles the games of a group as long as the rate gains, or else halves them as long as it loses little, and then does the
// same with workers. It returns the crowd and its rate, and how many it has measured.
func climb(first crowd, most int, allowed func(crowd) bool, measure func(crowd) (float64, error)) (best crowd, rate float64, measured int, err error) {
	best = first
	if rate, err = measure(best); err != nil {
		return best, 0, 1, err
	}
	measured = 1
	try := func(c crowd, gain float64) (bool, error) {
		if measured == most || c.games < 1 || c.workers < 1 || !allowed(c) {
			return false, nil
		}
		measured++
		got, err := measure(c)
		if err != nil || got < gain*rate {
			return false, err
		}
		best, rate = c, got
		return true, nil
	}
	for _, part := range []struct{ more, less func(crowd) crowd }{
		{func(c crowd) crowd { return crowd{c.workers, 2 * c.games} }, func(c crowd) crowd { return crowd{c.workers, c.games / 2} }},
		{func(c crowd) crowd { return crowd{2 * c.workers, c.games} }, func(c crowd) crowd { return crowd{c.workers / 2, c.games} }},
	} {
		grown := false
		for {
			ok, err := try(part.more(best), tuneGain)
			if err != nil {
				return best, rate, measured, err
			}
			if !ok {
				break
			}
			grown = true
		}
		for !grown {
			ok, err := try(part.less(best), 1/1.01)
			if err != nil {
				return best, rate, measured, err
			}
			if !ok {
				break
			}
		}
	}
	return best, rate, measured, nil
}

// Tune returns a plan that plays its games on as many workers, and as many at a time, as are fastest on this machine, by
// playing with the given network for about selfplay.tune_seconds; and a line about it. Without that key it returns the
// plan itself and "". Games do not depend on what it finds.
func (p *Plan) Tune(ctx context.Context, weights nn.Network) (*Plan, string, error) {
	seconds := p.Config.SelfPlay.TuneSeconds
	if seconds == 0 {
		return p, "", nil
	}
	each := time.Duration(seconds / tuneTrials * float64(time.Second))
	games := p.Config.Training.Games
	trial := uint64(0)
	best, rate, measured, err := climb(crowd{p.Workers, p.GamesPerWorker()}, tuneTrials, func(c crowd) bool {
		// More than an iteration's games are not played at a time.
		return c.workers*c.games*p.groups() <= games
	}, func(c crowd) (float64, error) {
		q := p.with(c)
		q.Play.Cache = nil // it would know the positions of the measurement before
		trial++
		took, counters, err := q.playFor(ctx, each, selfplay.Job{Weights: weights}, trial<<32, forget)
		return float64(counters.Evaluations.Load()) / took, err
	})
	if err != nil {
		return nil, "", fmt.Errorf("selfplay.tune_seconds: %w", err)
	}
	return p.with(best), fmt.Sprintf("%d workers with %d games each, %.0f evaluations a second: the fastest of %d that were measured", best.workers, best.games*p.groups(), rate, measured), nil
}

// with returns the plan with another crowd.
func (p *Plan) with(c crowd) *Plan {
	q, config := *p, *p.Config
	config.SelfPlay.GamesPerWorker, config.SelfPlay.DeviceGamesPerWorker = c.games, c.games
	q.Config, q.Workers = &config, c.workers
	return &q
}
