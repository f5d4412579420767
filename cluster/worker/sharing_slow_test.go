//go:build slow

package worker

import "testing"

// TestSharedStepsOfAllCycles: the same of every cycle and algorithm. In an asynchronous cycle,
// whose games depend on when networks come, the run ends.
func TestSharedStepsOfAllCycles(t *testing.T) {
	for _, cycle := range []string{"synchronous", "pipelined", "asynchronous"} {
		for _, algorithm := range []string{"alphazero", "descent"} {
			t.Run(cycle+"/"+algorithm, func(t *testing.T) {
				testSharedSteps(t, cycle, algorithm)
			})
		}
	}
}
