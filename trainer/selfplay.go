package trainer

import (
	"context"
	"errors"
	"sort"

	"tengen/nn"
	"tengen/replay"
	"tengen/run"
	"tengen/selfplay"
)

// numbers returns the numbers of the next iteration's games. The games that UCT plays alone
// belong to the first iteration.
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

// restarts returns the positions of the window from which games of the next iteration start, nil
// for none. They follow from the window alone, so a resumed run has the same.
func (r *runner) restarts() *selfplay.Restarts {
	c := r.plan.Config.Restarts
	if c.Share == 0 {
		return nil
	}
	return selfplay.NewRestarts(c.Share, c.Temperature, r.updater.window.Restarts(c.Buffer))
}

// selfPlay returns the iteration's games in order of number. It takes those that an
// interrupted process left on disk and plays the others.
func (r *runner) selfPlay(ctx context.Context, iteration int, weights nn.Network) (games []*replay.Game, err error) {
	c := r.plan.Config
	numbers := r.numbers()
	r.enter(run.StageSelfPlay, len(numbers))
	games, r.pending = r.pending, nil
	for i, g := range games {
		if g.Number != numbers[i] {
			games = games[:i] // a gap: the games after it are played again
			break
		}
	}
	numbers = numbers[len(games):]
	if len(numbers) == 0 {
		return games, nil
	}
	writer := &gameWriter{folder: r.folder, write: r.write, now: r.now, committed: r.now()}
	defer func() { err = errors.Join(err, writer.close(ctx)) }()

	r.monitor.beginPlay(len(games), r.now)
	defer r.monitor.endPlay()
	emit := func(g *replay.Game) error {
		games = append(games, g)
		observeGame(r.metrics, g)
		return writer.add(ctx, g)
	}
	defer r.metrics.GamesRunning.Set(0) // games that were cut short are not reported
	at, of := r.clock(iteration)
	job := selfplay.Job{Iteration: iteration, Step: uint64(r.updater.trainer.Steps()), Weights: weights,
		Exploration: c.Descent.Explore(at, of)}
	if r.state.Gate != nil {
		job.Step = r.state.Gate.Step
	}
	r.metrics.PlayingStep.Set(float64(job.Step))
	alone := 0
	if iteration == 0 {
		alone = sort.Search(len(numbers), func(i int) bool { return numbers[i] >= uint64(c.WarmStart.InitialGames) })
	}
	others, err := r.population.at(iteration)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		numbers    []uint64
		epsilon    float64
		population *selfplay.Population
		restarts   *selfplay.Restarts
	}{{numbers[:alone], 1, nil, nil}, {numbers[alone:], c.WarmStart.Epsilon(at, of), others, r.restarts()}} {
		job.Games, job.Epsilon, job.Population, job.Restarts = part.numbers, part.epsilon, part.population, part.restarts
		if err := selfplay.Play(ctx, &r.plan.Play, job, r.plan.Workers, r.plan.GamesPerWorker(), &r.monitor.Counters, emit); err != nil {
			return nil, err
		}
	}
	return games, nil
}
