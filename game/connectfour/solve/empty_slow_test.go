//go:build slow

package solve

import "testing"

// The first player of the usual board wins with its last stone, by the middle column. These are the
// scores of all first moves to it (Allis, A Knowledge-based Approach of Connect-Four, 1988, and
// Allen 1988, found who wins; Tromp and Pons give the numbers).
func TestEmptyBoard(t *testing.T) {
	s := solver(t, Board{6, 7, 4}, 256<<20)
	for c, want := range []int{-2, -1, 0, 1} { // the other columns are their mirror images
		if got := -s.Score(Position{}.Play(1 << (7 * c))); got != want {
			t.Errorf("column %d is worth %d; want %d", c, got, want)
		}
	}
	if got := s.Score(Position{}); got != 1 {
		t.Errorf("the empty board is worth %d; want 1", got)
	}
	t.Logf("%d positions searched", s.Nodes())
}
