package anchors

import (
	"context"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/goban"
	"tengen/research"
)

// TestUnbounded: a match too one-sided for a rating ends the anchor ladder below it, and what was
// measured before is a page.
func TestUnbounded(t *testing.T) {
	defer func(usual []int) { Simulations = usual }(Simulations)
	Simulations = []int{180, 3000, 6000}
	m := &Measurement{
		Game:  game.Must(game.New("go:size=5,players=2,pass=free")),
		Games: map[int]int{180: 8, 3000: 8, 6000: 2}, Seed: 1,
	}
	table, err := m.Run(context.Background(), research.Made{})
	if err != nil {
		t.Fatal(err)
	}
	u := table.Unbounded
	if u == nil || len(table.Anchors) != 2 || len(table.Steps) != 1 || u.Games != 8 ||
		u.Share <= 50 || u.Weaker != table.Anchors[1].Player {
		t.Fatalf("%+v, %+v", table, u)
	}
	if err := table.Complete(""); err != nil {
		t.Error(err)
	}
	text := table.Markdown("go-5x5x2", "")
	if !strings.Contains(text, ": no bound on its rating") ||
		strings.Contains(text, "Inf") {
		t.Error(text)
	}
}
