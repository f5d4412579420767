package game

import (
	"errors"
	"fmt"
	"slices"
)

// ErrOver is returned for an action after the end of the game.
var ErrOver = errors.New("the game is over")

// Replayer replays recorded actions and checks them: an action of a player must be legal, an
// outcome of chance must have a probability above 0, and no action may follow the end of the
// game. Its errors do not name the game or the ply; callers add them. It allocates nothing once
// its buffers have grown. It is used by one goroutine.
type Replayer struct {
	initial, state State
	legal          []Action
	listed         bool // legal is up to date
	outcomes       []Outcome
	ply            int
}

// NewReplayer makes a Replayer at the initial position of g.
func NewReplayer(g Game) *Replayer {
	return &Replayer{
		initial: g.NewState(), state: g.NewState(), legal: make([]Action, 0, g.Actions()+1),
	}
}

// Reset goes back to the initial position.
func (r *Replayer) Reset() { r.Start(r.initial) }

// Start goes to a copy of s, a state of the same game. Ply counts from there.
func (r *Replayer) Start(s State) {
	r.state.CopyFrom(s)
	r.ply, r.listed = 0, false
}

// State returns the current position. It belongs to the Replayer and must not be changed; see
// Edit.
func (r *Replayer) State() State { return r.state }

// Ply returns the number of actions played since Reset or Start.
func (r *Replayer) Ply() int { return r.ply }

// LegalActions returns the legal actions in ascending order, none if chance is to move or the
// game is over. The slice is valid until the position changes.
func (r *Replayer) LegalActions() []Action {
	if !r.listed {
		r.legal, r.listed = r.legal[:0], true
		if r.state.CurrentPlayer() >= 0 {
			r.legal = r.state.LegalActions(r.legal)
		}
	}
	return r.legal
}

// Check returns an error if a can't be the next action.
func (r *Replayer) Check(a Action) error {
	switch r.state.CurrentPlayer() {
	case Nobody:
		return ErrOver
	case Chance:
		if c, ok := r.state.(Chancer); ok {
			r.outcomes = c.Outcomes(r.outcomes[:0])
			for _, o := range r.outcomes {
				if o.Action == a && o.Probability > 0 {
					return nil
				}
			}
		}
	default:
		if _, ok := slices.BinarySearch(r.LegalActions(), a); ok {
			return nil
		}
	}
	return fmt.Errorf("action %d is not legal", a)
}

// Play checks a and applies it. After an error the position is unchanged.
func (r *Replayer) Play(a Action) error {
	if err := r.Check(a); err != nil {
		return err
	}
	r.Apply(a)
	return nil
}

// Apply applies an action that is known to be possible, without checking it.
func (r *Replayer) Apply(a Action) {
	r.state.Apply(a)
	r.ply++
	r.listed = false
}

// Edit changes the position without an action, for instance by giving the turn to another
// player.
func (r *Replayer) Edit(change func(State) error) error {
	r.listed = false
	return change(r.state)
}
