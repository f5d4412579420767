package selfplay

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tengen/nn"
)

// placed is a network on a device that is near one core. It counts evaluations on threads that are
// bound to that core, and on others.
type placed struct {
	nn.Network
	core         int
	bound, other atomic.Int64
	first        sync.Once
	// closed at the first evaluation on such a thread, for which the others wait
	near chan struct{}
}

func (p *placed) NewEvaluator() nn.Evaluator {
	return &placedEvaluator{p.Network.NewEvaluator(), p}
}

type placedEvaluator struct {
	nn.Evaluator
	of *placed
}

func (e *placedEvaluator) Cores() []int { return []int{e.of.core} }

func (e *placedEvaluator) Evaluate(b *nn.Batch) error {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return err
	}
	if set.Count() == 1 && set.IsSet(e.of.core) {
		e.of.bound.Add(1)
		e.of.first.Do(func() { close(e.of.near) })
	} else {
		select { // or else the others may have played all games before it begins
		case <-e.of.near:
		case <-time.After(time.Minute):
		}
		e.of.other.Add(1)
	}
	return e.Evaluator.Evaluate(b)
}

// TestWorkersNearTheDevice checks that as many workers as there are cores near the device run on
// them, and that the games are the same.
func TestWorkersNearTheDevice(t *testing.T) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		t.Fatal(err)
	}
	if allowed.Count() < 2 {
		t.Skip("there is one core")
	}
	core := 0
	for !allowed.IsSet(core) {
		core++
	}
	s := settings("tictactoe")
	job := Job{Games: numbers(200), Weights: weights(t, s.Game)}
	want, _ := playJob(t, s, job, 1, 4)
	for _, workers := range []int{1, 2} {
		device := &placed{Network: job.Weights, core: core, near: make(chan struct{})}
		near := job
		near.Weights = device
		got, _ := playJob(t, s, near, workers, 4)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers near the device play other games", workers)
		}
		if device.bound.Load() == 0 || workers == 1 && device.other.Load() > 0 {
			t.Errorf("%d workers: %d evaluations near the device, %d elsewhere",
				workers, device.bound.Load(), device.other.Load())
		}
	}
}
