//go:build slow

package minimax

import "testing"

// TestManyRaces: 10,000 positions, to greater depths.
func TestManyRaces(t *testing.T) {
	plain, pruned := compareRaces(t, 10_000, 3, 32)
	t.Logf("minimax visits %d nodes, alpha-beta %d", plain, pruned)
}

// TestManyRaceNodes is TestRaceNodes with more positions, for all numbers of players.
func TestManyRaceNodes(t *testing.T) {
	for _, strategy := range []string{"fast", "efficient", "hybrid", "hybrid-win"} {
		for _, name := range []string{
			"turtle", "turtle:players=3", "turtle:players=4", "turtle:players=5",
		} {
			share := raceNodes(t, name, strategy, 4, 20, 20)
			t.Logf("%s, %s: alpha-beta visits %.1f %% of the nodes", name, strategy, 100*share)
			if share > 1.0/3 {
				t.Errorf("%s, %s: alpha-beta visits %.1f %% of the nodes",
					name, strategy, 100*share)
			}
		}
	}
}
