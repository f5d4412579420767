package nn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Grow makes a network of another description that computes what p does, and
// has room to learn more: it may have more blocks, filters and hidden units.
// Whatever else a description says must be the same; the error names each part that
// is not. Of equal descriptions the result is a copy.
//
// New blocks stand behind the old ones and pass their input on: the scale (gamma)
// of their last BatchNorm is 0, so that ReLU sees what it has already let through (Goyal et al. 2017,
// section 5.1, for new networks). New filters are computed from weights drawn as Init draws them, but
// nothing that was there reads them: these weights are 0 (widening as Net2Net, Chen et al.
// 2016, does it, but with new filters in place of copied ones, so that no two learn alike).
// In a block they too begin with a last scale of 0. New hidden units likewise. Gradients reach all
// of them from the first steps on.
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
		if strings.HasSuffix(t.Name, ".1.gamma") { // the last BatchNorm of a block
			clear(t.Data)
		}
		if at, ok := p.index[t.Name]; ok {
			widen(t, &p.Tensors[at])
		}
	}
	return q, nil
}

// widen copies a tensor into the corner of one that is larger in some of its first two
// dimensions. What was there reads nothing new: in the old rows the new columns
// are 0. Vectors grow by what they hold.
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

// growable says why a network can't grow into another, if it can't.
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
	same("board", fmt.Sprintf("%d×%d", from.Height, from.Width), fmt.Sprintf("%d×%d", to.Height, to.Width))
	same("players", from.Players, to.Players)
	same("actions", from.Actions, to.Actions)
	same("policy head", from.Policy, to.Policy)
	same("value head", from.Value, to.Value)
	if from.Value == to.Value && !slices.Equal(from.Support, to.Support) {
		differ = append(differ, fmt.Sprintf("utilities that the value head predicts: %d, the new network's %d others", len(from.Support), len(to.Support)))
	}
	fits := func(what string, a, b int) {
		if a > b {
			differ = append(differ, fmt.Sprintf("%s: %d, the new network's %d, and a network can't shrink", what, a, b))
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
