package trainer

import (
	"context"
	"errors"
	"sort"
	"time"

	"tengen/metrics"
	"tengen/nn"
	"tengen/replay"
	"tengen/selfplay"
)

// gamesPerSegment is the number of games in one file of the replay.
const gamesPerSegment = 1000

// commitEvery is how long a finished game may wait until it is durable.
const commitEvery = time.Second

// numbers are the numbers of an iteration's games. The games that UCT plays
// alone belong to the first iteration.
func (p *Plan) numbers(iteration int) []uint64 {
	first := p.Config.WarmStart.InitialGames + iteration*p.Config.Training.Games
	n := p.Config.Training.Games
	if iteration == 0 {
		first, n = 0, n+p.Config.WarmStart.InitialGames
	}
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = uint64(first + i)
	}
	return numbers
}

// selfPlay plays the iteration's games, but for those that an interrupted
// sitting has left on disk, and returns all in order of number.
func (r *run) selfPlay(ctx context.Context, iteration int, weights *nn.Weights) (games []*replay.Game, err error) {
	c := r.plan.Config
	numbers := r.plan.numbers(iteration)
	r.enter(metrics.SelfPlay, len(numbers))
	games, r.pending = r.pending, nil
	for i, g := range games {
		if g.Number != numbers[i] {
			games = games[:i] // a gap: the games behind it are played again
			break
		}
	}
	numbers = numbers[len(games):]
	if len(numbers) == 0 {
		return games, nil
	}
	log, err := replay.OpenLog(osFS, r.folder.Replay(), gamesPerSegment)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()

	r.monitor.beginPlay(len(games), r.now)
	defer r.monitor.endPlay()
	committed := r.now()
	emit := func(g *replay.Game) error {
		games = append(games, g)
		r.countGame(g)
		if err := log.Append(g); err != nil {
			return err
		}
		if r.now().Sub(committed) < commitEvery {
			return nil
		}
		committed = r.now()
		return log.Commit()
	}
	at, of := r.clock(iteration)
	job := selfplay.Job{Iteration: iteration, Step: uint64(r.learner.trainer.Steps()), Weights: weights,
		Exploration: c.Descent.Explore(at, of)}
	if r.state.Gate != nil {
		job.Step = r.state.Gate.Step
	}
	alone := sort.Search(len(numbers), func(i int) bool { return numbers[i] >= uint64(c.WarmStart.InitialGames) })
	for _, part := range []struct {
		numbers []uint64
		epsilon float64
	}{{numbers[:alone], 1}, {numbers[alone:], c.WarmStart.Epsilon(at, of)}} {
		job.Games, job.Epsilon = part.numbers, part.epsilon
		if err := selfplay.Play(ctx, &r.plan.Play, job, r.plan.Workers, c.SelfPlay.Slate, &r.monitor.Counters, emit); err != nil {
			return nil, err
		}
	}
	return games, nil
}
