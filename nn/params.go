package nn

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Tensor is a named array of float32, in row-major order.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// Params are the numbers of a network: learned parameters and BatchNorm's running
// statistics (tensors whose names end in ".mean" or ".variance"). The Spec alone
// determines the tensors and their order. Names and shapes:
//
//	stem.weight                       [Filters, Planes, 3, 3]
//	stem.gamma .beta .mean .variance  [Filters]
//	block.I.J.weight                  [Filters, Filters, 3, 3]   I from 0, J = 0, 1
//	block.I.J.gamma …                 [Filters]
//	policy.weight                     conv, conv+pass: [1, Filters, 1, 1]; dense: [2, Filters, 1, 1]
//	policy.bias                       [1] or [2]
//	policy.pass.weight .bias          conv+pass: [1, Filters], [1]
//	policy.dense.weight .bias         dense: [Actions, 2·Cells], [Actions]
//	value.P.hidden.weight .bias       [Hidden, Filters·Cells], [Hidden]   P from 0
//	value.P.output.weight .bias       [Outputs, Hidden], [Outputs]
//	aux.cells.weight .bias            [Classes, Filters, 1, 1], [Classes]   of all targets, if Auxiliary has some
//	aux.seats.weight .bias            [Players·Seats, Filters], [Players·Seats]   P.0, P.1, … from player 0
//	aux.belief.hidden.weight .bias    [Hidden, Filters·Cells], [Hidden]
//	aux.belief.output.weight .bias    [BeliefClasses, Hidden], [BeliefClasses]   of all facts
//
// Convolutions are cross-correlations with a border of zeros; dense layers
// compute x·Wᵀ + b; a flattened trunk is channel-major [Filters, Height, Width].
type Params struct {
	Spec    Spec
	Tensors []Tensor
	index   map[string]int
}

// NewParams returns the tensors of a network, with zero weights, unit gammas and unit variances.
// It returns an error if spec is not valid.
func NewParams(spec Spec) (*Params, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	p := &Params{Spec: spec, index: map[string]int{}}
	conv := func(name string, in int) {
		p.add(name+".weight", 0, spec.Filters, in, 3, 3)
		p.add(name+".gamma", 1, spec.Filters)
		p.add(name+".beta", 0, spec.Filters)
		p.add(name+".mean", 0, spec.Filters)
		p.add(name+".variance", 1, spec.Filters)
	}
	conv("stem", spec.Planes)
	for i := range spec.Blocks {
		conv(fmt.Sprintf("block.%d.0", i), spec.Filters)
		conv(fmt.Sprintf("block.%d.1", i), spec.Filters)
	}
	p.addPolicy()
	for i := range spec.Players {
		name := fmt.Sprintf("value.%d", i)
		p.add(name+".hidden.weight", 0, spec.Hidden, spec.Filters*spec.Cells())
		p.add(name+".hidden.bias", 0, spec.Hidden)
		p.add(name+".output.weight", 0, spec.Outputs(), spec.Hidden)
		p.add(name+".output.bias", 0, spec.Outputs())
	}
	p.addAuxiliary() // last, so that Init draws the other weights as without these heads
	return p, nil
}

// addPolicy adds the tensors of the policy head.
func (p *Params) addPolicy() {
	spec := &p.Spec
	switch spec.Policy {
	case PolicyConv, PolicyConvPass:
		p.add("policy.weight", 0, 1, spec.Filters, 1, 1)
		p.add("policy.bias", 0, 1)
		if spec.Policy == PolicyConvPass {
			p.add("policy.pass.weight", 0, 1, spec.Filters)
			p.add("policy.pass.bias", 0, 1)
		}
	case PolicyDense:
		p.add("policy.weight", 0, 2, spec.Filters, 1, 1)
		p.add("policy.bias", 0, 2)
		p.add("policy.dense.weight", 0, spec.Actions, 2*spec.Cells())
		p.add("policy.dense.bias", 0, spec.Actions)
	}
}

func (p *Params) add(name string, fill float32, shape ...int) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	data := make([]float32, n)
	if fill != 0 {
		for i := range data {
			data[i] = fill
		}
	}
	p.index[name] = len(p.Tensors)
	p.Tensors = append(p.Tensors, Tensor{Name: name, Shape: shape, Data: data})
}

// Get returns the tensor called name. It panics if there is none.
func (p *Params) Get(name string) *Tensor {
	i, ok := p.index[name]
	if !ok {
		panic("nn: no tensor is called " + name)
	}
	return &p.Tensors[i]
}

// Init draws the weights: from He's normal distribution (He et al. 2015) for layers
// followed by ReLU, and with a tenth of its standard deviation for layers that output logits,
// so that a new network's policy is nearly uniform. BatchNorm is left as it is: the identity in
// Params from NewParams.
func (p *Params) Init(rng *rand.Rand) {
	for i := range p.Tensors {
		t := &p.Tensors[i]
		if len(t.Shape) < 2 {
			continue
		}
		fanIn := len(t.Data) / t.Shape[0]
		scale := math.Sqrt(2 / float64(fanIn))
		if p.small(t.Name) {
			scale *= 0.1
		}
		for j := range t.Data {
			t.Data[j] = float32(rng.NormFloat64() * scale)
		}
	}
}

// small reports whether a tensor is the weight of a layer whose first outputs should be nearly 0.
func (p *Params) small(name string) bool {
	switch name {
	case "policy.weight":
		return p.Spec.Policy != PolicyDense
	case "policy.pass.weight", "policy.dense.weight", "aux.cells.weight", "aux.seats.weight",
		"aux.belief.output.weight":
		return true
	}
	return strings.HasPrefix(name, "value.") && strings.HasSuffix(name, ".output.weight")
}

// Count returns how many numbers the tensors hold, running statistics included.
func (p *Params) Count() int {
	n := 0
	for i := range p.Tensors {
		n += len(p.Tensors[i].Data)
	}
	return n
}

// Clone returns a deep copy.
func (p *Params) Clone() *Params {
	q := &Params{Spec: p.Spec, index: p.index, Tensors: make([]Tensor, len(p.Tensors))}
	for i, t := range p.Tensors {
		q.Tensors[i] = Tensor{Name: t.Name, Shape: t.Shape, Data: append([]float32(nil), t.Data...)}
	}
	return q
}

// Digest returns 16 hexadecimal digits that differ where the names, the shapes or the values of the
// tensors differ.
func (p *Params) Digest() string {
	h := sha256.New()
	for _, t := range p.Tensors {
		fmt.Fprintf(h, "%s%v", t.Name, t.Shape)
		// A hash accepts everything.
		_ = binary.Write(h, binary.LittleEndian, t.Data)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
