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
	"tengen/replay/record"
	"tengen/search"
)

// Values that UCT backs up.
const (
	Points = "points" // the game's raw score (0 to 25 on a 5×5 board): the paper's baseline
	Unit   = "unit"   // utilities in [0, 1]: the stronger player with the same constant
)

// UCT is Multiplayer UCT with random playouts, one a simulation; in games with
// imperfect information, information-set Monte Carlo tree search (package ismcts).
type UCT struct {
	Simulations int           // a move; 0: no limit
	Time        time.Duration // a move; 0: no limit
	Clock       *GameClock    // nil: none
	C           float64       // exploration constant
	Utility     string        // Points or Unit
	Rollouts    Rollouts
	// Observers are for games with imperfect information.
	Observers ismcts.Observers
	// Belief draws what is hidden; nil: it is drawn uniformly.
	Belief *Belief
	// EarlyStop is for searches that choose by visits.
	EarlyStop EarlyStop
	// FinalSelection is how the best action is chosen.
	FinalSelection mcts.FinalSelection
	// The first Plies actions of a game are drawn with probability proportional to
	// visits^(1/Temperature).
	Temperature float64
	Plies       int
	// Reuse keeps what was searched below what is played. Otherwise every decision begins a new
	// tree.
	Reuse bool
	// Proofs proves values from the ends of games, where nothing is hidden.
	Proofs bool
}

// Baseline is the opponent in evaluations and the anchor of ratings: the UCT of the
// multiplayer Go paper.
var Baseline = UCT{Simulations: 180, C: 0.8, Utility: Points}

// Name implements Player.
func (u UCT) Name() string {
	name := fmt.Sprintf("uct:%s,c=%g,utility=%s",
		budget("simulations", u.Simulations, u.Time, u.Clock), u.C, u.Utility) + u.Rollouts.key()
	if u.Reuse {
		name += ",reuse_tree=true"
	}
	if u.Proofs {
		name += ",proofs=true"
	}
	return name + u.EarlyStop.key() + boundKey(u.FinalSelection) + observersText(u.Observers) +
		u.Belief.key() + temperatureKey(u.Temperature, u.Plies)
}

// Timed implements Timed.
func (u UCT) Timed() bool { return u.Time > 0 || u.Clock != nil }

// GameClock implements Clocked.
func (u UCT) GameClock() *GameClock { return u.Clock }

// Draws implements Drawing.
func (u UCT) Draws() bool { return true }

// NewEvaluator returns nil: an agent plays its playouts itself.
func (u UCT) NewEvaluator(game.Game, int) search.Evaluator { return nil }

// NewAgent implements Player.
func (u UCT) NewAgent(g game.Game) Agent {
	scale := 1.0
	if u.Utility == Points {
		scale = game.PointsPerUtility(g)
	}
	o := mcts.UCT{
		C: u.C, Scale: scale, Growing: true, Reuse: u.Reuse, FinalSelection: u.FinalSelection,
		Proofs: u.Proofs,
	}
	o.Simulations, o.MaxNodes = room(u.Simulations, u.Timed())
	playouts := u.Rollouts.evaluator(g)
	tree := newUCTTree(g, o, u.Observers)
	tree.SetTime(u.Time)
	return &uctAgent{
		searched: searched{g.Players(), tree},
		treeFollower: treeFollower{
			search: tree, believe: believer(u.Belief, g, tree), start: func(s game.State, _ int) {
				tree.Start(s)
			}, follow: follower(tree, u.Reuse),
			timekeeper: newTimekeeper(g, u.Clock, u.EarlyStop, tree),
		},
		player: u, reuse: u.Reuse, tree: tree, playouts: playouts,
	}
}

type uctAgent struct {
	searched
	treeFollower
	player   UCT
	reuse    bool
	tree     Tree
	playouts *search.Playouts
	rng      *rand.Rand
	stop     func() bool // see Interruptible; nil: none
	children []search.Child
}

