package trainer

import (
	"context"
	"errors"
	"math"
	"runtime"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/replay/record"
	"tengen/selfplay"
)

// The run of the multiplayer Go paper: its game and its number of games. uctPlies is the
// length of a game between UCT players (180 simulations per move); games of random networks
// are longer, those of trained networks shorter.
const (
	PaperGame  = "go:size=5,players=3"
	PaperGames = 50_000
	uctPlies   = 65
)

// Rates describes the speed of a plan's self-play.
type Rates struct {
	Workers              int     `json:"workers"`
	EvaluationsPerSecond float64 `json:"evaluations_per_second"` // by the network
	CacheHitsPerSecond   float64 `json:"cache_hits_per_second"`  // positions found in the cache
	SimulationsPerSecond float64 `json:"simulations_per_second"`
	// rows evaluated ÷ rows that the batches could have held
	BatchFill          float64 `json:"batch_fill"`
	DecisionsPerSecond float64 `json:"decisions_per_second"`
	PliesPerGame       float64 `json:"plies_per_game"` // assumed
	PliesFrom          string  `json:"plies_from"`     // where PliesPerGame comes from
	// from decisions and plies per game, so that no game need end
	GamesPerHour float64 `json:"games_per_hour"`
	// Waiting is the share of the workers' time spent waiting for evaluations. It is 0 if
	// only the search limits the rate. On the processor it is the time of the network.
	Waiting float64 `json:"workers_waiting"`
	// Busy is the share of the time in which the devices computed, by their own
	// measurement; nil on the processor, and if the devices do not measure it.
	Busy *float64 `json:"device_busy,omitempty"`
	// OverheadMicroseconds is the time of a core per requested position outside the network,
	// measured with a network that takes no time.
	OverheadMicroseconds float64 `json:"overhead_microseconds"`
}

// MeasureSelfPlay plays for about the given time, half of it with the plan's network with
// random weights, and half of it with a network that takes no time.
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
		// The simulations of unfinished searches are not counted, but their requests were
		// evaluated. In a short measurement these are most.
		SimulationsPerSecond: float64(max(c.Simulations.Load(),
			c.Evaluations.Load()+c.CacheHits.Load())) / seconds,
		BatchFill: float64(c.Evaluations.Load()) / float64(max(1, c.BatchRows.Load())),
	}
	if p.Config.Search.Afterstates { // a simulation has many evaluations
		r.SimulationsPerSecond = float64(c.Simulations.Load()) / seconds
	}
	if r.DecisionsPerSecond = float64(c.Decisions.Load()) / seconds; p.meanSimulations() > 0 {
		r.DecisionsPerSecond = r.SimulationsPerSecond / float64(p.meanSimulations())
	}
	if p.Descends() {
		r.SimulationsPerSecond = float64(c.Simulations.Load()) / seconds
		r.DecisionsPerSecond = float64(c.Decisions.Load()) / seconds
		if n := p.Config.Descent.Iterations; c.Decisions.Load() < 100 && n > 0 {
			// A search may take longer than the measurement.
			r.DecisionsPerSecond = r.SimulationsPerSecond / float64(n)
		}
	}
	switch {
	case p.Game.Name() == PaperGame:
		r.PliesPerGame, r.PliesFrom = uctPlies, "UCT players"
	case c.Games.Load() > 0:
		r.PliesPerGame, r.PliesFrom = float64(c.Positions.Load())/float64(c.Games.Load()),
			"this network, forced actions not counted"
	default:
		r.PliesPerGame, r.PliesFrom = float64(2*p.Spec.Cells()), "a guess: two a cell"
	}
	r.GamesPerHour = 3600 * r.DecisionsPerSecond / r.PliesPerGame
	// The cache takes weights that are folded again for new ones. So it holds nothing for
	// the network that takes no time.
	seconds, c, err = p.playFor(ctx, d/2,
		selfplay.Job{Weights: nn.Fold(p.NewParams()), NewEvaluator: newFree}, 0, forget)
	if err != nil {
		return nil, err
	}
	r.OverheadMicroseconds = 1e6 * seconds * float64(min(p.Workers, runtime.GOMAXPROCS(0))) /
		float64(max(1, c.Evaluations.Load()+c.CacheHits.Load()))
	return r, nil
}

// watchDevices measures the utilization of the devices during the second half of a time:
// in the first, graphs and caches fill. The returned function ends the measurement and
// returns the mean, nil if there is none.
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

// playFor plays the job for the given time, with games numbered from first. On a machine so busy
// that the network evaluated nothing in that time it plays on until it has.
func (p *Plan) playFor(
	ctx context.Context, d time.Duration, job selfplay.Job, first uint64,
	emit func(*record.Game) error,
) (seconds float64, c *selfplay.Counters, err error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	job.Games = make([]uint64, 1<<18)
	for i := range job.Games {
		job.Games[i] = first + uint64(i)
	}
	c = new(selfplay.Counters)
	began := time.Now()
	go func() {
		for evaluated := false; !evaluated; evaluated = job.Weights == nil ||
			c.Evaluations.Load() > 0 {
			select {
			case <-limited.Done():
				return
			case <-time.After(max(d, time.Millisecond)):
			}
		}
		cancel()
	}()
	play := p.Play
	play.Remote = nil // nobody else's games are to be measured, and these are no games of the run
	err = selfplay.Play(limited, &play, job, p.Workers, p.GamesPerWorker(), c, emit)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = nil
	}
	return time.Since(began).Seconds(), c, err
}

// forget drops a game that was played only for a measurement.
func forget(*record.Game) error { return nil }

// free is an evaluator that takes no time: all logits are zero, and all players have equal
// values.
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
