package lab

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/run/history"
)

// synthetic is a lab whose arms' strengths are known. It stands for the protocol: networks of a
// seed differ, and a pairing is a match of some games.
type synthetic struct {
	rows, columns int
	elo           float64 // of the arm over the other
	seeds         float64 // standard deviation of a seed's strength, in Elo
	suits         float64 // and of how two networks suit each other
	games         int     // a pairing
}

// table plays the lab's matches.
func (s synthetic) table(rng *rand.Rand) [][]float64 {
	arm, other := make([]float64, s.rows), make([]float64, s.columns)
	for i := range arm {
		arm[i] = s.elo + s.seeds*rng.NormFloat64()
	}
	for j := range other {
		other[j] = s.seeds * rng.NormFloat64()
	}
	table := make([][]float64, s.rows)
	for i := range table {
		for j := range s.columns {
			expected := 1 / (1 + math.Pow(10, -(arm[i]-other[j]+s.suits*rng.NormFloat64())/400))
			share := 0.0
			for range s.games {
				if rng.Float64() < expected {
					share += 1 / float64(s.games)
				}
			}
			table[i] = append(table[i], eloOf(share, s.games))
		}
	}
	return table
}

// TestCoverage: of many labs, the intervals of 95 in 100 contain the true difference, with noise of
// seeds, of games or of both; the mean is that difference.
func TestCoverage(t *testing.T) {
	const labs = 1000
	for name, c := range map[string]struct {
		synthetic
		low, high float64 // of the share of intervals
	}{
		"protocol":           {synthetic{5, 5, 30, 24, 0, 40}, 0.93, 0.975},
		"three seeds":        {synthetic{3, 3, 0, 24, 0, 40}, 0.94, 0.99},
		"seeds only":         {synthetic{5, 5, 0, 100, 0, 200}, 0.93, 0.98},
		"games only":         {synthetic{5, 5, 0, 0, 0, 40}, 0.95, 1},
		"unequal":            {synthetic{8, 3, -50, 24, 0, 40}, 0.92, 0.975},
		"suit each other":    {synthetic{5, 5, 0, 24, 40, 40}, 0.93, 0.98},
		"a large difference": {synthetic{5, 5, 250, 24, 0, 40}, 0.92, 0.98},
		"many games":         {synthetic{5, 5, 10, 24, 0, 200}, 0.93, 0.975},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		covered, sum, width := 0, 0.0, 0.0
		for range labs {
			d := difference(c.table(rng))
			if *d.Low <= c.elo && c.elo <= *d.High {
				covered++
			}
			sum += d.Elo / float64(labs)
			width += (*d.High - *d.Low) / 2 / float64(labs)
		}
		share := float64(covered) / float64(labs)
		t.Logf("%s: %.1f %% of intervals, mean %.1f of %g, ± %.1f",
			name, 100*share, sum, c.elo, width)
		if share < c.low || share > c.high {
			t.Errorf("%s: %.1f %% of the intervals contain the difference", name, 100*share)
		}
		if math.Abs(sum-c.elo) > 5 {
			t.Errorf("%s: the mean is %.1f, want %g", name, sum, c.elo)
		}
	}
}

// TestSeparates: the protocol finds a difference of 100 Elo in nearly every lab, and
// separates equal arms in about one of twenty.
func TestSeparates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const labs = 500
	separated := func(elo float64) float64 {
		n := 0
		for range labs {
			if d := difference(synthetic{5, 5, elo, 24, 0, 40}.table(rng)); d.Separated() &&
				d.Elo*elo >= 0 {
				n++
			}
		}
		return float64(n) / labs
	}
	if share := separated(100); share < 0.97 {
		t.Errorf("a difference of 100 Elo is found in %.0f %% of labs", 100*share)
	}
	if share := separated(0); share > 0.08 {
		t.Errorf("equal arms are separated in %.0f %% of labs", 100*share)
	}
}

// TestDifferenceByHand compares with an analysis of variance worked out by hand.
func TestDifferenceByHand(t *testing.T) {
	// Means of rows 20 and 50, of columns 20, 40 and 45, of all 35; what is left of each is 0 or
	// ±5.
	d := difference([][]float64{{10, 25, 25}, {30, 55, 65}})
	// Mean squares: rows 3·(15²+15²)/1 = 1350, columns 2·(15²+5²+10²)/2 = 350, rest (5²+0+5²)·2/2 =
	// 50.
	if math.Abs(d.Elo-35) > 1e-9 || math.Abs(d.SE-math.Sqrt(1650.0/6)) > 1e-9 ||
		math.Abs(d.Degrees-1700*1700/(1350*1350+350*350/2.0)) > 1e-9 {
		t.Errorf("%+v", d)
	}
	if math.Abs(d.SD-math.Sqrt(1300.0/3)) > 1e-9 ||
		math.Abs(d.SDAgainst-math.Sqrt(300.0/2)) > 1e-9 || d.Networks != 2 || d.Against != 3 {
		t.Errorf("%+v", d)
	}
	// With one row there is no interval; nor with equal elements, which say nothing of others.
	if d := difference([][]float64{{10, 30}}); d.Low != nil || d.Elo != 20 || d.Separated() {
		t.Errorf("one network: %+v", d)
	}
	if d := difference([][]float64{{10, 10}, {10, 10}}); d.Low != nil || d.High != nil ||
		d.Elo != 10 || d.Separated() {
		t.Errorf("equal elements: %+v", d)
	}
}

// TestMeans: means of networks and their difference have the intervals of Student and Welch.
func TestMeans(t *testing.T) {
	a, b := mean([]float64{10, 20, 30}), mean([]float64{0, 4})
	// t(0.975, 2) = 4.303; the standard errors are 10/√3 and 2.
	if half := 4.302653 * 10 / math.Sqrt(3); math.Abs(*a.High-20-half) > 1e-3 ||
		math.Abs(*a.Low-20+half) > 1e-3 {
		t.Errorf("%+v", a)
	}
	d := minus(a, b)
	v, w := 100.0/3, 4.0
	if d.Elo != 18 || math.Abs(d.SE-math.Sqrt(v+w)) > 1e-9 ||
		math.Abs(d.Degrees-(v+w)*(v+w)/(v*v/2+w*w)) > 1e-9 {
		t.Errorf("%+v", d)
	}
	if d := minus(a, mean([]float64{5})); d.Low != nil || d.Elo != 15 {
		t.Errorf("against one network: %+v", d)
	}
}

func TestEloOf(t *testing.T) {
	for _, c := range []struct {
		share float64
		n     int
		want  float64
	}{{0.5, 40, 0}, {1, 40, 763.4}, {0, 40, -763.4}, {0.75, 1000, 190.6}} {
		if got := eloOf(c.share, c.n); math.Abs(got-c.want) > 0.1 {
			t.Errorf("%g of %d games: %.1f Elo, want %.1f", c.share, c.n, got, c.want)
		}
	}
}

// TestLess: a curve less another, at the points that both have.
func TestLess(t *testing.T) {
	a := []history.Point{{X: 1, Y: 5}, {X: 2, Y: 6}, {X: 4, Y: 7}}
	got := less(a, []history.Point{{X: 0, Y: 9}, {X: 2, Y: 1}, {X: 3, Y: 9}, {X: 4, Y: 2}})
	if want := []history.Point{{X: 1, Y: 5}, {X: 2, Y: 5}, {X: 4, Y: 5}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if a[1].Y != 6 {
		t.Error("the curve itself was changed")
	}
}
