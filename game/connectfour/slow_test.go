//go:build slow

package connectfour

import "testing"

// The first player of the usual board wins with its last stone, by the middle column. These are the
// scores of all first moves to it (Allis, A Knowledge-based Approach of Connect-Four, 1988, and
// Allen 1988, found who wins; Tromp and Pons give the numbers).
func TestEmptyBoard(t *testing.T) {
	s := solverOf(t, bitBoard{6, 7, 4}, 256<<20)
	for c, want := range []int{-2, -1, 0, 1} { // the other columns are their mirror images
		if got := -s.Score(position{}.Play(1 << (7 * c))); got != want {
			t.Errorf("column %d is worth %d; want %d", c, got, want)
		}
	}
	if got := s.Score(position{}); got != 1 {
		t.Errorf("the empty board is worth %d; want 1", got)
	}
	t.Logf("%d positions searched", s.Nodes())
}
