package trainer

import (
	"context"
	"testing"
	"time"

	"tengen/configs"
	"tengen/replay/record"
	"tengen/selfplay"
)

// TestPlayForEvaluates checks that a measurement too short for an evaluation goes on until there is
// one, and that one of UCT's games, which have none, ends.
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
		seconds, counters, err := p.playFor(t.Context(), time.Nanosecond,
			selfplay.Job{Weights: weights}, 0, forget)
		if err != nil || seconds <= 0 || counters.Evaluations.Load() == 0 {
			t.Fatalf("%v s, %d evaluations, %v", seconds, counters.Evaluations.Load(), err)
		}
	}
	if _, counters, err := p.playFor(t.Context(), time.Nanosecond, selfplay.Job{}, 0,
		forget); err != nil || counters.Evaluations.Load() > 0 {
		t.Errorf("%d evaluations of games without a network, %v", counters.Evaluations.Load(), err)
	}
}

// noRemoteWorkers must not be asked for anything.
type noRemoteWorkers struct{ t *testing.T }

func (c noRemoteWorkers) asked() { c.t.Error("a measurement's games are given to remote workers") }

func (c noRemoteWorkers) Play(context.Context, *selfplay.WorkQueue) error { c.asked(); return nil }
func (c noRemoteWorkers) Durable([]*record.Game)                          { c.asked() }
func (c noRemoteWorkers) Games() int                                      { c.asked(); return 1 }
func (c noRemoteWorkers) Early(uint64, *selfplay.Job) *record.Game        { c.asked(); return nil }

// TestPlayForAlone: the games of a measurement are not the run's. Remote workers would take their
// numbers for the run's, and drop finished games with smaller ones.
func TestPlayForAlone(t *testing.T) {
	c := configs.Default()
	c.Network.Blocks, c.Network.Filters = 0, 4
	p, err := NewPlan(&c)
	if err != nil {
		t.Fatal(err)
	}
	p.Play.Remote = noRemoteWorkers{t}
	weights, err := p.Load(p.NewParams())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.playFor(t.Context(), time.Millisecond, selfplay.Job{
		Weights: weights,
	}, 1<<32, forget); err != nil {
		t.Fatal(err)
	}
}
