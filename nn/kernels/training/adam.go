package training

import "tengen/nn/kernels"

// Indices of the constants of Adam's loop, each of which fills all lanes.
const (
	adamScale = iota
	adamDecay
	adamFirst
	adamSecond
	adamCorrection
	adamEpsilon
	adamRate
	adamConstants
)

// AdamConstants are the constants of a step of Adam (Kingma, Ba 2015). For an element w with
// gradient d:
//
//	g ← Scale·d + Decay·w
//	m ← m + First·(g − m)
//	v ← v + Second·(g² − v)
//	w ← w − Rate·m / (√(Correction·v) + Epsilon)
type AdamConstants struct {
	Scale, Decay  float32
	First, Second float32 // 1 − β₁, 1 − β₂
	Correction    float32 // 1/(1 − β₂ᵗ)
	Epsilon       float32
	Rate          float32 // divided by 1 − β₁ᵗ
}

// AdamStep updates w and its moments first and second. All arrays have the same length.
func AdamStep(path *kernels.Path, w, first, second, gradient []float32, c AdamConstants) {
	step := productsOf(path).adam
	var constants [adamConstants * lanes]float32
	for i, v := range [adamConstants]float32{adamScale: c.Scale, adamDecay: c.Decay,
		adamFirst: c.First, adamSecond: c.Second,
		adamCorrection: c.Correction, adamEpsilon: c.Epsilon, adamRate: c.Rate} {
		for lane := range lanes {
			constants[i*lanes+lane] = v
		}
	}
	full := len(w) / lanes
	if full > 0 {
		step(&w[0], &first[0], &second[0], &gradient[0], &constants[0], full)
	}
	if at := full * lanes; at < len(w) { // the rest, copied to full vectors
		var rest [4][lanes]float32
		arrays := [4][]float32{w[at:], first[at:], second[at:], gradient[at:len(w)]}
		for i, a := range arrays {
			copy(rest[i][:], a)
		}
		step(&rest[0][0], &rest[1][0], &rest[2][0], &rest[3][0], &constants[0], 1)
		for i, a := range arrays[:3] {
			copy(a, rest[i][:len(w)-at])
		}
	}
}
