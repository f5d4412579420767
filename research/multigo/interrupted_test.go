package multigo

import (
	"context"
	"math"
	"strings"
	"testing"

	"tengen/player"
	"tengen/research"
)

// TestInterrupted: cells of matches that are interrupted have an interval, or are left out.
func TestInterrupted(t *testing.T) {
	for _, find := range []func(m *Matches, ctx context.Context,
		made *research.Made) ([]Cell, error){
		func(m *Matches, ctx context.Context, made *research.Made) ([]Cell, error) {
			return m.alone(ctx, "alone", contestant{Player: player.Random{}}, 0, made)
		},
		func(m *Matches, ctx context.Context, made *research.Made) ([]Cell, error) {
			return m.versus(ctx, "versus", contestant{Player: player.Random{}},
				contestant{Player: player.UCT{Simulations: 1, Utility: player.Unit}}, 0, made)
		},
	} {
		shown := 0
		for after := 1; after < 40; after += 3 {
			ctx, cancel := context.WithCancel(t.Context())
			m := &Matches{Games: 60_000, Seed: 1, GamesPerWorker: 2, Progress: func(
				_ string, finished, _ int,
			) {
				if finished == after {
					cancel()
				}
			}}
			var made research.Made
			cells, err := find(m, ctx, &made)
			cancel()
			if err == nil || made.Interrupted == nil || (cells == nil) != (made.Games == 0) {
				t.Fatalf("after %d games: %v, %+v, %+v", after, err, cells, made)
			}
			for _, c := range cells {
				if shown++; c.N < fewest || math.IsInf(c.CI, 0) || made.Games%c.N != 0 {
					t.Errorf("after %d games: the cell %+v of %d games", after, c, made.Games)
				}
			}
		}
		if shown == 0 {
			t.Error("there was never a cell")
		}
	}
	// Nothing has been played.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	table, err := (&Matches{
		Games: 2, GamesPerWorker: 1,
	}).Table4(ctx, "random", "random", research.Made{})
	if err == nil || len(table.Rows) != 0 || table.Interrupted.Planned != 6 {
		t.Errorf("%v, %+v", err, table)
	}
}

// TestPartial: parts that lack anything can be shown.
func TestPartial(t *testing.T) {
	made := research.Made{Interrupted: &research.Interruption{During: "a match"}}
	for _, part := range []research.Part{
		&Table3{Made: made}, &Table3{Made: made, Points: cellsOf(1)}, &Table4{Made: made}, &Figure3{
			Made: made,
		},
		&Reward{Made: made}, &Reward{
			Made: made, Arms: []RewardArm{{Reward: "score", UCTPoints: cellsOf(1)}},
		},
	} {
		if text := part.Markdown("x", "x"); strings.Contains(text, "| |\n") ||
			strings.Contains(text, "![") {
			t.Errorf("%+v:\n%s", part, text)
		}
	}
}
