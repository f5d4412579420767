package planning

import (
	"fmt"
	"math"
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
