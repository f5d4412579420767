package trainer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"tengen/configs"
	"tengen/internal/machine"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/replay/record"
	"tengen/selfplay"
	"tengen/trainer/learn"
)

// Estimate is what a run will need, according to a short measurement on this machine.
type Estimate struct {
	Parameters  int `json:"parameters"`
	Workers     int `json:"workers"`
	GamesAtOnce int `json:"games_at_once"` // at most
	// Memory is about what the run needs of the machine's memory.
	Memory Memory `json:"memory"`
	// Disk is about what it takes of the disk; Measure, which knows no folder, leaves it out.
	Disk Disk `json:"disk"`
	// that fit training.iterations, training.evaluations and training.minutes
	Iterations           int     `json:"iterations"`
	Games                int     `json:"games"`
	UCTGamesPerSecond    float64 `json:"uct_games_per_second"` // of games that UCT plays alone
	EvaluationsPerSecond float64 `json:"evaluations_per_second"`
	EvaluationsPerGame   float64 `json:"evaluations_per_game"` // in games between networks
	PliesPerGame         float64 `json:"plies_per_game"`
	StepsPerSecond       float64 `json:"steps_per_second"`
	Steps                int     `json:"steps"` // at most
	SelfPlaySeconds      float64 `json:"selfplay_seconds"`
	UpdateSeconds        float64 `json:"update_seconds"`
	TotalSeconds         float64 `json:"total_seconds"` // without evaluations
}

