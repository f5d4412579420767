package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tengen/run/history"
	"tengen/run/watch"
)

// pseudo opens a pseudo-terminal: what a program has, and what a person has.
func pseudo(t *testing.T, columns, rows uint16) (tty, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skip("there are no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { tty.Close() })
	resize(t, tty, columns, rows)
	return tty, person
}

func resize(t *testing.T, tty *os.File, columns, rows uint16) {
	t.Helper()
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{
		Col: columns, Row: rows,
	}); err != nil {
		t.Fatal(err)
	}
}

// output is what a person sees, as it comes.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *output) read(r io.Reader) {
	for b := make([]byte, 4096); ; {
		n, err := r.Read(b)
		o.mu.Lock()
		o.text.Write(b[:n])
		o.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (o *output) wait(t *testing.T, what string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !strings.Contains(o.String(),
		what); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q does not appear in %q", what, o.String())
		}
	}
}

// changing is a run that goes on with every look, and once can't be looked at.
type changing struct{ looks int }

func (c *changing) Look(context.Context, time.Time) (*watch.Snapshot, error) {
	if c.looks++; c.looks == 2 {
		return nil, errors.New("nobody answers")
	}
	return &watch.Snapshot{
		Source: "runs/first", State: "running", Iteration: c.looks, Iterations: 99,
		Time: time.Now(),
		Warnings: []watch.Warning{
			{Text: "a line that is longer than the forty columns which it will have"},
		},
	}, nil
}

// On a terminal a run takes the whole screen, is drawn anew as it goes on and
// when the window changes, and the terminal is left as it was, however it ends.
func TestViewer(t *testing.T) {
	for _, key := range []string{"q", "\x03", ""} {
		tty, person := pseudo(t, 80, 24)
		before, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		seen := new(output)
		go seen.read(person)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		v := &Viewer{Source: new(changing), Out: tty, In: tty, Color: true}
		go func() { ended <- v.Run(ctx) }()
		seen.wait(t, "\x1b[?1049h\x1b[?25l")
		seen.wait(t, "\x1b[0m2/99") // the iteration under way
		if key == "q" {
			seen.wait(t, "the last look; now: nobody answers")
			seen.wait(t, "\x1b[0m4/99")
			const narrow = "longer than the\x1b[K\r\n"
			if strings.Contains(seen.String(), narrow) {
				t.Error("the screen is narrow before it is made so")
			}
			resize(t, tty, 40, 12)
			if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
				t.Fatal(err)
			}
			seen.wait(t, narrow)
		}
		if key == "" {
			cancel()
		} else if _, err := io.WriteString(person, "x"+key); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("%q: error %v", key, err)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%q does not end it", key)
		}
		cancel()
		seen.wait(t, "\x1b[?7h\x1b[?25h\x1b[?1049l")
		after, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
		if err != nil || *after != *before {
			t.Errorf("%q: %v: the terminal is left as %+v, was %+v", key, err, after, before)
		}
	}
}

// A run that can't be looked at leaves the terminal alone.
func TestViewerFails(t *testing.T) {
	tty, _ := pseudo(t, 80, 24)
	source, err := watch.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	v := &Viewer{Source: source, Out: tty, In: tty}
	if err := v.Run(t.Context()); !errors.Is(err, history.ErrNone) {
		t.Errorf("error %v", err)
	}
}

// TestEditor: lines are edited as in a shell, and those before come back; Ctrl-C and Ctrl-D end the
// input, and the terminal is as it was afterwards.
func TestEditor(t *testing.T) {
	tty, person := pseudo(t, 80, 24)
	t.Setenv("TERM", "xterm")
	seen := new(output)
	go seen.read(person)
	e := NewEditor(tty, tty)
	if e == nil {
		t.Fatal("a terminal has no editor")
	}
	for _, c := range []struct {
		keys, want string
		err        error
	}{
		{"c3\r", "c3", nil},
		{"x3\x01\x1b[C\x7fd\r", "d3", nil}, // to the begin, right, delete, d
		{"\x1b[A\x1b[A\r", "c3", nil},      // the line before the last
		{"\x03", "", ErrInterrupted},
	} {
		lines, err := e.Ask("> ")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := person.WriteString(c.keys); err != nil {
			t.Fatal(err)
		}
		got := <-lines
		e.Close()
		if got.Text != c.want || got.Err != c.err {
			t.Errorf("%q is the line %q (%v), want %q (%v)",
				c.keys, got.Text, got.Err, c.want, c.err)
		}
	}
	if NewEditor(new(keys), tty) != nil {
		t.Error("what is no terminal has an editor")
	}
}
