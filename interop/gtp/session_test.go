package gtp

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// session is an engine that serves a test as it would serve a program.
type session struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string // what the engine writes
	ended chan error  // Serve's error
}

// patience is how long a test waits for a line.
const patience = 2 * time.Minute

func serve(t *testing.T, ctx context.Context, e *Engine) *session {
	t.Helper()
	in, out := newPipe(t), newPipe(t)
	s := &session{t: t, in: in.w, lines: make(chan string, 1000), ended: make(chan error, 1)}
	go func() {
		s.ended <- e.Serve(ctx, in.r, out.w)
		out.w.Close()
	}()
	go func() {
		defer close(s.lines)
		for b := bufio.NewScanner(out.r); b.Scan(); {
			s.lines <- b.Text()
		}
	}()
	return s
}

type pipe struct {
	r *io.PipeReader
	w *io.PipeWriter
}

// newPipe returns a pipe that is closed with the test.
func newPipe(t *testing.T) pipe {
	r, w := io.Pipe()
	t.Cleanup(func() { r.Close() })
	return pipe{r, w}
}

func (s *session) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
}

// line returns the next line of the engine.
func (s *session) line() string {
	s.t.Helper()
	select {
	case text, ok := <-s.lines:
		if !ok {
			s.t.Fatal("the engine has ended")
		}
		return text
	case <-time.After(patience):
		s.t.Fatal("the engine says nothing")
	}
	return ""
}

// want reads the lines of an answer, the empty one at its end included.
func (s *session) want(lines ...string) {
	s.t.Helper()
	for _, want := range lines {
		if got := s.line(); got != want {
			s.t.Fatalf("%q, want %q", got, want)
		}
	}
}

// info reads a line of an analysis and checks its form.
func (s *session) info(d dialect) string {
	s.t.Helper()
	text := s.line()
	if err := checkInfo(d, text); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	return text
}

// rest reads lines of an analysis up to the end of the answer, and returns their number.
func (s *session) rest(d dialect) (n int) {
	s.t.Helper()
	for ; ; n++ {
		text := s.line()
		if text == "" {
			return n
		}
		if err := checkInfo(d, text); err != nil {
			s.t.Fatalf("%s: %v", text, err)
		}
	}
}

// end closes the input, and returns Serve's error.
func (s *session) end() error {
	s.t.Helper()
	s.in.Close()
	return s.wait()
}

func (s *session) wait() error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(patience):
		s.t.Fatal("the session does not end")
	}
	return nil
}

// words splits a line at spaces, of which there is one between words.
func words(line string) []string { return strings.Split(line, " ") }
