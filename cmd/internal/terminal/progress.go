package terminal

import (
	"fmt"
	"io"
	"time"
)

// Progress shows how far a count has come, and how long the rest will take: in
// place on a terminal, a line from time to time elsewhere.
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

// set tells that so many of all are done. It is called by one goroutine at a time.
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
	left := time.Duration(float64(now.Sub(p.began)) / float64(done) * float64(all-done)).Round(time.Second)
	line := fmt.Sprintf("%s: %d/%d %s, about %v left", p.name, done, all, p.unit, left)
	if p.live {
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(p.w, line)
}

// close removes what is shown in place.
func (p *Progress) Close() {
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
