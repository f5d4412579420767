package planning

import (
	"math"
	"math/rand/v2"

	"tengen/game"
	"tengen/search"
)

// Softmax writes the softmax of logits to dst, which may be the same slice. The relative error
// is below 1e-6 for logits within 10 of the greatest, and grows to 4e-6 with the distance,
// since float32 rounds the differences. Equal logits give exactly equal priors. It panics if a
// logit is NaN or the greatest is infinite.
func Softmax(dst, logits []float32) {
	first := logits[0]
	hi, equal := first, true
	for _, x := range logits {
		if x > hi {
			hi = x
		}
		equal = equal && x == first
	}
	dst = dst[:len(logits)]
	sum := 0.0
	if equal {
		sum = float64(len(logits))
		for i := range dst {
			dst[i] = 1
		}
	} else {
		for i, x := range logits {
			e := Exp(x - hi)
			dst[i] = e
			sum += float64(e)
		}
	}
	if !(sum > 0) || math.IsInf(float64(hi), 0) {
		panic("mcts: the evaluator gave policy logits that are not numbers")
	}
	scale := 1 / sum
	for i, e := range dst {
		dst[i] = float32(float64(e) * scale)
	}
}

// Exp is e^x for x of at most 0, to a relative error of 2e-7, and 0 below -87.
// The argument is split into k·ln 2 + r, |r| at most ln(2)/2, and e^r is the
// polynomial of Cephes' expf. The products are rounded before they are added,
// so that every processor gives the same result.
func Exp(x float32) float32 {
	if x < -87 {
		return 0
	}
	const (
		log2e = 1.44269504088896341
		ln2Hi = 0.693359375
		ln2Lo = -2.12194440e-4
		round = 3 << 22 // adding it leaves a whole number in the low bits
	)
	k := float32(x*log2e) + round
	k -= round
	r := x - float32(k*ln2Hi)
	r -= float32(k * ln2Lo)
	p := float32(1.9875691500e-4)
	p = float32(p*r) + 1.3981999507e-3
	p = float32(p*r) + 8.3334519073e-3
	p = float32(p*r) + 4.1665795894e-2
	p = float32(p*r) + 1.6666665459e-1
	p = float32(p*r) + 5.0000001201e-1
	p = float32(float32(p*r)*r) + r
	return float32(p+1) * math.Float32frombits(uint32(int32(k)+127)<<23)
}

// concentration is the total concentration of the root's noise: each of n actions has the
// parameter concentration/n.
const concentration = 10

// RootNoise mixes Dirichlet noise into the priors of a root.
type RootNoise struct {
	weight float64 // of the noise; the prior has the rest
	on     bool
	draw   []float64
}

// NewRootNoise makes the noise of a root with up to a number of legal actions. It is on.
func NewRootNoise(weight float64, actions int) RootNoise {
	return RootNoise{weight, true, make([]float64, actions)}
}

// SetNoise turns the noise on or off.
func (n *RootNoise) SetNoise(on bool) { n.on = on }

// Noisy reports whether priors change.
func (n *RootNoise) Noisy() bool { return n.on && n.weight > 0 }

// Draw draws the noise of a number of legal actions.
func (n *RootNoise) Draw(actions int, rng *rand.Rand) {
	n.draw = n.draw[:actions]
	Dirichlet(n.draw, concentration/float64(actions), rng)
}

// Mix returns the prior p of legal action k with its noise: (1-weight)·p + weight·noise.
func (n *RootNoise) Mix(k int, p float32) float32 {
	// The conversions keep the products from being fused with the sum.
	return float32(float64((1-n.weight)*float64(p)) + float64(n.weight*n.draw[k]))
}

// Dirichlet fills dst with a draw from the symmetric Dirichlet distribution
// with parameter alpha: independent Gamma(alpha, 1) variates divided by their sum.
func Dirichlet(dst []float64, alpha float64, rng *rand.Rand) {
	sum := 0.0
	for i := range dst {
		dst[i] = gamma(alpha, rng)
		sum += dst[i]
	}
	if sum == 0 {
		// All variates underflowed to 0. As alpha goes to 0, all mass goes to one element.
		dst[rng.IntN(len(dst))] = 1
		return
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// gamma draws from Gamma(alpha, 1), alpha greater than 0 (Marsaglia and Tsang,
// "A simple method for generating gamma variables", ACM TOMS 26(3), 2000;
// alpha below 1 by the remark in its section 6).
func gamma(alpha float64, rng *rand.Rand) float64 {
	if alpha < 1 {
		// 1-Float64 lies in (0, 1].
		return gamma(alpha+1, rng) * math.Pow(1-rng.Float64(), 1/alpha)
	}
	d := alpha - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := 1 - rng.Float64()
		if u < 1-0.0331*x*x*x*x || math.Log(u) < 0.5*x*x+d*(1-v+math.Log(v)) {
			return d * v
		}
	}
}

// Leaders are the two most visited actions of a root.
type Leaders struct{ First, Second int32 } // their visits, 0 for none

// Add counts an action with a number of visits.
func (l *Leaders) Add(visits int32) {
	if visits > l.First {
		l.First, l.Second = visits, l.First
	} else {
		l.Second = max(l.Second, visits)
	}
}

// Draw draws an action with probability proportional to visits^(1/temperature), less those
// pruned. If there are none left it draws from the priors of the actions without visits: what is
// pruned is known to be worse. The temperature is greater than 0. Draw returns game.NoAction if
// there are neither visits nor priors.
func Draw(children []search.Child, temperature float64, rng *rand.Rand) game.Action {
	most := 0.0
	weigh := func(c *search.Child) float64 { return float64(c.Visits - c.Pruned) }
	for i := range children {
		most = max(most, weigh(&children[i]))
	}
	if most == 0 {
		weigh = func(c *search.Child) float64 {
			if c.Visits > 0 {
				return 0
			}
			return float64(c.Prior)
		}
		for i := range children {
			most = max(most, weigh(&children[i]))
		}
	}
	if most == 0 {
		return game.NoAction
	}
	sum := 0.0
	power := func(c *search.Child) float64 {
		w := weigh(c)
		if w == 0 {
			return 0
		}
		return math.Pow(w/most, 1/temperature)
	}
	for i := range children {
		sum += power(&children[i])
	}
	x := rng.Float64() * sum
	last := game.NoAction
	for i := range children {
		if w := power(&children[i]); w > 0 {
			last = children[i].Action
			if x -= w; x < 0 {
				break
			}
		}
	}
	return last
}

// Means writes the means of utilities summed over visits, 0 without visits.
func Means(dst []float32, sums []float64, visits int32) {
	for p, sum := range sums {
		dst[p] = 0
		if visits > 0 {
			dst[p] = float32(sum / float64(visits))
		}
	}
}
