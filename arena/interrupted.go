package arena

import (
	"context"
	"errors"
	"fmt"
)

// Interrupted is the error of a match that ended before its last game, because its context ended
// or an evaluator failed. The results so far come with it. A game counts if all games of its round
// and of earlier rounds have ended: among the games in progress short ones end first, so that
// counting whatever has ended would favour them.
type Interrupted struct {
	Games   int `json:"games"` // that count
	Planned int `json:"planned_games"`
	LeftOut int `json:"left_out_games"` // that have ended and don't count

	cause error
}

// Interrupt returns the interruption by cause of a match of which so many games count.
func Interrupt(games, planned int, cause error) *Interrupted {
	return &Interrupted{Games: games, Planned: planned, cause: cause}
}

// Error implements error. If an evaluator failed it is that error's text.
func (i *Interrupted) Error() string {
	if errors.Is(i.cause, context.Canceled) || errors.Is(i.cause, context.DeadlineExceeded) {
		return fmt.Sprintf("stopped after %d of %d games", i.Games, i.Planned)
	}
	return i.cause.Error()
}

// Unwrap returns the context's or the evaluator's error.
func (i *Interrupted) Unwrap() error { return i.cause }

// Note says in a line for people which games count.
func (i *Interrupted) Note() string {
	text := fmt.Sprintf("%d of %d games; interrupted", i.Games, i.Planned)
	if i.LeftOut > 0 {
		text += fmt.Sprintf("; left out: %d that ended before earlier ones", i.LeftOut)
	}
	return text
}

// And returns the interruption of a longer series of games: of all that were planned, before of
// them had ended before this match began.
func (i *Interrupted) And(before, planned int) *Interrupted {
	return &Interrupted{
		Games: before + i.Games, Planned: planned, LeftOut: i.LeftOut, cause: i.cause,
	}
}

// InterruptedBy returns the Interrupted that err is or wraps, nil if there is none.
func InterruptedBy(err error) *Interrupted {
	var i *Interrupted
	errors.As(err, &i)
	return i
}
