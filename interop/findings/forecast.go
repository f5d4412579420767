package findings

import (
	"math"

	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/random"
	"tengen/player"
)

// playouts is the number of random playouts that make an outlook.
const playouts = 64

// Forecast makes outlooks of the positions of a game. It is used by one goroutine.
type Forecast struct {
	game    game.Game
	rules   goban.Rules
	seed    uint64
	predict func(s game.State) [][]float64 // by the network; nil: by playouts
}

// NewForecast makes a Forecast of a game of two-player Go, by the network of p if it predicts
// distributions, or else by random playouts, which seed determines.
func NewForecast(p player.Player, g game.Game, seed uint64) *Forecast {
	rules, ok := goban.RulesOf(g)
	if !ok {
		panic("findings: " + g.Name() + " is not Go")
	}
	f := &Forecast{game: g, rules: rules, seed: seed}
	if n, ok := player.ForecasterOf(p); ok && rules.Reward == goban.Score {
		f.predict = n.NewForecast(g)
	}
	return f
}

// Of returns the outlook of position s, after a number of moves of game number.
func (f *Forecast) Of(s game.State, number uint64, moves int) *Outlook {
	points := f.rules.Rows * f.rules.Columns
	margins := make([]float64, 2*points+1)
	if f.rules.Reward == goban.Win {
		return newOutlook(f.rules, margins)
	}
	var distributions [][]float64
	if f.predict != nil {
		distributions = f.predict(s)
	} else {
		distributions = f.playOut(s, number, moves)
	}
	// What is not Black's is White's, as on nearly every board at the end of a game.
	for color, distribution := range distributions {
		for i, p := range distribution {
			own := int(math.Round(float64(f.game.Support()[i]) * float64(points)))
			m := 2*own - points
			if color == 1 {
				m = -m
			}
			margins[points+m] += p
		}
	}
	return newOutlook(f.rules, margins)
}

// playOut estimates the distributions of a player.Forecaster by random playouts.
func (f *Forecast) playOut(s game.State, number uint64, moves int) [][]float64 {
	points := f.rules.Rows * f.rules.Columns
	list := [][]float64{make([]float64, points+1), make([]float64, points+1)}
	rng, state := random.New(f.seed, random.Playout, number, uint64(moves)), f.game.NewState()
	var buf []game.Action
	utilities := make([]float32, 2)
	for range playouts {
		state.CopyFrom(s)
		buf = game.Playout(state, rng, buf)
		state.Returns(utilities)
		for c, u := range utilities {
			list[c][int(math.Round(float64(u)*float64(points)))] += 1. / playouts
		}
	}
	return list
}
