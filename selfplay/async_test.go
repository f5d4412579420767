package selfplay

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"tengen/descent"
	"tengen/nn/nntest"
	"tengen/replay/record"
	"tengen/search/nneval"
)

// TestSameGamesBesideTheSearch: asynchronous evaluators, with two groups each, give the same
// games as those of the CPU, with and without a cache, however long they take; and on one
// worker they do the same work each time. With UCT's seats, which think in goroutines of their own,
// the games are the same, and the work depends on how long they think.
func TestSameGamesBesideTheSearch(t *testing.T) {
	for _, name := range []string{"go:size=3,players=3", "tictactoe"} {
		for i := range 4 {
			cached, epsilon := i%2 == 1, 0.3*float64(i/2)
			s := settings(name)
			az(s).SelfPlay.FastSimulations, az(s).SelfPlay.FullProbability = 4, 0.4
			if cached {
				az(s).PUCT.BatchSize = 3 // of one search, with those of other games
			}
			job := Job{
				Games: numbers(16), Iteration: 3, Step: 9, Epsilon: epsilon,
				Weights: weights(t, s.Game),
			}
			want, _ := playJob(t, s, job, 1, 1)
			for _, c := range [][2]int{{1, 1}, {1, 5}, {2, 8}, {4, 64}} {
				work := map[uint64]bool{}
				delays := []time.Duration{0, 0}
				if c == [2]int{1, 5} || c == [2]int{4, 64} && !cached {
					delays[1] = 50 * time.Microsecond
				}
				for _, delay := range delays {
					device := &nntest.Device{Network: weights(t, s.Game), Delay: delay}
					job.Weights = device
					if cached {
						az(s).Cache = nneval.NewCache(s.Game, 1)
					}
					got, counters := playJob(t, s, job, c[0], c[1])
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%s, cache %v, %d workers, groups of %d, delay %v: other games than on the CPU", name, cached, c[0], c[1], delay)
					}
					all, beside := device.Batches()
					if all == 0 || epsilon == 0 && beside < all/3 { // near the end a group is alone
						t.Errorf("%s, %d workers, groups of %d: %d of %d batches were begun while another was under way", name, c[0], c[1], beside, all)
					}
					if device.Open() != 0 {
						t.Errorf("%d evaluators are left open", device.Open())
					}
					work[counters.Evaluations.Load()<<20|counters.Batches.Load()] = true
				}
				if c[0] == 1 && epsilon == 0 && len(work) != 1 {
					t.Errorf("%s, cache %v, groups of %d: the work of one worker depends on how long evaluations take", name, cached, c[1])
				}
			}
		}
	}
}

// TestDescentBesideTheSearch: the same for Descent, whose searches add many requests in one
// step.
func TestDescentBesideTheSearch(t *testing.T) {
	s := descentSettings("tictactoe", descent.Options{Iterations: 2}, true)
	job := Job{Games: numbers(12), Weights: valueWeights(t, s.Game), Exploration: 0.5}
	want, _ := playJob(t, s, job, 1, 4)
	job.Weights = &nntest.Device{Network: valueWeights(t, s.Game), Delay: 20 * time.Microsecond}
	if got, _ := playJob(t, s, job, 2, 3); !reflect.DeepEqual(got, want) {
		t.Error("other games than on the CPU")
	}
}

// TestDeviceIsLost: games finished before the failure are emitted in order, the error names the
// cause, and no evaluation is left running.
func TestDeviceIsLost(t *testing.T) {
	s := settings("go:size=3,players=3")
	az(s).Cache = nneval.NewCache(s.Game, 1)
	want, _ := playJob(t, s, Job{Games: numbers(60), Weights: weights(t, s.Game)}, 1, 4)
	lost := errors.New("the device is lost")
	for _, workers := range []int{1, 3} {
		device := &nntest.Device{Network: weights(t, s.Game), FailAfter: 1500, Lost: lost}
		var games []*record.Game
		err := Play(context.Background(), s, Job{
			Games: numbers(60), Weights: device,
		}, workers, 4, new(Counters), func(g *record.Game) error {
			games = append(games, g)
			return nil
		})
		if !errors.Is(err, lost) {
			t.Errorf("%d workers: %v", workers, err)
		}
		// Which of several workers is first depends on the scheduler.
		if workers == 1 && len(games) == 0 || len(games) == 60 {
			t.Errorf("%d workers: %d games before the loss", workers, len(games))
		}
		if !slices.EqualFunc(games, want[:len(games)], func(a, b *record.Game) bool {
			return reflect.DeepEqual(a, b)
		}) {
			t.Errorf("%d workers: the %d games before the loss are not the processor's",
				workers, len(games))
		}
		if device.Open() != 0 {
			t.Errorf("%d workers: %d evaluators are left open", workers, device.Open())
		}
	}
}

// TestStopsBesideTheSearch: when the context ends, no evaluation is left running.
func TestStopsBesideTheSearch(t *testing.T) {
	s := settings("go:size=3,players=3")
	device := &nntest.Device{Network: weights(t, s.Game), Delay: time.Millisecond}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	err := Play(ctx, s, Job{Games: numbers(2000), Weights: device}, 2, 4, new(Counters),
		func(*record.Game) error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) || device.Open() != 0 {
		t.Errorf("%v, %d evaluators open", err, device.Open())
	}
}
