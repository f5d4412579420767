package trainer

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"tengen/configs"
	"tengen/nn"
)

func TestPlateau(t *testing.T) {
	c := configs.Training{PlateauIterations: 3}
	p := PlateauState{Best: 1}
	for i, step := range []struct {
		loss  float64
		drops int
	}{
		{0.8, 0},           // an improvement
		{0.795, 0}, {1, 0}, // 0.795 is less than a hundredth below 0.8
		{0.71, 0},      // an improvement on 0.8, in time
		{2, 0}, {2, 0}, // the count began anew
		{2, 1},             // and is over
		{1.7, 1},           // better than 2, by which it is measured from now on
		{1.7, 1}, {1.7, 1}, // no better
		{1.69, 2},
	} {
		before := p.Drops
		if lowered := p.note(step.loss, &c); p.Drops != step.drops ||
			lowered != (step.drops > before) {
			t.Fatalf("step %d, loss %v: the rate was lowered %d times, want %d; now: %v",
				i, step.loss, p.Drops, step.drops, lowered)
		}
	}
	if p.Best != 1.69 || p.Since != 0 {
		t.Errorf("%+v", p)
	}
}

// TestPlateauLowersTheRate: the factor holds from the update after the one that found no
// improvement, and the rate falls to a hundredth and no further.
func TestPlateauLowersTheRate(t *testing.T) {
	set := []string{"evaluation.every=0", "training.schedule=plateau",
		"training.plateau_iterations=1",
		"training.learning_rate=1e-3", "replay.held_out=0.5", "training.iterations=5"}
	o := options(t, tiny(t, set...), filepath.Join(t.TempDir(), "run"))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	events, err := o.Folder.On(nil).History()
	if err != nil {
		t.Fatal(err)
	}
	best, drops := math.Inf(1), 0
	for _, e := range events {
		if e.Progress == nil {
			continue
		}
		want := 1e-3 * math.Max(0.01, math.Pow(0.1, float64(drops)))
		if got := e.Progress.Losses.LearningRate; math.Abs(got-want) > 1e-9 {
			t.Errorf("iteration %d has the rate %g, want %g", e.Iteration, got, want)
		}
		loss := e.Progress.HeldOut.Total - e.Progress.HeldOut.L2
		if loss >= best*(1-plateauThreshold) {
			drops++
		}
		best = loss
	}
	r := runner{plan: o.Plan, log: o.Log}
	for i, want := range []float64{1, 0.1, 0.01, 0.01} {
		if r.notePlateau(&nn.Losses{Total: 1}); math.Abs(r.rateScale()-want) > 1e-9 {
			t.Errorf("after %d losses that are the same the factor is %g, want %g",
				i+1, r.rateScale(), want)
		}
	}
}
