package rating

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/internal/random"
)

// pentanomial returns the given numbers of pairs that scored 0, ¼, ½, ¾ and 1.
func pentanomial(counts ...int) []float64 {
	var pairs []float64
	for i, n := range counts {
		for range n {
			pairs = append(pairs, float64(i)/4)
		}
	}
	return pairs
}

// TestSPRTAgainstFishtest: raw statistics published by a server like fishtest have 0
// and 2.716 Elo, and the counts below; they give -0.53772 for the exact ratio, and
// bounds of ± 2.9444.
func TestSPRTAgainstFishtest(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 2.716, Alpha: 0.05, Beta: 0.05}
	llr, lower, upper, verdict := s.Test(pentanomial(13, 37, 50, 25, 3))
	near(t, "llr", llr, -0.53772, 1e-4)
	near(t, "lower", lower, -2.9444, 1e-4)
	near(t, "upper", upper, 2.9444, 1e-4)
	if verdict != Continue {
		t.Errorf("verdict %v, want %v", verdict, Continue)
	}
}

// TestSPRTAgainstSearch maximises the multinomial likelihood under each mean with
// decreasing steps in the three probabilities that two equations leave free.
func TestSPRTAgainstSearch(t *testing.T) {
	counts := []int{5, 9, 20, 14, 8}
	likeliest := func(mean float64) float64 {
		at := func(p [3]float64) float64 { // of ¼, ½, ¾
			top := mean - p[0]/4 - p[1]/2 - 3*p[2]/4
			sum := 0.0
			for i, x := range []float64{1 - p[0] - p[1] - p[2] - top, p[0], p[1], p[2], top} {
				if x <= 0 {
					return math.Inf(-1)
				}
				sum += float64(counts[i]) * math.Log(x)
			}
			return sum
		}
		p := [3]float64{0.2, 0.2, 0.2}
		best := at(p)
		for step := 0.1; step > 1e-8; {
			improved := false
			for _, d := range [][3]float64{
				{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, -1, 0}, {0, 1, -1}, {1, 0, -1}, {1, -2, 1},
			} {
				for _, sign := range []float64{step, -step} {
					next := p
					for i := range d {
						next[i] += sign * d[i]
					}
					if x := at(next); x > best {
						p, best, improved = next, x, true
					}
				}
			}
			if !improved {
				step /= 2
			}
		}
		return best
	}
	s := SPRT{Elo0: -20, Elo1: 70, Alpha: 0.05, Beta: 0.1}
	llr, _, _, _ := s.Test(pentanomial(counts...))
	want := likeliest(1/(1+math.Pow(10, -70./400))) - likeliest(1/(1+math.Pow(10, 20./400)))
	near(t, "llr", llr, want, 1e-5)
}

// TestSPRTNormalApproximation: the formula of the documentation, with the variance of
// the pairs, holds for small differences and many pairs.
func TestSPRTNormalApproximation(t *testing.T) {
	pairs := pentanomial(400, 1200, 2000, 1300, 500)
	mean, square := 0.0, 0.0
	for _, x := range pairs {
		mean += x / float64(len(pairs))
	}
	for _, x := range pairs {
		square += (x - mean) * (x - mean) / float64(len(pairs))
	}
	s0, s1 := 0.5, 1/(1+math.Pow(10, -5./400))
	llr, _, _, _ := SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05}.Test(pairs)
	want := float64(len(pairs)) * (s1 - s0) * (2*mean - s0 - s1) / (2 * square)
	near(t, "llr", llr, want, 0.01*want)
}

// TestSPRTSides: the same test from the other player's side.
func TestSPRTSides(t *testing.T) {
	rng := random.New(1, random.Test, 30)
	var pairs, reversed []float64
	for range 200 {
		x := rng.Float64()
		pairs, reversed = append(pairs, x), append(reversed, 1-x)
	}
	a, low, high, _ := SPRT{Elo0: 10, Elo1: 60, Alpha: 0.01, Beta: 0.2}.Test(pairs)
	b, otherLow, otherHigh, _ := SPRT{Elo0: -60, Elo1: -10, Alpha: 0.2, Beta: 0.01}.Test(reversed)
	near(t, "llr", b, -a, 1e-9)
	near(t, "bound", otherHigh, -low, 1e-9)
	near(t, "bound", otherLow, -high, 1e-9)
	near(t, "lower", low, math.Log(0.2/0.99), 1e-12)
	near(t, "upper", high, math.Log(0.8/0.01), 1e-12)
}

// TestSPRTPairsThatAgree: without observed variance, a few pairs decide nothing, and
// many do.
func TestSPRTPairsThatAgree(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}
	for _, c := range []struct {
		counts []int
		want   Verdict
	}{
		{[]int{0, 0, 0, 0, 0}, Continue},
		{[]int{0, 0, 0, 0, 5}, Continue},
		{[]int{0, 0, 5, 0, 0}, Continue},
		{[]int{5, 0, 0, 0, 0}, Continue},
		{[]int{0, 0, 0, 0, 50}, AcceptH1},
		{[]int{0, 0, 50, 0, 0}, AcceptH0},
		{[]int{50, 0, 0, 0, 0}, AcceptH0},
	} {
		if llr, _, _, verdict := s.Test(pentanomial(c.counts...)); verdict != c.want {
			t.Errorf("%v: %v at %g, want %v", c.counts, verdict, llr, c.want)
		}
	}
}

