package player

import (
	"math"
	"slices"

	"tengen/game"
	"tengen/nn"
	"tengen/search"
)

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
