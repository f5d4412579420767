package sgf

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// perLine is the number of moves on a line of a file.
const perLine = 10

// Write writes the record as a file with one game.
func (r *Record) Write(w io.Writer) error {
	var b strings.Builder
	size := strconv.Itoa(r.Columns)
	if r.Rows != r.Columns {
		size += ":" + strconv.Itoa(r.Rows)
	}
	fmt.Fprintf(&b, "(;FF[4]GM[1]CA[UTF-8]AP[Tengen]SZ[%s]KM[%s]\n", size, strconv.FormatFloat(r.Komi, 'f', -1, 64))
	for _, p := range []struct{ name, text string }{
		{"PB", r.Names[0]}, {"PW", r.Names[1]}, {"RU", r.Rules}, {"RE", r.Result},
	} {
		if p.text != "" {
			fmt.Fprintf(&b, "%s[%s]\n", p.name, escape(p.text))
		}
	}
	for c, points := range r.Setup {
		if len(points) == 0 {
			continue
		}
		b.WriteString([...]string{"AB", "AW"}[c])
		for _, p := range points {
			fmt.Fprintf(&b, "[%s]", r.letters(p))
		}
		b.WriteByte('\n')
	}
	if r.First != nil {
		fmt.Fprintf(&b, "PL[%s]\n", letterOf[*r.First])
	}
	for i, m := range r.Moves {
		fmt.Fprintf(&b, ";%s[%s]", letterOf[m.Player], r.letters(m.Point))
		if i%perLine == perLine-1 && i < len(r.Moves)-1 {
			b.WriteByte('\n')
		}
	}
	b.WriteString(")\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write SGF: %w", err)
	}
	return nil
}

var letterOf = [2]string{"B", "W"}

// letters returns a point's column and row as letters, "" for a pass.
func (r *Record) letters(p int) string {
	if p == Pass {
		return ""
	}
	return string([]byte{'a' + byte(p%r.Columns), 'a' + byte(p/r.Columns)})
}

// escape returns the text escaped for use as a value.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `]`, `\]`, "\n", " ", "\r", " ").Replace(text)
}
