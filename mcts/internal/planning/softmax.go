package planning

import "math"

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
