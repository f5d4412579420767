package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// stoppedError says what a signal ended and how to continue.
type stoppedError struct {
	text string
	err  error // the context's
}

func (s *stoppedError) Error() string { return s.text }
func (s *stoppedError) Unwrap() error { return s.err }

// Stopped returns the error of a command that a signal ended: text says what was stopped and how to
// go on, err is the context's error.
func Stopped(text string, err error) error { return &stoppedError{text, err} }

// NoticeStop prints a line if a command does not end soon after its context has: the decisions in
// progress are awaited. The function that it returns is called when there is nothing more to await.
func NoticeStop(c *cobra.Command) (done func()) {
	ended, told := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(c.Context(), func() {
		defer close(told)
		select {
		case <-ended:
		case <-time.After(time.Second):
			fmt.Fprintln(c.ErrOrStderr(), "stopping after the moves in progress; a second Ctrl-C ends at once, without a result")
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		if !stop() {
			<-told // the line does not come after those of the end
		}
	})
}
