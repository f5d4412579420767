package nn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Grow returns a larger network that computes the same function as p: spec may have
// more blocks, filters and hidden units. Everything else must equal p.Spec; the error names each
// part that does not. If the two are equal, the result is a copy.
//
// New blocks follow the old ones and pass their input through: the scale (gamma) of
// their last BatchNorm is 0, so the block adds nothing to its input, which the ReLU before has
// already rectified (Goyal et al. 2017, section 5.1, for new networks).
//
// The weights into new filters and hidden units are drawn as Init draws them; the weights
// from them into what existed before are 0. This is the widening of Net2Net (Chen et al.
// 2016), but with random filters instead of copies, so that no two learn the same. In a
// block, new filters too start with a last scale of 0. Gradients reach all new parameters
// within the first steps.
//
// Auxiliary heads, which evaluators do not compute, may differ: those that both networks have grow
// with the rest, others are drawn or left out.
func Grow(p *Params, spec Spec, rng *rand.Rand) (*Params, error) {
	if err := growable(&p.Spec, &spec); err != nil {
		return nil, err
	}
	q, err := NewParams(spec)
	if err != nil {
		return nil, err
	}
	q.Init(rng)
	for i := range q.Tensors {
		t := &q.Tensors[i]
		if strings.HasSuffix(t.Name, ".1.gamma") { // the last of a block
			clear(t.Data)
		}
		if at, ok := p.index[t.Name]; ok &&
			keepsAuxiliary(t.Name, &p.Spec.Auxiliary, &spec.Auxiliary) {
			widen(t, &p.Tensors[at])
		}
	}
	return q, nil
}

// widen copies a tensor into the corner of one that is larger in one or both of its first
// two dimensions. In the rows that existed before, new columns are set to 0, so that old
// outputs do not depend on new inputs. The new rows, and a vector's new elements, stay as they are.
func widen(to, from *Tensor) {
	if len(to.Shape) == 1 {
		copy(to.Data, from.Data)
		return
	}
	was, is := len(from.Data)/from.Shape[0], len(to.Data)/to.Shape[0]
	for row := range from.Shape[0] {
		copy(to.Data[row*is:row*is+was], from.Data[row*was:])
		clear(to.Data[row*is+was : (row+1)*is])
	}
}

// growable returns an error that names every reason why from can't grow into to, or nil.
func growable(from, to *Spec) error {
	if err := to.Validate(); err != nil {
		return err
	}
	var differ []string
	same := func(what string, a, b any) {
		if a != b {
			differ = append(differ, fmt.Sprintf("%s: %v, the new network's %v", what, a, b))
		}
	}
	same("planes", from.Planes, to.Planes)
	same("board", fmt.Sprintf("%d×%d", from.Height, from.Width),
		fmt.Sprintf("%d×%d", to.Height, to.Width))
	same("players", from.Players, to.Players)
	same("actions", from.Actions, to.Actions)
	same("policy head", from.Policy, to.Policy)
	same("value head", from.Value, to.Value)
	if from.Value == to.Value && !slices.Equal(from.Support, to.Support) {
		differ = append(differ,
			fmt.Sprintf("utilities that the value head predicts: %d, the new network's %d others",
				len(from.Support), len(to.Support)))
	}
	fits := func(what string, a, b int) {
		if a > b {
			differ = append(differ,
				fmt.Sprintf("%s: %d, the new network's %d, and a network can't shrink", what, a, b))
		}
	}
	fits("blocks", from.Blocks, to.Blocks)
	fits("filters", from.Filters, to.Filters)
	fits("hidden units", from.Hidden, to.Hidden)
	if len(differ) > 0 {
		return errors.New(strings.Join(differ, "; "))
	}
	return nil
}
