package player

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tengen/game"
	"tengen/internal/spec"
	"tengen/search"
)

// Open is a player that sees everything in a game with hidden information: others' hands
// too, though not what chance will do. It is no fair player, but says what luck leaves to
// knowledge: a ceiling. It searches the game of the same name with hands=open.
type Open struct {
	// Player plays the game in which nothing is hidden.
	Player
	Game game.Game // that game
}

// Name implements Player.
func (o *Open) Name() string { return o.Player.Name() + ",open=true" }

// Timed implements Timed.
func (o *Open) Timed() bool { return IsTimed(o.Player) }

// NewAgent implements Player.
func (o *Open) NewAgent(game.Game) Agent {
	return &openAgent{Agent: o.Player.NewAgent(o.Game), game: o.Game.(positioned)}
}

// Seer is an Agent that may see everything: package play gives it the true state.
type Seer interface{ SeesAll() bool }

// SeesAll says whether an agent may see everything.
func SeesAll(a Agent) bool {
	seer, ok := a.(Seer)
	return ok && seer.SeesAll()
}

// positioned is a game that reads what its states write, hands in sight.
type positioned interface {
	ParsePosition(text string) (game.State, error)
}

// openAgent plays by an agent of the game with perfect information.
type openAgent struct {
	Agent
	game positioned
	open game.State // nil between decisions
}

func (o *openAgent) Begin(rng *rand.Rand) {
	o.open = nil
	o.Agent.Begin(rng)
}

func (o *openAgent) Think(s game.State, requests search.Requests) (game.Action, bool) {
	if o.open == nil {
		open, err := o.game.ParsePosition(s.(interface{ Position() string }).Position())
		if err != nil {
			panic("player: a position of the game is none of the one with open hands: " + err.Error())
		}
		o.open = open
	}
	a, decided := o.Agent.Think(o.open, requests)
	if decided {
		o.open = nil
	}
	return a, decided
}

// SeesAll implements Seer.
func (o *openAgent) SeesAll() bool { return true }

// Result implements Searching.
func (o *openAgent) Result() search.Result { return o.Agent.(Searching).Result() }

// Analysis implements Analyzer.
func (o *openAgent) Analysis() Analysis { return o.Agent.(Analyzer).Analysis() }

// openParam makes a player an Open one.
var openParam = spec.Param{Key: "open", Help: "true: sees what is hidden, which is not fair, but shows the ceiling, in games with the parameter hands; default: false"}

// laidOpen makes what build makes, or an Open one where that is asked for.
func laidOpen(build func(game.Game, *spec.Values) (Player, error)) func(game.Game, *spec.Values) (Player, error) {
	return func(g game.Game, v *spec.Values) (Player, error) {
		if !v.Given("open") || !v.Bool("open") {
			return build(g, v)
		}
		state := g.NewState()
		_, hidden := state.(game.ImperfectInformation)
		_, written := state.(interface{ Position() string })
		name := g.Name()
		if strings.Contains(name, ":") {
			name += ",hands=open"
		} else {
			name += ":hands=open"
		}
		open, err := game.New(name)
		if err != nil || !hidden || !written {
			return nil, fmt.Errorf("open=true: %s hides nothing that could be laid open", g.Name())
		}
		if _, ok := open.(positioned); !ok {
			return nil, fmt.Errorf("open=true: %s can't read positions", g.Name())
		}
		p, err := build(open, v)
		if err != nil {
			return nil, err
		}
		return &Open{p, open}, nil
	}
}
