package interactive

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// lineWidth is the number of columns that lines of text are folded to.
const lineWidth = 80

// folded breaks lines that are too wide at spaces, and indents what follows by two more. Escape
// sequences take no columns. A word that is too wide keeps a line for itself.
func folded(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if ansi.StringWidth(strings.TrimSuffix(line, "\n")) <= lineWidth {
			b.WriteString(line)
			continue
		}
		indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " "))+2)
		at := 0
		for i, word := range strings.Split(line, " ") {
			width := ansi.StringWidth(strings.TrimSuffix(word, "\n"))
			switch {
			case i > 0 && at+1+width > lineWidth:
				b.WriteString("\n" + indent)
				at = len(indent)
			case i > 0:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += width
		}
	}
	return b.String()
}