func (u *uctAgent) Begin(rng *rand.Rand) {
	u.rng = rng
	u.tree.SetRand(rng)
	u.playouts.SetRand(rng)
	u.begin()
}

func (u *uctAgent) Think(s game.State, _ search.Requests) (game.Action, bool) {
	if !u.reuse {
		u.started = false
	}
	u.drawn = u.ply < u.player.Plies && u.player.Temperature > 0
	for simulations := 1; !u.think(s, u.playouts); simulations++ {
		evaluations, _ := u.playouts.Evaluate() // playouts never fail
		u.search.Deliver(evaluations)
		if simulations%16 != 0 {
			continue
		}
		if u.watch != nil {
			u.watch()
		}
		if u.stop != nil && u.stop() {
			return game.NoAction, false
		}
	}
	if u.drawn {
		return u.tree.Choose(u.player.Temperature, u.rng), true
	}
	return u.tree.Best(), true
}

// StopIf implements Interruptible.
func (u *uctAgent) StopIf(stop func() bool) { u.stop = stop }

// Played implements Agent.
func (u *uctAgent) Played(a game.Action) {
	if !u.reuse {
		a = game.NoAction // the search starts anew
	}
	u.treeFollower.Played(a)
}

// Ponder implements Ponderer.
func (u *uctAgent) Ponder(s game.State, _ search.Evaluator, n int) (more bool, err error) {
	return u.treeFollower.Ponder(s, u.playouts, n)
}

// Target implements Targeter.
func (u *uctAgent) Target(m *record.Move) (full bool) {
	u.tree.Value(m.Value)
	u.children = u.tree.Children(u.children[:0])
	m.Visits = visits(u.children)
	return true
}

// SetSimulations implements Budgeted.
func (u *uctAgent) SetSimulations(n int) { u.tree.SetSimulations(n) }

// uctParams are the keys of UCT.
var uctParams = slices.Concat([]notation.Param{
	{Key: "simulations", Default: "180",
		Help: "playouts a move; no limit if only time or clock is given"},
	timeParam,
	clockParam,
	earlyParam,
	{Key: "c", Default: "0.8", Help: "exploration constant; 0 to 1000"},
	{Key: "utility", Default: Points,
		Help: "points: back up the raw score, as the paper does; unit: utilities in [0, 1], stronger"},
	rolloutParam,
	epsilonParam,
	searchParam("choice", "visits"),
	zParam,
	fractionParam,
	temperatureParam,
	pliesParam,
	searchParam("proofs", "false"),
	searchParam(reuseKey, "false"),
	searchParam(observersKey, "single"),
}, beliefParams)

func newUCT(g game.Game, v *notation.Values) (Player, error) {
	c := configs.Default()
	if err := c.SetKey("search.c_puct", v.String("c")); err != nil { // of one range
		v.Fail("c", err.Error())
	}
	s := c.Search
	tune(&s, v, "choice", "proofs", reuseKey, observersKey)
	checkSearch(g, v, s)
	simulations, limit := readBudget(v, "simulations")
	u := UCT{
		Simulations: simulations, Time: limit, Clock: readClock(v), EarlyStop: readEarly(v),
		C: c.Search.CPUCT, Utility: v.Choice("utility", Points, Unit),
		Observers: Observers(s), FinalSelection: readBound(v, PUCT(s).FinalSelection),
		Proofs: s.Proofs, Reuse: readReuse(v, s, false),
	}
	u.Temperature, u.Plies = readTemperature(v)
	var err error
	if u.Rollouts, err = readRollouts(g, v); err != nil {
		return nil, err
	}
	u.Belief, err = readBelief(g, v)
	return u, err
}

// Rollouts say how a state is played to the end of the game: by the game's own playouts, or by a
// strategy.
type Rollouts struct {
	Strategy *game.Strategy // nil: the game's own playouts
	// Epsilon is the fraction of a strategy's actions that are drawn uniformly (game.Rollout).
	Epsilon float64
}

