package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

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
