package player

import (
	"fmt"
	"slices"
	"strings"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/nn"
)

// kind is one kind of player that Parse knows.
type kind struct {
	name    string
	summary string
	path    bool // the path of a network comes before the keys
	params  []notation.Param
	make    func(g game.Game, v *notation.Values) (Player, error)
	// abstracts means that the player can search an abstraction of its game.
	abstracts bool
}

var kinds = []kind{
	{"random", "legal actions, drawn uniformly", false, nil,
		func(game.Game, *notation.Values) (Player, error) { return Random{}, nil }, false},
	{"uct", "Multiplayer UCT with random playouts; over information sets if information is hidden", false, append([]notation.Param{
		{Key: "simulations", Default: "180", Help: "playouts a move; no limit if only time or clock is given"},
		timeParam,
		clockParam,
		earlyParam,
		{Key: "c", Default: "0.8", Help: "exploration constant"},
		{Key: "utility", Default: Points, Help: "points: back up the raw score, as the paper does; unit: utilities in [0, 1], stronger"},
		rolloutParam,
		epsilonParam,
		choiceParam,
		zParam,
		fractionParam,
		temperatureParam,
		pliesParam,
		proofsParam,
		reuseParam,
		observersParam,
	}, beliefParams...), newUCT, true},
	{"az", "PUCT guided by a network; PATH is a run, a checkpoint or a model file", true, slices.Concat([]notation.Param{
		{Key: "simulations", Default: "180", Help: "simulations a move; no limit if only time or clock is given"},
		timeParam,
		clockParam,
		earlyParam,
		{Key: "c", Help: "exploration constant; default: that of the run's configuration, or 0.8"},
		{Key: "fpu", Was: "first_play", Help: "value of unvisited actions: zero, or parent (the node's value less a reduction); default as for c, or zero"},
		{Key: "fpu_reduction", Was: "first_play_reduction", Help: "reduction for fpu=parent, times the root of the visited policy; default as for c, or 0.1"},
		networkChoiceParam,
		zParam,
		fractionParam,
	}, gumbelParams, []notation.Param{
		outcomesParam,
		proofsParam,
		temperatureParam,
		pliesParam,
		leavesParam,
		virtualLossParam,
		azReuseParam,
		azObserversParam,
		inferenceParam,
	}, beliefParams, playoutParams), newNetwork, true},
	{"policy", "The policy of a network, without search; PATH is a run, a checkpoint or a model file", true, []notation.Param{
		{Key: "temperature", Default: "1", Help: "actions are drawn in proportion to probability^(1/temperature); 0: the most probable one"},
	}, newRawPolicy, false},
	{"cfr", "The average policy of CFR+, in games small enough to enumerate, such as kuhn", false, []notation.Param{
		{Key: "iterations", Default: "1000", Help: "iterations before the game"},
	}, newCFR, false},
	{"solver", "Perfect play, by the exact solver of the game, such as connect-four", false, solverParams, newSolver, false},
	{"minimax", "Full-width search to a depth with the game's heuristic values", false, minimaxParams, newMinimax("minimax"), true},
	{"alphabeta", "The same choices with alpha-beta pruning", false, minimaxParams, newMinimax("alphabeta"), true},
	{"expectiminimax", "The same with expected values at chance nodes, alpha-beta and Star pruning", false, expectiminimaxParams, newMinimax("expectiminimax"), true},
	{"ubfm", "Unbounded best-first minimax with a network's values; time=1s limits the time", true, descentParams, newDescent(true), false},
	{"descent", "The same with Descent, whose iterations continue to the end of the game", true, descentParams, newDescent(false), false},
}

// timeParam is the key of the time limit.
var timeParam = notation.Param{Key: "time", Help: "time a move, such as 1s or 250ms; default: no limit"}

// Kind describes one kind of player, for help texts.
type Kind struct {
	Name, Summary string
	Path          bool // the path of a network comes before the keys
	Params        []notation.Param
}

// Kinds lists what Parse knows.
func Kinds() []Kind {
	list := make([]Kind, len(kinds))
	for i, k := range kinds {
		list[i] = Kind{k.name, k.summary, k.path, k.keys()}
	}
	return list
}

// keys returns all keys of the kind.
func (k *kind) keys() []notation.Param {
	if !k.abstracts {
		return k.params
	}
	params := slices.Concat(k.params, abstractionParams)
	if !k.path { // with a network, root says how the root is searched
		params = append(params, rootParam, openParam)
	}
	return params
}

