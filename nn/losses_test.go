package nn

import (
	"math"
	"testing"
)

func TestCalibrationByHand(t *testing.T) {
	var c Calibration
	for _, x := range [][2]float64{
		{0.12, 0}, {0.18, 1}, // the second bin: predictions sum to 0.3, targets to 1
		{0.95, 1}, {1, 1}, {1.15, 1}, // the last bin: predictions sum to 3.1, targets to 3
		{-0.5, 0},                           // the first bin: predictions sum to −0.5, targets to 0
		{math.NaN(), 1}, {0.5, math.Inf(1)}, // not counted
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
		t.Errorf("the error without predictions is %v, want 0", empty.Error())
	}
	empty.Add(&c)
	if empty != c {
		t.Errorf("%+v added to an empty Calibration gives %+v", c, empty)
	}
}
