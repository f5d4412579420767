package nn

import (
	"fmt"
	"slices"
	"strings"
)

// Auxiliary describes heads that only training has. What they predict shapes the trunk; evaluators,
// and files exported for them, leave them out.
type Auxiliary struct {
	// Cells are labels of every cell at the end of the game, each by its number of classes, at
	// least 2: a 1×1 convolution to a softmax.
	Cells []int `json:"cells,omitempty"`
	// Seats is the number of labels of each player at the end of the game: a dense layer on the
	// trunk's mean over cells.
	Seats int `json:"seats,omitempty"`
	// Reply is a second policy head, for the decision that follows.
	Reply bool `json:"reply,omitempty"`
}

// IsZero reports whether there are no such heads.
func (a Auxiliary) IsZero() bool { return len(a.Cells) == 0 && a.Seats == 0 && !a.Reply }

// Classes returns the number of classes of all labels of cells together.
func (a Auxiliary) Classes() int {
	n := 0
	for _, c := range a.Cells {
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
	q := &Params{Spec: p.Spec.WithoutAuxiliary(), index: map[string]int{}}
	for _, t := range p.Tensors {
		if !isAuxiliary(t.Name) {
			q.index[t.Name] = len(q.Tensors)
			q.Tensors = append(q.Tensors, t)
		}
	}
	return q
}

func isAuxiliary(tensor string) bool { return strings.HasPrefix(tensor, "aux.") }

// maxClasses limits the classes of a label: training holds them as int8.
const maxClasses = 127

// validateAuxiliary returns an error that says what is wrong with the heads, or nil.
func (s *Spec) validateAuxiliary() error {
	a := &s.Auxiliary
	for i, c := range a.Cells {
		if c < 2 || c > maxClasses {
			return fmt.Errorf("network: label %d of cells has %d classes; 2 to %d are wanted", i, c, maxClasses)
		}
	}
	if a.Seats < 0 {
		return fmt.Errorf("network: %d labels of seats; at least 0 are wanted", a.Seats)
	}
	if a.Reply && s.Policy == PolicyNone {
		return fmt.Errorf("network: a head for the reply is like the policy head, but the network has none")
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
	if a.Reply {
		n += s.countPolicy()
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
	if s.Auxiliary.Reply {
		p.addPolicy("aux.reply")
	}
}

// keepsAuxiliary reports whether a tensor means the same in networks with the heads a and b.
func keepsAuxiliary(tensor string, a, b *Auxiliary) bool {
	switch {
	case strings.HasPrefix(tensor, "aux.cells."):
		return slices.Equal(a.Cells, b.Cells)
	case strings.HasPrefix(tensor, "aux.seats."):
		return a.Seats == b.Seats
	}
	return true
}
