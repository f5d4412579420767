package trainer

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"tengen/configs"
)

// TestRestarts: runs of both algorithms in which games start from positions of the window, together
// with forced playouts and a population, are the same with any number of workers, and if they are
// interrupted; games start only from games that the window holds.
func TestRestarts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"alphazero", "descent"} {
		if testing.Short() && name != "alphazero" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			set := append([]string{"restarts.share=0.6", "restarts.buffer=6", "population.share=0.2", "training.value_mix=0.5",
				"search.forced_playouts=2", "replay.keep_all=true"}, algorithms[name]...)
			testResume(t, set)
			root := t.TempDir()
			one, three := filepath.Join(root, "one"), filepath.Join(root, "three")
			for dir, workers := range map[string]string{one: "1", three: "3"} {
				if err := Run(context.Background(), options(t, tiny(t, append([]string{"evaluation.every=0", "selfplay.workers=" + workers}, set...)...), dir)); err != nil {
					t.Fatal(err)
				}
			}
			same(t, "three workers", one, three)
			restarted := map[int]int{}
			for _, g := range games(t, one) {
				if g.Prefix > 0 {
					restarted[g.Iteration]++
				}
			}
			if restarted[0] > 0 || restarted[1] == 0 || restarted[2] == 0 || restarted[3] == 0 {
				t.Errorf("games that start from earlier ones, by iteration: %v", restarted)
			}
		})
	}
}

// TestRestartsOfHiddenGames: a game that hides information can't be restarted by regret, and its search samples
// outcomes of chance and proves nothing.
func TestRestartsOfHiddenGames(t *testing.T) {
	c := tiny(t, "game=turtle:squares=4,hand=3,max_turns=60").Config
	c.Restarts.Share = 0.1
	if _, err := NewPlan(c); err == nil || !strings.HasPrefix(err.Error(), "restarts.share=0.1: 0 is wanted for turtle") {
		t.Errorf("%v", err)
	}
	c.Restarts.Share, c.Search.Proofs = 0, true
	if _, err := NewPlan(c); err == nil || !strings.HasPrefix(err.Error(), "search.proofs=true: false is wanted for turtle") {
		t.Errorf("%v", err)
	}
	c.Search.Proofs, c.Search.Outcomes = false, configs.OutcomesBalanced
	if _, err := NewPlan(c); err == nil || !strings.HasPrefix(err.Error(), "search.outcomes=balanced: sampled is wanted for turtle") {
		t.Errorf("%v", err)
	}
}
