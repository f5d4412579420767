package trainer

import (
	"context"
	"fmt"
	"time"

	"tengen/configs"
	"tengen/selfplay"
	"tengen/trainer/learn"
)

// Estimate is what a run will need, according to a short measurement on this machine.
type Estimate struct {
	Parameters  int `json:"parameters"`
	Workers     int `json:"workers"`
	GamesAtOnce int `json:"games_at_once"` // at most
	// approximate: network, solver, trees, cache and replay window
	MemoryBytes uint64 `json:"memory_bytes"`
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

	steps, began := 0, time.Now()
	for (steps == 0 || time.Since(began) < d/5) && ctx.Err() == nil {
		n := learn.Steps(1, 2, len(u.Window.Samples(false)), p.Train.Batch)
		if _, err := u.Through(ctx, 0, n, func(float64) float64 { return 0 }); err != nil {
			return nil, err
		}
		steps += n
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.StepsPerSecond = float64(steps) / time.Since(began).Seconds()

	asked, limit := 0.0, float64(c.Training.Evaluations) // evaluations, those in the cache included
	e.SelfPlaySeconds = float64(c.WarmStart.InitialGames) / e.UCTGamesPerSecond
	spent := func() float64 {
		return e.SelfPlaySeconds + float64(e.Steps)/e.StepsPerSecond
	}
	seconds := 60 * c.Training.Minutes
	for ; e.Iterations < c.Training.Iterations && (limit == 0 || asked < limit) &&
		(seconds == 0 || spent() < seconds); e.Iterations++ {
		i := e.Iterations
		epsilon := c.WarmStart.Epsilon(i, c.Training.Iterations)
		if limit > 0 {
			const parts = 10_000
			epsilon = c.WarmStart.Epsilon(int(parts*asked/limit), parts)
		}
		games := float64(c.Training.Games)
		e.Games += c.Training.Games
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
		e.Steps += n
	}
	e.UpdateSeconds = float64(e.Steps) / e.StepsPerSecond
	if e.TotalSeconds = spent(); seconds > 0 {
		e.TotalSeconds = min(e.TotalSeconds, seconds)
	}
	e.MemoryBytes = p.memory(e, positions)
	return e, nil
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
		if len(u.Window.Samples(false)) > 0 {
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

// memory estimates the bytes that the process will need if a game yields the given number
// of positions.
func (p *Plan) memory(e *Estimate, positions float64) uint64 {
	c := p.Config
	network := e.Parameters * 4 * (4 + p.Workers) // weights, two moments, average, folded copies
	activations := c.Training.Batch * p.Spec.Cells() * p.Spec.Filters * 4 *
		(2*p.Spec.Blocks + 2) * 6
	trees := p.ConcurrentGames() * c.Search.Simulations * (p.Spec.Actions*32 + 64)
	held := float64(c.Replay.Window(e.Games))
	if c.Training.Cycle != configs.CycleSynchronous {
		// finished, and not learned from yet
		held += float64(c.Training.Games + p.ConcurrentGames())
	}
	games := held * e.PliesPerGame * float64(8*p.Spec.Actions+64)
	if p.Descends() {
		// In a tree: a state with its values, its node and the edge to it. In the window: a
		// state with its values and a sample.
		state := float64(48 + 4*p.Spec.Players)
		trees = int(float64(p.ConcurrentGames()) * e.EvaluationsPerGame * state)
		games = held * positions * state
	}
	cache := uint64(c.SelfPlay.CacheMiB) << 20
	return uint64(network+activations+trees) + uint64(games) + cache + 64<<20
}
