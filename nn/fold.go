package nn

import (
	"fmt"
	"math"

	"tengen/nn/internal/conv"
)

// NormEpsilon is added to BatchNorm's variances, in training as in inference
// (Ioffe, Szegedy 2015, algorithm 1).
const NormEpsilon = 1e-5

// Weights are a network prepared for inference on the CPU: BatchNorm folded
// into the convolutions, every matrix in the order in which it is read.
// They are immutable, and shared by any number of evaluators and goroutines.
type Weights struct {
	spec  Spec
	board *conv.Board
	trunk []foldedConv // the stem, then two a block

	policyWeight []float32 // [1 or 2][Filters]
	policyBias   []float32
	passWeight   []float32 // [Filters]
	passBias     float32
	denseWeight  []float32 // [Actions, 2·Cells]
	denseBias    []float32

	hiddenWeight []float32 // [Players·Hidden, Cells·Filters], cell-major
	hiddenBias   []float32
	outputWeight []float32 // [Players, Outputs, Hidden]
	outputBias   []float32
}

type foldedConv struct {
	in     int
	kernel *conv.Kernel[float32]
	bias   []float32
}

// Fold prepares a network for inference. It copies what it needs: p may change
// afterwards. The numbers should be finite, as trained ones are: a weight that is not
// is skipped, as in a product with nothing, where its input is zero.
func Fold(p *Params) *Weights {
	s := p.Spec
	w := &Weights{spec: s, board: conv.NewBoard(s.Height, s.Width)}
	w.trunk = append(w.trunk, fold(w.board, p, "stem", s.Planes))
	for i := range s.Blocks {
		for j := range 2 {
			w.trunk = append(w.trunk, fold(w.board, p, fmt.Sprintf("block.%d.%d", i, j), s.Filters))
		}
	}
	if s.Policy != PolicyNone {
		w.policyWeight = aligned(p, "policy.weight")
		w.policyBias = aligned(p, "policy.bias")
	}
	switch s.Policy {
	case PolicyConvPass:
		w.passWeight = aligned(p, "policy.pass.weight")
		w.passBias = p.Get("policy.pass.bias").Data[0]
	case PolicyDense:
		w.denseWeight = aligned(p, "policy.dense.weight")
		w.denseBias = aligned(p, "policy.dense.bias")
	}
	for i := range s.Players {
		name := fmt.Sprintf("value.%d", i)
		hidden := p.Get(name + ".hidden.weight").Data
		for h := range s.Hidden {
			for cell := range s.Cells() {
				for f := range s.Filters {
					w.hiddenWeight = append(w.hiddenWeight, hidden[(h*s.Filters+f)*s.Cells()+cell])
				}
			}
		}
		w.hiddenBias = append(w.hiddenBias, p.Get(name+".hidden.bias").Data...)
		w.outputWeight = append(w.outputWeight, p.Get(name+".output.weight").Data...)
		w.outputBias = append(w.outputBias, p.Get(name+".output.bias").Data...)
	}
	return w
}

// Spec describes the network.
func (w *Weights) Spec() Spec { return w.spec }

// fold turns γ·(conv(x) − mean)/√(variance + ε) + β into conv'(x) + bias.
func fold(b *conv.Board, p *Params, name string, in int) foldedConv {
	weight := p.Get(name + ".weight").Data
	gamma, beta := p.Get(name+".gamma").Data, p.Get(name+".beta").Data
	mean, variance := p.Get(name+".mean").Data, p.Get(name+".variance").Data
	filters := len(gamma)
	scaled := make([]float32, len(weight))
	bias := make([]float32, filters)
	for o := range filters {
		scale := float64(gamma[o]) / math.Sqrt(float64(variance[o])+NormEpsilon)
		bias[o] = float32(float64(beta[o]) - scale*float64(mean[o]))
		for j := o * in * 9; j < (o+1)*in*9; j++ {
			scaled[j] = float32(scale * float64(weight[j]))
		}
	}
	c := foldedConv{in, conv.NewKernel[float32](b, in, filters), bias}
	c.kernel.Pack(scaled)
	return c
}

func aligned(p *Params, name string) []float32 {
	t := p.Get(name)
	a := conv.Aligned[float32](len(t.Data))
	copy(a, t.Data)
	return a
}
