package trainer

import (
	"context"
	"encoding/json"
	"fmt"

	"tengen/arena"
	"tengen/nn"
	"tengen/player"
)

// baseline is the player that runs measure themselves against: the paper's UCT.
var baseline = player.UCT{Simulations: 180, C: 0.8, Utility: player.Points}

// evaluate plays the network in each seat against UCT in all others.
func (r *run) evaluate(ctx context.Context, iteration int, w *nn.Weights) (*Strength, error) {
	e := r.plan.Config.Evaluation
	v := arena.Versus{
		Game:     r.plan.Game,
		Player:   r.plan.Learner(fmt.Sprintf("%s@%d", r.folder, iteration), w, e.Simulations),
		Baseline: baseline,
		Games:    e.Games, BaselineGames: 2 * e.Games, // once a sitting
		Seed: r.plan.Config.Seed + uint64(iteration), Workers: r.plan.Workers, Slate: r.plan.Config.SelfPlay.Slate,
	}
	if r.base != nil {
		v.BaselineGames = -1
	}
	report, err := v.Play(ctx, func(finished, all int) {
		r.monitor.update(func(s *Status) { s.Done, s.All = finished, all })
	})
	if err != nil {
		return nil, err
	}
	s := &Strength{
		Sum: report.Sum.Mean, SumCI: report.Sum.CI, Games: e.Games,
		Against: report.Baseline, Elapsed: r.elapsed().Seconds(),
	}
	if r.base == nil {
		for _, seat := range report.Seats {
			r.base = append(r.base, seat.Base.Mean)
		}
	}
	s.Baseline = r.base
	for _, seat := range report.Seats {
		s.Points = append(s.Points, seat.Points.Mean)
		s.CI = append(s.CI, seat.Points.CI())
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("evaluation of iteration %d: %w", iteration, err)
	}
	if err := writeFile(r.folder.Evaluation(iteration), append(text, '\n')); err != nil {
		return nil, fmt.Errorf("evaluation of iteration %d: %w", iteration, err)
	}
	return s, nil
}
