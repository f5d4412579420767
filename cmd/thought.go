package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tengen/game"
	"tengen/player"
)

// thoughtMoves is how many moves a thought tells of at most.
const thoughtMoves = 5

// thoughtOf is, as a person reads it, how the mover of s, called who, sees the
// position that it has just decided: what each player can expect, and the moves
// that it visited most.
func thoughtOf(g game.Game, s game.State, who string, v player.View) string {
	var b strings.Builder
	scale, unit := game.PointsPerUtility(g), " points"
	if scale == 1 {
		unit = ""
	}
	mover := s.Mover()
	visits := 0
	for _, m := range v.Moves {
		visits += m.Visits
	}
	expected := make([]string, len(v.Value))
	for i, x := range v.Value {
		expected[i] = fmt.Sprintf("%s %.3g", game.SeatName(g, game.Player(i)), scale*float64(x))
	}
	verb, full := "expects", ""
	if v.Exact {
		verb = "knows to expect"
	}
	if v.Full {
		full = "; its tree was full"
	}
	fmt.Fprintf(&b, "%s %s %s%s, after %d visits%s\n", who, verb, strings.Join(expected, ", "), unit, visits, full)
	moves := slices.Clone(v.Moves)
	slices.SortStableFunc(moves, func(a, b player.Considered) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(b.Value[mover], a.Value[mover]))
	})
	for _, m := range moves[:min(thoughtMoves, len(moves))] {
		exact := ""
		if m.Exact {
			exact = " exactly"
		}
		fmt.Fprintf(&b, "  %-5s %3.0f %%  %.3g%s%s\n", game.ActionName(g, s, m.Action),
			100*float64(m.Visits)/float64(max(visits, 1)), scale*float64(m.Value[mover]), unit, exact)
	}
	return b.String()
}
