package trainer

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/descent"
	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/train"
	"tengen/player"
	"tengen/replay/record"
	"tengen/run"
	"tengen/search/nneval"
	"tengen/selfplay"
	"tengen/trainer/evaluation"
)

// Plan is a checked configuration and everything that a run derives from it.
type Plan struct {
	Config  *configs.Config
	Game    game.Game
	Spec    nn.Spec
	Play    selfplay.Settings
	Train   train.Config
	Workers int // goroutines of self-play
	// Backend evaluates and trains networks; nil: the processor.
	Backend backend.Backend
	// MostResign is the greatest utility below which players resign.
	MostResign float64
	// Beside says that evaluations are concurrent with the run.
	Beside bool
	// EvaluationFloor is the time that evaluations between iterations may take however short
	// the run is. Tests that count evaluations set it so high that none is put off.
	EvaluationFloor time.Duration
	// PerOctave is how many checkpoints are kept of each doubling of the distance from the newest
	// (checkpoints.Policy). Tests that count checkpoints set it to 0.
	PerOctave int
	// Matches, if not nil, plays games of evaluations too.
	Matches RemoteMatches

	loaded *loadedNetworks
}

// NewPlan checks a configuration together with its game and network.
func NewPlan(c *configs.Config) (*Plan, error) {
	g, err := game.New(c.Game)
	if err != nil {
		return nil, err
	}
	p := &Plan{Config: c, Game: g, Workers: c.SelfPlay.Workers, loaded: new(loadedNetworks),
		MostResign: mostResign, Beside: evaluation.Concurrent(),
		EvaluationFloor: evaluation.Floor, PerOctave: checkpoints.PerOctave}
	if p.Workers == 0 {
		p.Workers = runtime.GOMAXPROCS(0)
	}
	if p.Spec, err = run.NetworkSpec(c, g); err != nil {
		return nil, err
	}
	if err := Fits(&p.Spec, c.Training.Batch); err != nil {
		return nil, err
	}
	p.Play = selfplay.Settings{
		Game: g, Seed: c.Seed, RandomPlies: c.Play.RandomPlies,
		UCT: player.UCT{
			Simulations: c.WarmStart.Simulations, C: configs.WarmStartC,
			Utility: c.WarmStart.Utility,
		},
		UCTPolicyTarget:  c.WarmStart.PolicyTarget,
		CountEvaluations: c.Training.Evaluations > 0,
		PlayedOut:        playedOut,
	}
	if p.Play.Network, err = p.actor(); err != nil {
		return nil, err
	}
	if err := p.Play.Network.Check(g); err != nil {
		return nil, err
	}
	if c.Resignation.FalsePositives > 0 {
		if err := record.CheckResignable(g); err != nil {
			return nil, fmt.Errorf("resignation.false_positives=%g: 0 is wanted: %w",
				c.Resignation.FalsePositives, err)
		}
	}
	_, hides := g.NewState().(game.ImperfectInformation)
	if !hides && c.Search.Observers != configs.ObserversSingle {
		return nil, fmt.Errorf("search.observers=%s: single is wanted for %s, which hides nothing",
			c.Search.Observers, g.Name())
	}
	if !hides && c.Search.Rollouts {
		return nil,
			fmt.Errorf("search.rollouts=true: false is wanted for %s, which hides nothing",
				g.Name())
	}
	if hides && c.Search.Outcomes != configs.OutcomesSampled {
		return nil,
			fmt.Errorf("search.outcomes=%s: sampled is wanted for %s, which hides information",
				c.Search.Outcomes, g.Name())
	}
	if hides && c.Search.Proofs {
		return nil,
			fmt.Errorf("search.proofs=true: false is wanted for %s, which hides information",
				g.Name())
	}
	t := c.Training
	p.Train = train.Config{
		Batch: t.Batch, Optimizer: train.Optimizer(t.Optimizer), LearningRate: t.LearningRate,
		Momentum: t.Momentum, L2: t.L2, WeightDecay: t.WeightDecay, GradClipNorm: t.GradClipNorm,
		EMADecay:     t.EMADecay,
		PolicyWeight: 1, ValueWeight: t.ValueWeight,
		PolicyLogits: t.PolicyLoss == configs.PolicyLogits,
		LabelWeight:  t.LabelWeight, BeliefWeight: t.BeliefWeight,
		Workers:  c.SelfPlay.Workers,
		Schedule: train.Schedule{Kind: train.ScheduleKind(t.Schedule), Warmup: t.WarmupSteps},
	}
	if t.Schedule == plateau {
		p.Train.Schedule.Kind = train.ScheduleConstant // runner.rateScale follows the losses
	}
	if err := p.Train.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}