// Parse reads a player of g written as in "uct:simulations=180,c=0.8". It reads the files
// that a network player names; paths.go says how paths are written.
func Parse(g game.Game, text string) (Player, error) {
	parsed, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	k := kindOf(parsed.Name)
	if k == nil {
		names := make([]string, len(kinds))
		for i, k := range kinds {
			names[i] = k.name
		}
		return nil, fmt.Errorf("no player is called %.200q%s; there are %s", parsed.Name, notation.DidYouMean(parsed.Name, names), strings.Join(names, ", "))
	}
	p, err := k.parse(g, parsed)
	if err != nil {
		return nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	return p, nil
}

func (k *kind) parse(g game.Game, s *notation.Spec) (Player, error) {
	switch {
	case k.path && s.Bare == "":
		return nil, fmt.Errorf("a path is wanted: %s:PATH of a run, a checkpoint or a model file", k.name)
	case !k.path && s.Bare != "":
		return nil, fmt.Errorf("%q is not key=value; %s has no network", s.Bare, k.name)
	}
	v, err := s.Values(k.keys())
	if err != nil {
		return nil, err
	}
	build := k.make
	if k.abstracts {
		build = k.makeAbstracted
		if !k.path {
			build = laidOpen(build)
		}
	}
	p, err := build(g, v)
	if err != nil {
		return nil, err
	}
	return p, v.Err()
}

func newUCT(g game.Game, v *notation.Values) (Player, error) {
	simulations, limit := readBudget(v, "simulations")
	u := UCT{
		Simulations: simulations, Time: limit, Clock: readClock(v), EarlyStop: readEarly(v),
		C:       v.Float("c", 0, 1e6),
		Utility: v.Choice("utility", Points, Unit),
	}
	u.Observers, u.Choice = readObservers(g, v, ismcts.SingleObserver), readChoice(v, mcts.MostVisits())
	u.Reuse = readReuse(g, v, u.Observers, false)
	u.Proofs = v.Given(proofsParam.Key) && v.Bool(proofsParam.Key)
	checkProofs(g, v, u.Proofs)
	u.Temperature, u.Plies = readTemperature(v)
	var err error
	if u.Rollouts, err = readRollouts(g, v); err != nil {
		return nil, err
	}
	u.Belief, err = readBelief(g, v)
	return u, err
}

func newNetwork(g game.Game, v *notation.Values) (Player, error) {
	run, err := runOf(v.Bare)
	if err != nil {
		return nil, err
	}
	search := configs.Default().Search
	if run != nil {
		search = AtPlay(run.Search)
	}
	tuned := tune(&search, v)
	simulations, limit := readBudget(v, "simulations")
	n := &AlphaZero{
		Label: v.Bare, Time: limit, Clock: readClock(v), EarlyStop: readEarly(v),
		PUCT:      PUCT(search),
		Tuned:     tuned,
		Observers: readObservers(g, v, Observers(search)),
		Canonical: search.Canonical,
	}
	if n.PUCT.Balanced && (hides(g) || !game.HasChance(g)) {
		v.Fail(outcomesParam.Key, g.Name()+" has no chance, or hides information: sampled is wanted")
	}
	checkProofs(g, v, n.PUCT.Proofs)
	n.Temperature, n.Plies = readTemperature(v)
	if n.Inference = search.Inference; v.Given("inference") {
		n.Inference = v.Int("inference", 0, configs.MaxInference)
	}
	// A name tells what is on; that something is off, where the run has it on, is told by Tuned.
	if n.Observers == ismcts.SingleObserver && Observers(search) != n.Observers {
		n.Tuned += ",observers=" + n.Observers.String()
	}
	if n.Inference == 0 && search.Inference > 0 {
		n.Tuned += ",inference=0"
	}
	if n.Inference > 0 {
		if err := CheckInference(g); err != nil {
			return nil, fmt.Errorf("inference=%d: 0 is wanted: %w", n.Inference, err)
		}
	}
	standard := n.PUCT.Choice
	n.PUCT.Simulations, n.PUCT.Choice = simulations, readChoice(v, standard)
	if standard.ByBound() && !n.PUCT.Choice.ByBound() {
		n.Tuned += ",choice=" + string(configs.ChoiceVisits)
	}
	switch reuse := readReuse(g, v, n.Observers, !hides(g)); {
	case hides(g):
		n.PUCT.Reuse, n.ReuseSets = true, reuse
	case reuse:
		n.PUCT.Reuse = true
	default:
		n.Tuned += ",reuse=false"
	}
	n.PUCT.Leaves, n.PUCT.VirtualLoss = readLeaves(v), v.Float("virtual_loss", 0, 1000)
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
		return nil, fmt.Errorf("the network of %s has no policy, which az needs; it plays as ubfm:%s or descent:%s", v.Bare, notation.Quote(v.Bare), notation.Quote(v.Bare))
	}
	weights, err := fold(g, v.Bare, model, planes)
	if err != nil {
		return nil, err
	}
	n.Weights, n.Params, n.PassedOver = weights, model.Params, model.PassedOver
	n.Belief, err = readBelief(g, v)
	if n.Belief != nil && n.Inference > 0 {
		return nil, fmt.Errorf("belief=%s and inference=%d: one of them is wanted", n.Belief.Label, n.Inference)
	}
	return n, err
}