func TestSPRTErrors(t *testing.T) {
	for _, c := range []struct {
		s    SPRT
		want string
	}{
		{SPRT{0, 0, 0.05, 0.05}, "Elo0"},
		{SPRT{5, 0, 0.05, 0.05}, "Elo0"},
		{SPRT{math.NaN(), 0, 0.05, 0.05}, "Elo0"},
		{SPRT{0, math.Inf(1), 0.05, 0.05}, "Elo0"},
		{SPRT{math.Inf(-1), 0, 0.05, 0.05}, "Elo0"},
		{SPRT{0, 5, 0, 0.05}, "alpha"},
		{SPRT{0, 5, 0.5, 0.05}, "alpha"},
		{SPRT{0, 5, 0.05, 0}, "beta"},
		{SPRT{0, 5, 0.05, 0.5}, "beta"},
	} {
		if err := c.s.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want one of %s", c.s, err, c.want)
		}
	}
	for _, v := range []Verdict{Continue, AcceptH0, AcceptH1} {
		if v.String() != []string{"continue", "H0", "H1"}[v] {
			t.Errorf("verdict %d is %v", v, v)
		}
	}
	for _, pairs := range [][]float64{{0.5, 1.5}, {-0.1}, {math.NaN()}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("pairs %v are accepted", pairs)
				}
			}()
			SPRT{0, 5, 0.05, 0.05}.Test(pairs)
		}()
	}
}

// matches are kinds of pairs of games between two players: the seat's advantage raises
// the score in the first seat, and a game may be drawn.
var matches = []struct {
	name            string
	advantage, draw float64 // Elo; δ of Davidson's model
}{
	{"decisive", 0, 0},
	{"drawish", 0, 4},
	{"seats decide", 400, 0.5},
}

// pair plays two games and returns the first player's mean score; elo is the
// difference in Davidson's model.
func pair(rng *rand.Rand, elo, advantage, draw float64) float64 {
	sum := 0.0
	for _, seat := range []float64{advantage, -advantage} {
		a := math.Pow(10, (elo+seat)/800)
		switch x := rng.Float64() * (a + draw + 1/a); {
		case x < a:
			sum += 0.5
		case x < a+draw:
			sum += 0.25
		}
	}
	return sum
}

// expectedPair returns the expectation of pair.
func expectedPair(elo, advantage, draw float64) float64 {
	sum := 0.0
	for _, seat := range []float64{advantage, -advantage} {
		a := math.Pow(10, (elo+seat)/800)
		sum += 0.5 * (a + draw/2) / (a + draw + 1/a)
	}
	return sum
}

// decisions returns the fraction of tests that accept H1 if the expected score is that
// of the given Elo, and their mean number of pairs.
func decisions(t *testing.T, s SPRT, match int, elo float64, repetitions int) (h1, length float64) {
	t.Helper()
	c := matches[match]
	low, high := -2000.0, 2000.0
	for high-low > 1e-9 {
		if x := (low + high) / 2; expectedPair(x, c.advantage,
			c.draw) < 1/(1+math.Pow(10, -elo/400)) {
			low = x
		} else {
			high = x
		}
	}
	for repetition := range repetitions {
		rng := random.New(1, random.Test, 31, uint64(match), uint64(elo), uint64(repetition))
		var pairs []float64
		for verdict := Continue; verdict == Continue; {
			if len(pairs) == 100000 {
				t.Fatalf("%s: no end", c.name)
			}
			pairs = append(pairs, pair(rng, low, c.advantage, c.draw))
			if _, _, _, verdict = s.Test(pairs); verdict == AcceptH1 {
				h1 += 1 / float64(repetitions)
			}
		}
		length += float64(len(pairs)) / float64(repetitions)
	}
	return h1, length
}

// TestSPRTErrorRates: with 150 repetitions 0.05 has a standard error of 0.018.
func TestSPRTErrorRates(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 80, Alpha: 0.05, Beta: 0.05}
	for i, c := range matches {
		wrong, n := decisions(t, s, i, s.Elo0, 150)
		right, m := decisions(t, s, i, s.Elo1, 150)
		t.Logf("%s: H1 in %.3f under H0, %.3f under H1, after %.0f and %.0f pairs",
			c.name, wrong, right, n, m)
		if wrong > 0.10 || right < 0.90 {
			t.Errorf("%s: H1 accepted in %.3f under H0 and %.3f under H1, want 0.05 and 0.95",
				c.name, wrong, right)
		}
	}
}

// TestSPRTDecidesAtItsBounds: a ratio that is as small or as great as a bound decides.
func TestSPRTDecidesAtItsBounds(t *testing.T) {
	for _, c := range []struct {
		pairs []float64
		want  Verdict
	}{
		{pentanomial(9, 12, 14, 2, 1), AcceptH0},
		{pentanomial(1, 2, 14, 12, 9), AcceptH1},
	} {
		at := 0
		for n := range 200 {
			s := SPRT{Elo0: -10, Elo1: 10, Alpha: 0.2, Beta: 0.2}
			llr, _, _, _ := s.Test(c.pairs)
			// The other bound is as far away as the first error allows.
			if c.want == AcceptH0 {
				s.Alpha = 0.01 + float64(n)/1000
				s.Beta = math.Exp(llr) * (1 - s.Alpha)
			} else {
				s.Beta = 0.01 + float64(n)/1000
				s.Alpha = (1 - s.Beta) / math.Exp(llr)
			}
			_, lower, upper, got := s.Test(c.pairs)
			if llr != lower && llr != upper {
				continue // one of the last digits differs
			}
			if at++; got != c.want {
				t.Errorf("a ratio of %g between %g and %g is %v, want %v",
					llr, lower, upper, got, c.want)
			}
		}
		if at == 0 {
			t.Errorf("%v: no ratio is at a bound", c.want)
		}
	}
}
