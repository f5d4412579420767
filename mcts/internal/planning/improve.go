package planning

import ()

const (
	// tiny is the least prior that is reckoned with: the smallest normal float32, as in mctx.
	tiny = 0x1p-126
	// epsilon is the least range of Q values that values are rescaled by, as in mctx.
	epsilon = 1e-8
)

// Mixed returns v_mix, the value that completes the Q of actions without visits (appendix D,
// equation 33): the node's own evaluation raw, weighed as one visit, and the mean Q of the
// visited actions, weighed by their priors, as all visits.
func Mixed(priors []float32, visits []int32, q []float64, raw float64) float64 {
	var all int64
	mass, sum := 0.0, 0.0
	for k, n := range visits {
		if n == 0 {
			continue
		}
		p := Prior(priors[k])
		all += int64(n)
		mass += p
		sum += float64(p * q[k])
	}
	if all == 0 {
		return raw
	}
	return (raw + float64(float64(all)*(sum/mass))) / float64(all+1)
}

// Prior returns a prior, but at least the smallest normal float32, as mctx does: the softmax of
// very different logits is 0 for some.
func Prior(prior float32) float64 { return max(float64(prior), tiny) }

// Sigma writes sigma of each action's completed Q to dst (mctx:
// qtransform_completed_by_mix_value). q need only be set where visits is not 0.
func (o *Gumbel) Sigma(dst []float64, priors []float32, visits []int32, q []float64, raw float64) {
	mixed := Mixed(priors, visits, q, raw)
	most := int32(0)
	for k, n := range visits {
		dst[k] = mixed
		if n > 0 {
			dst[k] = q[k]
			most = max(most, n)
		}
	}
	lo, hi := dst[0], dst[0]
	for _, x := range dst {
		lo, hi = min(lo, x), max(hi, x)
	}
	scale, origin := o.Scale(most, lo, hi)
	for k := range dst {
		dst[k] = scale * (dst[k] - origin)
	}
}

// Scale returns sigma as a line: sigma(q) = scale·(q - origin), for a node whose most visited
// action has most visits, and whose completed Q values lie between lo and hi.
func (o *Gumbel) Scale(most int32, lo, hi float64) (scale, origin float64) {
	scale = (o.VisitOffset + float64(most)) * o.ValueScale
	if !o.Unscaled {
		return scale / max(hi-lo, epsilon), lo
	}
	return scale, 0
}

// Improve writes the improved policy softmax(ln prior + sigma) to dst (equation 11). The
// results are the same to the bit on every processor.
func Improve(dst, priors []float32, sigma []float64) {
	hi := sigma[0]
	for _, x := range sigma {
		hi = max(hi, x)
	}
	sum := 0.0
	for k, x := range sigma {
		sum += Weight(priors[k], x-hi)
	}
	for k, x := range sigma {
		dst[k] = float32(Weight(priors[k], x-hi) / sum)
	}
}

// Weight returns the improved policy of an action before it is normalized: prior·exp(x), x
// being its sigma less the greatest of the node. It is positive where x is 0.
func Weight(p float32, x float64) float64 {
	return float64(Prior(p) * float64(Exp(float32(x))))
}
