package trainer

import (
	"context"
	"errors"
	"time"

	"tengen/nn"
	"tengen/replay"
	"tengen/selfplay"
)

// Rates are the speed of self-play as a plan makes it.
type Rates struct {
	Workers              int     `json:"workers"`
	EvaluationsPerSecond float64 `json:"evaluations_per_second"`
	SimulationsPerSecond float64 `json:"simulations_per_second"`
	BatchFill            float64 `json:"batch_fill"`     // rows evaluated ÷ rows that the batches could have held
	GamesPerHour         float64 `json:"games_per_hour"` // from the share of decisions made: games need not end
	// OverheadMicroseconds is the time that a worker spends outside the
	// network on each evaluation, measured with a network that takes none.
	OverheadMicroseconds float64 `json:"overhead_microseconds"`
}

// MeasureSelfPlay plays for about the given time, half of it with the plan's
// network at random weights, half of it with a free one.
func MeasureSelfPlay(ctx context.Context, p *Plan, d time.Duration) (*Rates, error) {
	weights := nn.Fold(p.NewParams())
	seconds, c, plies, err := p.playFor(ctx, d/2, weights, nil)
	if err != nil {
		return nil, err
	}
	r := &Rates{
		Workers:              p.Workers,
		EvaluationsPerSecond: float64(c.Evaluations.Load()) / seconds,
		SimulationsPerSecond: float64(c.Simulations.Load()) / seconds,
		BatchFill:            float64(c.Evaluations.Load()) / float64(max(1, c.BatchRows.Load())),
	}
	decisions := float64(c.Simulations.Load()) / float64(p.meanSimulations())
	if c.Games.Load() > 0 {
		r.GamesPerHour = 3600 * decisions / seconds / (float64(c.Positions.Load()) / float64(c.Games.Load()))
	} else {
		r.GamesPerHour = 3600 * decisions / seconds / plies
	}
	seconds, c, _, err = p.playFor(ctx, d/2, weights, newFree)
	if err != nil {
		return nil, err
	}
	r.OverheadMicroseconds = 1e6 * seconds * float64(p.Workers) / float64(max(1, c.Evaluations.Load()))
	return r, nil
}

// playFor plays with network seats only, for the given time. plies is the length of a
// game where none ended: what the game's random playouts take.
func (p *Plan) playFor(ctx context.Context, d time.Duration, w *nn.Weights, evaluator func(*nn.Weights) nn.Evaluator) (seconds float64, c *selfplay.Counters, plies float64, err error) {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	job := selfplay.Job{Games: make([]uint64, 1<<18), Weights: w, NewEvaluator: evaluator}
	for i := range job.Games {
		job.Games[i] = uint64(i)
	}
	c = new(selfplay.Counters)
	began := time.Now()
	err = selfplay.Play(limited, &p.Play, job, p.Workers, p.Config.SelfPlay.Slate, c, func(*replay.Game) error { return nil })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	return time.Since(began).Seconds(), c, float64(2 * p.Spec.Cells()), err
}

// free is an evaluator that takes no time: every row is zero logits and an
// equal share for every player.
type free struct{ spec nn.Spec }

func newFree(w *nn.Weights) nn.Evaluator { return free{w.Spec()} }

func (f free) NewBatch(capacity int) *nn.Batch {
	b := &nn.Batch{
		Observations: make([]float32, capacity*f.spec.Planes*f.spec.Cells()),
		Policy:       make([]float32, capacity*f.spec.Actions),
		Values:       make([]float32, capacity*f.spec.Players),
	}
	for i := range b.Values {
		b.Values[i] = 1 / float32(f.spec.Players)
	}
	return b
}

func (free) Evaluate(*nn.Batch) {}
