package trainer

import (
	"testing"
	"time"

	"tengen/configs"
	"tengen/selfplay"
)

// TestPlayForEvaluates checks that a measurement too short for an evaluation goes on until there is one, and that one of UCT's games,
// which have none, ends.
func TestPlayForEvaluates(t *testing.T) {
	c := configs.Default()
	c.Network.Blocks, c.Network.Filters = 0, 4
	p, err := NewPlan(&c)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := p.Load(p.NewParams())
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		seconds, counters, err := p.playFor(t.Context(), time.Nanosecond, selfplay.Job{Weights: weights}, 0, forget)
		if err != nil || seconds <= 0 || counters.Evaluations.Load() == 0 {
			t.Fatalf("%v s, %d evaluations, %v", seconds, counters.Evaluations.Load(), err)
		}
	}
	if _, counters, err := p.playFor(t.Context(), time.Nanosecond, selfplay.Job{}, 0, forget); err != nil || counters.Evaluations.Load() > 0 {
		t.Errorf("%d evaluations of games without a network, %v", counters.Evaluations.Load(), err)
	}
}
