package cmd

import (
	"testing"

	"tengen/run/history"
)

func TestMeansAreRoundedAsTheirIntervals(t *testing.T) {
	for _, c := range []struct {
		mean float64
		ci   float64 // less than 0: none
		want string
	}{
		{17000, -1, "17,000"},
		{0.3076, -1, "0.3076"},
		{1.0154321, -1, "1.015"},
		{3, -1, "3"},
		{8500.4, 16012.7, "8,500 ± 16,013"},
		{-568.31, 301.2, "-568 ± 301"},
		{-0.5, 0.012, "-0.500 ± 0.012"},
		{2.0812, 0.2571, "2.08 ± 0.26"},
		{0.00026, 0.00000031, "0.0003 ± 0.0000"},
		{0, -1, "0"},
		{34, -1, "34"},
		{0.5, -1, "0.5000"},
	} {
		f := history.Summary{Mean: c.mean}
		if c.ci >= 0 {
			f.CI95 = &c.ci
		}
		if got := meanText(f); got != c.want {
			t.Errorf("%v ± %v: %s, want %s", c.mean, c.ci, got, c.want)
		}
	}
}
