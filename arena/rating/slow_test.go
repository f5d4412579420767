//go:build slow

package rating

import "testing"

// TestCoverageOfManyRepetitions uses 1500 repetitions, three times the 500 for which
// 0.93 is required, to exclude chance: 0.95 has a standard error of 0.0056.
func TestCoverageOfManyRepetitions(t *testing.T) {
	for i, c := range truths {
		inside := coverage(t, i, 1500)
		t.Logf("%s: %.3f", c.name, inside)
		for _, x := range inside {
			if x < 0.93 || x > 0.975 {
				t.Errorf("%s: truth inside the 95 %% interval in %.3f of repetitions, want 0.93 or more, and not all", c.name, x)
			}
		}
	}
}

// TestSPRTErrorRatesOfManyRepetitions: with 2000 repetitions 0.05 has a standard error
// of 0.005.
func TestSPRTErrorRatesOfManyRepetitions(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.1}
	for i, c := range matches {
		wrong, n := decisions(t, s, i, s.Elo0, 2000)
		right, m := decisions(t, s, i, s.Elo1, 2000)
		far, _ := decisions(t, s, i, -50, 500)
		t.Logf("%s: H1 in %.3f under H0, %.3f under H1, %.3f below H0, after %.0f and %.0f pairs",
			c.name, wrong, right, far, n, m)
		if wrong > 0.06 || right < 0.88 || far > 0.01 {
			t.Errorf("%s: H1 accepted in %.3f under H0, %.3f under H1, %.3f below H0",
				c.name, wrong, right, far)
		}
	}
}
