//go:build slow

package trainer

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
)

// TestSharedStepsOfAllCycles: the same of every cycle and algorithm, on one, three and no devices,
// and of a device that is lost at several calls. In an asynchronous cycle, whose games depend on
// when networks come, it goes on.
func TestSharedStepsOfAllCycles(t *testing.T) {
	for _, cycle := range []string{"synchronous", "pipelined", "asynchronous"} {
		for name, set := range map[string][]string{
			"alphazero": {"evaluation.every=1"},
			"descent":   {"algorithm=descent", "descent.iterations=1"},
		} {
			t.Run(cycle+"/"+name, func(t *testing.T) {
				t.Parallel()
				testSharedSteps(t, append([]string{"training.cycle=" + cycle}, set...),
					[]disturbance{
						{0, "SynchronizeEvent", 3}, {1, "CopyIn", 2}, {0, "Copy", 1},
						{1, "LaunchGraph", 3}, {0, "CopyOut", 2},
					}, 2, 1, 3, 0)
			})
		}
	}
}

// TestSharedStepsSurviveAnyLoss: a run is the same to the bit, and nothing hangs, whichever of two
// devices is lost at whatever call of a run: in self-play, evaluations and updates, and when
// something is made or freed. The calls are drawn.
func TestSharedStepsSurviveAnyLoss(t *testing.T) {
	for i, set := range [][]string{
		{"training.cycle=synchronous", "evaluation.every=1"},
		{"training.cycle=pipelined", "algorithm=descent", "descent.iterations=1"},
	} {
		t.Run(set[0], func(t *testing.T) {
			t.Parallel()
			rng, root := random.New(1, random.Test, uint64(i)), t.TempDir()
			b, first, second, _ := sharing(t, 2, &lines{})
			whole := filepath.Join(root, "whole")
			if said, err := sharedRun(t.Context(), t, b, whole, set...); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			for n := range 20 {
				all := []*fake.Driver{first, second}[n%2]
				// Those of a device that is opened are not those of a run.
				calls := slices.DeleteFunc(all.Names(), func(call string) bool {
					return call == "Open" || call == "Devices" || call == "Close"
				})
				call := calls[rng.IntN(len(calls))]
				nth := 1 + rng.IntN(all.Calls(call))
				what := fmt.Sprintf("device %d is lost at call %d of %s", n%2, nth, call)
				log := &lines{}
				b, first, second, hung := sharing(t, 2, log)
				[]*fake.Driver{first, second}[n%2].Fail(call, nth,
					&driver.LostError{Device: "fake", Call: call, Code: 719})
				dir := filepath.Join(root, fmt.Sprint(n))
				if said, err := sharedRun(t.Context(), t, b, dir, set...); err != nil {
					t.Errorf("%s: %v\n%s\n%s", what, err, said, log)
					continue
				}
				same(t, what, whole, dir)
				if n := hung(); n > 0 {
					t.Errorf("%s: %d calls hang", what, n)
				}
			}
		})
	}
}
