package trainer

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"tengen/arena/ruler"
	"tengen/game"
	"tengen/run"
	"tengen/vfs"
)

// rungs is a ruler of games in tests.
var rungs = &ruler.Ruler{Rungs: []ruler.Rung{
	{Player: baseline.Name(), Simulations: 20},
	{Player: "uct:simulations=30,c=0.8,utility=unit", Simulations: 30, Elo: 40},
	{Player: "uct:simulations=50,c=0.8,utility=unit", Simulations: 50, Elo: 120},
	{Player: "uct:simulations=20000,c=0.8,utility=unit", Simulations: 20_000, Elo: 900},
}}

// TestRungs: in a game with a ruler evaluations also play against a rung about as strong as the
// network, never one of too many simulations, and ratings take the rungs' strengths as given.
func TestRungs(t *testing.T) {
	rulerOf = func(game.Game) *ruler.Ruler { return rungs }
	t.Cleanup(func() { rulerOf = ruler.Of })
	o := options(t, tiny(t, "evaluation.ruler_games=3"), filepath.Join(t.TempDir(), "run"))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	history, err := o.Folder.History()
	if err != nil {
		t.Fatal(err)
	}
	elo, evaluations := -1e9, 0
	for _, e := range history {
		s := e.Strength
		if s == nil {
			continue
		}
		evaluations++
		want := rungs.Rungs[max(1, rungs.Above(elo, maxRung))]
		if s.Rung == nil || s.Rung.Player != want.Player || s.Rung.Elo != want.Elo ||
			s.Rung.Games != 18 || s.Rung.Rounds != 3 {
			t.Errorf("iteration %d met %+v, want %+v", e.Iteration, s.Rung, want)
		}
		elo = s.Rating
	}
	if evaluations != 3 {
		t.Fatalf("%d evaluations, want 3", evaluations)
	}
	log, err := o.Folder.On(vfs.OS{}).OpenGameLog(3, maxRatedGames)
	if err != nil {
		t.Fatal(err)
	}
	met := 0
	for _, g := range log.Games() {
		if slices.ContainsFunc(g.Players, func(p string) bool { return rungs.Index(p) > 0 }) {
			met++
		}
	}
	if met != 3*18 {
		t.Errorf("%d games against rungs in the log, want %d", met, 3*18)
	}
	// Were the rungs weaker by 1,000 Elo, so were the networks that met them.
	lower := &ruler.Ruler{Rungs: slices.Clone(rungs.Rungs)}
	for i := range lower.Rungs[1:] {
		lower.Rungs[i+1].Elo -= 1000
	}
	as := func(r *ruler.Ruler) *run.Ratings {
		found, err := rate(o.Plan.Game, r, log.Games())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for i, n := range as(rungs).Networks {
		if x := as(lower).Networks[i]; !(x.Rating < n.Rating-100) {
			t.Errorf("iteration %d: %g, and %g with rungs of 1,000 Elo less",
				n.Iteration, n.Rating, x.Rating)
		}
	}
}
