package trainer

import (
	"context"
	"errors"
	"sort"

	"tengen/nn"
	"tengen/replay/record"
	"tengen/run"
	"tengen/selfplay"
)

// inputs is what the games of an iteration depend on, besides its number: the run after some
// earlier iteration.
type inputs struct {
	step        uint64     // of the network
	evaluations uint64     // as State.Evaluations
	weights     nn.Network // that play
	resign      float32    // as selfplay.Job.Resign
}

// gamesOf returns the number of games of an iteration. The games that UCT plays alone
// belong to the first one.
func (p *Plan) gamesOf(iteration int) int {
	n := p.Config.Training.Games
	if iteration == 0 {
		n += p.Config.WarmStart.InitialGames
	}
	return n
}

// numbers returns the numbers of the games of an iteration, the first of which is given.
func (r *runner) numbers(iteration, first int) []uint64 {
	numbers := make([]uint64, r.plan.gamesOf(iteration))
	for i := range numbers {
		numbers[i] = uint64(first + i)
	}
	return numbers
}

// jobs returns the games of an iteration with the given numbers as jobs: those that UCT plays
// alone, and the others. Empty jobs are left out.
func (r *runner) jobs(iteration int, numbers []uint64, b *inputs) ([]*selfplay.Job, error) {
	network, err := r.networkJob(iteration, b)
	if err != nil {
		return nil, err
	}
	alone := 0
	if iteration == 0 {
		alone = sort.Search(len(numbers), func(i int) bool {
			return numbers[i] >= uint64(r.plan.Config.WarmStart.InitialGames)
		})
	}
	uct := *network
	uct.Games, uct.Epsilon, uct.Resign = numbers[:alone], 1, 0
	network.Games = numbers[alone:]
	var list []*selfplay.Job
	for _, job := range []*selfplay.Job{&uct, network} {
		if len(job.Games) > 0 {
			list = append(list, job)
		}
	}
	return list, nil
}

// networkJob returns the job of an iteration's games, without their numbers.
func (r *runner) networkJob(iteration int, b *inputs) (*selfplay.Job, error) {
	c := r.plan.Config
	at, of := r.clock(iteration, b.evaluations)
	belief, err := r.plan.Belief(b.weights)
	return &selfplay.Job{
		Iteration: iteration, Step: b.step, Weights: b.weights,
		Epsilon:     c.WarmStart.Epsilon(at, of),
		Exploration: c.Descent.Explore(at, of), Resign: b.resign,
		Params: r.plan.loaded.of(b.weights), Belief: belief,
	}, err
}

// selfPlay returns the iteration's games in order of number. It takes those that an
// interrupted process left on disk and plays the others.
func (r *runner) selfPlay(
	ctx context.Context, iteration int, weights nn.Network,
) (games []*record.Game, err error) {
	numbers := r.numbers(iteration, r.state.Games)
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
	writer := &gameWriter{
		folder: r.folder, write: r.write, now: r.now, committed: r.now(), durable: r.durable,
	}
	defer func() { err = errors.Join(err, writer.close(ctx)) }()

	r.monitor.beginPlay(len(games), r.now)
	defer r.monitor.endPlay()
	emit := func(g *record.Game) error {
		games = append(games, g)
		observeGame(r.metrics, g)
		return writer.add(ctx, g)
	}
	defer r.metrics.GamesRunning.Set(0) // games that were cut short are not reported
	b := inputs{
		step: uint64(r.updater.Trainer.Steps()), evaluations: r.state.Evaluations,
		weights: weights, resign: r.state.Resignation.threshold(),
	}
	r.metrics.PlayingStep.Set(float64(b.step))
	jobs, err := r.jobs(iteration, numbers, &b)
	if err != nil {
		return nil, err
	}
	for _, job := range jobs {
		if err := selfplay.Play(ctx, &r.plan.Play, *job, r.plan.Workers, r.plan.GamesPerWorker(),
			&r.monitor.Counters, emit); err != nil {
			return nil, err
		}
	}
	return games, nil
}

// durable tells those who play beside this process that games are on disk.
func (r *runner) durable(games []*record.Game) {
	if c := r.plan.Play.Remote; c != nil {
		c.Durable(games)
	}
}
