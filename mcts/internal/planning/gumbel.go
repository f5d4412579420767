package planning

import (
	"fmt"
	"math"
	"math/bits"
)

// Gumbel are the constants of the method (mcts.Gumbel): considered actions (mctx:
// max_num_considered_actions), and c_visit and c_scale of
//
//	sigma(q) = (c_visit + max_b N(b)) · c_scale · q
//
// (equation 8; mctx: maxvisit_init and value_scale). Unless Unscaled is set, the least of the
// completed Q values of a node is mapped to 0 and the greatest to 1 before sigma (rescale_values).
type Gumbel struct {
	// Considered is the greatest number of actions considered at the root, at most 65536, or
	// Auto. mctx has 16. With 0 the root is played by PUCT as all nodes are, and the
	// other fields are not used.
	Considered int
	// VisitOffset (c_visit; 50 in mctx) and ValueScale (c_scale; 0.1 in mctx) are at least 0.
	VisitOffset, ValueScale float64
	// Interior selects the actions at the other nodes.
	Interior Interior
	// Unscaled leaves Q as it is: sigma(q) = (VisitOffset + max N) · ValueScale · q. What is gained
	// by an action then counts for what it is; otherwise the best action is preferred to the worst
	// by as much where both are nearly equal.
	Unscaled bool
}

// On reports whether the root is played as o describes.
func (o Gumbel) On() bool { return o.Considered != 0 }

// Interior is the selection of actions at nodes below the root of a Gumbel search.
type Interior uint8

const (
	// Improved selects the action with the greatest
	//
	//	P'(s,a) - N(s,a) / (1 + sum N(s,b)),   P' = softmax(logit + sigma(Q))
	//
	// so that visits become proportional to the improved policy P' (section 5 of the paper: full
	// Gumbel). It has no exploration constant.
	Improved Interior = iota
	// ByPUCT selects by PUCT, with its C and FPU.
	ByPUCT
	// ByPolicy selects as Improved does, with the priors in place of the improved policy: visits
	// become proportional to the priors, so that values are those of the policies as they are.
	ByPolicy
)

// maxConsidered bounds Gumbel.Considered.
const maxConsidered = 1 << 16

// Validate returns an error that names an option out of range.
func (o Gumbel) Validate() error {
	switch {
	case o.Considered < Auto || o.Considered > maxConsidered:
		return fmt.Errorf(
			"search: considered is %d; a number from 1 to %d is wanted, or 0 for PUCT at the root",
			o.Considered, maxConsidered)
	case !(o.VisitOffset >= 0) || math.IsInf(o.VisitOffset, 1):
		return fmt.Errorf("search: c_visit is %g; a number of at least 0 is wanted", o.VisitOffset)
	case !(o.ValueScale >= 0) || math.IsInf(o.ValueScale, 1):
		return fmt.Errorf("search: c_scale is %g; a number of at least 0 is wanted", o.ValueScale)
	case o.Interior > ByPolicy:
		return fmt.Errorf("search: interior is %d; 0 (improved), 1 (puct) or 2 (policy) is wanted",
			o.Interior)
	}
	return nil
}

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

// considered returns the number of visits that an action must have to be simulated next by
// sequential halving, after i of n simulations with m actions considered. It is element i of
// mctx's get_sequence_of_considered_visits(m, n): all m actions are visited
// max(1, n / (ceil(log2 m)·m)) times, then the better half likewise, down to two, which share
// what is left.
func considered(m, n, i int) int32 {
	if m <= 1 {
		return int32(i)
	}
	phases, visits := phases(m), 0
	for k := m; k > 2; k = max(2, k/2) {
		each := max(1, n/(phases*k))
		if i < each*k {
			return int32(visits + i/k)
		}
		i -= each * k
		visits += each
	}
	return int32(visits + i/2)
}

// Auto, as Gumbel.Considered, follows the number of simulations: it is the greatest power of two
// up to 16 of which they are a round, and 8 if their number is not known. As a batch size it lets
// the Loop choose: see pace.
const Auto = -1

// auto returns the number of actions considered with Auto in n simulations, 0 if it is not known.
func auto(n int) int {
	if n == 0 {
		return 8
	}
	m := 1
	for m < 16 && round(2*m) <= n {
		m *= 2
	}
	return m
}

// round returns the least number of simulations that sequential halving of m actions is meant for,
// m·ceil(log2 m): one visit for each action, two for each of the better half, and so on.
func round(m int) int { return max(1, m*phases(m)) }

// phases returns ceil(log2 m), the number of phases of sequential halving of m actions.
func phases(m int) int { return bits.Len(uint(max(m, 1) - 1)) }
