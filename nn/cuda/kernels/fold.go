package kernels

import (
	"fmt"
	"math"

	"tengen/nn"
)

// Centre is the index of the centre among nine taps.
const Centre = 4

// folded is a convolution with its BatchNorm folded: γ·(conv(x) − mean)/√(variance + ε) + β =
// conv'(x) + bias. weight is [out][in][3][3], of which Spec.Taps are used.
type folded struct {
	in, out      int
	taps         int
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
	f := folded{
		in, len(gamma), p.Spec.Taps(), make([]float32, len(weight)), make([]float32, len(gamma)),
	}
	for o := range gamma {
		scale := float64(gamma[o]) / math.Sqrt(float64(variance[o])+nn.NormEpsilon)
		f.bias[o] = float32(float64(beta[o]) - scale*float64(mean[o]))
		for j := o * in * 9; j < (o+1)*in*9; j++ {
			f.weight[j] = float32(scale * float64(weight[j]))
		}
	}
	return f
}

// at returns the weight of an output, an input and one of the taps; 0 for padded channels.
func (f *folded) at(out, in, tap int) float32 {
	if out >= f.out || in >= f.in {
		return 0
	}
	if f.taps == 1 {
		tap = Centre
	}
	return f.weight[(out*f.in+in)*9+tap]
}
