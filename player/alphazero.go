package player

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/nn"
	"tengen/replay/record"
	"tengen/search"
	"tengen/search/nneval"
)

// AlphaZero is PUCT guided by a network, as AlphaZero plays: without root noise, and after the
// opening by the most visited action; or Gumbel at the root, without noise. In games with imperfect
// information it searches information sets (package ismcts).
type AlphaZero struct {
	Label   string // names the weights: a path
	Weights nn.Network
	// Params are the parameters that Weights were made from, if Parse made the player: see On.
	Params *nn.Params
	// PassedOver are errors of newer checkpoints that are damaged and were not
	// loaded: a warning for the user.
	PassedOver []error
	// Planes are those of the game's observation that the network sees, nil for all
	// (nneval.Options).
	Planes []int
	// PUCT is the search. Noise is not used. BatchSize 0 means mcts.AutoBatchSize with Time, and 1
	// without.
	PUCT mcts.PUCT
	// Tuned are the keys that Parse read and that changed constants of the run's
	// configuration, C apart, as in ",fpu=zero": Name repeats them.
	Tuned string
	// ReuseSets keeps what was searched below what is played in games with imperfect information
	// too, of which PUCT.Reuse says nothing. It is for a single observer.
	ReuseSets bool
	// Observers are for games with imperfect information.
	Observers ismcts.Observers
	// Belief draws what is hidden; nil: it is drawn uniformly.
	Belief *Belief
	// Inference is the number of worlds in which a search infers what is hidden from what others
	// did; 0: none (infer).
	Inference int
	// Playouts are mixed with the network's values.
	Playouts Playouts
	// Time limits the search of a move; 0: no limit. With it PUCT.Simulations may be 0: no
	// limit.
	Time time.Duration
	// Clock limits the time of each game; nil: none. With it PUCT.Simulations may be 0 too.
	Clock *GameClock
	// EarlyStop is for PUCT at the root. Actions drawn by Temperature have all visits.
	EarlyStop EarlyStop
	// Canonical evaluates each position in its canonical orientation.
	Canonical bool
	// Afterstates values each position by the best state to which its turn can lead (nneval.Turns).
	Afterstates bool
	// Cache, if not nil, holds evaluations of Weights. The evaluators of all players that have it
	// share it.
	Cache *nneval.Cache
	// The first Plies actions of a game are drawn with probability proportional
	// to visits^(1/Temperature), so that games differ, or that others can't foresee them. Gumbel at
	// the root does not use them.
	Temperature float64
	Plies       int
	// SelfPlay, if not nil, makes the player an Actor: PUCT is used as it is, noise included, and
	// Weights, Belief and Clock are not.
	SelfPlay *SelfPlay
}

// SelfPlay is how AlphaZero explores in the games of self-play.
type SelfPlay struct {
	// Playout cap randomization (Wu 2019): a move is searched in full with probability
	// FullProbability, else with FastSimulations, without Dirichlet noise, and gives no policy
	// target. FastSimulations 0: always in full.
	FastSimulations int
	FullProbability float64
	// LateTemperature is that of the plies after AlphaZero.Plies.
	LateTemperature float64
	// Epsilon is the probability of a move that is drawn uniformly.
	Epsilon float64
	// Worlds is the number of worlds of which Conditions.Believer draws determinizations; 0: they
	// are drawn uniformly.
	Worlds int
}

// Name implements Player.
func (n *AlphaZero) Name() string {
	name := fmt.Sprintf("az:%s,%s,c_puct=%g", notation.Quote(n.Label),
		budget("simulations", n.PUCT.Simulations, n.Time, n.Clock),
		n.PUCT.C) + n.Tuned + n.EarlyStop.key() + boundKey(n.PUCT.FinalSelection) +
		leavesKey(n.PUCT) + observersText(n.Observers) + n.Belief.key()
	if n.Inference > 0 {
		name += fmt.Sprintf(",inference=%d", n.Inference)
	}
	if n.ReuseSets {
		name += ",reuse_tree=true"
	}
	name += n.Playouts.key()
	return name + temperatureKey(n.Temperature, n.Plies)
}

// Timed implements Timed.
func (n *AlphaZero) Timed() bool { return n.Time > 0 || n.Clock != nil }

