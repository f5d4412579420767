package player

import (
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/nn"
	"tengen/replay/record"
	"tengen/search"
	"tengen/search/nneval"
)

// Player is a kind of player with its settings. It is safe for concurrent use.
type Player interface {
	// Name is the player as Parse reads it.
	Name() string
	// NewAgent makes an agent for games of g.
	NewAgent(g game.Game) Agent
	// NewEvaluator makes the evaluator that serves up to capacity agents of this player
	// at a time on one goroutine; nil for a player that needs none.
	NewEvaluator(g game.Game, capacity int) search.Evaluator
}

// Agent plays for one or more players of a game, then of another. It is used by one
// goroutine. A Game drives agents, and keeps from them what they may not see.
type Agent interface {
	// Begin starts a game at its first position. All that the agent draws comes from
	// rng.
	Begin(rng *rand.Rand)
	// Think works on position s, in which it is this agent's turn and more than one
	// action is legal, until it has decided or needs evaluations. In the second case it
	// has added states to requests, and after Deliver Think is called again with the
	// same position.
	Think(s game.State, requests search.Requests) (a game.Action, decided bool)
	// Deliver takes the evaluations of the states that Think added.
	Deliver(evaluations search.Evaluations)
	// Played tells of every action of the game, by whomever, before it is applied. In
	// games with hidden information a is game.NoAction: what the agent sees next does
	// not follow from what it saw before.
	Played(a game.Action)
}

// Decide returns an agent's action in s. e is the evaluator of its player, whose
// error it returns.
func Decide(agent Agent, s game.State, e search.Evaluator) (game.Action, error) {
	for {
		a, decided := agent.Think(s, e)
		if decided {
			return a, nil
		}
		evaluations, err := e.Evaluate()
		if err != nil {
			return game.NoAction, err
		}
		agent.Deliver(evaluations)
	}
}

// Timed is a Player whose moves may have a time limit. Its moves depend on the clock, so its
// games can't be repeated, and each of its searches needs a core of its own.
type Timed interface{ Timed() bool }

// IsTimed reports whether a player's moves have a time limit.
func IsTimed(p Player) bool {
	t, ok := as[Timed](p)
	return ok && t.Timed()
}

// Drawing is a Player whose moves may be random. Draws reports whether they are random enough
// for games from the same position to differ.
type Drawing interface{ Draws() bool }

// Draws reports whether a player is known to draw its moves: random players, UCT, whose
// playouts are random, and networks with a temperature.
func Draws(p Player) bool {
	d, ok := as[Drawing](p)
	return ok && d.Draws()
}

// Explicit is a Player whose probabilities of actions are known without asking its agents.
// Probabilities writes that of each of the legal actions in s, in which a player is to move, to
// dst[0:len(legal)]. They depend on nothing that this player can't see. e is an evaluator that
// NewEvaluator made, whose error is returned; nil for a player that needs none.
type Explicit interface {
	Player
	Probabilities(s game.State, e search.Evaluator, legal []game.Action, dst []float64) error
}

// Wrapper is a Player that lets another player decide, and has that player's abilities.
type Wrapper interface {
	Player
	// Within returns the other player.
	Within() Player
}

// as returns the first of p and the players within it that is a T.
func as[T any](p Player) (x T, ok bool) {
	for {
		if x, ok = p.(T); ok {
			return x, true
		}
		w, wraps := p.(Wrapper)
		if !wraps {
			return x, false
		}
		p = w.Within()
	}
}

// Analysis is the result of a search of a position.
type Analysis struct {
	Value []float32 // [players] the utility that each can expect, in [0, 1]
	Exact bool      // Value is final: deeper search would not change it
	Full  bool      // the search ended early, or could not grow, since its tree was full
	// depth completed by a search to a depth, whose Visits are nodes; 0 for other searches
	Turns int
	// Scale, if not nil, converts Value and that of the moves to the values of the heuristic that
	// the search used.
	Scale *Scale
	Moves []Considered // every legal action, in ascending order
	// PrincipalVariation lists the actions that the search considers best, starting at the
	// position, as far as it was searched. It ends at chance nodes. It may begin with another
	// action than the one played if that was drawn or was the safe decision.
	PrincipalVariation []game.Action
}

// Scale relates the values in [0, 1] of a search to the heuristic values from which they were made:
// v is Low + v·(High-Low).
type Scale struct {
	Heuristic string // its name
	Low, High float64
	Alone     bool // only the value to the player to move is known
}

// Of returns the heuristic value of v, without the rounding errors of v's 24 bits.
func (s *Scale) Of(v float32) float64 {
	width := s.High - s.Low
	unit := math.Exp2(math.Floor(math.Log2(width)) - 20)
	return math.Round((s.Low+float64(v)*width)/unit) * unit
}

// Considered is the result of a search for one action.
type Considered struct {
	Action game.Action
	Visits int
	Prior  float32   // of the network, without noise; 0 if the search has none
	Value  []float32 // [players], as in Analysis; 0 if unknown
	Exact  bool
	Plies  int // actions until the game is over, this one included; 0 if unknown
}

// Searching is an Agent that decides by a search. Result describes the search of
// the position that it decided last, until Played.
type Searching interface{ Result() search.Result }

// Analyzer is an Agent that decides by a search. Analysis describes the position
// that it decided last, until Played.
type Analyzer interface{ Analysis() Analysis }

// Budgeted is an Agent whose budget is a number of simulations.
type Budgeted interface{ SetSimulations(n int) }

// searched implements Searching and Analyzer.
type searched struct {
	players int
	result  search.Result
}