// device returns the plan's backend.
func (p *Plan) device() backend.Backend {
	if p.Backend == nil {
		return backend.NewCPU()
	}
	return p.Backend
}

// sharing returns the number of devices that share a training step, at least 1.
func (p *Plan) sharing() int {
	if m, ok := p.device().(backend.Measured); ok {
		_, n := m.InUse()
		return n
	}
	return 1
}

// CheckBatch returns an error if the devices that share a training step can't have equal parts of
// its rows.
func (p *Plan) CheckBatch() error { return p.Train.Divided(p.sharing()) }

// arithmetic names what determines the last bits of the run's networks.
func (p *Plan) arithmetic() string {
	kernels := p.device().Kernels()
	if n := p.sharing(); n > 1 {
		kernels = fmt.Sprintf("%s, %d devices share each step", kernels, n)
	}
	return kernels
}

// deviceGames bounds the games in a group on a device by default. More trees miss the caches of
// their core more often than larger batches gain: see docs/gpu.md.
const deviceGames = 96

// GamesPerWorker returns the number of concurrent games in a group of a worker:
// selfplay.games_per_worker on the processor; on a device, selfplay.device_games_per_worker,
// or the number that fills the device's preferred batch, at most deviceGames.
func (p *Plan) GamesPerWorker() int {
	rows := p.device().Rows()
	switch {
	case rows == 0:
		return p.Config.SelfPlay.GamesPerWorker
	case p.Config.SelfPlay.DeviceGamesPerWorker > 0:
		return p.Config.SelfPlay.DeviceGamesPerWorker
	}
	return min(max(1, rows/p.Play.Network.MaxBatchSize(p.Game)), deviceGames)
}

// groups returns the number of groups of concurrent games of a worker: on a device two, so
// that one searches while the other is evaluated.
func (p *Plan) groups() int {
	if p.device().Rows() > 0 {
		return 2
	}
	return 1
}

// ConcurrentGames returns the number of games that all workers play at a time.
func (p *Plan) ConcurrentGames() int { return p.Workers * p.groups() * p.GamesPerWorker() }

// Load prepares a network for evaluation on the backend.
func (p *Plan) Load(params *nn.Params) (nn.Network, error) {
	n, err := p.device().Load(params)
	if err == nil && (p.Play.Remote != nil || p.Matches != nil || p.believes()) {
		p.loaded.add(n, params)
	}
	return n, err
}

// Belief returns what a network that Load has returned believes of what is hidden, for
// selfplay.Job; nil if search.belief is 0.
func (p *Plan) Belief(n nn.Network) (*player.Belief, error) {
	if !p.believes() {
		return nil, nil
	}
	params := p.loaded.of(n)
	if params == nil {
		return nil, errors.New("search.belief: the parameters of the network are not known")
	}
	b, err := player.NewBelief(p.Game, "the network", params, p.Config.Search.Belief, nil)
	if err != nil {
		return nil, fmt.Errorf("search.%w", err)
	}
	return b, nil
}

// believes reports whether self-play draws what is hidden by what networks believe.
func (p *Plan) believes() bool { return p.Config.Search.Belief > 0 }

// Descends reports whether the algorithm is Descent.
func (p *Plan) Descends() bool { return p.Config.Algorithm == configs.AlgorithmDescent }

// BatchRows returns the capacity of a worker's batch, in rows.
func (p *Plan) BatchRows() int { return p.GamesPerWorker() * p.Play.Network.MaxBatchSize(p.Game) }

// newCache returns the run's cache of evaluations, nil if it is disabled.
func (p *Plan) newCache() *nneval.Cache {
	if p.Config.SelfPlay.CacheMiB == 0 {
		return nil
	}
	if p.Spec.Policy == nn.PolicyNone {
		return nneval.NewValueCache(p.Game, p.Config.SelfPlay.CacheMiB)
	}
	return nneval.NewCache(p.Game, p.Config.SelfPlay.CacheMiB)
}

