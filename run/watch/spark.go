package watch

import (
	"math"
	"strings"
)

// bars has eight heights.
var bars = []rune("▁▂▃▄▅▆▇█")

// spark draws a curve as at most width characters, scaled to its least and greatest value.
// A longer curve is drawn as the means of parts of about equal length. A constant curve is
// drawn low, and a NaN or infinite value as a space.
func spark(curve []float64, width int) string {
	if width < 1 || len(curve) == 0 {
		return ""
	}
	list := curve
	if len(curve) > width {
		list = make([]float64, width)
		for i := range list {
			from, to := i*len(curve)/width, (i+1)*len(curve)/width
			sum := 0.0
			for _, y := range curve[from:to] {
				sum += y
			}
			list[i] = sum / float64(to-from)
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, y := range list {
		if !math.IsNaN(y) && !math.IsInf(y, 0) {
			low, high = min(low, y), max(high, y)
		}
	}
	var b strings.Builder
	for _, y := range list {
		switch {
		case math.IsNaN(y) || math.IsInf(y, 0):
			b.WriteRune(' ')
		case high == low:
			b.WriteRune(bars[0])
		default:
			b.WriteRune(bars[min(len(bars)-1, int((y-low)/(high-low)*float64(len(bars))))])
		}
	}
	return b.String()
}
