package lab

import (
	"math"

	"tengen/internal/interval"
)

// Difference is how much stronger one arm is than another, over all pairings of their networks.
type Difference struct {
	Elo float64 `json:"elo"` // the mean over the pairings
	// Low and High bound the 95 % interval; null if an arm has fewer than two networks.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	// SE is the standard error of Elo, and Degrees its degrees of freedom; 0 without an interval.
	SE      float64 `json:"se"`
	Degrees float64 `json:"degrees"`
	// SD and SDAgainst estimate the standard deviation of the strength of either arm's networks,
	// what games add taken out; 0 without an interval.
	SD        float64 `json:"sd_elo"`
	SDAgainst float64 `json:"sd_elo_against"`
	Networks  int     `json:"networks"` // of the arm
	Against   int     `json:"networks_against"`
}

// Separated reports whether the interval leaves out 0.
func (d *Difference) Separated() bool {
	return d.Low != nil && d.High != nil && (*d.Low > 0 || *d.High < 0)
}

// difference returns the difference of two arms from a table of differences in Elo: an element for
// each network of the arm (rows) and of the other (columns), which must all be there.
//
// An element is the sum of what the row's seed and the column's seed are worth, and of what is
// left: the luck of the games, and how these two networks suit each other. Elements of a row share
// its seed, so they are not independent, and the spread of all of them would give an interval that
// is much too narrow. The seeds are the units. With r rows, c columns, and the mean squares of the
// analysis of variance with two factors (rows R, columns C, the rest E), the expectations are
//
//	E[R] = c·σr² + σe²    E[C] = r·σc² + σe²    E[E] = σe²
//
// and the variance of the mean is σr²/r + σc²/c + σe²/(r·c) = (R + C − E)/(r·c): each seed's and
// the games' noise is in it once. Without − E, the sum of the variances of row means and column
// means, the noise of games counts twice. E is taken to be no more than R and C, which it exceeds
// by chance only, so that subtracting it can't make the variance too small. Student's t has the
// degrees of freedom of Welch and Satterthwaite for R + C; those for R + C − E are fewer, and with
// them 98 in 100 intervals of the protocol's labs contain the difference, where with these it is 95
// (TestCoverage). Both arms use the same seeds' numbers; if that makes their networks alike,
// differences vary less, and the interval is wider than need be.
func difference(table [][]float64) Difference {
	r, c := len(table), len(table[0])
	mean := 0.0
	rows, columns := make([]float64, r), make([]float64, c)
	for i, row := range table {
		for j, x := range row {
			mean += x / float64(r*c)
			rows[i] += x / float64(c)
			columns[j] += x / float64(r)
		}
	}
	d := Difference{Elo: mean, Networks: r, Against: c}
	if r < 2 || c < 2 {
		return d
	}
	var ofRows, ofColumns, rest float64 // mean squares
	for _, x := range rows {
		ofRows += float64(c) * (x - mean) * (x - mean) / float64(r-1)
	}
	for _, x := range columns {
		ofColumns += float64(r) * (x - mean) * (x - mean) / float64(c-1)
	}
	for i, row := range table {
		for j, x := range row {
			e := x - rows[i] - columns[j] + mean
			rest += e * e / float64((r-1)*(c-1))
		}
	}
	d.SD = math.Sqrt(max(0, ofRows-rest) / float64(c))
	d.SDAgainst = math.Sqrt(max(0, ofColumns-rest) / float64(r))
	rest = min(rest, ofRows, ofColumns)
	sum := ofRows + ofColumns - rest
	d.SE = math.Sqrt(sum / float64(r*c))
	if sum == 0 { // all elements are equal, which says nothing of others
		d.Degrees = float64(min(r, c) - 1)
		return d
	}
	both := ofRows + ofColumns
	d.Degrees = both * both / (ofRows*ofRows/float64(r-1) + ofColumns*ofColumns/float64(c-1))
	d.interval()
	return d
}

// interval sets the bounds from Elo, SE and Degrees.
func (d *Difference) interval() {
	if d.SE == 0 {
		return // equal numbers say nothing of others
	}
	half := interval.Quantile(d.Degrees) * d.SE
	low, high := d.Elo-half, d.Elo+half
	d.Low, d.High = &low, &high
}

// mean returns the mean of what several networks of an arm achieved against the same opponent, with
// an interval of Student's t over the networks.
func mean(xs []float64) Difference {
	d := Difference{Networks: len(xs)}
	variance := 0.0
	for _, x := range xs {
		d.Elo += x / float64(len(xs))
	}
	if len(xs) < 2 {
		return d
	}
	for _, x := range xs {
		variance += (x - d.Elo) * (x - d.Elo) / float64(len(xs)-1)
	}
	d.SD, d.SE, d.Degrees = math.Sqrt(variance), math.Sqrt(variance/float64(len(xs))),
		float64(len(xs)-1)
	d.interval()
	return d
}

// minus returns the difference of two means of independent networks, with Welch's interval.
func minus(a, b Difference) Difference {
	d := Difference{
		Elo: a.Elo - b.Elo, Networks: a.Networks, Against: b.Networks, SD: a.SD, SDAgainst: b.SD,
	}
	if a.Degrees == 0 || b.Degrees == 0 {
		return d
	}
	va, vb := a.SE*a.SE, b.SE*b.SE
	d.SE = math.Sqrt(va + vb)
	if d.Degrees = min(a.Degrees, b.Degrees); va+vb > 0 {
		d.Degrees = (va + vb) * (va + vb) / (va*va/a.Degrees + vb*vb/b.Degrees)
	}
	d.interval()
	return d
}

// eloOf returns the difference in Elo that explains a share of n games, a draw being half a win.
// Half a game for either side is added: it keeps a match that was won outright finite, and makes
// the logarithm of the odds nearly unbiased (Haldane 1956, Anscombe 1956).
func eloOf(share float64, n int) float64 {
	won := share*float64(n) + 0.5
	return 400 * math.Log10(won/(float64(n)+1-won))
}
