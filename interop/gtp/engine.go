package gtp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/random"
	"tengen/interop/analysis"
	"tengen/player"
	"tengen/search"
)

// Config is what an Engine is made from.
type Config struct {
	Player player.Player
	// Game is the game before any boardsize or komi: two-player Go on a square
	// board, with pass=free.
	Game game.Game
	// Fixed means that the player plays only on the board of Game.
	Fixed bool
	// Capped means that the player's number of simulations (player.Limit) holds with a clock too.
	// Otherwise a clock decides alone, and the number is for games without one.
	Capped bool
	// Name and Version are the answers to the commands of these names.
	Name, Version string
	Seed          uint64 // of the player's random streams
	// OnMove, if not nil, is called after every search with the position and its
	// analysis, before the move is played.
	OnMove func(g game.Game, s game.State, v player.Analysis)
	// Ponder makes the player search on the opponent's time, after each of its moves. It wants
	// a player that can (player.CanPonder) and that keeps its search. Moves then depend on time.
	Ponder bool
	// Resign is the winrate below which the player resigns: when its searches have found less at
	// resignAfter of its decisions in a row. 0: it never does. It wants a player that searches
	// (player.Searching).
	Resign float64
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// ReadFile reads the files of loadsgf; nil is os.ReadFile.
	ReadFile func(path string) ([]byte, error)
	// Warn is called with what was guessed in reading a file of loadsgf; nil ignores it.
	Warn func(err error)
}

// CheckGame returns an error if a game can't be played by the protocol.
func CheckGame(g game.Game) error {
	r, ok := goban.RulesOf(g)
	switch {
	case !ok:
		return fmt.Errorf("%s is not Go: a game such as go:size=5,players=2,pass=free is wanted",
			g.Name())
	case r.Players != 2:
		return fmt.Errorf("%s has %d players: the Go Text Protocol has two; players=2 is wanted",
			g.Name(), r.Players)
	case r.Pass != goban.Free:
		return fmt.Errorf(
			"%s has forced passes, of which other programs know nothing: pass=free is wanted",
			g.Name())
	case r.Rows != r.Columns:
		return fmt.Errorf("%s is not played on a square board, as the Go Text Protocol wants",
			g.Name())
	}
	return nil
}

// Engine is a player of Go and the game that it plays. It is used by one goroutine.
type Engine struct {
	config Config
	rules  goban.Rules
	game   game.Game
	play   *player.Game
	moves  []move
	clocks [2]clock.Clock // by colour

	timed     player.Player // plays where a clock decides alone; nil: Config.Player does
	byClock   bool          // the agent is that of timed
	agent     player.Agent  // nil until a move of the player is requested
	evaluator search.Evaluator
	horizon   *player.Horizon
	told      bool   // the agent takes part in play: it knows the moves
	begun     uint64 // number of times it has begun, for its random streams
	number    uint64 // of the game, for its random streams

	// stones and first are the position set up before the moves, and who moves first in it;
	// stones is nil if it is the empty board.
	stones []game.Player
	first  game.Player

	rollouts   *rollouts // nil: not made yet
	pondering  bool      // on the opponent's time
	watch      watch
	thought    time.Duration      // on moves, in all
	onDecision func()             // called, if not nil, when the agent has decided
	forecast   *analysis.Forecast // nil: not made yet
	// by colour: its last decisions in a row with a winrate below Config.Resign
	hopeless [2]int
}

// move is an action of a colour.
type move struct {
	color  game.Player
	action game.Action
}

// NewEngine makes an engine with an empty board. It returns the error of CheckGame.
func NewEngine(c Config) (*Engine, error) {
	if err := CheckGame(c.Game); err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.ReadFile == nil {
		c.ReadFile = os.ReadFile
	}
	if c.Warn == nil {
		c.Warn = func(error) {}
	}
	rules, _ := goban.RulesOf(c.Game)
	e := &Engine{
		config: c, rules: rules, game: c.Game, play: player.NewGame(c.Game),
		horizon: player.NewHorizon(c.Game),
	}
	if !c.Capped {
		e.timed = player.ByClock(c.Player)
	}
	if own := player.ClockOf(c.Player); own != nil {
		e.setClocks(own.Settings)
	}
	e.watch.e = e
	e.Clear(0)
	if c.Ponder && !e.analyzes() {
		return nil, fmt.Errorf("%s can't ponder: uct or az is wanted", c.Player.Name())
	}
	if c.Resign < 0 || c.Resign > 0.5 {
		return nil,
			fmt.Errorf("a winrate of %v to resign below: a number from 0 to 0.5 is wanted",
				c.Resign)
	}
	if c.Resign > 0 {
		e.prepare()
		if _, ok := e.agent.(player.Searching); !ok {
			return nil, fmt.Errorf("%s can't resign, since it expects no result: a player that searches is wanted, such as uct or az", c.Player.Name())
		}
	}
	return e, nil
}

