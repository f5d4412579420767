package nntest

import (
	"fmt"
	"math"

	"tengen/nn"
)

// Reference is a network in float64. Tensors are by their names in nn.Params.
type Reference struct {
	Spec    nn.Spec
	Tensors map[string][]float64
}

// Output is the result of Reference.Forward.
type Output struct {
	Policy      []float64 // [rows, Actions] logits; empty without a policy head
	ValueLogits []float64 // [rows, Players, Outputs]
	Values      []float64 // [rows, Players] expected utilities

	// Of the auxiliary heads; empty for those that the network lacks.
	Cells []float64 // [rows, classes of all targets, Cells] logits
	Seats []float64 // [rows, Players, Auxiliary.Seats]
	// Belief is that of the belief head, [rows, BeliefClasses].
	Belief []float64

	// BatchNorm's statistics over this batch by layer ("stem", "block.0.1");
	// only in training mode.
	Mean, Variance map[string][]float64
}

// NewReference returns a network with a copy of p.
func NewReference(p *nn.Params) *Reference {
	n := &Reference{Spec: p.Spec, Tensors: map[string][]float64{}}
	for _, t := range p.Tensors {
		data := make([]float64, len(t.Data))
		for i, v := range t.Data {
			data[i] = float64(v)
		}
		n.Tensors[t.Name] = data
	}
	return n
}

// Forward computes the network for observations [rows, Planes, Height, Width].
// In training BatchNorm uses the batch's own mean and (biased) variance, otherwise the
// running statistics.
func (n *Reference) Forward(observations []float64, rows int, training bool) *Output {
	s := n.Spec
	out := &Output{Mean: map[string][]float64{}, Variance: map[string][]float64{}}
	layer := func(name string, in int, x, skip []float64) []float64 {
		y := n.convolve(n.Tensors[name+".weight"], rows, in, s.Filters, x)
		n.normalise(name, rows, y, training, out)
		for i := range y {
			if skip != nil {
				y[i] += skip[i]
			}
			y[i] = relu(y[i])
		}
		return y
	}
	x := layer("stem", s.Planes, observations, nil)
	for i := range s.Blocks {
		y := layer(fmt.Sprintf("block.%d.0", i), s.Filters, x, nil)
		x = layer(fmt.Sprintf("block.%d.1", i), s.Filters, y, x)
	}
	for r := range rows {
		trunk := x[r*s.Filters*s.Cells() : (r+1)*s.Filters*s.Cells()]
		out.Policy = append(out.Policy, n.policy(trunk)...)
		n.auxiliary(trunk, out)
		for p := range s.Players {
			name := fmt.Sprintf("value.%d", p)
			hidden := n.dense(name+".hidden", trunk)
			for i := range hidden {
				hidden[i] = relu(hidden[i])
			}
			logits := n.dense(name+".output", hidden)
			out.ValueLogits = append(out.ValueLogits, logits...)
			if s.Value == nn.ValueLinear {
				out.Values = append(out.Values, logits[0])
				continue
			}
			v := 0.0
			for i, q := range Softmax(logits) {
				v += q * float64(s.Support[i])
			}
			out.Values = append(out.Values, v)
		}
	}
	return out
}

// convolve maps [rows, in, H, W] to [rows, out, H, W].
func (n *Reference) convolve(w []float64, rows, in, out int, x []float64) []float64 {
	height, width := n.Spec.Height, n.Spec.Width
	y := make([]float64, rows*out*height*width)
	for r := range rows {
		for o := range out {
			for v := range height {
				for u := range width {
					sum := 0.0
					for i := range in {
						for dy := range 3 {
							for dx := range 3 {
								b, a := v+dy-1, u+dx-1
								if b >= 0 && b < height && a >= 0 && a < width {
									sum += w[((o*in+i)*3+dy)*3+dx] * x[((r*in+i)*height+b)*width+a]
								}
							}
						}
					}
					y[((r*out+o)*height+v)*width+u] = sum
				}
			}
		}
	}
	return y
}

