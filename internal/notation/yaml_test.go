package notation

import (
	"fmt"
	"strings"
	"testing"

	"tengen/internal/testkit"
)

// TestYAMLCost: what a text of n bytes costs, whatever it holds, and that files as people write
// them pass.
func TestYAMLCost(t *testing.T) {
	const n = 100_000
	keys, stairs := new(strings.Builder), new(strings.Builder)
	for i := range 40_000 {
		fmt.Fprintf(keys, "k%d: 1\n", i)
	}
	for i := range 440 {
		fmt.Fprintf(stairs, "%sa:\n", strings.Repeat(" ", i))
	}
	for name, text := range map[string]string{
		"brackets": "a: " + strings.Repeat("[", n), "braces": "a: " + strings.Repeat("{a: ", n/4),
		"dashes":         strings.Repeat("- ", n/2),
		"question marks": strings.Repeat("? ", n/2), "colons": strings.Repeat(": ", n/2),
		"keys": keys.String(), "stairs": stairs.String(),
		"elements": "a: [" + strings.Repeat("1,", n/2), "lists": strings.Repeat("- 1\n", n/4),
		"blanks": strings.Repeat("\n", n), "returns": strings.Repeat("\r", n),
		"flow keys": "{" + strings.Repeat("a: 1, ", n/6) + "}",
		"anchors":   strings.Repeat("&a ", n/3), "tags": strings.Repeat("!a ", n/3),
		"aliases":     "a: &a x\n" + strings.Repeat("b: *a\n", n/6),
		"a long word": strings.Repeat("a", n), "quotes": strings.Repeat(`"`, n),
		"a long string": `"` + strings.Repeat("a", n),
		"literal":       "a: |\n" + strings.Repeat(" x\n", n/3),
		"documents":     strings.Repeat("---\n", n/4),
		"comments":      strings.Repeat("#\n", n/2),
		"escapes":       `a: "` + strings.Repeat(`\n`, n/2) + `"`, "tabs": strings.Repeat("\t", n),
		"huge": strings.Repeat("# a\n", 1<<20),
	} {
		testkit.CheckCost(t, name, len(text), func() {
			ParseYAML("f.yaml", []byte(text), "seed: 1")
		})
	}
	// Just below the bounds: the parser's own cost.
	few, deep := new(strings.Builder), new(strings.Builder)
	for i := range maxMarks/2 - 1 {
		fmt.Fprintf(few, "k%d: 1\n", i)
	}
	for i := range 4*maxDepth - 1 {
		fmt.Fprintf(deep, "%sa:\n", strings.Repeat(" ", i))
	}
	for name, text := range map[string]string{
		"as many keys as may be": few.String(), "as deep as may be": deep.String(),
		"as many brackets as may be": "a: " + strings.Repeat("[", maxDepth) + strings.Repeat("]",
			maxDepth), "as many dashes as may be": strings.Repeat("- ", maxDepth) + "1",
	} {
		testkit.CheckCost(t, name, len(text), func() {
			if _, err := ParseYAML("f.yaml", []byte(text), "seed: 1"); err != nil &&
				!strings.Contains(err.Error(), "wanted") {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	if _, err := ParseYAML("f.yaml", []byte("a: 1\nb: "+strings.Repeat("[", 100)), ""); err ==
		nil || err.Error() != "f.yaml:2: more than 64 brackets within each other" {
		t.Errorf("%v", err)
	}
}
