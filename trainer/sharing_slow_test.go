//go:build slow

package trainer

import "testing"

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
