package record_test

import (
	"testing"

	"tengen/game"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// TestChecker: a Checker takes what a game gives, and refuses visits that are not legal, and
// what the rules deny.
func TestChecker(t *testing.T) {
	c := record.NewChecker(recordtest.Pairs{})
	for _, r := range append(recordtest.PlayMany(50, 1), recordtest.PlayManyTrees(10, 2)...) {
		if err := c.Check(r); err != nil {
			t.Fatal(err)
		}
	}
	visits := func(actions ...game.Action) func(*record.Game) {
		return func(r *record.Game) {
			r.Moves[3].Visits = nil
			for _, a := range actions {
				r.Moves[3].Visits = append(r.Moves[3].Visits, record.Visit{Action: a, N: 3})
			}
		}
	}
	for what, change := range map[string]func(*record.Game){
		"an illegal action":    func(r *record.Game) { r.Moves[3].Action = 0 },
		"an illegal visit":     visits(0, 2),
		"a visit listed twice": visits(2, 2),
		"no choice":            func(r *record.Game) { r.Moves[3].Choice = false },
		"a choice of one":      func(r *record.Game) { r.Moves[6].Choice = true },
		"another mover":        func(r *record.Game) { r.Moves[1].Mover = 0 },
		"another result":       func(r *record.Game) { r.Returns[0] = 0.25 },
		"a missing end":        func(r *record.Game) { r.Moves = r.Moves[:len(r.Moves)-1] },
		"another game":         func(r *record.Game) { r.Name = "go:size=3" },
	} {
		r := recordtest.HandRecord()
		if err := c.Check(r); err != nil {
			t.Fatal(err)
		}
		if change(r); c.Check(r) == nil {
			t.Errorf("%s is taken", what)
		}
	}
}
