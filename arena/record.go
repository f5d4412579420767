package arena

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"tengen/game"
)

// Record is one game in JSON, as tournaments save it and as programs exchange it. Only Game and
// Actions are needed; docs/formats/match.md describes it.
type Record struct {
	Number  int      `json:"number"`            // in its tournament, from 0
	Game    string   `json:"game"`              // its canonical name
	Players []string `json:"players,omitempty"` // by seat
	// by seat: the player's number in the tournament
	Seating []int         `json:"seating,omitempty"`
	Actions []game.Action `json:"actions"`           // including outcomes of chance
	Moves   []string      `json:"moves,omitempty"`   // the actions' names
	Scores  []float32     `json:"scores,omitempty"`  // raw scores by seat, of a finished game
	Returns []float32     `json:"returns,omitempty"` // utilities by seat, of a finished game
}

// Write writes the record of a game of g as a file of its own, version 1 of docs/formats/game.md,
// with the names of its actions. Every action must be possible in its position.
func (r Record) Write(w io.Writer, g game.Game) error {
	if r.Actions == nil {
		r.Actions = []game.Action{} // null is no list
	}
	r.Moves = make([]string, len(r.Actions))
	replayer := game.NewReplayer(g)
	for i, a := range r.Actions {
		r.Moves[i] = game.ActionName(g, replayer.State(), a)
		replayer.Apply(a)
	}
	return json.NewEncoder(w).Encode(struct {
		Version int `json:"version"`
		Record
	}{1, r})
}

// Replay replays the record of a game of g. It calls visit, unless nil, before each action and
// once at the end, with the number of actions played so far. visit must not change or keep the
// state. Replay returns an error if an action is not possible, or if the recorded scores or
// utilities differ from those of the last position.
func (r *Record) Replay(g game.Game, visit func(s game.State, ply int)) error {
	replayer := game.NewReplayer(g)
	s := replayer.State()
	for i, a := range r.Actions {
		switch err := replayer.Check(a); {
		case err == game.ErrOver:
			return fmt.Errorf("game %d: it is over after %d actions, but %d are recorded",
				r.Number, i, len(r.Actions))
		case err != nil:
			return fmt.Errorf("game %d: action %d at place %d can't be played there",
				r.Number, a, i+1)
		}
		if visit != nil {
			visit(s, i)
		}
		replayer.Apply(a)
	}
	if visit != nil {
		visit(s, len(r.Actions))
	}
	if r.Scores == nil && r.Returns == nil {
		return nil
	}
	if s.CurrentPlayer() != game.Nobody {
		return fmt.Errorf("game %d: a result is recorded, but after its %d actions it is not over",
			r.Number, len(r.Actions))
	}
	scores, returns := make([]float32, g.Players()), make([]float32, g.Players())
	game.Scores(s, scores)
	s.Returns(returns)
	return r.compare(scores, returns)
}

// compare returns an error if the recorded scores or utilities, where there are any, are others
// than those reached.
func (r *Record) compare(scores, returns []float32) error {
	if r.Scores != nil && !slices.Equal(r.Scores, scores) {
		return fmt.Errorf("game %d: scores %v are recorded, where %v are reached",
			r.Number, r.Scores, scores)
	}
	if r.Returns != nil && !slices.Equal(r.Returns, returns) {
		return fmt.Errorf("game %d: utilities %v are recorded, where %v are reached",
			r.Number, r.Returns, returns)
	}
	return nil
}
