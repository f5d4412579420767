package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"tengen/internal/notation"
	"tengen/nn"
	"tengen/run"
	"tengen/trainer"
)

// Screen shows a run: on a terminal a status below the log lines, redrawn in place; otherwise a
// line about the current stage from time to time. Logs are written through it.
type Screen struct {
	w       io.Writer
	monitor *trainer.Monitor
	live    bool // w is a terminal
	Color   bool
	Unit    string // of scores: game.ScoreUnit

	mu     sync.Mutex
	drawn  int // lines of the status on the terminal
	closed bool
	stop   chan struct{}
	done   chan struct{}
}

const (
	redrawEvery = 250 * time.Millisecond
	logEvery    = 30 * time.Second
	logFirst    = 12 * time.Second // by then the time left is known
)

func NewScreen(w io.Writer, m *trainer.Monitor) *Screen {
	return &Screen{
		w: w, monitor: m, live: IsTerminal(w), Color: Colorful(w, os.Getenv), Unit: "points",
	}
}

// Begin starts showing the run.
func (s *Screen) Begin() {
	s.stop, s.done = make(chan struct{}), make(chan struct{})
	every := logEvery
	if s.live {
		every = redrawEvery
	}
	go func() {
		defer close(s.done)
		first := time.After(min(every, logFirst))
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-s.stop:
				return
			case <-first:
			case <-tick.C:
			}
			s.show()
		}
	}()
}

// Close removes what is shown on the terminal.
func (s *Screen) Close() {
	if s.stop != nil && !s.closed {
		close(s.stop)
		<-s.done
		s.mu.Lock()
		defer s.mu.Unlock()
		s.erase()
	}
	s.closed = true
}

// Write writes log lines above the status.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	return Colored(s.w).Write(p)
}

// erase removes the status from the terminal.
func (s *Screen) erase() {
	if s.drawn > 0 {
		// From the first column: the terminal may have echoed Ctrl-C as ^C.
		fmt.Fprintf(Controls(s.w), "\r\x1b[%dA\x1b[J", s.drawn)
		s.drawn = 0
	}
}

func (s *Screen) show() {
	status := s.monitor.Status()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := statusLines(&status, s.Unit)
	if !s.live {
		if status.Stage != "" && status.All > 0 {
			fmt.Fprintf(s.w, "%s %s\n",
				time.Now().Format(time.TimeOnly), strings.Join(lines[:1], ""))
		}
		return
	}
	s.erase()
	width := columns(s.w)
	for _, line := range lines {
		fmt.Fprintln(s.w, ansi.Truncate(notation.Plain(line), width-1, ""))
	}
	s.drawn = len(lines)
}

// statusLines returns the status of a run as text, the current stage first.
func statusLines(s *run.Status, unit string) []string {
	left := "time left not yet known"
	switch {
	case s.State == run.Stopping:
		left = "stopping"
	case s.Left > 0:
		left = "about " + s.Left.Round(time.Second).String() + " left"
	case s.Iterations > 0 && s.Iteration >= s.Iterations:
		left = "almost done"
	}
	if s.Limit > 0 && s.State != run.Stopping {
		left += fmt.Sprintf(" of %v (%.0f %%)", s.Limit, 100*s.Share)
	}
	first := fmt.Sprintf("%s  iteration %d/%d  %s",
		left, min(s.Iteration+1, s.Iterations), s.Iterations, s.Stage.Title())
	if s.All > 0 {
		first += fmt.Sprintf(" %d/%d %s", s.Done, s.All, s.Stage.Unit())
	}
	if s.GamesPerSecond > 0 || s.EvaluationsPerSecond > 0 { // self-play has begun
		first += fmt.Sprintf("  %.1f games/s  %.0f evaluations/s",
			s.GamesPerSecond, s.EvaluationsPerSecond)
	}
	if s.CacheHits > 0 {
		first += fmt.Sprintf("  %.0f %% cache hits", 100*s.CacheHits)
	}
	lines := []string{first}
	if s.Waiting != "" {
		lines = append(lines, s.Waiting)
	}
	if p := s.Last; p != nil {
		line := "loss  " + lossesLine(&p.Losses)
		if p.HeldOut != nil {
			line += "  held out: " + lossesLine(p.HeldOut)
		}
		if p.States > 0 {
			line += fmt.Sprintf("  %.0f states a game", p.States)
		}
		lines = append(lines, line+fmt.Sprintf("  %d games, window %d", p.Games, p.Window))
	}
	if e := s.Strength; e != nil {
		line := fmt.Sprintf("against UCT: %s %s, sum %s (%d games a seat)",
			e.Seats(), unit, e.Total(), e.Games)
		if e.Elo != nil {
			line += "  rating " + e.Elo.String()
		}
		lines = append(lines, line)
	}
	if b := s.Concurrent; b != nil {
		lines = append(lines,
			fmt.Sprintf("beside: evaluation of network %d  %d/%d games",
				b.Iteration, b.Done, b.All))
	}
	return lines
}

