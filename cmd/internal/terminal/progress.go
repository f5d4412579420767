package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tengen/internal/notation"
)

// Progress shows the progress of a count and the time left: in place on a terminal, otherwise as a
// line from time to time.
type Progress struct {
	w     io.Writer
	name  string
	unit  string
	live  bool
	began time.Time
	shown time.Time
}

func NewProgress(w io.Writer, name, unit string) *Progress {
	now := time.Now()
	return &Progress{w: w, name: name, unit: unit, live: IsTerminal(w), began: now, shown: now}
}

// Set reports that done of all are done. Calls must not be concurrent.
func (p *Progress) Set(done, all int) {
	now := time.Now()
	every := logEvery
	if p.live {
		every = redrawEvery
	}
	if now.Sub(p.shown) < every {
		return
	}
	p.shown = now
	left := time.Duration(float64(now.Sub(p.began)) / float64(done) * float64(all-done)).
		Round(time.Second)
	line := fmt.Sprintf("%s: %d/%d %s, about %v left", p.name, done, all, p.unit, left)
	if p.live {
		fmt.Fprintf(Controls(p.w), "\r\x1b[K%s",
			ansi.Truncate(notation.Plain(line), columns(p.w)-1, ""))
		return
	}
	fmt.Fprintln(p.w, line)
}

// Close removes what is shown on the terminal.
func (p *Progress) Close() {
	if p.live {
		fmt.Fprint(Controls(p.w), "\r\x1b[K")
	}
}

// Parts shows the progress of consecutive searches or matches.
func Parts(w io.Writer) func(what, unit string, done, all int) {
	var p *Progress
	shown := ""
	return func(what, unit string, done, all int) {
		if what != shown {
			shown, p = what, NewProgress(w, what, unit)
		}
		p.Set(done, all)
		if done == all {
			p.Close()
		}
	}
}
