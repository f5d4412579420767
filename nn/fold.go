package nn

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"tengen/nn/kernels"
)

// NormEpsilon is added to BatchNorm's variances, both in training and in inference
// (Ioffe, Szegedy 2015, algorithm 1).
const NormEpsilon = 1e-5

// Weights is a Network prepared for inference on the CPU: BatchNorm is folded into the
// convolutions, these are transformed to the frequency domain where that is faster,
// and every matrix is stored in the order in which it is read.
// Weights are immutable and safe for concurrent use by any number of evaluators.
type Weights struct {
	spec   Spec
	path   *kernels.Path
	folded []foldedConv // the stem, then two a block
	finite bool         // no weight or bias of the trunk is NaN or infinite

	fast  *trunk
	exact func() *trunk // computes convolutions from their definition

	// 1×1 convolution: one filter (conv), two (dense), or the policy's and the pass's (conv+pass)
	policy      *kernels.Matrix
	policyDense *kernels.Matrix // two filters' cells → [Actions]
	hidden      *kernels.Matrix // trunk → [Players, Hidden padded to whole blocks]
	output      []*kernels.Matrix

	beliefHidden, beliefOutput *kernels.Matrix // nil but for FoldBelief
}

// trunk is the stem and the residual blocks, with or without transforms.
type trunk struct {
	board  *kernels.Board
	layers []*kernels.Convolution
}

// foldedConv is γ·(conv(x) − mean)/√(variance + ε) + β as conv'(x) + bias.
type foldedConv struct {
	in, out      int
	weight, bias []float32
}

// Fold prepares a network for inference on the path [kernels.Selected], using all cores.
// It copies what it needs: p may change afterwards. Parameters of a magnitude below 2⁻⁶⁶ count as
// 0.
func Fold(p *Params) *Weights { return FoldOn(kernels.Selected(), p) }

// FoldOn is Fold for a given path.
func FoldOn(path *kernels.Path, p *Params) *Weights {
	return foldOn(path, p, p.Spec.WithoutAuxiliary())
}

// FoldBelief is Fold with the belief head, whose outputs evaluators write to Batch.Belief. It
// returns an error if p has none.
func FoldBelief(p *Params) (*Weights, error) {
	s := p.Spec.WithoutAuxiliary()
	if s.Auxiliary.Belief = p.Spec.Auxiliary.Belief; len(s.Auxiliary.Belief) == 0 {
		return nil, errors.New("the network has no belief head (training.belief_weight)")
	}
	return foldOn(kernels.Selected(), p, s), nil
}

// foldOn prepares the part of a network that s describes.
func foldOn(path *kernels.Path, p *Params, s Spec) *Weights {
	p = withoutTiny(p)
	w := &Weights{spec: s, path: path}
	names, ins := []string{"stem"}, []int{s.Planes}
	for i := range s.Blocks {
		for j := range 2 {
			names, ins = append(names, fmt.Sprintf("block.%d.%d", i, j)), append(ins, s.Filters)
		}
	}
	w.fast = &trunk{
		board:  kernels.NewBoard(path, s.Height, s.Width),
		layers: make([]*kernels.Convolution, len(names)),
	}
	w.folded = make([]foldedConv, len(names))
	var infinite atomic.Bool
	parallel(len(names)+1, func(i int) {
		if i == 0 { // the heads, while other goroutines prepare the layers
			w.heads(p, w.fast.board)
			return
		}
		c, finite := fold(p, names[i-1], ins[i-1])
		if !finite {
			infinite.Store(true)
		}
		w.folded[i-1] = c
		w.fast.layers[i-1] = c.layer(w.fast.board)
	})
	w.finite = !infinite.Load()
	w.exact = sync.OnceValue(func() *trunk {
		if w.fast.board.Direct() {
			return w.fast
		}
		t := &trunk{board: kernels.NewDirectBoard(path, s.Height, s.Width)}
		for _, c := range w.folded {
			t.layers = append(t.layers, c.layer(t.board))
		}
		return t
	})
	return w
}

// Spec describes the network.
func (w *Weights) Spec() Spec { return w.spec }

// Path returns the kernels that evaluate the network.
func (w *Weights) Path() *kernels.Path { return w.path }

// parallel calls f(0) to f(n-1) on all cores and returns when all are done.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	group.Wait()
}

// fold folds the BatchNorm of a layer with in input channels into its convolution. finite
// reports whether all resulting numbers are finite.
func fold(p *Params, name string, in int) (c foldedConv, finite bool) {
	weight := p.Get(name + ".weight").Data
	gamma, beta := p.Get(name+".gamma").Data, p.Get(name+".beta").Data
	mean, variance := p.Get(name+".mean").Data, p.Get(name+".variance").Data
	filters := len(gamma)
	c = foldedConv{in, filters, make([]float32, len(weight)), make([]float32, filters)}
	finite = true
	for o := range filters {
		scale := float64(gamma[o]) / math.Sqrt(float64(variance[o])+NormEpsilon)
		c.bias[o] = float32(float64(beta[o]) - scale*float64(mean[o]))
		from, to := weight[o*in*9:(o+1)*in*9], c.weight[o*in*9:(o+1)*in*9]
		for j, v := range from {
			to[j] = float32(scale * float64(v))
		}
		finite = finite && allFinite(to)
	}
	return c, finite && allFinite(c.bias)
}

