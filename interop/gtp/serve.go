package gtp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 20

// Serve answers the commands read from r until the command quit, the end of r or the end of
// ctx. If ctx ends it returns the context's error; a read from r may then still be in progress.
//
// Lines are read while searches run: an analysis ends when the next line arrives, even an empty
// one, and so does pondering.
func (e *Engine) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := read(ctx, r)
	for {
		for e.pondering && !in.Stopped() {
			e.ponder()
		}
		line, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		c, ok := ParseCommand(line)
		if !ok {
			continue
		}
		a := &answerWriter{input: in, id: c.ID, w: w}
		if err := e.answer(c, a); err != nil {
			return fmt.Errorf("answer %s: %w", c.Name, err)
		}
		if c.Name == "quit" && e.known(c.Name) {
			return nil
		}
	}
}

// answer executes a command and writes its answer. It returns the error of writing.
func (e *Engine) answer(c Command, a *answerWriter) error {
	text, err := e.do(c, a)
	if !a.begun {
		a.write(answer(c.ID, text, err))
		return a.err
	}
	// An answer that has begun can't become an error.
	if text != "" {
		a.Line(text)
	}
	a.write("\n")
	return a.err
}

// answerWriter writes an answer line by line. It implements output.
type answerWriter struct {
	*input
	id    string
	w     io.Writer
	begun bool
	err   error // of writing
}

// Line writes a line of the answer; the empty one only begins it.
func (a *answerWriter) Line(text string) {
	if !a.begun {
		a.begun = true
		a.write("=" + a.id + "\n")
	}
	if text != "" {
		a.write(text + "\n")
	}
}

func (a *answerWriter) write(text string) {
	if a.err == nil {
		_, a.err = io.WriteString(a.w, text)
	}
}

// Stopped implements output.
func (a *answerWriter) Stopped() bool { return a.err != nil || a.input.Stopped() }

// input reads lines in a goroutine of its own. Its methods are for one goroutine.
type input struct {
	ctx    context.Context
	lines  chan string
	failed chan error // has the error that ended lines, or nil

	held string // a line that Stopped or Wait has received
	full bool   // there is one
	over bool   // lines have ended
}

// read reads lines from r until ctx ends.
func read(ctx context.Context, r io.Reader) *input {
	in := &input{ctx: ctx, lines: make(chan string), failed: make(chan error, 1)}
	go func() {
		defer close(in.lines)
		s := bufio.NewScanner(r)
		s.Buffer(nil, maxLine)
		for s.Scan() {
			select {
			case in.lines <- s.Text():
			case <-ctx.Done():
				in.failed <- ctx.Err()
				return
			}
		}
		in.failed <- s.Err()
	}()
	return in
}

// Stopped reports whether next would return at once.
func (in *input) Stopped() bool {
	if in.full || in.over || in.ctx.Err() != nil {
		return true
	}
	select {
	case text, ok := <-in.lines:
		in.take(text, ok)
		return true
	default:
		return false
	}
}

// Wait returns when Stopped would return true, or after some time; 0 is no limit.
func (in *input) Wait(d time.Duration) {
	if in.Stopped() {
		return
	}
	var timer <-chan time.Time
	if d != 0 {
		timer = time.After(d)
	}
	select {
	case <-in.ctx.Done():
	case <-timer:
	case text, ok := <-in.lines:
		in.take(text, ok)
	}
}

func (in *input) take(text string, ok bool) {
	in.held, in.full, in.over = text, ok, !ok
}

// next returns the next line, or io.EOF at the end, or the error that ended the input.
func (in *input) next() (string, error) {
	in.Wait(0)
	switch {
	case in.full:
		in.full = false
		return in.held, nil
	case in.ctx.Err() != nil:
		return "", in.ctx.Err()
	}
	if err := <-in.failed; err != nil {
		return "", fmt.Errorf("read commands: %w", err)
	}
	return "", io.EOF
}
