package trainer

import (
	"context"
	"fmt"

	"tengen/player"
	"tengen/run"
)

// gate plays a match between the candidate and the best network so far and judges it. The
// match depends only on the seed, the iteration and the two networks. If ctx ends, gate
// returns its error.
func (r *runner) gate(ctx context.Context, candidate network) (*run.GateResult, error) {
	c := r.plan.Config.Evaluation
	began := r.now()
	d := pairedMatch{
		game: r.plan.Game,
		players: [2]player.Player{
			r.plan.NetworkPlayer(candidate.name(), candidate.weights, c.GateSimulations),
			r.plan.NetworkPlayer(r.best.name(), r.best.weights, c.GateSimulations),
		},
		seed:    r.plan.matchSeed(gateMatch, candidate.iteration, r.best.iteration),
		workers: r.plan.Workers, gamesPerWorker: r.plan.GamesPerWorker(),
		helper: r.plan.helper(r.plan.contestant(candidate.weights, c.GateSimulations), r.plan.contestant(r.best.weights, c.GateSimulations)),
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

// accept makes the candidate the best network if the gate accepted it.
func (r *runner) accept(candidate network, g *run.GateResult) {
	if g.Accepted {
		r.best = candidate
		r.state.Gate = &GateState{candidate.iteration, uint64(r.updater.trainer.Steps())}
	}
}

// reportGate reports a verdict of the gate, after the checkpoint that holds it.
func (r *runner) reportGate(g *run.GateResult) {
	if g.Accepted {
		r.metrics.Accepted.Inc()
	} else {
		r.metrics.Rejected.Inc()
	}
	r.metrics.BestIteration.Set(float64(r.best.iteration))
	r.metrics.GateDifference.Set(g.Difference)
	r.metrics.GateLow.Set(g.Low)
	r.monitor.update(func(s *run.Status) { s.Gate = g })
	r.log.Info("gate", "iteration", g.Candidate, "accepted", g.Accepted, "against", g.Best,
		"difference", round(g.Difference), "low", round(g.Low), "games", g.Games, "seconds", round(g.Seconds))
}

// bestNetwork returns the best network so far, nil without a gate.
func (r *runner) bestNetwork() *network {
	if r.state.Gate == nil {
		return nil
	}
	best := r.best
	return &best
}
