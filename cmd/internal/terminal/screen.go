package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

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
