package arena

import (
	"encoding/json"
	"math"
	"testing"

	"tengen/internal/interval"
	"tengen/internal/random"
)

func TestStatAgainstTwoPasses(t *testing.T) {
	rng := random.New(1, random.Test, 1)
	for _, n := range []int{2, 3, 17, 500} {
		var s Stat
		xs := make([]float64, n)
		sum := 0.0
		for i := range xs {
			xs[i] = 25 * rng.Float64()
			sum += xs[i]
			s.Add(xs[i])
		}
		mean := sum / float64(n)
		squares := 0.0
		for _, x := range xs {
			squares += (x - mean) * (x - mean)
		}
		sd := math.Sqrt(squares / float64(n-1))
		if math.Abs(s.Mean-mean) > 1e-9 || math.Abs(s.SD()-sd) > 1e-9 {
			t.Errorf("n %d: mean %g, s %g; want %g, %g", n, s.Mean, s.SD(), mean, sd)
		}
		if want := interval.Quantile(float64(n-1)) * sd / math.Sqrt(float64(n)); math.Abs(
			s.CI()-want) > 1e-9 {
			t.Errorf("n %d: interval ± %g, want ± %g", n, s.CI(), want)
		}
	}
}

// TestPaperInterval: in the paper's Table 3, ± 1.0 at 500 games corresponds to a standard
// deviation of about 11.4.
func TestPaperInterval(t *testing.T) {
	var s Stat
	for i := range 500 {
		s.Add(11.4 * float64(1-2*(i%2)))
	}
	if ci := s.CI(); math.Abs(ci-1.0) > 0.005 {
		t.Errorf("interval ± %g, want ± 1.0", ci)
	}
}

func TestStatWithoutSpread(t *testing.T) {
	var s Stat
	s.Add(3)
	if !math.IsInf(s.CI(), 1) || s.SD() != 0 {
		t.Errorf("one observation: s %g, ± %g; want 0, infinite", s.SD(), s.CI())
	}
	text, err := json.Marshal(s)
	if err != nil || string(text) != `{"n":1,"mean":3,"sd":0,"low":null,"high":null}` {
		t.Errorf("JSON is %s, %v", text, err)
	}
}

func TestStatJSON(t *testing.T) {
	var s, back Stat
	for _, x := range []float64{1, 2, 6} {
		s.Add(x)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if math.Abs(back.CI()-s.CI()) > 1e-12 || back.N != 3 || back.Mean != 3 {
		t.Errorf("%s reads back as %v, want %v", text, back, s)
	}
}

func TestSumOf(t *testing.T) {
	a, b := Stat{}, Stat{}
	for i := range 100 {
		a.Add(float64(i % 2))     // mean 0.5, s about 0.5
		b.Add(float64(i%2) * 2.0) // mean 1, s about 1
	}
	sum := SumOf([]Stat{a, b})
	if want := math.Hypot(a.CI(), b.CI()); sum.Mean != 1.5 || math.Abs(sum.CI()-want) > 1e-12 {
		t.Errorf("sum %v, want 1.5 ± %g", sum, want)
	}
}

func TestWinShare(t *testing.T) {
	for _, c := range []struct {
		scores []float32
		want   []float64
	}{
		{[]float32{25, 0, 0}, []float64{1, 0, 0}},
		{[]float32{9, 9, 7}, []float64{0.5, 0.5, 0}},
		{[]float32{8, 8, 8}, []float64{1. / 3, 1. / 3, 1. / 3}},
	} {
		for seat, want := range c.want {
			if got := winShare(c.scores, seat); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v, seat %d: %g, want %g", c.scores, seat, got, want)
			}
		}
	}
}
