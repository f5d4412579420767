package player

import (
	"fmt"
	"math/rand/v2"

	"tengen/clock"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/search"
)

// Open is a player that sees everything in a game with hidden information: the hidden
// parts of the position, though not future outcomes of chance. It does not play by the
// rules; its strength is an upper bound. It searches the open game (game.Openable).
type Open struct {
	// Player plays the open game, in which nothing is hidden.
	Player
	Game game.Game // the open game
}

// Name implements Player.
func (o *Open) Name() string { return o.Player.Name() + ",open=true" }

// Within implements Wrapper.
func (o *Open) Within() Player { return o.Player }

// NewAgent implements Player.
func (o *Open) NewAgent(g game.Game) Agent {
	return &openAgent{
		Agent: o.Player.NewAgent(o.Game), game: g.(game.Openable), state: o.Game.NewState(),
	}
}

// Seer is an Agent that sees everything: package play gives it the true state.
type Seer interface{ SeesAll() bool }

// SeesAll reports whether an agent sees everything.
func SeesAll(a Agent) bool {
	seer, ok := a.(Seer)
	return ok && seer.SeesAll()
}

// openAgent plays what the inner agent decides in the open position.
type openAgent struct {
	Agent
	game     game.Openable
	state    game.State // of the open game
	thinking bool       // state is the position to decide in
}

func (o *openAgent) Begin(rng *rand.Rand) {
	o.thinking = false
	o.Agent.Begin(rng)
}

func (o *openAgent) Think(s game.State, requests search.Requests) (game.Action, bool) {
	if !o.thinking {
		o.game.LayOpen(o.state, s)
	}
	a, decided := o.Agent.Think(o.state, requests)
	o.thinking = !decided
	return a, decided
}

// SeesAll implements Seer.
func (o *openAgent) SeesAll() bool { return true }

// SetDeadline implements Deadlined.
func (o *openAgent) SetDeadline(d clock.Deadline) { setDeadline(o.Agent, d) }

// Result implements Searching.
func (o *openAgent) Result() search.Result { return o.Agent.(Searching).Result() }

// Analysis implements Analyzer.
func (o *openAgent) Analysis() Analysis { return o.Agent.(Analyzer).Analysis() }

// openParam is the key that makes a player an Open one.
var openParam = notation.Param{Key: "open", Help: "true: sees hidden information, as an upper bound of strength, in games with the parameter hands; default: false"}

// laidOpen returns a build function that wraps players in an Open one if open=true is given.
func laidOpen(
	build func(game.Game, *notation.Values) (Player, error),
) func(game.Game, *notation.Values) (Player, error) {
	return func(g game.Game, v *notation.Values) (Player, error) {
		if !v.Given("open") || !v.Bool("open") {
			return build(g, v)
		}
		var open game.Game
		if o, ok := g.(game.Openable); ok {
			open = o.Opened()
		}
		if open == nil {
			return nil, fmt.Errorf("open=true: %s hides nothing that could be laid open", g.Name())
		}
		p, err := build(open, v)
		if err != nil {
			return nil, err
		}
		return &Open{p, open}, nil
	}
}
