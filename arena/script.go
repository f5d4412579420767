package arena

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/player"
	"tengen/search"
)

// script is a player of all seats, and its agent: it decides as a record says.
type script struct {
	number  int
	actions []game.Action
	ply     int // of the game
	legal   []game.Action
	err     error // why the record is not one of the game
}

func (s *script) Name() string                                 { return "a record" }
func (s *script) NewAgent(game.Game) player.Agent              { return s }
func (s *script) NewEvaluator(game.Game, int) search.Evaluator { return nil }
func (s *script) Begin(*rand.Rand)                             {}
func (s *script) Deliver(search.Evaluations)                   {}
func (s *script) SeesAll() bool                                { return true }
func (s *script) Played(game.Action)                           { s.ply++ }
func (s *script) Think(state game.State, _ search.Requests) (game.Action, bool) {
	s.legal = state.LegalActions(s.legal[:0])
	switch a, ok := s.next(); {
	case !ok:
	case !slices.Contains(s.legal, a):
		s.err = fmt.Errorf("game %d: action %d at place %d can't be played there",
			s.number, a, s.ply+1)
	default:
		return a, true
	}
	return s.legal[0], true // the game is stopped after it
}

// next returns the action that the record has now.
func (s *script) next() (game.Action, bool) {
	if s.ply >= len(s.actions) {
		s.err = fmt.Errorf("game %d: after its %d actions it is not over", s.number, len(s.actions))
		return 0, false
	}
	return s.actions[s.ply], true
}

// made checks a move that the game has drawn or forced.
func (s *script) made(m player.Move) {
	if m.By == player.ByAgent || s.err != nil {
		return
	}
	what := map[player.By]string{
		player.ByChance: "chance", player.ByForce: "the rules", player.ByOpening: "the opening",
	}[m.By]
	if a, ok := s.next(); ok && a != m.Action {
		s.err = fmt.Errorf("game %d: action %d at place %d, where %s has %d",
			s.number, a, s.ply+1, what, m.Action)
	}
}

// resultOf plays a game of the match by its actions, and returns its result. It returns an error if
// they are not those of a finished game that begins as the one of this number does, with outcomes
// of chance as that one draws them.
func (m *Match) resultOf(number int, actions []game.Action) (Result, error) {
	r := &script{number: number, actions: actions}
	s := m.schedule(func() (scheduledGame, bool) { return m.scheduled(number), true })
	s.keep = true
	s.players = slices.Repeat([]player.Player{r}, len(m.Players))
	finished := make(chan Result, 1)
	x := newSlot(&s, finished)
	x.game.OnMove = func(move player.Move) {
		r.made(move)
		x.made(move)
	}
	x.game.Stop = func() bool { return r.err != nil }
	x.begin()
	x.game.Advance(nil)
	switch {
	case r.err != nil:
		return Result{}, r.err
	case len(actions) > r.ply:
		return Result{},
			fmt.Errorf("game %d: it is over after %d actions, but %d are recorded",
				number, r.ply, len(actions))
	}
	x.end()
	return <-finished, nil
}
