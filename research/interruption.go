package research

import (
	"context"
	"errors"

	"tengen/arena"
)

// Interruption says where an experiment was interrupted.
type Interruption struct {
	During string `json:"during"` // the match or search in progress
	// Interrupted says which games of a match count; nil for a search.
	*arena.Interrupted
}

// Interrupt notes that err ended a match or a search, if it says that its context has ended or that
// an evaluator has failed, and returns err. What has been found until then is to be returned with
// it.
func (m *Made) Interrupt(during string, err error) error {
	i := arena.InterruptedBy(err)
	if i != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		m.Interrupted = &Interruption{during, i}
	}
	return err
}

// note says where the experiment was interrupted, below what it found.
func (i *Interruption) note() string {
	if i.Interrupted == nil {
		return "\nInterrupted during " + i.During + ".\n"
	}
	return "\n" + i.During + ": " + i.Note() + ".\n"
}