// Measure plays and trains for about the given time, with random weights, and estimates
// how long the plan's run will take. It writes no files.
func Measure(ctx context.Context, p *Plan, d time.Duration) (*Estimate, error) {
	c := p.Config
	params := p.NewParams()
	e := &Estimate{Parameters: params.Count(), Games: c.WarmStart.InitialGames}
	weights, err := p.Load(params)
	if err != nil {
		return nil, err
	}
	e.Workers, e.GamesAtOnce = p.Workers, p.ConcurrentGames()
	// Without held-out games: in a short time few games end, and all of them might be held out.
	config, all := *p.Config, *p
	config.Replay.HeldOut, all.Config = 0, &config
	u, err := newUpdater(&all, params)
	if err != nil {
		return nil, err
	}
	defer u.Close()

	// Games of UCT, then of the network.
	uct, err := p.sampleUCT(ctx, u, d/5)
	if err != nil {
		return nil, err
	}
	e.UCTGamesPerSecond = uct.games / uct.seconds
	network, err := p.sample(ctx, u, d*2/5, selfplay.Job{Weights: weights}, 1<<32)
	if err != nil {
		return nil, err
	}
	e.EvaluationsPerSecond = network.evaluations / network.seconds
	// Long games may not end during the measurement: assume the length of UCT's.
	e.PliesPerGame = uct.plies / max(1, uct.games)
	perDecision := network.evaluations / max(1, network.decisions)
	e.EvaluationsPerGame = perDecision * uct.decisions / max(1, uct.games)
	positions := uct.decisions / max(1, uct.games)
	if p.Descends() && c.Descent.Targets == configs.TargetsTree {
		// About one in Actions() states is expanded, and only those are trained on.
		positions = e.EvaluationsPerGame / (0.6 * float64(p.Game.Actions()))
	}

	// One update, as a run makes it: on a device the next step is under way when one ends.
	began := time.Now()
	update, err := u.Begin(0, learn.Permuted)
	if err != nil {
		return nil, err
	}
	defer update.Abandon()
	for (update.Steps == 0 || time.Since(began) < d/5) && ctx.Err() == nil {
		if err := update.Step(0, update.Steps+2); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := update.End(ctx); err != nil {
		return nil, err
	}
	e.StepsPerSecond = float64(update.Steps) / time.Since(began).Seconds()

	asked, limit := 0.0, float64(c.Training.Evaluations) // evaluations, those in the cache included
	e.SelfPlaySeconds = float64(c.WarmStart.InitialGames) / e.UCTGamesPerSecond
	spent := func() float64 {
		return e.SelfPlaySeconds + float64(e.Steps)/e.StepsPerSecond
	}
	seconds := 60 * c.Training.Minutes
	for e.Iterations < c.Training.Iterations && (limit == 0 || asked < limit) &&
		(seconds == 0 || spent() < seconds) {
		// Late iterations are much like those around them: a thousandth of those before is taken
		// together, as so many of the one in the middle.
		together := min(max(1, e.Iterations/1000), c.Training.Iterations-e.Iterations)
		i := e.Iterations + (together-1)/2
		epsilon := c.WarmStart.Epsilon(i, c.Training.Iterations)
		if limit > 0 {
			const parts = 10_000
			epsilon = c.WarmStart.Epsilon(int(parts*asked/limit), parts)
		}
		games := float64(together * c.Training.Games)
		asked += games * (1 - epsilon) * e.EvaluationsPerGame * network.asked / max(1,
			network.evaluations)
		e.SelfPlaySeconds += games *
			(epsilon/e.UCTGamesPerSecond + (1-epsilon)*e.EvaluationsPerGame/e.EvaluationsPerSecond)
		played := c.WarmStart.InitialGames + (i+1)*c.Training.Games
		window := min(c.Replay.Window(played), played)
		epochs, most := p.epochs(i)
		n := max(1,
			int(epochs*float64(window)*positions*(1-c.Replay.HeldOut)/float64(p.Train.Batch)))
		if most > 0 {
			n = min(n, most)
		}
		e.Steps += together * n
		e.Games += together * c.Training.Games
		e.Iterations += together
	}
	e.UpdateSeconds = float64(e.Steps) / e.StepsPerSecond
	if e.TotalSeconds = spent(); seconds > 0 {
		e.TotalSeconds = min(e.TotalSeconds, seconds)
	}
	e.Memory, err = p.memory(ctx, e.Games)
	return e, err
}

// sampled is the result of a short self-play.
type sampled struct{ games, plies, decisions, evaluations, asked, seconds float64 }

// patience is the longest that a measurement waits for UCT's first game, on a machine however slow
// or busy.
const patience = 30 * time.Second

// sampleUCT plays games of UCT for the given time. If none of them reaches the updater's window it
// tries again with twice the time, since games that are not finished are lost.
func (p *Plan) sampleUCT(
	ctx context.Context, u *learn.Updater, d time.Duration,
) (sum sampled, err error) {
	for try := uint64(0); try == 0 || d <= patience; try++ {
		s, err := p.sample(ctx, u, d, selfplay.Job{Epsilon: 1}, try<<18)
		if err != nil {
			return sum, err
		}
		sum.games += s.games
		sum.plies += s.plies
		sum.decisions += s.decisions
		sum.seconds += s.seconds
		if u.Window.Positions(false) > 0 {
			return sum, nil
		}
		d *= 2
	}
	return sum, fmt.Errorf("the measurement is too short: UCT finished no game in %.0f s",
		sum.seconds)
}

// sample plays for the given time and adds the games to the updater's window.
func (p *Plan) sample(
	ctx context.Context, u *learn.Updater, d time.Duration, job selfplay.Job, first uint64,
) (sampled, error) {
	seconds, counters, err := p.playFor(ctx, d, job, first, u.Window.Add)
	if err != nil {
		return sampled{}, err
	}
	simulations := float64(counters.Simulations.Load())
	s := sampled{
		games: float64(counters.Games.Load()), plies: float64(counters.Plies.Load()),
		decisions:   float64(counters.Positions.Load()),
		evaluations: float64(counters.Evaluations.Load()), seconds: seconds,
		asked: float64(counters.Evaluations.Load() + counters.CacheHits.Load()),
	}
	if job.Weights != nil {
		// Decisions of games that are not finished count too.
		if s.decisions = float64(counters.Decisions.Load()); p.meanSimulations() > 0 {
			s.decisions = simulations / float64(p.meanSimulations())
		}
		s.decisions = max(1, s.decisions)
		if p.Descends() {
			s.decisions = float64(counters.Decisions.Load())
			if n := p.Config.Descent.Iterations; s.decisions < 100 && n > 0 {
				// searches may take longer than the measurement
				s.decisions = simulations / float64(n)
			}
			s.decisions = max(1, s.decisions)
		}
	}
	return s, nil
}

// meanSimulations is the mean budget of a decision.
func (p *Plan) meanSimulations() int {
	s := p.Config.Search
	if s.FastSimulations == 0 {
		return s.Simulations
	}
	return int(s.FullProbability*float64(s.Simulations) +
		(1-s.FullProbability)*float64(s.FastSimulations))
}

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
	// measured with a network that takes no time. Other programs have little influence on it where
	// machine.CPUTime is known.
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
	job := selfplay.Job{Weights: nn.Fold(p.NewParams()), NewEvaluator: newFree}
	before := machine.CPUTime()
	seconds, c, err = p.playFor(ctx, d/2, job, 0, forget)
	if err != nil {
		return nil, err
	}
	took := (machine.CPUTime() - before).Seconds()
	if took == 0 {
		took = seconds * float64(min(p.Workers, runtime.GOMAXPROCS(0)))
	}
	r.OverheadMicroseconds = 1e6 * took /
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

// free is an evaluator that takes almost no time. All players have equal values. Logits are drawn
// from a table of uniform variates in [-2, 2), so that trees are deep in some places, as with a
// network.
type free struct {
	spec   nn.Spec
	table  []float32
	source random.Source
}

// tableSize is the number of rows of logits that free knows, which overlap.
const tableSize = 1 << 12

func newFree(w nn.Network) nn.Evaluator {
	f := &free{spec: w.Spec()}
	for range tableSize + f.spec.Actions {
		f.table = append(f.table, float32(f.source.Next()>>40)/(1<<22)-2)
	}
	return f
}

func (f *free) NewBatch(capacity int) *nn.Batch {
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

func (f *free) Evaluate(b *nn.Batch) error {
	if len(b.Policy) == 0 {
		return nil
	}
	for i := range b.N {
		row := f.table[f.source.Next()%tableSize:]
		copy(b.Policy[i*f.spec.Actions:(i+1)*f.spec.Actions], row)
	}
	return nil
}
