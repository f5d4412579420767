package nn

import "fmt"

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
