package trainer

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"tengen/configs"
)

func TestPlateau(t *testing.T) {
	c := configs.Training{PlateauIterations: 3, PlateauThreshold: 0.1}
	p := PlateauState{Best: 1}
	for i, step := range []struct {
		loss  float64
		drops int
	}{
		{0.8, 0},          // an improvement
		{0.75, 0}, {1, 0}, // 0.75 is less than a tenth below 0.8
		{0.71, 0},      // an improvement on 0.8, in time
		{2, 0}, {2, 0}, // the count began anew
		{2, 1},             // and is over
		{1.7, 1},           // better than 2, by which it is measured from now on
		{1.7, 1}, {1.7, 1}, // no better
		{1.6, 2},
	} {
		if p.note(step.loss, &c); p.Drops != step.drops {
			t.Fatalf("step %d, loss %v: the rate was lowered %d times, want %d", i, step.loss, p.Drops, step.drops)
		}
	}
	if p.Best != 1.6 || p.Since != 0 {
		t.Errorf("%+v", p)
	}
}

// TestPlateauLowersTheRate: the factor holds from the update after the one that found no improvement, and the rate falls to a hundredth
// and no further.
func TestPlateauLowersTheRate(t *testing.T) {
	set := []string{"evaluation.every=0", "training.schedule=plateau", "training.plateau_iterations=1", "training.plateau_threshold=0.5",
		"training.step_factor=0.25", "training.learning_rate=1e-3", "replay.held_out=0.5", "training.iterations=7"}
	o := options(t, tiny(t, set...), filepath.Join(t.TempDir(), "run"))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	events, err := o.Folder.On(nil).History()
	if err != nil {
		t.Fatal(err)
	}
	var rates []float64
	for _, e := range events {
		if e.Progress != nil {
			rates = append(rates, e.Progress.Losses.LearningRate)
		}
	}
	want := []float64{1e-3, 1e-3, 1e-3 / 4, 1e-3 / 16, 1e-3 / 64, 1e-5, 1e-5}
	if len(rates) != len(want) {
		t.Fatalf("%d iterations", len(rates))
	}
	for i := range want {
		if math.Abs(rates[i]-want[i]) > 1e-9 {
			t.Errorf("the rates are %v, want %v", rates, want)
			break
		}
	}
}