// Game is the game that is played, State the position, which must not be changed.
func (e *Engine) Game() game.Game   { return e.game }
func (e *Engine) State() game.State { return e.play.State() }

// Close releases what the player's evaluator holds on a device. The engine can still be used.
func (e *Engine) Close() {
	search.Close(e.evaluator)
	e.agent, e.evaluator, e.told, e.pondering = nil, nil, false, false
}

// Clear begins game number n with an empty board: equal numbers give equal
// random streams.
func (e *Engine) Clear(n uint64) {
	e.moves, e.stones, e.hopeless = e.moves[:0], nil, [2]int{}
	e.number, e.begun = n, 0
	for i := range e.clocks {
		e.clocks[i].Restart()
	}
	e.replay()
}

// change changes the rules and replays the moves so far.
func (e *Engine) change(r goban.Rules) error {
	g, err := goban.New(r)
	if err != nil {
		return err
	}
	e.Close()
	e.hopeless = [2]int{}
	e.rules, e.game, e.forecast = r, g, nil
	e.play, e.horizon = player.NewGame(g), player.NewHorizon(g)
	e.replay()
	return nil
}

// SetSize changes the board to size×size points, and clears it.
func (e *Engine) SetSize(size int) error {
	if size != e.rules.Rows {
		r := e.rules
		if r.MaxPlies == 6*r.Rows*r.Columns {
			r.MaxPlies = 0 // the default on any board
		}
		r.Rows, r.Columns = size, size
		if e.config.Fixed {
			return errSize
		}
		e.moves, e.stones = e.moves[:0], nil
		if e.change(r) != nil {
			return errSize
		}
	}
	e.Clear(e.number)
	return nil
}

// SetKomi sets the komi of the current game and of later ones.
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

// start goes back to the empty board. agent, if not nil, plays both colours.
func (e *Engine) start(agent player.Agent, rng *rand.Rand) {
	both := player.Seat{Agent: agent, Rand: rng}
	setup := player.Setup{
		Seed: e.config.Seed, Purpose: random.Arena, Number: e.number,
		Seats: []player.Seat{both, both},
	}
	if e.stones != nil {
		s, err := goban.SetUp(e.game, e.stones, e.first)
		if err != nil {
			panic("gtp: " + err.Error()) // it was set up before
		}
		setup.State = s
	}
	e.play.Start(setup)
}

// replay replays all moves from an empty board, without the agent, which begins anew when it
// next has to decide.
func (e *Engine) replay() {
	e.told, e.pondering = false, false
	e.start(nil, nil)
	for _, m := range e.moves {
		// Moves stay legal: neither komi nor later moves affect that.
		if err := e.advance(m); err != nil {
			panic("gtp: " + err.Error())
		}
	}
}

// pass is the action of passing.
func (e *Engine) pass() game.Action { return game.Action(e.rules.Rows * e.rules.Columns) }

// advance plays a move. If its colour is not to move, it gets the turn first. If no ply is left
// for that, a pass changes nothing.
func (e *Engine) advance(m move) error {
	if err := e.hand(m.color); err != nil {
		if m.action == e.pass() {
			return nil
		}
		return fmt.Errorf("%w: %w", errIllegal, err)
	}
	if e.play.Play(m.action) != nil {
		return errIllegal
	}
	return nil
}

// hand gives color the turn.
func (e *Engine) hand(color game.Player) error {
	if e.State().CurrentPlayer() == color {
		return nil
	}
	if e.told {
		e.replay()
	}
	return e.play.Edit(func(s game.State) error { return goban.HandTo(s, color) })
}

// tell begins a game for the agent and tells it of the moves so far, with a pass wherever the
// turn was given to the other colour.
func (e *Engine) tell() {
	color := e.State().CurrentPlayer()
	e.start(e.agent, random.New(e.config.Seed, random.Arena, e.number, e.begun))
	e.begun++
	hand := func(to game.Player) bool {
		s := e.State()
		if s.CurrentPlayer() == to {
			return true
		}
		if s.(game.Turned).Turn()%2 != int(to) {
			e.play.Tell(e.pass())
		}
		return e.play.Edit(func(s game.State) error { return goban.HandTo(s, to) }) == nil
	}
	for _, m := range e.moves {
		if hand(m.color) {
			if err := e.play.Play(m.action); err != nil {
				panic("gtp: " + err.Error()) // it was played before
			}
		}
	}
	hand(color)
	e.told = true
}

