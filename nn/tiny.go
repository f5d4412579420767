package nn

import "math"

// tiny is the least magnitude of a parameter that inference keeps; smaller ones count as 0. Weights
// that training no longer uses decay until they are denormal, and processors compute with denormal
// numbers 10 to 100 times more slowly. Beside a bias or a logit of ordinary size a product with
// such a weight is far below rounding.
const tiny = 0x1p-66

// withoutTiny returns p with all numbers below tiny replaced by 0: p itself if there are none. It
// shares the other tensors with p.
func withoutTiny(p *Params) *Params {
	q := p
	for i, t := range p.Tensors {
		if !hasTiny(t.Data) {
			continue
		}
		if q == p {
			q = &Params{Spec: p.Spec, index: p.index, Tensors: append([]Tensor(nil), p.Tensors...)}
		}
		data := append([]float32(nil), t.Data...)
		for j, v := range data {
			if math.Abs(float64(v)) < tiny {
				data[j] = 0
			}
		}
		q.Tensors[i].Data = data
	}
	return q
}

func hasTiny(x []float32) bool {
	for _, v := range x {
		if v != 0 && math.Abs(float64(v)) < tiny {
			return true
		}
	}
	return false
}
