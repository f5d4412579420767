//go:build slow

package player

import "testing"

// With more simulations values come nearer.
func TestTreeSearchesSolveManyEndings(t *testing.T) { solveByTrees(t, 300, 20_000, 0.005) }
