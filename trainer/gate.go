package trainer

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"tengen/arena/rating"
	"tengen/configs"
	"tengen/internal/stream"
	"tengen/nn"
	"tengen/player"
	"tengen/run"
)

// network is what an iteration left.
type network struct {
	iteration int // 0: the weights with which the run begins
	weights   nn.Network
}

// name is how an evaluated network is called in files: 000042.
func (n network) name() string { return run.IterationName(n.iteration) }

// GateState is what a checkpoint keeps of a run's gate.
type GateState struct {
	Best int    `json:"best"` // iteration that left the network with which games are played; 0: the first weights
	Step uint64 `json:"step"` // training steps behind it
}

// gate has the candidate play the best network so far, and says whether it was
// better. The match depends on the seed, the iteration and the two networks
// alone. A match that ctx ends is an error.
func (r *runner) gate(ctx context.Context, candidate network) (*run.GateResult, error) {
	c := r.plan.Config.Evaluation
	began := r.now()
	d := duel{
		game: r.plan.Game,
		players: [2]player.Player{
			r.plan.Learner(candidate.name(), candidate.weights, c.GateSimulations),
			r.plan.Learner(r.best.name(), r.best.weights, c.GateSimulations),
		},
		seed:    r.plan.matchSeed(gateMatch, candidate.iteration, r.best.iteration),
		workers: r.plan.Workers, slate: r.plan.GamesPerWorker(),
	}
	d.rounds = roundsOf(c.GateGames, len(d.seatings()))
	r.enter(run.StageGate, d.rounds*len(d.seatings()))
	done := 0
	played, err := d.play(ctx, func() {
		done++
		r.metrics.GateGames.Inc()
		r.monitor.update(func(s *run.Status) { s.Done = done })
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("gate of iteration %d: %w", candidate.iteration, err)
	}
	g := played.judge(c.GateConfidence)
	g.Candidate, g.Best, g.Seconds = candidate.iteration, r.best.iteration, r.now().Sub(began).Seconds()
	return g, nil
}

// judge tests whether the first player of a duel was better than the second.
func (r *duelResult) judge(confidence float64) *run.GateResult {
	results := r.differences()
	g := &run.GateResult{
		Difference: stat.Mean(results, nil), Confidence: confidence,
		Games: r.games(), Rounds: len(r.rounds), Distinct: len(results), Opening: r.opening,
	}
	g.Accepted, g.Low = rating.Better(results, confidence)
	return g
}

// pass makes the candidate the best network where the gate accepted it.
func (r *runner) pass(candidate network, g *run.GateResult) {
	if g.Accepted {
		r.best = candidate
		r.state.Gate = &GateState{candidate.iteration, uint64(r.learner.trainer.Steps())}
	}
}

// tellGate tells of a gate's verdict, once the checkpoint holds it.
func (r *runner) tellGate(g *run.GateResult) {
	if g.Accepted {
		r.metrics.Accepted.Inc()
	} else {
		r.metrics.Rejected.Inc()
	}
	r.metrics.BestIteration.Set(float64(r.best.iteration))
	r.metrics.GateDifference.Set(g.Difference)
	r.metrics.GateLow.Set(g.Low)
	r.monitor.update(func(s *run.Status) { s.Gate = g })
	r.logEvent(run.Event{Kind: run.EventGate, Iteration: g.Candidate, Gate: g})
	r.log.Info("gate", "iteration", g.Candidate, "accepted", g.Accepted, "against", g.Best,
		"difference", round(g.Difference), "low", round(g.Low), "games", g.Games, "seconds", round(g.Seconds))
}

// What matches are for: the first step of the path to their seeds.
const (
	gateMatch uint64 = iota + 1
	earlierMatch
)

// matchSeed is the seed of a match between the networks of two iterations.
func (p *Plan) matchSeed(kind uint64, a, b int) uint64 {
	seed, _ := stream.Seeds(p.Config.Seed, stream.Arena, kind, uint64(a), uint64(b))
	return seed
}

// checkGate refuses a gate that nothing could pass.
func checkGate(c *configs.Config, seats int) error {
	e := c.Evaluation
	if !e.Gate {
		return nil
	}
	seatings := 2 * seats
	if seats == 2 {
		seatings = 2
	}
	rounds := roundsOf(e.GateGames, seatings)
	// The most that a candidate can do is to win every round by as much.
	won := []float64{1}
	for better := false; !better; won = append(won, 1) {
		better, _ = rating.Better(won, e.GateConfidence)
	}
	if least := len(won) - 1; rounds < least {
		return fmt.Errorf("evaluation.gate_games=%d: %s of %d games can't decide with a confidence of %g, even if all are won; at least %d games are wanted",
			e.GateGames, plural(rounds, "round"), seatings, e.GateConfidence, least*seatings)
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// saved reads the network of an iteration as self-play and evaluation use it:
// from its checkpoint, or, for iteration 0 of a run that began with no other's weights
// (init), from the seed.
func (p *Plan) saved(f run.Files, iteration int, init string) (network, error) {
	if iteration == 0 && init == "" {
		weights, err := p.Load(p.NewParams())
		return network{0, weights}, err
	}
	c, err := f.Store().Load(filepath.Join(f.Checkpoints(), run.IterationName(iteration)))
	if err != nil {
		return network{}, err
	}
	params := c.Params
	if c.Average != nil {
		params = c.Average
	}
	weights, err := p.Load(params)
	return network{iteration, weights}, err
}