// GameClock implements Clocked.
func (n *AlphaZero) GameClock() *GameClock { return n.Clock }

// Draws implements Drawing.
func (n *AlphaZero) Draws() bool { return n.Temperature > 0 && n.Plies > 0 }

// NewEvaluator makes an evaluator on the player's weights.
func (n *AlphaZero) NewEvaluator(g game.Game, capacity int) search.Evaluator {
	e, _, _ := n.EvaluatorOn(g, n.Weights, n.Weights.NewEvaluator(), capacity, n.Label)
	return e
}

// EvaluatorOn implements Actor.
func (n *AlphaZero) EvaluatorOn(
	g game.Game, w nn.Network, e nn.Evaluator, capacity int, name string,
) (s search.Evaluator, network *nneval.Evaluator, rows int) {
	return nneval.ForSearch(g, e, capacity*n.MaxBatchSize(g), nneval.Options{
		Name: name, Canonical: n.Canonical, Cache: n.Cache, Weights: w, Planes: n.Planes,
	}, n.Afterstates)
}

// MaxBatchSize implements Actor.
func (n *AlphaZero) MaxBatchSize(game.Game) int { return n.options().MaxBatchSize() }

// Check implements Actor.
func (n *AlphaZero) Check(g game.Game) error {
	x := n.SelfPlay
	if n.Inference > 0 {
		if err := checkInference(g); err != nil {
			return fmt.Errorf("self-play: inference is %d; 0 is wanted: %w", n.Inference, err)
		}
	}
	switch {
	case x.Worlds > 0 && len(game.HiddenFactsOf(g)) == 0:
		return fmt.Errorf("self-play: belief is %d; 0 is wanted: %s offers no hidden facts",
			x.Worlds, g.Name())
	case x.Worlds > 0 && n.Inference > 0:
		return fmt.Errorf("self-play: belief is %d and inference %d; one of them is to be 0",
			x.Worlds, n.Inference)
	case x.FastSimulations > 0 && !(x.FullProbability > 0 && x.FullProbability <= 1):
		return fmt.Errorf(
			"self-play: the probability of a full search is %g; above 0 and at most 1 is wanted",
			x.FullProbability)
	}
	return nil
}

// NewAgent implements Player.
func (n *AlphaZero) NewAgent(g game.Game) Agent {
	o := n.options()
	tree := newPUCTTree(g, o, n.Observers)
	playouts := n.Playouts.add(g, tree)
	if n.Inference > 0 {
		var err error
		if tree, err = infer(g, tree, n.Inference, o.MaxBatchSize()); err != nil {
			panic("player: " + n.Name() + ": " + err.Error()) // Parse has checked
		}
	}
	tree.SetTime(n.Time)
	tree.SetNoise(false)
	a := &alphaZeroAgent{
		searched: searched{g.Players(), tree},
		treeFollower: treeFollower{
			search: tree, start: func(s game.State, _ int) {
				tree.Start(s)
			}, follow: follower(tree, n.ReuseSets),
			timekeeper: newTimekeeper(g, n.Clock, n.EarlyStop, tree),
		},
		player: n, tree: tree, playouts: playouts,
	}
	a.foreseer, _ = tree.(search.Foreseer)
	if x := n.SelfPlay; x == nil {
		a.believe = believer(n.Belief, g, tree)
	} else if x.Worlds > 0 {
		draws := newBeliefDraws(g, tree, x.Worlds)
		a.believe = func(s game.State) { draws.believe(a.conditions.Believer, s) }
	}
	return a
}

// options returns those of the search.
func (n *AlphaZero) options() mcts.PUCT {
	o := n.PUCT
	if n.SelfPlay != nil {
		return o
	}
	o.Noise, o.Growing = 0, true
	if simulations, nodes := room(o.Simulations, n.Timed()); nodes > 0 {
		o.Simulations, o.MaxNodes = simulations, nodes
	}
	if o.BatchSize == 0 && n.Timed() {
		o.BatchSize = mcts.AutoBatchSize
	}
	return o
}

type alphaZeroAgent struct {
	searched
	treeFollower
	player     *AlphaZero
	tree       Tree
	playouts   *search.Playouts // nil for none
	rng        *rand.Rand
	conditions Conditions
	fast       bool // the search has SelfPlay.FastSimulations
	children   []search.Child
}

