package planning

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/internal/random"
)

var published = Gumbel{Considered: 16, VisitOffset: 50, ValueScale: 0.1}

// node is what a search knows of a node's actions.
type node struct {
	priors []float32
	visits []int32
	q      []float64
	raw    float64
}

// randomNode returns a node with n actions, of which some are visited.
func randomNode(rng *rand.Rand, n int) node {
	x := node{
		priors: make([]float32, n), visits: make([]int32, n), q: make([]float64, n),
		raw: rng.Float64(),
	}
	sum := 0.0
	p := make([]float64, n)
	for k := range p {
		p[k] = math.Exp(2 * rng.NormFloat64())
		sum += p[k]
	}
	share := rng.Float64()
	for k := range p {
		x.priors[k] = float32(p[k] / sum)
		x.q[k] = math.NaN() // not read
		if rng.Float64() < share {
			x.visits[k], x.q[k] = int32(1+rng.IntN(30)), rng.Float64()
		}
	}
	return x
}

// slowMixed is v_mix as the paper's appendix D gives it: with N the visits, pi the priors and v
// the node's own value,
//
//	(v + sum_b N(b) / sum_{b visited} pi(b) · sum_{a visited} pi(a) q(a)) / (1 + sum_b N(b)).
func slowMixed(x node) float64 {
	visits, mass, weighted := 0.0, 0.0, 0.0
	for k, n := range x.visits {
		visits += float64(n)
		if n > 0 {
			mass += float64(x.priors[k])
			weighted += float64(x.priors[k]) * x.q[k]
		}
	}
	if visits == 0 {
		return x.raw
	}
	return (x.raw + visits/mass*weighted) / (1 + visits)
}

// slowSigma is sigma(completed Q) straight from the formulas.
func slowSigma(o Gumbel, x node) []float64 {
	completed := make([]float64, len(x.q))
	most := 0.0
	for k, n := range x.visits {
		completed[k] = slowMixed(x)
		if n > 0 {
			completed[k] = x.q[k]
		}
		most = math.Max(most, float64(n))
	}
	if !o.Unscaled {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, q := range completed {
			lo, hi = math.Min(lo, q), math.Max(hi, q)
		}
		for k := range completed {
			completed[k] = (completed[k] - lo) / math.Max(hi-lo, 1e-8)
		}
	}
	for k := range completed {
		completed[k] *= (o.VisitOffset + most) * o.ValueScale
	}
	return completed
}

