package trainer

import (
	"context"
	"testing"

	"tengen/replay"
	"tengen/run"
	"tengen/vfs"
)

// TestSimulationsGrow: searches have search.simulations at first and search.simulations_end at last.
func TestSimulationsGrow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := tiny(t, "game=tictactoe", "search.simulations=4", "search.simulations_end=36", "search.reuse_tree=false", "warm_start.schedule=none", "warm_start.initial_games=0",
		"training.iterations=3", "training.games=4", "evaluation.every=0", "replay.games=100")
	if err := Run(context.Background(), options(t, p, dir)); err != nil {
		t.Fatal(err)
	}
	want, seen := []int{4, 12, 36}, make([]int, 3)
	games, _, err := replay.Load(vfs.OS{}, run.Folder(dir).Replay(), 12, 12)
	for _, g := range games {
		for _, m := range g.Moves {
			visits := 0
			for _, v := range m.Visits {
				visits += int(v.N)
			}
			if len(m.Visits) == 0 {
				continue // forced
			}
			seen[g.Iteration]++
			if visits != want[g.Iteration] {
				t.Errorf("iteration %d: %d visits, want %d", g.Iteration, visits, want[g.Iteration])
			}
		}
	}
	if err != nil || min(seen[0], seen[1], seen[2]) == 0 {
		t.Errorf("decisions by iteration: %d, %v", seen, err)
	}
}
