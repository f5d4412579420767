package terminal

import (
	"bufio"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// IsTerminal says whether w shows a person a screen.
func IsTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Colorful says whether w is a terminal whose user has not asked for plain
// text (https://no-color.org).
func Colorful(w io.Writer, getenv func(string) string) bool {
	return IsTerminal(w) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// ReadLines hands on what is typed, line by line, and closes the channel at the
// end. Its goroutine ends with r.
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

// OneLine is an error's text without line breaks.
func OneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
