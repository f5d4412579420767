package gtp

import (
	"fmt"
	"slices"
	"time"

	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/stream"
	"tengen/player"
	"tengen/search"
)

// Config is what an Engine is made from.
type Config struct {
	Player player.Player
	// Game is the game before any boardsize or komi: two-player Go on a square
	// board, with pass=free.
	Game game.Game
	// Fixed says that the player plays on the board of Game alone.
	Fixed bool
	// Name and Version are what the commands of these names answer.
	Name, Version string
	Seed          uint64 // of what the player draws
	// OnMove, if not nil, is told of every position in which the player has
	// just decided by a search, before its move is played.
	OnMove func(g game.Game, s game.State, v player.Analysis)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// CheckGame says why a game can't be played by the protocol, if it can't.
func CheckGame(g game.Game) error {
	r, ok := goban.RulesOf(g)
	switch {
	case !ok:
		return fmt.Errorf("%s is not Go: a game such as go:size=5,players=2,pass=free is wanted", g.Name())
	case r.Players != 2:
		return fmt.Errorf("%s has %d players: the Go Text Protocol has two; players=2 is wanted", g.Name(), r.Players)
	case r.Pass != goban.Free:
		return fmt.Errorf("%s has forced passes, of which other programs know nothing: pass=free is wanted", g.Name())
	case r.Rows != r.Columns:
		return fmt.Errorf("%s is not played on a square board, as the Go Text Protocol wants", g.Name())
	}
	return nil
}

// Engine is a player at a board. It is used by one goroutine.
type Engine struct {
	config Config
	rules  goban.Rules
	game   game.Game
	state  game.State
	moves  []move
	clock  clock
	rate   float64 // simulations a second, as last measured; 0 is not known

	seat      player.Agent // nil until a move of the player's is asked for
	evaluator search.Evaluator
	told      bool   // the seat knows the moves
	begun     uint64 // how often it has begun, for its random streams
	number    uint64 // of the game, likewise
}

// move is what a colour played.
type move struct {
	color  game.Player
	action game.Action
}

// NewEngine makes an engine with an empty board. It says what is wrong where the
// game is none for the protocol.
func NewEngine(c Config) (*Engine, error) {
	if err := CheckGame(c.Game); err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	rules, _ := goban.RulesOf(c.Game)
	e := &Engine{config: c, rules: rules, game: c.Game}
	e.Clear(0)
	return e, nil
}

// Game is the game that is played, State the position, which is not to be changed.
func (e *Engine) Game() game.Game   { return e.game }
func (e *Engine) State() game.State { return e.state }

// Clear begins game number n with an empty board: equal numbers give equal
// random streams.
func (e *Engine) Clear(n uint64) {
	e.moves = e.moves[:0]
	e.number, e.begun = n, 0
	e.clock.restart()
	e.replay()
}

// change goes over to other rules, by which the moves so far are played again.
func (e *Engine) change(r goban.Rules) error {
	g, err := goban.New(r)
	if err != nil {
		return err
	}
	e.rules, e.game, e.seat, e.evaluator, e.rate = r, g, nil, nil, 0
	e.replay()
	return nil
}

// SetSize makes the board one of size×size points, and clears it.
func (e *Engine) SetSize(size int) error {
	if size != e.rules.Rows {
		r := e.rules
		if r.MaxPlies == 6*r.Rows*r.Columns {
			r.MaxPlies = 0 // what it is by default on any board
		}
		r.Rows, r.Columns = size, size
		if e.config.Fixed {
			return errSize
		}
		e.moves = e.moves[:0]
		if e.change(r) != nil {
			return errSize
		}
	}
	e.Clear(e.number)
	return nil
}

// SetKomi makes komi that of the game under way and of those that follow.
func (e *Engine) SetKomi(komi float64) error {
	r := e.rules
	r.Komi = []float64{0, komi}
	if slices.Equal(r.Komi, e.rules.Komi) {
		return nil
	}
	if e.change(r) != nil {
		return errKomi
	}
	return nil
}

// replay plays all moves from an empty board.
func (e *Engine) replay() {
	e.state, e.told = e.game.NewState(), false
	for _, m := range e.moves {
		// What was legal is legal again: neither komi nor later moves matter.
		if err := e.advance(m); err != nil {
			panic("gtp: " + err.Error())
		}
	}
}

// pass is the action of passing.
func (e *Engine) pass() game.Action { return game.Action(e.rules.Rows * e.rules.Columns) }

// advance plays a move: the turn is handed to its colour where that is not the
// one to move. Where no ply is left for that, a pass changes nothing.
func (e *Engine) advance(m move) error {
	if err := e.hand(m.color); err != nil {
		if m.action == e.pass() {
			return nil
		}
		return fmt.Errorf("%w: %w", errIllegal, err)
	}
	if !slices.Contains(e.state.LegalActions(nil), m.action) {
		return errIllegal
	}
	if e.told {
		e.seat.Played(m.action)
	}
	e.state.Apply(m.action)
	return nil
}

// hand makes color the one to move.
func (e *Engine) hand(color game.Player) error {
	if e.state.CurrentPlayer() == color {
		return nil
	}
	e.told = false
	return goban.HandTo(e.state, color)
}

// tell has the seat begin a game, and tells it of the moves so far; where the
// turn was handed on, of a pass.
func (e *Engine) tell() {
	e.seat.Begin(stream.New(e.config.Seed, stream.Arena, e.number, e.begun))
	e.begun++
	s := e.game.NewState()
	hand := func(to game.Player) bool {
		if s.CurrentPlayer() == to {
			return true
		}
		if s.(game.Turned).Turn()%2 != int(to) {
			e.seat.Played(e.pass())
		}
		return goban.HandTo(s, to) == nil
	}
	for _, m := range e.moves {
		if hand(m.color) {
			e.seat.Played(m.action)
			s.Apply(m.action)
		}
	}
	hand(e.state.CurrentPlayer())
	e.told = true
}

// Play plays a move of color. After an error the position is what it was.
func (e *Engine) Play(color game.Player, a game.Action) error {
	m := move{color, a}
	if err := e.advance(m); err != nil {
		e.replay()
		return err
	}
	e.moves = append(e.moves, m)
	return nil
}

// GenMove has the player find a move for color, plays it, and returns it.
func (e *Engine) GenMove(color game.Player) (game.Action, error) {
	a := e.pass()
	if e.hand(color) == nil && len(e.state.LegalActions(nil)) > 1 {
		var err error
		if a, err = e.think(color); err != nil {
			return a, err
		}
	}
	return a, e.Play(color, a)
}

// think has the seat decide, within its time.
func (e *Engine) think(color game.Player) (game.Action, error) {
	if e.seat == nil {
		e.seat = e.config.Player.NewAgent(e.game)
		e.evaluator = e.config.Player.NewEvaluator(e.game, 1)
	}
	if !e.told {
		e.tell()
	}
	if err := e.budget(color); err != nil {
		return game.NoAction, err
	}
	began := e.config.Now()
	a, err := player.Decide(e.seat, e.state, e.evaluator)
	if err != nil {
		return game.NoAction, err
	}
	e.spent(color, e.config.Now().Sub(began))
	if v, ok := e.seat.(player.Analyzer); ok && e.config.OnMove != nil {
		e.config.OnMove(e.game, e.state, v.Analysis())
	}
	return a, nil
}

// Undo takes the last move back.
func (e *Engine) Undo() error {
	if len(e.moves) == 0 {
		return errCannotUndo
	}
	e.moves = e.moves[:len(e.moves)-1]
	e.replay()
	return nil
}
