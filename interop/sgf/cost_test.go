package sgf

import (
	"strings"
	"testing"

	"tengen/internal/cost"
)

// TestCost: what a file of n bytes costs, whatever it holds.
func TestCost(t *testing.T) {
	const n = 1 << 20
	for name, text := range map[string]string{
		"identifier": "(;" + strings.Repeat("A", n) + "[]", "lower case": "(;" + strings.Repeat("a", n) + "[]", "variations": strings.Repeat("(;", n/2), "nodes": "(" + strings.Repeat(";", n),
		"properties": "(;" + strings.Repeat("A[]", n/3), "values": "(;A" + strings.Repeat("[]", n/2), "value": "(;C[" + strings.Repeat("x", n), "escapes": "(;C[" + strings.Repeat(`\`, n), "moves": "(;GM[1]SZ[19]" + strings.Repeat(";B[aa]", n/6) + ")",
		"size": "(;GM[1]SZ[" + strings.Repeat("9", n) + "])", "blanks": strings.Repeat(" ", n), "stones": "(;GM[1]SZ[19]AB" + strings.Repeat("[aa:ss]", n/7) + ")",
		"names": "(;PB[" + strings.Repeat("\xff", n) + "])", "passes": "(" + strings.Repeat(";B[]", n/4) + ")",
	} {
		cost.Check(t, name, len(text), func() { Parse([]byte(text)) })
	}
}
