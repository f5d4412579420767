package terminal

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"tengen/internal/notation"
)

// IsTerminal reports whether x, a reader or writer, is a terminal.
func IsTerminal(x any) bool {
	f, ok := file(x)
	return ok && term.IsTerminal(int(f.Fd()))
}

// file returns the file that a reader or writer is, or writes to.
func file(x any) (*os.File, bool) {
	if o, ok := x.(*Output); ok {
		x = o.w
	}
	f, ok := x.(*os.File)
	return f, ok
}

// columns returns the width of a terminal, 80 if it is not known.
func columns(w io.Writer) int {
	if f, ok := file(w); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width >= 20 {
			return width
		}
	}
	return 80
}

// Colorful reports whether w is a terminal whose user has not asked for plain text (https://no-
// color.org).
func Colorful(w io.Writer, getenv func(string) string) bool {
	return IsTerminal(w) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// ErrInterrupted means that Ctrl-C was typed where it is a key like others.
var ErrInterrupted = errors.New("interrupted")

// ReadLines sends the lines of r and closes the channel at its end. The goroutine ends with r.
func ReadLines(r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// OneLine returns an error's text without line breaks and other control characters.
func OneLine(err error) string {
	return notation.Plain(
		strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool {
			return r == '\n' || r == '\r'
		}), "; "))
}
