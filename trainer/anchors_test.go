package trainer

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"tengen/arena"
	"tengen/game"
	"tengen/run"
	"tengen/trainer/evaluation"
	"tengen/vfs"
)

// anchors is an anchor ladder of games in tests.
var anchors = &arena.AnchorLadder{Anchors: []arena.Anchor{
	{Player: baseline.Name(), Simulations: 20},
	{Player: "uct:simulations=30,c=0.8,utility=unit", Simulations: 30, Elo: 40},
	{Player: "uct:simulations=50,c=0.8,utility=unit", Simulations: 50, Elo: 120},
	{Player: "uct:simulations=20000,c=0.8,utility=unit", Simulations: 20_000, Elo: 900},
}}

// TestAnchors: in a game with an anchor ladder evaluations also play against an anchor about as
// strong as the network, never one of too many simulations, and ratings take the anchors' strengths
// as given.
func TestAnchors(t *testing.T) {
	anchorLadderOf = func(game.Game) *arena.AnchorLadder { return anchors }
	t.Cleanup(func() { anchorLadderOf = arena.AnchorLadderOf })
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
		want := anchors.Anchors[max(1, anchors.Above(elo, 10_000))]
		if s.Anchor == nil || s.Anchor.Player != want.Player || s.Anchor.Elo != want.Elo ||
			s.Anchor.Games != 18 || s.Anchor.Rounds != 3 {
			t.Errorf("iteration %d met %+v, want %+v", e.Iteration, s.Anchor, want)
		}
		elo = s.Rating
	}
	if evaluations != 3 {
		t.Fatalf("%d evaluations, want 3", evaluations)
	}
	log, err := o.Folder.On(vfs.OS{}).OpenGameLog(3, 50_000)
	if err != nil {
		t.Fatal(err)
	}
	met := 0
	for _, g := range log.Games() {
		if slices.ContainsFunc(g.Players, func(p string) bool { return anchors.Index(p) > 0 }) {
			met++
		}
	}
	if met != 3*18 {
		t.Errorf("%d games against anchors in the log, want %d", met, 3*18)
	}
	// Were the anchors weaker by 1,000 Elo, so were the networks that met them.
	lower := &arena.AnchorLadder{Anchors: slices.Clone(anchors.Anchors)}
	for i := range lower.Anchors[1:] {
		lower.Anchors[i+1].Elo -= 1000
	}
	as := func(r *arena.AnchorLadder) *run.Ratings {
		found, err := evaluation.Rate(o.Plan.Game, baseline.Name(), r, log.Games())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for i, n := range as(anchors).Networks {
		if x := as(lower).Networks[i]; !(x.Rating < n.Rating-100) {
			t.Errorf("iteration %d: %g, and %g with anchors of 1,000 Elo less",
				n.Iteration, n.Rating, x.Rating)
		}
	}
}