func (s searched) Result() search.Result { return s.result }

func (s searched) Analysis() Analysis { return analysisOf(s.players, s.result) }

// analysisOf returns the analysis of a search of a game with a number of players.
func analysisOf(players int, r search.Result) Analysis {
	stats := r.Stats()
	a := Analysis{
		Value: make([]float32, players), Exact: stats.Exact, Full: stats.Full, Turns: stats.Turns,
		PrincipalVariation: r.PrincipalVariation(nil),
	}
	r.Value(a.Value)
	for _, c := range r.Children(nil) {
		a.Moves = append(a.Moves, Considered{
			Action: c.Action, Visits: c.Visits, Prior: c.Prior,
			Value: slices.Clone(c.Value[:players]), Exact: c.Exact, Plies: c.Plies,
		})
	}
	return a
}

// Forecaster is a Player whose network predicts the distribution of each player's utility, not
// only its mean.
type Forecaster interface {
	// NewForecast returns a function for one goroutine, which returns the probability of each
	// utility of g.Support() for each player, [Players][len(Support)], as the network alone
	// predicts them for s. It is nil if the network predicts only means.
	NewForecast(g game.Game) func(s game.State) [][]float64
}

// ForecasterOf returns the Forecaster that p is or wraps.
func ForecasterOf(p Player) (Forecaster, bool) { return as[Forecaster](p) }

// NewForecast implements Forecaster.
func (n *AlphaZero) NewForecast(g game.Game) func(s game.State) [][]float64 {
	return forecast(g, n.Weights, n.Params)
}

// NewForecast implements Forecaster.
func (d *Descent) NewForecast(g game.Game) func(s game.State) [][]float64 {
	return forecast(g, d.Weights, d.Params)
}

// forecast evaluates on the processor: with weights if they are there, else with params.
func forecast(g game.Game, weights nn.Network, params *nn.Params) func(s game.State) [][]float64 {
	if spec := weights.Spec(); spec.Value != nn.ValueCategorical {
		return nil
	}
	w, ok := weights.(*nn.Weights)
	switch {
	case ok:
	case params != nil:
		w = nn.Fold(params)
	default:
		return nil
	}
	e, observation := nn.NewEvaluator(w), make([]float32, g.Planes().Size())
	return func(s game.State) [][]float64 {
		s.Observation(observation)
		return e.Distributions(observation)
	}
}

// Actor is a Player that plays the games of self-play, with one network after another. Its agents
// are ActorAgents.
type Actor interface {
	Player
	// Check returns an error if it can't play g.
	Check(g game.Game) error
	// MaxBatchSize is the greatest number of evaluations that an agent requests at once in g.
	MaxBatchSize(g game.Game) int
	// EvaluatorOn makes the evaluator of up to capacity agents whose network is w, called name, on
	// e. It also returns the part that holds the network, and the number of its rows.
	EvaluatorOn(
		g game.Game, w nn.Network, e nn.Evaluator, capacity int, name string,
	) (s search.Evaluator, network *nneval.Evaluator, rows int)
}

// Targeter is an Agent whose searches give training targets.
type Targeter interface {
	Agent
	Searching
	// Target adds to m, the move that the agent decided last, what updates learn from its search:
	// the value, and, if the search was a full one, the policy.
	Target(m *record.Move) (full bool)
}

// ActorAgent is an agent of an Actor.
type ActorAgent interface {
	Targeter
	// Prepare sets the conditions of the game that begins next.
	Prepare(c Conditions)
	// Finish adds the targets that are not of one move to r, the record of a game that has just
	// ended in the state final.
	Finish(r *record.Game, final game.State)
	// Foreseer returns the search under way, nil if there is none or it can't look ahead.
	Foreseer() search.Foreseer
}

// Conditions are what changes from one game of self-play to the next.
type Conditions struct {
	// Believer draws what is hidden (SelfPlay.Worlds); nil: it is drawn uniformly.
	Believer *Believer
	// Greed is that of the ordinal law, from 0 (uniform) to 1 (greedy): see DescentSelfPlay.
	Greed float64
	// Opening is the number of plies of the game's opening. AlphaZero.Plies are counted from there,
	// so that games from the same position differ.
	Opening int
}

// visits returns the children that were visited, with the visits that are not pruned.
func visits(children []search.Child) []record.Visit {
	n := 0
	for i := range children {
		if c := &children[i]; c.Visits > c.Pruned {
			n++
		}
	}
	v := make([]record.Visit, 0, n)
	for i := range children {
		if c := &children[i]; c.Visits > c.Pruned {
			v = append(v, record.Visit{Action: c.Action, N: uint32(c.Visits - c.Pruned)})
		}
	}
	return v
}

// leastPolicy is the least probability that is recorded for an action without visits.
const leastPolicy = 1e-5

// improved returns the children that were visited or that the improved policy may choose, with
// their visits and the weights of their probabilities.
func improved(children []search.Child) (visits []record.Visit, policy []uint16) {
	listed := func(c *search.Child) bool { return c.Visits > 0 || c.Improved >= leastPolicy }
	n := 0
	for i := range children {
		if listed(&children[i]) {
			n++
		}
	}
	visits = make([]record.Visit, 0, n)
	probabilities := make([]float32, 0, n)
	for i := range children {
		if c := &children[i]; listed(c) {
			visits = append(visits, record.Visit{Action: c.Action, N: uint32(c.Visits)})
			probabilities = append(probabilities, c.Improved)
		}
	}
	return visits, record.AppendPolicy(make([]uint16, 0, n), probabilities)
}
