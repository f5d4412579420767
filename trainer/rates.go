package trainer

import (
	"context"
	"errors"
	"math"
	"runtime"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/replay"
	"tengen/selfplay"
)

// The multiplayer Go paper's run: its game and the number of games. uctPlies is
// the length of that game among UCT players (180 simulations a move): random
// networks play longer ones, trained networks shorter ones.
const (
	PaperGame  = "go:size=5,players=3"
	PaperGames = 50_000
	uctPlies   = 65
)

// Rates are the speed of self-play as a plan makes it.
type Rates struct {
	Workers              int     `json:"workers"`
	EvaluationsPerSecond float64 `json:"evaluations_per_second"` // by the network
	CacheHitsPerSecond   float64 `json:"cache_hits_per_second"`  // positions that the cache answered
	SimulationsPerSecond float64 `json:"simulations_per_second"`
	BatchFill            float64 `json:"batch_fill"` // rows evaluated ÷ rows that the batches could have held
	DecisionsPerSecond   float64 `json:"decisions_per_second"`
	PliesPerGame         float64 `json:"plies_per_game"` // assumed
	PliesFrom            string  `json:"plies_from"`     // whose games are that long
	GamesPerHour         float64 `json:"games_per_hour"` // from decisions and plies a game: games need not end
	// Waiting is the share of the workers' time in which they waited for evaluations: 0 where the
	// search alone limits the rate. On the processor that is when the network computes.
	Waiting float64 `json:"workers_waiting"`
	// Busy is the share of the time in which the devices computed, as they say; nil on the
	// processor, and where they say nothing.
	Busy *float64 `json:"device_busy,omitempty"`
	// OverheadMicroseconds is the time that a core spends outside the network on
	// each position asked for, measured with a network that takes none.
	OverheadMicroseconds float64 `json:"overhead_microseconds"`
}

// MeasureSelfPlay plays for about the given time, half of it with the plan's
// network at random weights, half of it with a free one.
func MeasureSelfPlay(ctx context.Context, p *Plan, d time.Duration) (*Rates, error) {
	weights, err := p.Load(p.NewParams())
	if err != nil {
		return nil, err
	}
	busy := p.watchDevices(d / 2)
	seconds, c, err := p.playFor(ctx, d/2, selfplay.Job{Weights: weights}, 0, forget)
	share := busy()
	if err != nil {
		return nil, err
	}
	r := &Rates{
		Busy:                 share,
		Waiting:              float64(c.Waited.Load()) / 1e9 / (seconds * float64(p.Workers)),
		Workers:              p.Workers,
		EvaluationsPerSecond: float64(c.Evaluations.Load()) / seconds,
		CacheHitsPerSecond:   float64(c.CacheHits.Load()) / seconds,
		// Searches under way are not counted among the simulations, but what
		// they asked for was evaluated; of a short measurement that is most.
		SimulationsPerSecond: float64(max(c.Simulations.Load(), c.Evaluations.Load()+c.CacheHits.Load())) / seconds,
		BatchFill:            float64(c.Evaluations.Load()) / float64(max(1, c.BatchRows.Load())),
	}
	r.DecisionsPerSecond = r.SimulationsPerSecond / float64(p.meanSimulations())
	if p.Descends() {
		r.SimulationsPerSecond = float64(c.Simulations.Load()) / seconds
		r.DecisionsPerSecond = float64(c.Decisions.Load()) / seconds
		if n := p.Config.Descent.Iterations; c.Decisions.Load() < 100 && n > 0 {
			// Searches may take longer than the measurement.
			r.DecisionsPerSecond = r.SimulationsPerSecond / float64(n)
		}
	}
	switch {
	case p.Game.Name() == PaperGame:
		r.PliesPerGame, r.PliesFrom = uctPlies, "UCT players"
	case c.Games.Load() > 0:
		r.PliesPerGame, r.PliesFrom = float64(c.Positions.Load())/float64(c.Games.Load()), "this network, forced actions not counted"
	default:
		r.PliesPerGame, r.PliesFrom = float64(2*p.Spec.Cells()), "a guess: two a cell"
	}
	r.GamesPerHour = 3600 * r.DecisionsPerSecond / r.PliesPerGame
	// Folded again, the weights are others to the cache, which must not answer
	// for the free network.
	seconds, c, err = p.playFor(ctx, d/2, selfplay.Job{Weights: nn.Fold(p.NewParams()), NewEvaluator: newFree}, 0, forget)
	if err != nil {
		return nil, err
	}
	r.OverheadMicroseconds = 1e6 * seconds * float64(min(p.Workers, runtime.GOMAXPROCS(0))) / float64(max(1, c.Evaluations.Load()+c.CacheHits.Load()))
	return r, nil
}

// watchDevices begins to look at how busy the devices are, in the second half of the time that is
// given: before, graphs and caches fill. What it returns ends that, and tells the mean.
func (p *Plan) watchDevices(d time.Duration) func() *float64 {
	stop, ended := make(chan struct{}), make(chan struct{})
	sum, n := 0.0, 0
	began := time.Now()
	go func() {
		defer close(ended)
		ticker := time.NewTicker(max(d/40, 50*time.Millisecond))
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
			if time.Since(began) < d/2 {
				continue
			}
			for _, x := range backend.Readings(p.device()) {
				if !math.IsNaN(x.Utilization) {
					sum += x.Utilization
					n++
				}
			}
		}
	}()
	return func() *float64 {
		close(stop)
		<-ended
		if n == 0 {
			return nil
		}
		mean := sum / float64(n)
		return &mean
	}
}

// playFor plays the job, with games numbered from first on, for the given time.
func (p *Plan) playFor(ctx context.Context, d time.Duration, job selfplay.Job, first uint64, emit func(*replay.Game) error) (seconds float64, c *selfplay.Counters, err error) {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	job.Games = make([]uint64, 1<<18)
	for i := range job.Games {
		job.Games[i] = first + uint64(i)
	}
	c = new(selfplay.Counters)
	began := time.Now()
	err = selfplay.Play(limited, &p.Play, job, p.Workers, p.GamesPerWorker(), c, emit)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	return time.Since(began).Seconds(), c, err
}

// forget is what becomes of games that are played for measurement alone.
func forget(*replay.Game) error { return nil }

// free is an evaluator that takes no time: every row is zero logits and an
// equal share for every player.
type free struct{ spec nn.Spec }

func newFree(w nn.Network) nn.Evaluator { return free{w.Spec()} }

func (f free) NewBatch(capacity int) *nn.Batch {
	b := &nn.Batch{
		Observations: make([]float32, capacity*f.spec.Planes*f.spec.Cells()),
		Values:       make([]float32, capacity*f.spec.Players),
	}
	if f.spec.Policy != nn.PolicyNone {
		b.Policy = make([]float32, capacity*f.spec.Actions)
	}
	for i := range b.Values {
		b.Values[i] = 1 / float32(f.spec.Players)
	}
	return b
}

func (free) Evaluate(*nn.Batch) error { return nil }
