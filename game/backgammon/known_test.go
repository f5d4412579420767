package backgammon

import "testing"

// The numbers of positions to which each roll leads from the first position, as GNU Backgammon 1.07
// lists them (hint 400 after set dice).
func TestTurnsOfTheFirstPosition(t *testing.T) {
	want := map[[2]int]int{
		{1, 1}: 42, {2, 1}: 15, {2, 2}: 75, {3, 1}: 16, {3, 2}: 17, {3, 3}: 73, {4, 1}: 14,
		{4, 2}: 18, {4, 3}: 17, {4, 4}: 52,
		{5, 1}: 8, {5, 2}: 8, {5, 3}: 9, {5, 4}: 9, {5, 5}: 4, {6, 1}: 10, {6, 2}: 14, {6, 3}: 14,
		{6, 4}: 14, {6, 5}: 7, {6, 6}: 11,
	}
	g := New(mostCheckers)
	for dice, n := range want {
		s := g.NewState().(*State)
		s.opening = false // doubles too
		s.Apply(Roll(dice[0], dice[1]))
		got := 0
		leaves(t, s, 0, func(*State) { got++ })
		if got != n {
			t.Errorf("%d-%d leads to %d positions; want %d", dice[0], dice[1], got, n)
		}
	}
}