// Play plays a move of color. After an error the position is unchanged.
func (e *Engine) Play(color game.Player, a game.Action) error {
	m := move{color, a}
	e.pondering = false
	if err := e.advance(m); err != nil {
		e.replay()
		return err
	}
	e.moves = append(e.moves, m)
	return nil
}

// GenMove lets the player choose a move for color, plays it, and returns it. If the player resigns
// it plays none and returns game.NoAction.
func (e *Engine) GenMove(color game.Player) (game.Action, error) {
	began := e.config.Now()
	defer e.spend(color, began)
	e.prepareFor(color)
	if e.hand(color) != nil || len(e.play.LegalActions()) < 2 {
		return e.pass(), e.Play(color, e.pass())
	}
	return e.think(color, began)
}

// spend counts the time that a decision of color has taken.
func (e *Engine) spend(color game.Player, began time.Time) {
	d := e.config.Now().Sub(began)
	e.thought += d
	e.clocks[color].Spend(d)
}

// Suggest returns the move that GenMove would choose first in this position, and leaves the game
// and the clocks as they are. Equal positions have equal moves, unless the player's limit is time.
func (e *Engine) Suggest(color game.Player) (game.Action, error) {
	moves, clocks, hopeless, thought := len(e.moves), e.clocks, e.hopeless, e.thought
	number, begun := e.number, e.begun
	e.number, e.begun = 0, 0
	e.replay() // the agent begins anew
	a, err := e.GenMove(color)
	e.moves, e.clocks, e.hopeless, e.thought = e.moves[:moves], clocks, hopeless, thought
	e.number, e.begun = number, begun
	e.replay()
	return a, err
}

// think lets the agent decide within the time of color, whose turn began at a time, and plays
// its move: before a pass that which takes dead stones, if there is one.
func (e *Engine) think(color game.Player, began time.Time) (a game.Action, err error) {
	if !e.told {
		e.tell()
	}
	until := e.limit(color, began)
	e.play.OnMove = func(m player.Move) {
		a = m.Action
		if e.onDecision != nil {
			e.onDecision()
		}
		if v, ok := m.Agent.(player.Analyzer); ok && e.config.OnMove != nil {
			e.config.OnMove(e.game, e.State(), v.Analysis())
		}
		e.judge(color)
	}
	_, err = e.play.Next(context.Background(), []search.Evaluator{e.evaluator})
	e.play.OnMove = nil
	if err != nil {
		e.replay()
		return game.NoAction, err
	}
	if e.config.Resign > 0 && e.hopeless[color] >= resignAfter {
		e.replay() // without the move
		return game.NoAction, nil
	}
	if a == e.pass() {
		if taking, ok := e.capture(color, until); ok {
			a = taking
		}
		if !e.told { // the game was played again, without the pass
			return a, e.Play(color, a)
		}
	}
	e.moves = append(e.moves, move{color, a})
	e.pondering = e.config.Ponder && !e.play.Over()
	return a, nil
}

// resignAfter is the number of hopeless decisions in a row after which a player resigns: one search
// may err.
const resignAfter = 3

// judge notes whether the search that has just decided for color leaves it hope.
func (e *Engine) judge(color game.Player) {
	if e.config.Resign == 0 {
		return
	}
	utilities := make([]float32, 2)
	e.agent.(player.Searching).Result().Value(utilities)
	if e.outlook().Of(utilities, color).Winrate < e.config.Resign {
		e.hopeless[color]++
	} else {
		e.hopeless[color] = 0
	}
}

// outlook returns the outlook of the position.
func (e *Engine) outlook() *analysis.Outlook {
	if e.forecast == nil {
		e.forecast = analysis.NewForecast(e.config.Player, e.game, e.config.Seed)
	}
	return e.forecast.Of(e.State(), e.number, len(e.moves))
}

// Undo takes the last move back.
func (e *Engine) Undo() error {
	if len(e.moves) == 0 {
		return errCannotUndo
	}
	e.moves, e.hopeless = e.moves[:len(e.moves)-1], [2]int{}
	e.replay()
	return nil
}
