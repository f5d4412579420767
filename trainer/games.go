package trainer

import (
	"context"
	"errors"
	"sort"
	"time"

	"tengen/nn"
	"tengen/replay"
	"tengen/run"
	"tengen/selfplay"
)

// gamesPerSegment is the number of games in one file of the replay.
const gamesPerSegment = 1000

// commitEvery is how long a finished game may wait until it is durable.
const commitEvery = time.Second

// numbers are the numbers of the next iteration's games. The games that UCT plays
// alone belong to the first iteration.
func (r *runner) numbers() []uint64 {
	n := r.plan.Config.Training.Games
	if r.state.Iteration == 0 {
		n += r.plan.Config.WarmStart.InitialGames
	}
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = uint64(r.state.Games + i)
	}
	return numbers
}

// selfPlay plays the iteration's games, but for those that an interrupted
// sitting has left on disk, and returns all in order of number.
func (r *runner) selfPlay(ctx context.Context, iteration int, weights nn.Network) (games []*replay.Game, err error) {
	c := r.plan.Config
	numbers := r.numbers()
	r.enter(run.StageSelfPlay, len(numbers))
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
	kept := r.keep(ctx)
	defer func() { err = errors.Join(err, kept.close()) }()

	r.monitor.beginPlay(len(games), r.now)
	defer r.monitor.endPlay()
	emit := func(g *replay.Game) error {
		games = append(games, g)
		r.countGame(g)
		return kept.add(g)
	}
	defer r.metrics.GamesRunning.Set(0) // those that an end has cut short are not told of
	at, of := r.clock(iteration)
	job := selfplay.Job{Iteration: iteration, Step: uint64(r.learner.trainer.Steps()), Weights: weights,
		Exploration: c.Descent.Explore(at, of)}
	if r.state.Gate != nil {
		job.Step = r.state.Gate.Step
	}
	r.metrics.PlayingStep.Set(float64(job.Step))
	alone := 0
	if iteration == 0 {
		alone = sort.Search(len(numbers), func(i int) bool { return numbers[i] >= uint64(c.WarmStart.InitialGames) })
	}
	for _, part := range []struct {
		numbers []uint64
		epsilon float64
	}{{numbers[:alone], 1}, {numbers[alone:], c.WarmStart.Epsilon(at, of)}} {
		job.Games, job.Epsilon = part.numbers, part.epsilon
		if err := selfplay.Play(ctx, &r.plan.Play, job, r.plan.Workers, r.plan.GamesPerWorker(), &r.monitor.Counters, emit); err != nil {
			return nil, err
		}
	}
	return games, nil
}
