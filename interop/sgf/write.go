package sgf

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"tengen/game"
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
	fmt.Fprintf(&b, "(;FF[4]GM[1]CA[UTF-8]AP[Tengen]SZ[%s]", size)
	if r.Komi != nil {
		fmt.Fprintf(&b, "KM[%s]", strconv.FormatFloat(*r.Komi, 'f', -1, 64))
	}
	b.WriteByte('\n')
	for _, p := range []struct{ name, text string }{
		{"PB", r.Names[0]}, {"PW", r.Names[1]}, {"RU", r.Rules}, {"RE", r.Result},
	} {
		if p.text != "" {
			fmt.Fprintf(&b, "%s[%s]\n", p.name, escape(p.text))
		}
	}
	r.setUp(&b, "\n", r.Setup, nil, r.First)
	edits := r.Edits
	for i := 0; ; i++ {
		if len(edits) > 0 && edits[0].After == i {
			b.WriteString("\n;")
			r.setUp(&b, "", edits[0].Stones, edits[0].Empty, edits[0].First)
			b.WriteByte('\n')
			edits = edits[1:]
		} else if i > 0 && i%perLine == 0 && i < len(r.Moves) {
			b.WriteByte('\n')
		}
		if i == len(r.Moves) {
			break
		}
		fmt.Fprintf(&b, ";%s[%s]", letterOf[r.Moves[i].Player], r.letters(r.Moves[i].Point))
	}
	b.WriteString(")\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write SGF: %w", err)
	}
	return nil
}

// setUp writes properties that set up a position, each with end after it.
func (r *Record) setUp(
	b *strings.Builder, end string, stones [2][]int, none []int, first *game.Player,
) {
	for i, points := range [][]int{stones[0], stones[1], none} {
		if len(points) == 0 {
			continue
		}
		b.WriteString([...]string{"AB", "AW", "AE"}[i])
		for _, p := range points {
			fmt.Fprintf(b, "[%s]", r.letters(p))
		}
		b.WriteString(end)
	}
	if first != nil {
		fmt.Fprintf(b, "PL[%s]%s", letterOf[*first], end)
	}
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
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, "\n", " ", "\r", " ").Replace(text)
}