// normalise applies BatchNorm in place.
func (n *Reference) normalise(name string, rows int, x []float64, training bool, out *Output) {
	cells, filters := n.Spec.Cells(), n.Spec.Filters
	gamma, beta := n.Tensors[name+".gamma"], n.Tensors[name+".beta"]
	mean, variance := n.Tensors[name+".mean"], n.Tensors[name+".variance"]
	if training {
		mean, variance = make([]float64, filters), make([]float64, filters)
		for i, v := range x {
			mean[i/cells%filters] += v / float64(rows*cells)
		}
		for i, v := range x {
			f := i / cells % filters
			variance[f] += (v - mean[f]) * (v - mean[f]) / float64(rows*cells)
		}
		out.Mean[name], out.Variance[name] = mean, variance
	}
	for i, v := range x {
		f := i / cells % filters
		x[i] = gamma[f]*(v-mean[f])/math.Sqrt(variance[f]+nn.NormEpsilon) + beta[f]
	}
}

// policy computes one row's logits from its trunk [Filters, Cells].
func (n *Reference) policy(trunk []float64) []float64 {
	s := n.Spec
	if s.Policy == nn.PolicyNone {
		return nil
	}
	maps := n.maps("policy", trunk)
	switch s.Policy {
	case nn.PolicyConvPass:
		maps = append(maps, n.dense("policy.pass", n.mean(trunk))...)
	case nn.PolicyDense:
		for i := range maps {
			maps[i] = relu(maps[i])
		}
		maps = n.dense("policy.dense", maps)
	}
	return maps
}

// maps computes a 1×1 convolution of one row's trunk.
func (n *Reference) maps(name string, trunk []float64) []float64 {
	s := n.Spec
	w, bias := n.Tensors[name+".weight"], n.Tensors[name+".bias"]
	var maps []float64
	for k := range bias {
		for cell := range s.Cells() {
			sum := bias[k]
			for f := range s.Filters {
				sum += w[k*s.Filters+f] * trunk[f*s.Cells()+cell]
			}
			maps = append(maps, sum)
		}
	}
	return maps
}

// mean computes the mean over cells of one row's trunk.
func (n *Reference) mean(trunk []float64) []float64 {
	mean := make([]float64, n.Spec.Filters)
	for i, v := range trunk {
		mean[i/n.Spec.Cells()] += v / float64(n.Spec.Cells())
	}
	return mean
}

// auxiliary appends one row's outputs of the auxiliary heads.
func (n *Reference) auxiliary(trunk []float64, out *Output) {
	a := n.Spec.Auxiliary
	if len(a.Cells) > 0 {
		out.Cells = append(out.Cells, n.maps("aux.cells", trunk)...)
	}
	if a.Seats > 0 {
		out.Seats = append(out.Seats, n.dense("aux.seats", n.mean(trunk))...)
	}
	if len(a.Belief) > 0 {
		hidden := n.dense("aux.belief.hidden", trunk)
		for i := range hidden {
			hidden[i] = relu(hidden[i])
		}
		out.Belief = append(out.Belief, n.dense("aux.belief.output", hidden)...)
	}
}

// dense computes x·Wᵀ + b for one row.
func (n *Reference) dense(name string, x []float64) []float64 {
	w, bias := n.Tensors[name+".weight"], n.Tensors[name+".bias"]
	y := make([]float64, len(bias))
	for o := range y {
		y[o] = bias[o]
		for i, v := range x {
			y[o] += w[o*len(x)+i] * v
		}
	}
	return y
}

// Softmax returns exp(logits) scaled to sum 1.
func Softmax(logits []float64) []float64 {
	top := math.Inf(-1)
	for _, l := range logits {
		top = max(top, l)
	}
	p, sum := make([]float64, len(logits)), 0.0
	for i, l := range logits {
		p[i] = math.Exp(l - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// relu returns max(v, 0), and NaN for NaN.
func relu(v float64) float64 {
	if v < 0 {
		return 0
	}
	return v
}
