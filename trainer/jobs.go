package trainer

import (
	"fmt"
	"math"
	"sort"

	"tengen/configs"
	"tengen/nn"
	"tengen/replay/record"
	"tengen/run"
	"tengen/selfplay"
)

// lag returns the number of iterations by which the network that plays may be older than the
// newest: 0 in a synchronous cycle, 1 in a pipelined one, any in an asynchronous one.
func (p *Plan) lag() int {
	switch p.Config.Training.Cycle {
	case configs.CyclePipelined:
		return 1
	case configs.CycleAsynchronous:
		return unbounded
	}
	return 0
}

// unbounded is the lag of an asynchronous cycle.
const unbounded = math.MaxInt

// asynchronous reports whether games never stop.
func (r *runner) asynchronous() bool { return r.plan.lag() == unbounded }

// ahead returns the number of iterations after the finished ones whose games may be on disk, as far
// as their numbers tell.
func (r *runner) ahead() int {
	if r.asynchronous() {
		return 1
	}
	return r.plan.lag() + 1
}

// checkpointsNeeded returns the number of the newest checkpoints that are kept, so that the run can
// be resumed from each of the last checkpoints.keep_last: with a lag each needs the one before.
func (r *runner) checkpointsNeeded() int {
	return r.plan.Config.Checkpoints.KeepLast + r.ahead() - 1
}

// inputs is what the games of an iteration depend on, besides its number: the run after some
// earlier iteration.
type inputs struct {
	step        uint64     // of the network
	evaluations uint64     // as State.Evaluations
	weights     nn.Network // that play
	resign      float32    // as selfplay.Job.Resign
}

// inputsNow returns the run as it is now as the inputs of games.
func (r *runner) inputsNow(weights nn.Network) *inputs {
	return &inputs{
		step: uint64(r.updater.Trainer.Steps()), evaluations: r.state.Evaluations,
		weights: weights, resign: r.state.Resignation.threshold(),
	}
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
	uct := uctAlone(network)
	uct.Games, network.Games = numbers[:alone], numbers[alone:]
	var list []*selfplay.Job
	for _, job := range []*selfplay.Job{uct, network} {
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

// uctAlone returns a job like another in which UCT has all seats.
func uctAlone(job *selfplay.Job) *selfplay.Job {
	alone := *job
	alone.Epsilon, alone.Resign = 1, 0
	return &alone
}

// place is the number of a game, and what follows from it.
type place struct {
	plan      *Plan
	number    uint64
	iteration int
	left      int // games of the iteration, this one included
}

// placeAt returns the place of the first game of an iteration.
func (p *Plan) placeAt(iteration, number int) place {
	return place{p, uint64(number), iteration, p.gamesOf(iteration)}
}

// next returns the place after p.
func (p place) next() place {
	p.number++
	if p.left--; p.left == 0 {
		p.iteration++
		p.left = p.plan.gamesOf(p.iteration)
	}
	return p
}

const (
	// playedOut is the share of games in which nobody resigns, so that they are played to their end
	// and tell of the threshold (Silver et al. 2017, Methods, "Self-play").
	playedOut = 0.1
	// mostResign is the greatest threshold that may follow from the games (AlphaGo resigned at a
	// tenth: Silver et al. 2016).
	mostResign = 0.1
)

// noteResignation finds the threshold of resignations from the window, and adds it to the progress
// of an iteration with the given games.
func (r *runner) noteResignation(p *run.Progress, games []*record.Game) {
	c := r.plan.Config.Resignation
	if c.FalsePositives == 0 {
		r.state.Resignation = nil
		return
	}
	found := r.updater.Window.CalibrateResign(c.FalsePositives, r.plan.MostResign)
	r.state.Resignation = &ResignationState{
		found.Threshold, found.Games, found.Resigned, found.False,
	}
	p.Resignation = &run.Resignation{
		Threshold: float64(int(found.Threshold*1000+0.5)) / 1000,
		Games:     found.Games, Resigned: found.Resigned, False: found.False,
	}
	for _, g := range games {
		if g.Resigned {
			p.Resignation.Share += 1 / float64(len(games))
		}
	}
	r.metrics.ResignThreshold.Set(p.Resignation.Threshold)
	r.metrics.FalseResignations.Set(found.Rate())
}

// logResignation returns the attributes of the log line of an iteration.
func logResignation(x *run.Resignation) []any {
	if x == nil {
		return nil
	}
	list := []any{"resigned", fmt.Sprintf("%.0f %%", 100*x.Share)}
	if x.Threshold == 0 {
		return append(list, "resign", fmt.Sprintf("nobody, %d games do not tell enough", x.Games))
	}
	return append(list, "resign_below", x.Threshold, "false",
		fmt.Sprintf("%d of %d", x.False, x.Resigned))
}
