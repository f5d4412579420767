package trainer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tengen/checkpoints"
	"tengen/game"
	"tengen/player"
	"tengen/replay"
	"tengen/run"
)

// The gate lets a stronger player through, and not a weaker one or the same.
func TestJudge(t *testing.T) {
	strong, weak := player.UCT{Simulations: 60, C: 1, Utility: player.Unit}, player.UCT{Simulations: 2, C: 1, Utility: player.Unit}
	for _, test := range []struct {
		name   string
		a, b   player.Player
		accept bool
	}{{"stronger", strong, weak, true}, {"weaker", weak, strong, false}, {"same", first{}, first{}, false}} {
		d := pairedMatch{game: game.Must(game.New("go:size=3,players=3")), players: [2]player.Player{test.a, test.b}, rounds: 12, seed: 5, workers: 2, gamesPerWorker: 6}
		r, err := d.play(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		g := r.judge(0.95)
		if g.Accepted != test.accept || g.Accepted != (g.Low > 0) || g.Low > g.Difference || g.Games != 72 || g.Rounds != 12 {
			t.Errorf("%s: %+v", test.name, g)
		}
	}
}

// TestGate: games are played with the best network, whatever was learned since;
// the verdicts are told, and the best one's checkpoint stays.
func TestGate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	o := options(t, tiny(t, append(gated, "training.iterations=6", "checkpoints.keep_last=1", "checkpoints.keep_every=0", "evaluation.every=0")...), dir)
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	history, err := o.Folder.History()
	if err != nil {
		t.Fatal(err)
	}
	best, step := 0, uint64(0)
	played := map[int]uint64{0: 0} // iteration: steps behind the network of its games
	var steps uint64
	accepted, rejected := 0, 0
	for _, e := range history {
		if e.Progress != nil {
			steps = e.Progress.Steps
		}
		g := e.Gate
		if g == nil {
			continue
		}
		if g.Candidate != e.Iteration || g.Best != best || g.Games != 18 || g.Rounds != 3 || g.Accepted != (g.Low > 0) || g.Confidence != 0.6 || g.Opening != 4 {
			t.Errorf("iteration %d, best %d: %+v", e.Iteration, best, g)
		}
		if g.Accepted {
			best, step = g.Candidate, steps
			accepted++
		} else {
			rejected++
		}
		played[e.Iteration] = step
	}
	if accepted == 0 || rejected == 0 {
		t.Fatalf("%d networks were accepted, %d rejected: the test shows nothing", accepted, rejected)
	}
	m := o.Metrics
	if a, r, b := testutil.ToFloat64(m.Accepted), testutil.ToFloat64(m.Rejected), testutil.ToFloat64(m.BestIteration); int(a) != accepted || int(r) != rejected || int(b) != best {
		t.Errorf("the metrics tell of %v, %v, best %v; there were %d, %d, best %d", a, r, b, accepted, rejected, best)
	}
	if n := testutil.ToFloat64(m.GateGames); n != 6*18 {
		t.Errorf("%v games of gates, want 108", n)
	}
	for _, g := range games(t, dir) {
		for _, seat := range g.Seats {
			if seat.Kind != replay.UCT && seat.Step != played[int(g.Iteration)] {
				t.Fatalf("game %d of iteration %d is played with the network of step %d, the best had %d", g.Number, g.Iteration, seat.Step, played[int(g.Iteration)])
			}
		}
	}
	list, err := checkpoints.List(o.Folder.Checkpoints())
	if err != nil {
		t.Fatal(err)
	}
	kept := map[int]bool{}
	for _, e := range list {
		kept[e.Iteration] = true
	}
	if !kept[6] || best != 0 && !kept[best] || len(kept) > 2 {
		t.Errorf("the best is %d of 6; %v are kept", best, kept)
	}
}

// TestGateOnResume: a run keeps its gate, and goes on where the best network's
// checkpoint is damaged.
func TestGateOnResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	set := append(gated, "evaluation.every=0", "evaluation.gate_confidence=0.5")
	if err := Run(context.Background(), options(t, tiny(t, append(set, "training.iterations=2")...), dir)); err != nil {
		t.Fatal(err)
	}
	o := options(t, tiny(t, "training.iterations=3"), dir)
	o.Resume = true
	if err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "evaluation.gate: true → false") {
		t.Errorf("the gate is left out on resume: %v", err)
	}
	other := filepath.Join(t.TempDir(), "run")
	if err := Run(context.Background(), options(t, tiny(t, "evaluation.every=0", "training.iterations=1"), other)); err != nil {
		t.Fatal(err)
	}
	o = options(t, tiny(t, set...), other)
	o.Resume = true
	if err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "evaluation.gate: false → true") {
		t.Errorf("the gate is added on resume: %v", err)
	}

	// The best is not the newest, and is gone.
	o = options(t, tiny(t, append(set, "training.iterations=3")...), dir)
	c := newest(t, dir)
	c.State = []byte(strings.Replace(string(c.State), `"best": 2`, `"best": 1`, 1))
	if err := os.RemoveAll(filepath.Join(o.Folder.Checkpoints(), run.IterationName(2))); err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoints.Save(o.Folder.Checkpoints(), c); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(o.Folder.Checkpoints(), run.IterationName(1))); err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	history, err := o.Folder.History()
	if err != nil {
		t.Fatal(err)
	}
	warned := false
	for _, e := range history {
		warned = warned || e.Kind == "warning" && strings.Contains(e.Message, "the best network, of iteration 1")
		if g := e.Gate; g != nil && g.Candidate == 3 && g.Best != 2 {
			t.Errorf("network 3 meets network %d", g.Best)
		}
	}
	if !warned {
		t.Errorf("nothing tells of the missing network: state %s", c.State)
	}
}

// TestRefusesGateThatNothingPasses: too few rounds for the confidence are refused.
func TestRefusesGateThatNothingPasses(t *testing.T) {
	c := *tiny(t).Config
	c.Evaluation.Gate, c.Evaluation.GateConfidence = true, 0.95
	for games, ok := range map[int]bool{6: false, 24: false, 25: true, 30: true, 120: true} {
		c.Evaluation.GateGames = games
		_, err := NewPlan(&c)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "at least 30 games are wanted") {
			t.Errorf("%d games: %v", games, err)
		}
	}
}