// softmax is slow and exact: of ln prior + sigma.
func softmax(priors []float32, sigma []float64) []float64 {
	hi, sum := math.Inf(-1), 0.0
	for k, s := range sigma {
		hi = math.Max(hi, math.Log(float64(priors[k]))+s)
	}
	p := make([]float64, len(sigma))
	for k, s := range sigma {
		p[k] = math.Exp(math.Log(float64(priors[k])) + s - hi)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

func TestSigma(t *testing.T) {
	rng := random.New(1, random.Test)
	for trial := range 5000 {
		x := randomNode(rng, 1+rng.IntN(12))
		o := Gumbel{
			Considered: 1, VisitOffset: 100 * rng.Float64(), ValueScale: rng.Float64(),
			Unscaled: trial%2 != 0,
		}
		got, want := make([]float64, len(x.q)), slowSigma(o, x)
		o.Sigma(got, x.priors, x.visits, x.q, x.raw)
		for k := range got {
			if math.Abs(got[k]-want[k]) > 1e-6 {
				t.Fatalf("%+v of %+v: sigma is %v, want %v", o, x, got, want)
			}
		}
		if m := Mixed(x.priors, x.visits, x.q, x.raw); math.Abs(m-slowMixed(x)) > 1e-12 {
			t.Fatalf("%+v: the mixed value is %g, want %g", x, m, slowMixed(x))
		}
		policy, exact := make([]float32, len(x.q)), softmax(x.priors, want)
		Improve(policy, x.priors, got)
		for k := range policy {
			if math.Abs(float64(policy[k])-exact[k]) > 1e-5 {
				t.Fatalf("%+v of %+v: the improved policy is %v, want %v", o, x, policy, exact)
			}
		}
	}
}

// TestMixedOfMCTX is the example of mctx's qtransforms_test.py: raw value -0.8, logits -inf, -1,
// 2, -inf, visits 0, 4, 4, 0, Q 10/54 times 20, 3, -1, 10. With e^-1 : e^2 = 0.04743 : 0.95257
// the mixed value is (-0.8 + 8·(10/54)·(3·0.04743 - 0.95257)) / 9 = -0.222271.
func TestMixedOfMCTX(t *testing.T) {
	p := 1 / (1 + math.Exp(3))
	x := node{
		priors: []float32{0, float32(p), float32(1 - p), 0}, visits: []int32{0, 4, 4, 0},
		q: []float64{200.0 / 54, 30.0 / 54, -10.0 / 54, 100.0 / 54}, raw: -0.8,
	}
	if got := Mixed(x.priors, x.visits, x.q, x.raw); math.Abs(got - -0.222271) > 1e-6 {
		t.Errorf("the mixed value is %.6f, want -0.222271", got)
	}
}

// TestByHand: three actions with priors 1/2, 1/4, 1/4; the first visited three times with
// Q = 0.6, the second once with Q = 0.2, the third never; own value 0.5.
//
//	v_mix  = (0.5 + 4·(1/2·0.6 + 1/4·0.2)/(3/4)) / 5 = (0.5 + 4·0.466667) / 5 = 0.473333
//	scaled = (q - 0.2) / 0.4 = 1, 0, 0.683333
//	sigma  = (50 + 3)·0.1·scaled = 5.3, 0, 3.621667
//	policy ~ 1/2·e^5.3 : 1/4 : 1/4·e^3.621667 = 100.1684 : 0.25 : 9.3500
func TestByHand(t *testing.T) {
	x := node{[]float32{0.5, 0.25, 0.25}, []int32{3, 1, 0}, []float64{0.6, 0.2, 0}, 0.5}
	sigma, policy := make([]float64, 3), make([]float32, 3)
	published.Sigma(sigma, x.priors, x.visits, x.q, x.raw)
	Improve(policy, x.priors, sigma)
	for k, want := range []float64{5.3, 0, 3.621667} {
		if math.Abs(sigma[k]-want) > 1e-6 {
			t.Errorf("sigma %d is %.6f, want %.6f", k, sigma[k], want)
		}
	}
	for k, want := range []float64{0.912539, 0.002278, 0.085183} {
		if math.Abs(float64(policy[k])-want) > 2e-5 {
			t.Errorf("the improved policy of %d is %.6f, want %.6f", k, policy[k], want)
		}
	}
}

// TestImproveOfTinyPriors: priors that have underflowed to 0 leave the policy finite.
func TestImproveOfTinyPriors(t *testing.T) {
	policy := make([]float32, 3)
	for _, sigma := range [][]float64{
		{500, 0, 0}, {0, 0, 500}, {0, 500, 0}, {0, 0, 0}, {-1e6, -1e6, 0},
	} {
		Improve(policy, []float32{0, 1, 0}, sigma)
		sum := float64(policy[0]) + float64(policy[1]) + float64(policy[2])
		if !(math.Abs(sum-1) < 1e-6) {
			t.Errorf("sigma %v gives the policy %v", sigma, policy)
		}
	}
}

// sequence is the sequence of considered visits as the definition of mctx words it: the visits
// of all considered actions are listed, phase after phase.
func sequence(m, n int) []int32 {
	var list []int32
	if m <= 1 {
		for i := range n {
			list = append(list, int32(i))
		}
		return list
	}
	phases := math.Ceil(math.Log2(float64(m)))
	visits := make([]int32, m)
	for k := m; len(list) < n; k = max(2, k/2) {
		for range max(1, int(float64(n)/(phases*float64(k)))) {
			for j := range k {
				list = append(list, visits[j])
				visits[j]++
			}
		}
	}
	return list[:n]
}

// TestPublishedSequences holds sequence to the examples in mctx's seq_halving_test.py: runs of
// equal numbers are written as {number, times}.
func TestPublishedSequences(t *testing.T) {
	for _, test := range []struct {
		m, n int
		runs [][2]int
	}{
		{8, 24, [][2]int{{0, 8}, {1, 4}, {2, 4}, {3, 2}, {4, 2}, {5, 2}, {6, 2}}},
		{8, 47, [][2]int{
			{0, 8}, {1, 4}, {2, 4}, {3, 4}, {4, 2}, {5, 2}, {6, 2}, {7, 2}, {8, 2}, {9, 2}, {10, 2},
			{11, 2}, {12, 2}, {13, 2}, {14, 2}, {15, 2}, {16, 2}, {17, 1},
		}},
		{8, 2, [][2]int{{0, 2}}},
		{8, 13, [][2]int{{0, 8}, {1, 4}, {2, 1}}},
		{7, 24, [][2]int{{0, 7}, {1, 3}, {2, 3}, {3, 2}, {4, 2}, {5, 2}, {6, 2}, {7, 2}, {8, 1}}},
		{0, 3, [][2]int{{0, 1}, {1, 1}, {2, 1}}},
		{1, 3, [][2]int{{0, 1}, {1, 1}, {2, 1}}},
	} {
		var want []int32
		for _, run := range test.runs {
			for range run[1] {
				want = append(want, int32(run[0]))
			}
		}
		if got := sequence(test.m, test.n); !slices.Equal(got, want) {
			t.Errorf("%d actions, %d simulations:\n%v, want\n%v", test.m, test.n, got, want)
		}
	}
}

func TestConsidered(t *testing.T) {
	for m := range 40 {
		for n := range 300 {
			for i, want := range sequence(m, n) {
				if got := considered(m, n, i); got != want {
					t.Fatalf("%d actions: simulation %d of %d wants %d visits, not %d",
						m, i, n, got, want)
				}
			}
		}
	}
}

func TestAuto(t *testing.T) {
	for n, want := range map[int]int{
		0: 8, 1: 1, 2: 2, 7: 2, 8: 4, 16: 4, 23: 4, 24: 8, 32: 8, 63: 8, 64: 16, 1000: 16,
	} {
		if got := auto(n); got != want {
			t.Errorf("%d actions are considered in %d simulations, not %d", got, n, want)
		}
	}
}

// TestRound: in a round each phase has as many visits as the first, for powers of two.
func TestRound(t *testing.T) {
	for m, want := range []int{1, 1, 2, 6, 8, 15, 18, 21, 24} {
		if got := round(m); got != want {
			t.Errorf("a round of %d actions has %d simulations, not %d", m, got, want)
		}
	}
	var got []int32
	for i := range round(8) {
		got = append(got, considered(8, round(8), i))
	}
	if want := []int32{
		0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6,
	}; !slices.Equal(got, want) {
		t.Errorf("a round of 8 actions is %v, not %v", got, want)
	}
}
