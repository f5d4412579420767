package nn

import (
	"math"
	"testing"
)

func TestCalibrationByHand(t *testing.T) {
	var c Calibration
	for _, x := range [][2]float64{
		{0.12, 0}, {0.18, 1}, // a bin: 0.15 is said, 0.5 comes
		{0.95, 1}, {1, 1}, {1.15, 1}, // the last: 3.1 is said, 3 comes
		{-0.5, 0},                           // the first: −0.5 is said, 0 comes
		{math.NaN(), 1}, {0.5, math.Inf(1)}, // nothing
	} {
		c.Count(x[0], x[1])
	}
	if want := (0.7 + 0.1 + 0.5) / 6; math.Abs(c.Error()-want) > 1e-12 {
		t.Errorf("the error is %v, want %v", c.Error(), want)
	}
	if c[0].N != 1 || c[1].N != 2 || c[9].N != 3 {
		t.Errorf("bins %+v", c)
	}
	var empty Calibration
	if empty.Error() != 0 {
		t.Errorf("the error of nothing is %v", empty.Error())
	}
	empty.Add(&c)
	if empty != c {
		t.Errorf("nothing and %+v make %+v", c, empty)
	}
}
