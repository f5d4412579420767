package interactive

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// marked returns the drawing now, with the cell that has been filled since the drawing before in
// brackets: .X. becomes .(X). Both drawings are without colours; drawn is now as it is to be shown.
// If not exactly one empty cell, a point among spaces, has been filled, or the drawings differ in
// size, it returns drawn as it is.
func marked(before, now, drawn string) string {
	old, lines := strings.Split(before, "\n"), strings.Split(now, "\n")
	shown := strings.Split(drawn, "\n")
	if len(old) != len(lines) || len(shown) != len(lines) {
		return drawn
	}
	row, column := -1, 0
	for i := range lines {
		a, b := []rune(old[i]), []rune(lines[i])
		if len(a) != len(b) {
			continue // a line of words
		}
		for k := range a {
			if a[k] != '.' || b[k] == '.' || b[k] == ' ' || k == 0 || b[k-1] != ' ' ||
				k+1 < len(b) && b[k+1] != ' ' {
				continue
			}
			if row >= 0 {
				return drawn
			}
			row, column = i, k
		}
	}
	if row < 0 {
		return drawn
	}
	line, width := shown[row], ansi.StringWidth(shown[row])
	shown[row] = ansi.Cut(line, 0, column-1) + "(" + ansi.Cut(line, column, column+1) + ")" +
		ansi.Cut(line, min(column+2, width), width)
	return strings.Join(shown, "\n")
}
