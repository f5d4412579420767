package kernels

import (
	"fmt"
	"math"

	"tengen/nn"
)

// folded is a convolution with its BatchNorm folded: γ·(conv(x) − mean)/√(variance + ε) + β =
// conv'(x) + bias. weight is [out][in][3][3].
type folded struct {
	in, out      int
	weight, bias []float32
}

// fold returns all convolutions of a network: the stem, then two per block.
func fold(p *nn.Params) []folded {
	all := []folded{foldLayer(p, "stem", p.Spec.Planes)}
	for i := range p.Spec.Blocks {
		for j := range 2 {
			all = append(all, foldLayer(p, fmt.Sprintf("block.%d.%d", i, j), p.Spec.Filters))
		}
	}
	return all
}

func foldLayer(p *nn.Params, name string, in int) folded {
	weight := p.Get(name + ".weight").Data
	gamma, beta := p.Get(name+".gamma").Data, p.Get(name+".beta").Data
	mean, variance := p.Get(name+".mean").Data, p.Get(name+".variance").Data
	f := folded{in, len(gamma), make([]float32, len(weight)), make([]float32, len(gamma))}
	for o := range gamma {
		scale := float64(gamma[o]) / math.Sqrt(float64(variance[o])+nn.NormEpsilon)
		f.bias[o] = float32(float64(beta[o]) - scale*float64(mean[o]))
		for j := o * in * 9; j < (o+1)*in*9; j++ {
			f.weight[j] = float32(scale * float64(weight[j]))
		}
	}
	return f
}

// at returns the weight of an output, an input and a tap; 0 for padded channels.
func (f *folded) at(out, in, tap int) float32 {
	if out >= f.out || in >= f.in {
		return 0
	}
	return f.weight[(out*f.in+in)*9+tap]
}
