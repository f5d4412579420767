package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"tengen/internal/notation"
	"tengen/nn"
)

// Figure is one line of a table: what is counted, and its value.
type Figure [2]string

// WriteFigures writes a title and, below it, the figures in two columns.
func WriteFigures(w io.Writer, title string, list []Figure) error {
	fmt.Fprintln(w, notation.Plain(title))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range list {
		fmt.Fprintf(t, "  %s\t%s\n", notation.Plain(f[0]), notation.Plain(f[1]))
	}
	return t.Flush()
}

// Grouped writes a number with its thousands apart: 1,234,567.
func Grouped(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

// Network describes a network in a few words.
func Network(s nn.Spec) string {
	heads := ""
	if !s.Auxiliary.IsZero() {
		heads = ", auxiliary heads"
	}
	return fmt.Sprintf("%s, %s policy, %s value%s", s.Size(), s.Policy, s.Value, heads)
}

// InLine is text from a file as it may stand in a line of a table: quoted where
// it has control characters, and cut after 200 characters.
func InLine(text string) string {
	const longest = 200
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\x7f' }) {
		text = fmt.Sprintf("%q", text)
	}
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return text
}