func (n *alphaZeroAgent) Begin(rng *rand.Rand) {
	n.rng = rng
	n.tree.SetRand(rng)
	if n.playouts != nil {
		n.playouts.SetRand(rng)
	}
	n.begin()
}

func (n *alphaZeroAgent) Think(s game.State, requests search.Requests) (game.Action, bool) {
	temperature := 0.0
	x := n.player.SelfPlay
	if x != nil {
		temperature = x.LateTemperature
	}
	if n.ply-n.conditions.Opening < n.player.Plies {
		temperature = n.player.Temperature
	}
	n.drawn = temperature > 0
	if x != nil && !n.busy {
		n.explore(x)
	}
	if !n.think(s, requests) {
		return game.NoAction, false
	}
	a := n.tree.Choose(temperature, n.rng)
	if x != nil && x.Epsilon > 0 && n.rng.Float64() < x.Epsilon {
		n.children = n.tree.Children(n.children[:0])
		a = n.children[n.rng.IntN(len(n.children))].Action
	}
	return a, true
}

// explore prepares the next search of self-play.
func (n *alphaZeroAgent) explore(x *SelfPlay) {
	n.fast = x.FastSimulations > 0 && n.rng.Float64() >= x.FullProbability
	// Gumbel's choice is a sample by its noise, in cheap searches too, where PUCT has a
	// temperature.
	n.tree.SetNoise(!n.fast || n.player.PUCT.Gumbel.On())
	if n.fast {
		n.tree.SetSimulations(x.FastSimulations)
	} else {
		n.tree.SetSimulations(n.player.PUCT.Simulations)
	}
}

// Prepare implements ActorAgent.
func (n *alphaZeroAgent) Prepare(c Conditions) { n.conditions = c }

// Target implements Targeter.
func (n *alphaZeroAgent) Target(m *record.Move) (full bool) {
	n.tree.Value(m.Value)
	if n.fast {
		return false
	}
	n.children = n.tree.Children(n.children[:0])
	if n.player.PUCT.Gumbel.On() {
		m.Visits, m.Policy = improved(n.children)
	} else {
		m.Visits = visits(n.children)
	}
	return true
}

// Finish implements ActorAgent.
func (*alphaZeroAgent) Finish(*record.Game, game.State) {}

// SetSimulations implements Budgeted.
func (n *alphaZeroAgent) SetSimulations(simulations int) { n.tree.SetSimulations(simulations) }

// Observers returns those of a configuration's search.
func Observers(s configs.Search) ismcts.Observers {
	if s.Observers == configs.ObserversMultiple {
		return ismcts.MultipleObservers
	}
	return ismcts.SingleObserver
}

// AtPlay returns a configuration's search as players have it unless told otherwise: with PUCT at
// the root. Gumbel, which is for the few simulations of self-play, chooses the move itself, so that
// temperatures, early stops and bounds of confidence have no sense with it. Networks of afterstates
// keep the configuration's root: their logits are values, which PUCT forgets as visits grow, and
// Gumbel weighs against what few rolls of the dice have shown.
func AtPlay(s configs.Search) configs.Search {
	if !s.Afterstates {
		s.Root = configs.RootPUCT
	}
	return s
}

// PUCT returns the constants of a configuration's search: C, FPU, FinalSelection, Balanced, Proofs,
// Gumbel and Rollouts.
func PUCT(s configs.Search) mcts.PUCT {
	o := mcts.PUCT{C: s.CPUCT, FPU: mcts.Zero()}
	o.Balanced = s.Outcomes == configs.OutcomesBalanced
	o.Proofs = s.Proofs
	if s.Choice == configs.ChoiceLCB && s.Root == configs.RootPUCT {
		o.FinalSelection = mcts.LowerBound(mcts.DefaultZ, mcts.DefaultFraction)
	}
	if s.FPU == configs.FPUParent {
		o.FPU = mcts.ParentReduction(s.FPUReduction)
	}
	if s.Root == configs.RootGumbel {
		o.Gumbel = mcts.Gumbel{
			Considered: s.Considered, VisitOffset: s.CVisit, ValueScale: s.CScale,
		}
		if s.Considered == 0 {
			o.Gumbel.Considered = mcts.AutoConsidered
		}
		o.Gumbel.Unscaled = s.QScaling == configs.QScalingNone
		switch s.Interior {
		case configs.InteriorPUCT:
			o.Gumbel.Interior = mcts.ByPUCT
		case configs.InteriorPolicy:
			o.Gumbel.Interior = mcts.ByPolicy
		}
		o.Rollouts = s.Rollouts
	}
	return o
}