// lossesLine returns the losses of the heads as text; Descent's networks have no policy.
func lossesLine(l *nn.Losses) string {
	if l.Policy == 0 {
		return fmt.Sprintf("value %.4g", l.Value)
	}
	return fmt.Sprintf("policy %.3f  value %.3f", l.Policy, l.Value)
}

// Editor reads lines from a terminal, with the keys of a shell: arrows, Ctrl-A, Ctrl-E, Ctrl-W, and
// the lines typed before. The terminal is in raw mode only while a line is awaited, so that Ctrl-C
// interrupts the program as usual otherwise. It is used by one goroutine.
type Editor struct {
	in    *os.File
	keys  *keys
	term  *term.Terminal
	state *term.State // before raw mode; nil outside
}

// keys are what is typed.
type keys struct {
	io.Reader
	interrupted bool
}

const ctrlC = 3

// Read implements io.Reader.
func (k *keys) Read(b []byte) (int, error) {
	n, err := k.Reader.Read(b)
	for _, c := range b[:n] {
		if c == ctrlC {
			k.interrupted = true
		}
	}
	return n, err
}

// NewEditor returns an editor, or nil if in and out are not both terminals.
func NewEditor(in io.Reader, out io.Writer) *Editor {
	file, ok := file(in)
	if !ok || !IsTerminal(file) || !IsTerminal(out) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	e := &Editor{in: file, keys: &keys{Reader: file}}
	e.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{e.keys, Controls(out)}, "")
	return e
}

// Typed is a line, or the reason why there is none: io.EOF for Ctrl-D, ErrInterrupted for Ctrl-C.
type Typed struct {
	Text string
	Err  error
}

// Ask shows the prompt and sends the line that is then typed. Close ends raw mode; call it after
// receiving the line, or when it is awaited no longer, in which case the editor can't be used
// again.
func (e *Editor) Ask(prompt string) (<-chan Typed, error) {
	state, err := term.MakeRaw(int(e.in.Fd()))
	if err != nil {
		return nil, err
	}
	e.state = state
	if width, height, err := term.GetSize(int(e.in.Fd())); err == nil && width > 0 {
		_ = e.term.SetSize(width, height) // a wrong size is only ugly
	}
	e.term.SetPrompt(prompt)
	lines := make(chan Typed, 1)
	go func() {
		text, err := e.term.ReadLine()
		if err == term.ErrPasteIndicator {
			err = nil
		}
		if err == io.EOF && e.keys.interrupted {
			err = ErrInterrupted
		}
		lines <- Typed{text, err}
	}()
	return lines, nil
}

// Close ends raw mode.
func (e *Editor) Close() {
	if e.state != nil {
		_ = term.Restore(int(e.in.Fd()), e.state) // there is nothing to be done if it fails
		e.state = nil
	}
}
