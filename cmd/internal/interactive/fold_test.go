package interactive

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestFolded(t *testing.T) {
	words := strings.Repeat("draw:red- \x1b[31mdraw:any+\x1b[0m ", 12)
	got := folded("short\n" + words + "end\n a . b\n")
	lines := strings.Split(got, "\n")
	if lines[0] != "short" || lines[len(lines)-1] != "" || lines[len(lines)-2] != " a . b" ||
		len(lines) < 6 {
		t.Errorf("%q", lines)
	}
	for i, line := range lines[1 : len(lines)-2] {
		if n := ansi.StringWidth(line); n > lineWidth || n < lineWidth-12 && i < len(lines)-4 ||
			strings.HasPrefix(line, "  ") != (i > 0) {
			t.Errorf("line %d has %d columns: %q", i, n, line)
		}
	}
	if plain := strings.Join(strings.Fields(got), " "); plain != "short "+words+"end a . b" {
		t.Errorf("%q", plain)
	}
	if long := strings.Repeat("x", 100); folded(long) != long {
		t.Errorf("a long word becomes %q", folded(long))
	}
}