func (c *foldedConv) layer(b *kernels.Board) *kernels.Convolution {
	return kernels.NewConvolution(b, c.in, c.out, c.weight, c.bias)
}

// heads prepares the heads. They read the flattened trunk, whose layout does not
// depend on whether b has a transform.
func (w *Weights) heads(p *Params, b *kernels.Board) {
	s, path := &w.spec, w.path
	rows := func(weight []float32, length int) func(o int) []float32 {
		return func(o int) []float32 { return weight[o*length : (o+1)*length] }
	}
	switch s.Policy {
	case PolicyConv:
		w.policy = kernels.NewPointwise(b, 1, s.Filters,
			rows(p.Get("policy.weight").Data, s.Filters), p.Get("policy.bias").Data)
	case PolicyConvPass:
		// The pass's logit is linear in the trunk's mean over cells, so it is the mean of one more
		// filter.
		weight := append(append([]float32(nil), p.Get("policy.weight").Data...),
			p.Get("policy.pass.weight").Data...)
		bias := []float32{p.Get("policy.bias").Data[0], p.Get("policy.pass.bias").Data[0]}
		w.policy = kernels.NewPointwise(b, 2, s.Filters, rows(weight, s.Filters), bias)
	case PolicyDense:
		w.policy = kernels.NewPointwise(b, 2, s.Filters,
			rows(p.Get("policy.weight").Data, s.Filters), p.Get("policy.bias").Data)
		order := make([]int, 2*s.Cells())
		for i := range order {
			order[i] = i
		}
		w.policyDense = kernels.NewMatrix(path, s.Actions, order,
			rows(p.Get("policy.dense.weight").Data, 2*s.Cells()), p.Get("policy.dense.bias").Data)
	}

	length, width := s.Filters*s.Cells(), kernels.Padded(s.Hidden)
	bias := make([]float32, s.Players*width)
	order := make([]int, s.Hidden)
	for i := range order {
		order[i] = i
	}
	for i := range s.Players {
		name := fmt.Sprintf("value.%d", i)
		copy(bias[i*width:], p.Get(name+".hidden.bias").Data)
		w.output = append(w.output,
			kernels.NewMatrix(path, s.Outputs(), order,
				rows(p.Get(name+".output.weight").Data, s.Hidden), p.Get(name+".output.bias").Data))
	}
	w.hidden = kernels.NewMatrix(path,
		s.Players*width, b.FlatOrder(s.Filters), func(o int) []float32 {
			player, h := o/width, o%width
			if h >= s.Hidden {
				return nil
			}
			return p.Get(fmt.Sprintf("value.%d.hidden.weight",
				player)).Data[h*length : (h+1)*length]
		}, bias)
	if len(s.Auxiliary.Belief) > 0 {
		w.beliefHidden = kernels.NewMatrix(path, s.Hidden, b.FlatOrder(s.Filters),
			rows(p.Get("aux.belief.hidden.weight").Data, length),
			p.Get("aux.belief.hidden.bias").Data)
		w.beliefOutput = kernels.NewMatrix(path, s.Auxiliary.BeliefClasses(), order,
			rows(p.Get("aux.belief.output.weight").Data, s.Hidden),
			p.Get("aux.belief.output.bias").Data)
	}
}

// tiny is the least magnitude of a parameter that inference keeps; smaller ones count as 0. Weights
// that training no longer uses decay until they are denormal, and processors compute with denormal
// numbers 10 to 100 times more slowly. Beside a bias or a logit of ordinary size a product with
// such a weight is far below rounding.
const tiny = 0x1p-66

// withoutTiny returns p with all numbers below tiny replaced by 0: p itself if there are none. It
// shares the other tensors with p.
func withoutTiny(p *Params) *Params {
	q := p
	for i, t := range p.Tensors {
		if !hasTiny(t.Data) {
			continue
		}
		if q == p {
			q = &Params{Spec: p.Spec, index: p.index, Tensors: append([]Tensor(nil), p.Tensors...)}
		}
		data := append([]float32(nil), t.Data...)
		for j, v := range data {
			if math.Abs(float64(v)) < tiny {
				data[j] = 0
			}
		}
		q.Tensors[i].Data = data
	}
	return q
}

func hasTiny(x []float32) bool {
	for _, v := range x {
		if v != 0 && math.Abs(float64(v)) < tiny {
			return true
		}
	}
	return false
}