// puct returns a search with the configured trees, without root noise.
func (p *Plan) puct(s configs.Search, simulations int) mcts.PUCT {
	o := player.PUCT(s)
	o.Simulations, o.MaxNodes, o.Reuse = simulations, p.Config.Search.MaxNodes,
		p.Config.Search.ReuseTree
	return o
}

// selfPlayPUCT is puct as self-play has it: search.choice is for players.
func (p *Plan) selfPlayPUCT(simulations int) mcts.PUCT {
	o := p.puct(p.Config.Search, simulations)
	o.FinalSelection = mcts.MostVisits()
	return o
}

// actor returns the player of the network in self-play.
func (p *Plan) actor() (player.Actor, error) {
	c := p.Config
	if p.Descends() {
		terminal, err := descent.ParseTerminal(c.Descent.Terminal)
		return &player.Descent{
			Options: descent.Options{
				BestFirst: c.Descent.Search == configs.SearchUBFM, Iterations: c.Descent.Iterations,
				Terminal: terminal, MaxNodes: c.Descent.MaxNodes,
			},
			Canonical: c.Search.Canonical, Cache: p.newCache(),
			SelfPlay: &player.DescentSelfPlay{
				Ordinal: c.Descent.Exploration == configs.ExploreOrdinal,
				Trees:   c.Descent.Targets == configs.TargetsTree,
			},
		}, err
	}
	a := p.alphaZero("", nil, p.selfPlayPUCT(c.Search.Simulations))
	a.PUCT.BatchSize, a.PUCT.Noise = c.Search.Leaves, c.Search.NoiseWeight
	a.Cache = p.newCache()
	a.Temperature, a.Plies = c.Play.Temperature, c.Play.TemperaturePlies
	a.SelfPlay = &player.SelfPlay{
		FastSimulations: c.Search.FastSimulations, FullProbability: c.Search.FullProbability,
		LateTemperature: c.Play.LateTemperature, Epsilon: c.Play.Epsilon, Worlds: c.Search.Belief,
	}
	return a, nil
}

// NewParams draws the initial weights from the seed.
func (p *Plan) NewParams() *nn.Params {
	params, err := nn.NewParams(p.Spec)
	if err != nil {
		panic("trainer: a checked description was refused: " + err.Error())
	}
	params.Init(random.New(p.Config.Seed, random.Weights))
	return params
}

// NetworkPlayer returns a network as a player with the configured search, but PUCT at the root (see
// player.AtPlay), and the given number of simulations. For Descent the player is unbounded
// best-first minimax with that number of iterations.
func (p *Plan) NetworkPlayer(label string, w nn.Network, simulations int) player.Player {
	if d, ok := p.Play.Network.(*player.Descent); ok {
		return &player.Descent{
			Label: label, Weights: w, Canonical: p.Config.Search.Canonical, Safe: true,
			Options: descent.Options{
				BestFirst: true, Iterations: simulations, Terminal: d.Options.Terminal,
				MaxNodes: d.Options.MaxNodes,
			},
		}
	}
	return p.alphaZero(label, w, p.puct(player.AtPlay(p.Config.Search), simulations))
}

// SelfPlayer is NetworkPlayer with the search of the root that self-play has.
func (p *Plan) SelfPlayer(label string, w nn.Network, simulations int) player.Player {
	if p.Descends() {
		return p.NetworkPlayer(label, w, simulations)
	}
	return p.alphaZero(label, w, p.selfPlayPUCT(simulations))
}

func (p *Plan) alphaZero(label string, w nn.Network, o mcts.PUCT) *player.AlphaZero {
	return &player.AlphaZero{
		Label: label, Weights: w, PUCT: o, Observers: player.Observers(p.Config.Search),
		Inference: p.Config.Search.Inference, Canonical: p.Config.Search.Canonical,
		Afterstates: p.Config.Search.Afterstates,
	}
}

// valueMix is the share of the search's value in the value targets; the rest is the result.
func (p *Plan) valueMix() float32 {
	switch c := p.Config; {
	case !p.Descends():
		return float32(c.Training.ValueMix)
	case c.Descent.Targets == configs.TargetsRoot:
		return 1
	}
	return 0
}
