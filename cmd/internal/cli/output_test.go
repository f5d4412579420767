package cli

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/lmittmann/tint"
)

// Text loses what a terminal would obey; colours and movements of the cursor have ways of their
// own.
func TestOutput(t *testing.T) {
	const text = "a\x1b[31mb\x1b[0m\x1b[1;38;5;7mc\x1b[8md\x1b[2J\r\u009b\u202e\xff\te\n"
	for name, c := range map[string]struct {
		way  func(io.Writer) io.Writer
		want string
	}{
		"text": {func(w io.Writer) io.Writer {
			return w
		}, `a\x1b[31mb\x1b[0m\x1b[1;38;5;7mc\x1b[8md\x1b[2J\x0d\u009b\u202e\xff` + "\te\n"},
		"colours": {Colored,
			"a\x1b[31mb\x1b[0m\x1b[1;38;5;7mc" + `\x1b[8md\x1b[2J\x0d\u009b\u202e\xff` + "\te\n"},
		"controls": {Controls, text},
	} {
		var b bytes.Buffer
		n, err := io.WriteString(c.way(NewOutput(&b)), text)
		if b.String() != c.want || n != len(text) || err != nil {
			t.Errorf("%s: %q, %d of %d bytes, %v, want %q",
				name, b.String(), n, len(text), err, c.want)
		}
		if Colored(&b) != io.Writer(&b) || Controls(&b) != io.Writer(&b) {
			t.Error("a writer that lets all pass is another one")
		}
	}
}

// A text may be cut anywhere, and what is not whole at the end is written out.
func TestOutputCut(t *testing.T) {
	const text = "5×5 ☗ 🀄\u009b\xe2\x98 \xf0"
	const want = "5×5 ☗ 🀄" + `\u009b\xe2\x98 \xf0`
	for cut := range len(text) + 1 {
		for _, way := range []func(io.Writer) io.Writer{
			func(w io.Writer) io.Writer { return w }, Colored,
		} {
			var b bytes.Buffer
			o := NewOutput(&b)
			for _, part := range []string{text[:cut], text[cut:]} {
				if _, err := io.WriteString(way(o), part); err != nil {
					t.Fatal(err)
				}
			}
			if err := o.Close(); err != nil || b.String() != want {
				t.Errorf("cut after %d bytes: %q, want %q (%v)", cut, b.String(), want, err)
			}
		}
	}
	var b bytes.Buffer
	o := NewOutput(&b)
	if _, err := io.WriteString(o, "a\xe2"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(Controls(o), "\x1b[K"); err != nil ||
		b.String() != `a\xe2`+"\x1b[K" {
		t.Errorf("%q (%v)", b.String(), err)
	}
}

// Names in a coloured log are quoted, and colour nothing.
func TestOutputLog(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(tint.NewTextHandler(Colored(NewOutput(&b)), &tint.Options{}))
	log.Warn("a message", "worker", "x\x1b[2J\n\u009b31m\u202e", "reason",
		errors.New("\x1b]0;t\x07"), "host", "\x7f\r\xff")
	if text := color.ReplaceAllString(b.String(), ""); strings.ContainsAny(text,
		"\x1b\x07\u009b\u202e\x7f\r") || strings.Count(text, "\n") != 1 || text == b.String() {
		t.Errorf("%q", b.String())
	}
}
