package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"tengen/internal/notation"
)

// Output is where commands write. Text may hold names from files, programs and the network, and the
// output may be a terminal, now or behind a pipe: control characters other than line feeds and
// tabs, marks that turn the direction of writing, and bytes that are not UTF-8 are written out as
// [notation.PlainLines] does, which leaves JSON what it is. What this program itself tells a
// terminal goes past that: by [Colored] and [Controls]. It is safe for concurrent use.
type Output struct {
	w io.Writer

	mu   sync.Mutex
	tail []byte // the beginning of a character whose other bytes have not come yet
}

func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) { return o.write(p, notation.PlainLines) }

// Close writes what remains of a character that was never completed. The writer below stays open.
func (o *Output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.flush()
}

// write writes p as shown returns it, but for the last bytes, if they are an incomplete character.
func (o *Output) write(p []byte, shown func(string) string) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := append(o.tail, p...)
	whole := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole -= n
			}
			break
		}
	}
	o.tail = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(o.w, shown(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (o *Output) flush() error {
	if len(o.tail) == 0 {
		return nil
	}
	text := notation.PlainLines(string(o.tail))
	o.tail = nil
	_, err := io.WriteString(o.w, text)
	return err
}

// Colored returns a writer for text of which this program has coloured parts: what w is, with
// colours.
func Colored(w io.Writer) io.Writer {
	if o, ok := w.(*Output); ok {
		return colored{o}
	}
	return w
}

type colored struct{ *Output }

func (c colored) Write(p []byte) (int, error) { return c.write(p, shades) }

// color matches a colour or weight of ECMA-48's SGR, none of which makes text vanish or blink.
var color = regexp.MustCompile(`\x1b\[(?:` + shade + `(?:;` + shade + `)*)?m`)

const shade = `(?:[0-2]|22|[349][0-7]|[34]9|[34]8;5;[0-9]{1,3})`

// shades is notation.PlainLines except for colours.
func shades(text string) string {
	var b strings.Builder
	from := 0
	for _, at := range color.FindAllStringIndex(text, -1) {
		b.WriteString(notation.PlainLines(text[from:at[0]]))
		b.WriteString(text[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(notation.PlainLines(text[from:]))
	return b.String()
}

// Controls returns a writer for what this program tells a terminal: where the cursor goes, what is
// erased. Text from elsewhere must not be written by it.
func Controls(w io.Writer) io.Writer {
	if o, ok := w.(*Output); ok {
		return controls{o}
	}
	return w
}

type controls struct{ *Output }

func (c controls) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.flush(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}

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
