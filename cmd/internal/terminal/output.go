package terminal

import (
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

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
