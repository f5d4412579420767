package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"tengen/run/watch"
)

// Viewer shows a run on the whole terminal.
type Viewer struct {
	Source watch.Source
	Out    io.Writer // a terminal
	In     io.Reader
	Color  bool
}

// lookEvery is the interval between looks at the run.
const lookEvery = time.Second

// What terminals are told (ECMA-48, and xterm's private modes): another screen,
// without a cursor, on which long lines are cut; and back.
const (
	fullScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	backAgain  = "\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// looked is the result of a look at the run.
type looked struct {
	snapshot *watch.Snapshot
	err      error
}

// Run shows the run until q or Ctrl-C is typed or ctx ends. If the first look fails, it returns
// the error; later errors are shown.
func (v *Viewer) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x, err := v.Source.Look(ctx, time.Now())
	if err != nil {
		return err
	}
	keys := v.keys()
	if keys != nil {
		fd := int(v.In.(*os.File).Fd())
		state, err := term.MakeRaw(fd)
		if err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		defer func() { _ = term.Restore(fd, state) }() // there is nothing to be done if it fails
	}
	if _, err := io.WriteString(Controls(v.Out), fullScreen); err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer func() { _, _ = io.WriteString(Controls(v.Out), backAgain) }() // likewise
	resized, stop := resizes()
	defer stop()

	looks := make(chan looked)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		v.look(ctx, looks)
	}()
	defer func() {
		cancel()
		<-ended
	}()
	now := looked{snapshot: x}
	for {
		if err := v.draw(now); err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case key, ok := <-keys:
			if !ok {
				keys = nil // nothing more is typed
			} else if key == 'q' || key == 'Q' || key == 3 { // Ctrl-C
				return nil
			}
		case <-resized:
		case next := <-looks:
			if now.err = next.err; next.err == nil {
				now.snapshot = next.snapshot
			}
		}
	}
}

// look looks at the run periodically, in a goroutine of its own, since a slow answer must not
// block the screen.
func (v *Viewer) look(ctx context.Context, looks chan<- looked) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		x, err := v.Source.Look(ctx, time.Now())
		select {
		case <-ctx.Done():
			return
		case looks <- looked{x, err}:
		}
	}
}

// keys returns the bytes typed, or nil if the input is no terminal. Its goroutine ends with the
// input.
func (v *Viewer) keys() <-chan byte {
	f, ok := v.In.(*os.File)
	if !ok || !IsTerminal(f) {
		return nil
	}
	keys := make(chan byte)
	go func() {
		defer close(keys)
		for b := make([]byte, 1); ; {
			if n, err := f.Read(b); n == 0 || err != nil {
				return
			}
			keys <- b[0]
		}
	}()
	return keys
}

// draw draws a frame over the previous one.
func (v *Viewer) draw(now looked) error {
	width, height := 80, 24
	if f, ok := file(v.Out); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			width, height = w, h
		}
	}
	_, err := io.WriteString(Controls(v.Out), frame(now, width, height, v.Color))
	return err
}

// frame returns the text that draws a screen of width columns and height rows: the run, and below
// it the keys or the last error. It cuts what does not fit.
func frame(now looked, width, height int, color bool) string {
	lines := watch.Lines(now.snapshot, width, color)
	for i, line := range lines {
		lines[i] = shades(line)
	}
	foot := now.snapshot.Time.Format(time.TimeOnly) + "  q quits"
	if now.err != nil {
		foot = now.snapshot.Time.Format(time.TimeOnly) + ": the last look; now: " + OneLine(now.err)
	}
	foot = ansi.Truncate(foot, width, "")
	if room := max(0, height-1); len(lines) > room {
		lines = lines[:room]
		if room > 0 {
			lines[room-1] = "…"
		}
	}
	if len(lines)+2 <= height {
		lines = append(lines, "")
	}
	lines = append(lines, foot)
	// Each line is erased behind its text: nothing flickers.
	return "\x1b[H" + strings.Join(lines, "\x1b[K\r\n") + "\x1b[K\x1b[J"
}