// azParams are the keys of AlphaZero.
var azParams = slices.Concat([]notation.Param{
	{Key: "simulations", Default: "180",
		Help: "simulations a move; no limit if only time or clock is given"},
	timeParam,
	clockParam,
	earlyParam,
}, searchParams(), []notation.Param{
	temperatureParam,
	pliesParam,
	leavesParam,
	virtualLossParam,
}, beliefParams, playoutParams)

func newNetwork(g game.Game, v *notation.Values) (Player, error) {
	run, err := runOf(v.Bare)
	if err != nil {
		return nil, err
	}
	search := configs.Default().Search
	if run != nil {
		search = AtPlay(run.Search)
	}
	usual := search
	tuned := tune(&search, v, searchKeys...)
	checkRoot(v, search)
	checkSearch(g, v, search)
	simulations, limit := readBudget(v, "simulations")
	n := &AlphaZero{
		Label: v.Bare, Time: limit, Clock: readClock(v), EarlyStop: readEarly(v),
		PUCT:      PUCT(search),
		Tuned:     tuned,
		Observers: Observers(search),
		Inference: search.Inference,
		Canonical: search.Canonical,
	}
	n.Temperature, n.Plies = readTemperature(v)
	// A name tells what is on; that something is off, where the run has it on, is told by Tuned.
	if n.Observers == ismcts.SingleObserver && Observers(usual) != n.Observers {
		n.Tuned += ",observers=" + n.Observers.String()
	}
	if n.Inference == 0 && usual.Inference > 0 {
		n.Tuned += ",inference=0"
	}
	if n.Inference > 0 {
		if err := checkInference(g); err != nil {
			return nil, fmt.Errorf("inference=%d: 0 is wanted: %w", n.Inference, err)
		}
	}
	n.PUCT.Simulations, n.PUCT.FinalSelection = simulations, readBound(v, n.PUCT.FinalSelection)
	if usual.Choice == configs.ChoiceLCB && search.Root == configs.RootPUCT &&
		!n.PUCT.FinalSelection.ByBound() {
		n.Tuned += ",choice=" + string(configs.ChoiceVisits)
	}
	switch reuse := readReuse(v, search, !hides(g)); {
	case hides(g):
		n.PUCT.Reuse, n.ReuseSets = true, reuse
	case reuse:
		n.PUCT.Reuse = true
	default:
		n.Tuned += ",reuse_tree=false"
	}
	n.PUCT.BatchSize, n.PUCT.VirtualLoss = readLeaves(v), v.Float("virtual_loss", 0, 1000)
	if n.Playouts, err = readPlayouts(g, v); err != nil {
		return nil, err
	}
	if v.Err() != nil {
		return nil, v.Err()
	}
	model, planes, err := load(g, v.Bare)
	if err == nil {
		err = checkPlanes(v.Bare, planes, n.Canonical)
	}
	if err != nil {
		return nil, err
	}
	n.Planes = planes
	n.Afterstates = valuesAfterstates(g, model.Params.Spec)
	if model.Params.Spec.Policy == nn.PolicyNone && !n.Afterstates {
		return nil,
			fmt.Errorf("the network of %s has no policy, which az needs; it plays as ubfm:%s or descent:%s", v.Bare, notation.Quote(v.Bare), notation.Quote(v.Bare))
	}
	weights, err := fold(g, v.Bare, model, planes)
	if err != nil {
		return nil, err
	}
	n.Weights, n.Params, n.PassedOver = weights, model.Params, model.PassedOver
	n.Belief, err = readBelief(g, v)
	if n.Belief != nil && n.Inference > 0 {
		return nil, fmt.Errorf("belief=%s and inference=%d: one of them is wanted",
			n.Belief.Label, n.Inference)
	}
	return n, err
}
