package nn

import (
	"fmt"
	"slices"
	"strings"
)

// Policy heads.
const (
	PolicyConv = "conv" // 1×1 convolution with one filter: one logit per cell
	// the same, and a logit for the pass from a dense layer on the trunk's mean over cells
	PolicyConvPass = "conv+pass"
	PolicyDense    = "dense" // 1×1 convolution to two filters, ReLU, then a dense layer
	PolicyNone     = "none"  // no policy (Descent)
)

// Value heads.
const (
	ValueCategorical = "categorical" // a softmax over Support for each player
	ValueLinear      = "linear"      // one number for each player
)

// Spec describes a network.
type Spec struct {
	Planes  int `json:"planes"` // observation [Planes, Height, Width]
	Height  int `json:"height"`
	Width   int `json:"width"`
	Players int `json:"players"`
	Actions int `json:"actions"` // length of the policy

	Blocks  int `json:"blocks"`  // residual blocks of two convolutions each, at least 0
	Filters int `json:"filters"` // channels of the trunk

	Policy string `json:"policy"` // one of the policy heads above
	Value  string `json:"value"`  // one of the value heads above
	Hidden int    `json:"hidden"` // width of each player's hidden layer
	// utilities over which a categorical head predicts, ascending
	Support []float32 `json:"support,omitempty"`

	Auxiliary Auxiliary `json:"auxiliary,omitzero"` // heads that only training has
}

// Cells returns Height × Width.
func (s *Spec) Cells() int { return s.Height * s.Width }

// Taps returns the number of taps of the 3×3 convolutions that are on the board for some cell: all
// nine (as is counted for boards of one line too), or the centre alone where a board is one cell.
func (s *Spec) Taps() int {
	if s.Cells() == 1 {
		return 1
	}
	return 9
}

// Outputs returns the number of outputs of each player's value head.
func (s *Spec) Outputs() int {
	if s.Value == ValueCategorical {
		return len(s.Support)
	}
	return 1
}

// Count returns what Params.Count will be for a valid Spec, without allocating the
// parameters. It is a float64, since a Spec read from a file may describe more numbers
// than an int can count.
func (s *Spec) Count() float64 {
	planes, filters, cells := float64(s.Planes), float64(s.Filters),
		float64(s.Height)*float64(s.Width)
	hidden, outputs := float64(s.Hidden), float64(s.Outputs())
	conv := func(in float64) float64 { return filters*in*9 + 4*filters }
	n := conv(planes) + 2*float64(s.Blocks)*conv(filters) + s.countPolicy() + s.countAuxiliary()
	return n + float64(s.Players)*(hidden*filters*cells+hidden+outputs*hidden+outputs)
}

// countPolicy returns the count of the policy head's parameters.
func (s *Spec) countPolicy() float64 {
	filters, cells, actions := float64(s.Filters), float64(s.Height)*float64(s.Width),
		float64(s.Actions)
	switch s.Policy {
	case PolicyConv:
		return filters + 1
	case PolicyConvPass:
		return 2 * (filters + 1)
	case PolicyDense:
		return 2*filters + 2 + actions*2*cells + actions
	}
	return 0
}

// Validate returns an error that says what is wrong with the description, or nil.
func (s *Spec) Validate() error {
	for _, c := range []struct {
		name string
		v    int
		min  int
	}{
		{"planes", s.Planes, 1}, {"height", s.Height, 1}, {"width", s.Width, 1},
		{"players", s.Players, 1},
		{"blocks", s.Blocks, 0}, {"filters", s.Filters, 1}, {"hidden", s.Hidden, 1},
	} {
		if c.v < c.min {
			return fmt.Errorf("network: %s is %d; at least %d is wanted", c.name, c.v, c.min)
		}
	}
	switch s.Policy {
	case PolicyConv:
		if s.Actions != s.Cells() {
			return fmt.Errorf("network: policy head %q gives one logit per cell (%d), but the game has %d actions", s.Policy, s.Cells(), s.Actions)
		}
	case PolicyConvPass:
		if s.Actions != s.Cells()+1 {
			return fmt.Errorf("network: policy head %q gives one logit per cell and one for the pass (%d), but the game has %d actions", s.Policy, s.Cells()+1, s.Actions)
		}
	case PolicyDense, PolicyNone:
		if s.Actions < 1 {
			return fmt.Errorf("network: actions is %d; at least 1 is wanted", s.Actions)
		}
	default:
		return fmt.Errorf(
			"network: no policy head is called %q; there are conv, conv+pass, dense, none",
			s.Policy)
	}
	switch s.Value {
	case ValueCategorical:
		if len(s.Support) < 2 {
			return fmt.Errorf(
				"network: a categorical value head needs at least two utilities to predict, not %d",
				len(s.Support))
		}
		for i := 1; i < len(s.Support); i++ {
			if !(s.Support[i] > s.Support[i-1]) {
				return fmt.Errorf(
					"network: the utilities that the value head predicts are not ascending")
			}
		}
	case ValueLinear:
	default:
		return fmt.Errorf("network: no value head is called %q; there are categorical, linear",
			s.Value)
	}
	return s.validateAuxiliary()
}

// Size describes the trunk in a few words: "4 blocks × 64 filters".
func (s Spec) Size() string {
	blocks := "blocks"
	if s.Blocks == 1 {
		blocks = "block"
	}
	return fmt.Sprintf("%d %s × %d filters", s.Blocks, blocks, s.Filters)
}

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
