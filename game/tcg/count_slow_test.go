//go:build slow

package tcg

import (
	"testing"
	"time"
)

// The paper has 263,836,900 leaves at depth 3 (Table 3). Counting step by step, as a
// search without shortcuts does, takes some ten seconds.
func TestLeavesOfTable3(t *testing.T) {
	const want, paper = 263431094, 263836900
	for _, naive := range []bool{false, true} {
		begun := time.Now()
		n, visited := leaves(t, "tcg:deck=benchmark,draw=always", 3, naive)
		if n != want {
			t.Errorf("%d leaves (step by step: %v); want %d", n, naive, want)
		}
		if off := float64(n)/paper - 1; off < -0.008 || off > 0.008 {
			t.Errorf("%d leaves are %.2f %% off the paper's", n, 100*off)
		}
		t.Logf("step by step: %v: %d leaves, %d of them valued by the shortcut, in %v",
			naive, n, visited, time.Since(begun))
	}
}
