package player

import (
	"tengen/game"
	"tengen/nn"
)

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
