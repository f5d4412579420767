package nn

import (
	"fmt"
	"slices"
	"strings"
)

// Auxiliary describes heads that only training has. What they predict shapes the trunk; evaluators,
// and files exported for them, leave them out, but for the belief where it is asked for
// (FoldBelief, ForPlay).
type Auxiliary struct {
	// Cells are targets of every cell at the end of the game, each by its number of classes, at
	// least 2: a 1×1 convolution to a softmax.
	Cells []int `json:"cells,omitempty"`
	// Seats is the number of targets of each player at the end of the game: a dense layer on the
	// trunk's mean over cells.
	Seats int `json:"seats,omitempty"`
	// Belief are facts about what is hidden, each by its number of classes, at least 2: a hidden
	// layer like a value head's, of Spec.Hidden units, and a dense layer to a number for each class
	// of each fact, the logarithm of its likelihood up to a constant for each fact.
	Belief []int `json:"belief,omitempty"`
}

// IsZero reports whether there are no such heads.
func (a Auxiliary) IsZero() bool {
	return len(a.Cells) == 0 && a.Seats == 0 && len(a.Belief) == 0
}

// Classes returns the number of classes of all targets of cells together.
func (a Auxiliary) Classes() int { return total(a.Cells) }

// BeliefClasses returns the number of classes of all facts of the belief together.
func (a Auxiliary) BeliefClasses() int { return total(a.Belief) }

func total(list []int) int {
	n := 0
	for _, c := range list {
		n += c
	}
	return n
}

// WithoutAuxiliary returns the description of the network that evaluators compute.
func (s Spec) WithoutAuxiliary() Spec {
	s.Auxiliary = Auxiliary{}
	return s
}

// WithoutAuxiliary returns the network that evaluators compute, which shares its data with p.
func (p *Params) WithoutAuxiliary() *Params {
	if p.Spec.Auxiliary.IsZero() {
		return p
	}
	return p.without(p.Spec.WithoutAuxiliary(), isAuxiliary)
}

// ForPlay returns the network without the heads that only training has: of the auxiliary ones it
// has the belief alone. It shares its data with p.
func (p *Params) ForPlay() *Params {
	s := p.Spec.WithoutAuxiliary()
	s.Auxiliary.Belief = p.Spec.Auxiliary.Belief
	return p.without(s, func(tensor string) bool {
		return isAuxiliary(tensor) && !strings.HasPrefix(tensor, "aux.belief.")
	})
}

// without returns a network of s without some tensors.
func (p *Params) without(s Spec, some func(tensor string) bool) *Params {
	q := &Params{Spec: s, index: map[string]int{}}
	for _, t := range p.Tensors {
		if !some(t.Name) {
			q.index[t.Name] = len(q.Tensors)
			q.Tensors = append(q.Tensors, t)
		}
	}
	return q
}

func isAuxiliary(tensor string) bool { return strings.HasPrefix(tensor, "aux.") }

// maxClasses limits the classes of a target: training holds them as int8.
const maxClasses = 127

// validateAuxiliary returns an error that says what is wrong with the heads, or nil.
func (s *Spec) validateAuxiliary() error {
	a := &s.Auxiliary
	for i, c := range a.Cells {
		if c < 2 || c > maxClasses {
			return fmt.Errorf("network: target %d of cells has %d classes; 2 to %d are wanted",
				i, c, maxClasses)
		}
	}
	for i, c := range a.Belief {
		if c < 2 || c > maxClasses {
			return fmt.Errorf("network: fact %d of the belief has %d classes; 2 to %d are wanted",
				i, c, maxClasses)
		}
	}
	if a.Seats < 0 {
		return fmt.Errorf("network: %d targets of seats; at least 0 are wanted", a.Seats)
	}
	return nil
}

// countAuxiliary returns the count of the heads' parameters.
func (s *Spec) countAuxiliary() float64 {
	a, filters := &s.Auxiliary, float64(s.Filters)
	classes := 0.0
	for _, c := range a.Cells {
		classes += float64(c)
	}
	n := (classes + float64(s.Players)*float64(a.Seats)) * (filters + 1)
	if len(a.Belief) > 0 {
		outputs, hidden := 0.0, float64(s.Hidden)
		for _, c := range a.Belief {
			outputs += float64(c)
		}
		n += hidden*(filters*float64(s.Height)*float64(s.Width)+1) + outputs*(hidden+1)
	}
	return n
}

// addAuxiliary adds the heads' tensors.
func (p *Params) addAuxiliary() {
	s := &p.Spec
	if n := s.Auxiliary.Classes(); n > 0 {
		p.add("aux.cells.weight", 0, n, s.Filters, 1, 1)
		p.add("aux.cells.bias", 0, n)
	}
	if n := s.Players * s.Auxiliary.Seats; n > 0 {
		p.add("aux.seats.weight", 0, n, s.Filters)
		p.add("aux.seats.bias", 0, n)
	}
	if n := s.Auxiliary.BeliefClasses(); n > 0 {
		p.add("aux.belief.hidden.weight", 0, s.Hidden, s.Filters*s.Cells())
		p.add("aux.belief.hidden.bias", 0, s.Hidden)
		p.add("aux.belief.output.weight", 0, n, s.Hidden)
		p.add("aux.belief.output.bias", 0, n)
	}
}

// keepsAuxiliary reports whether a tensor means the same in networks with the heads a and b.
func keepsAuxiliary(tensor string, a, b *Auxiliary) bool {
	switch {
	case strings.HasPrefix(tensor, "aux.cells."):
		return slices.Equal(a.Cells, b.Cells)
	case strings.HasPrefix(tensor, "aux.seats."):
		return a.Seats == b.Seats
	case strings.HasPrefix(tensor, "aux.belief."):
		return slices.Equal(a.Belief, b.Belief)
	}
	return true
}