// evaluator returns an evaluator that plays them.
func (r Rollouts) evaluator(g game.Game) *search.Playouts {
	if r.Strategy == nil {
		return search.NewPlayouts(g, nil)
	}
	return search.NewRollouts(g, r.Strategy, r.Epsilon, nil)
}

// key returns ",rollout=…,epsilon=…" for a player's name, "" for the game's own playouts.
func (r Rollouts) key() string {
	if r.Strategy == nil {
		return ""
	}
	return fmt.Sprintf(",rollout=%s,epsilon=%g", r.Strategy.Name, r.Epsilon)
}

// defaultEpsilon is the fraction of a rollout's actions that are drawn uniformly.
const defaultEpsilon = 0.1

var (
	rolloutParam = notation.Param{Key: "rollout", Help: "the game's strategy that plays the playouts, such as random; default: the game's own playouts"}
	epsilonParam = notation.Param{
		Key:  "epsilon",
		Help: "for rollout: fraction of actions that are drawn uniformly; default: 0.1",
	}
)

// readRollouts reads rolloutParam and epsilonParam.
func readRollouts(g game.Game, v *notation.Values) (r Rollouts, err error) {
	switch {
	case v.Given("rollout"):
		q, err := game.StrategyOf(g, v.String("rollout"))
		if err != nil {
			return r, fmt.Errorf("rollout=%s: %w", v.String("rollout"), err)
		}
		r = Rollouts{&q, defaultEpsilon}
		if v.Given("epsilon") {
			r.Epsilon = v.Float("epsilon", 0, 1)
		}
	case v.Given("epsilon"):
		v.Fail("epsilon", "is for rollout=STRATEGY only")
	}
	return r, nil
}

// Playouts are playouts beside a network's evaluations (mcts.Tree.SetPlayouts). The zero value is
// none.
type Playouts struct {
	Rollouts Rollouts
	Number   int     // of each position that is evaluated
	Weight   float64 // of their mean result; the network's utilities have the rest
}

const (
	mostPlayouts  = 1000
	defaultWeight = 0.5
)

// playoutParams are the keys of Playouts.
var playoutParams = []notation.Param{
	{Key: "playouts", Default: "0", Help: "playouts from each position that the network evaluates; their mean result is mixed with the network's values"},
	{Key: "playout_weight", Help: "with playouts: weight of their mean, above 0 and at most 1; the network's values have the rest; default: 0.5"},
	{Key: "rollout", Help: "with playouts: the game's strategy that plays them, such as random; default: the game's own playouts"},
	{Key: "epsilon", Help: epsilonParam.Help},
}

// readPlayouts reads playoutParams.
func readPlayouts(g game.Game, v *notation.Values) (p Playouts, err error) {
	if p.Number = v.Int("playouts", 0, mostPlayouts); p.Number == 0 {
		for _, key := range []string{"playout_weight", "rollout", "epsilon"} {
			if v.Given(key) {
				v.Fail(key, "it is for players with playouts=N")
			}
		}
		return Playouts{}, nil
	}
	if p.Weight = defaultWeight; v.Given("playout_weight") {
		if p.Weight = v.Float("playout_weight", 0, 1); p.Weight == 0 {
			v.Fail("playout_weight", "a number above 0 is wanted")
		}
	}
	p.Rollouts, err = readRollouts(g, v)
	return p, err
}

// key returns ",playouts=…" for a player's name, "" for none.
func (p Playouts) key() string {
	if p.Number == 0 {
		return ""
	}
	return fmt.Sprintf(",playouts=%d,playout_weight=%g", p.Number, p.Weight) + p.Rollouts.key()
}

// add lets tree mix playouts, and returns what plays them; nil for none. They draw from no source
// until SetRand.
func (p Playouts) add(g game.Game, tree Tree) *search.Playouts {
	if p.Number == 0 {
		return nil
	}
	from := p.Rollouts.evaluator(g)
	tree.(interface {
		SetPlayouts(from *search.Playouts, n int, weight float64)
	}).SetPlayouts(from, p.Number, p.Weight)
	return from
}
