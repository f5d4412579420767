package chart

import (
	"math"
	"strconv"
)

// Tick is a labelled value of an axis.
type Tick struct {
	Value float64
	Label string
}

// bounds returns where an axis begins and ends: apart, and finite.
func (a *Axis) bounds() (low, high float64) {
	low, high = a.Min, a.Max
	switch {
	case a.Log && !(low > 0 && low <= high):
		low, high = 1, 10
	case a.Log:
		low, high = max(low, 1e-300), max(high, 1e-299)
	case !(low <= high) || math.IsInf(low, 0) || math.IsInf(high, 0):
		low, high = 0, 1
	}
	if half := math.Abs(high/2 - low/2); half <= 1e-15*max(math.Abs(low), math.Abs(high)) {
		apart := max(1, math.Abs(low)/10) // one value
		if high = low + apart; math.IsInf(high, 0) {
			low, high = low-apart, low
		}
	}
	return max(low, -math.MaxFloat64), min(high, math.MaxFloat64)
}

// at returns how far along an axis a value is: 0 at its beginning, 1 at its end.
func (a *Axis) at(x float64) float64 {
	low, high := a.bounds()
	if a.Log {
		return (math.Log10(x) - math.Log10(low)) / (math.Log10(high) - math.Log10(low))
	}
	return (x/2 - low/2) / (high/2 - low/2)
}

// most is the greatest number of ticks that are chosen.
const most = 8

// ticks returns the ticks of an axis: multiples of 1, 2 or 5 times a power of ten, with as many
// digits as tell them apart; or powers of ten.
func (a *Axis) ticks() []Tick {
	low, high := a.bounds()
	if a.Ticks != nil {
		return a.Ticks
	}
	var values []float64
	if a.Log {
		every := 1 + int(math.Log10(high)-math.Log10(low))/(2*most)
		for e := int(math.Ceil(math.Log10(low) - 1e-9)); e <= 308 &&
			math.Pow10(e) <= high*(1+1e-9); e += every {
			values = append(values, math.Pow10(e))
		}
	} else {
		step := step(high/2 - low/2)
		for i := math.Ceil(low / step); len(values) < 4*most; i++ {
			x := i * step
			if !(x <= high) || len(values) > 0 && x <= values[len(values)-1] {
				break
			}
			values = append(values, x)
		}
	}
	list := make([]Tick, len(values))
	for digits := 6; ; digits++ {
		seen := map[string]bool{}
		again := false
		for i, x := range values {
			label := strconv.FormatFloat(x, 'g', digits, 64)
			again = again || seen[label]
			seen[label], list[i] = true, Tick{x, label}
		}
		if !again || digits == 17 {
			return list
		}
	}
}

// step returns the least distance of ticks with which few enough fit in twice half.
func step(half float64) float64 {
	power := max(math.Pow(10, math.Floor(math.Log10(half))-1), math.SmallestNonzeroFloat64)
	for {
		for _, f := range []float64{1, 2, 5} {
			if half/(power*f) <= most/2 {
				return power * f
			}
		}
		power *= 10
	}
}
