package export

import (
	"fmt"
	"math"
	"strings"

	"tengen/nn"
)

// tensorsOf returns the tensors to be written: the network's or, with BatchNorm folded into the
// convolutions, a weight and a bias for each convolution. It returns an error if a parameter is
// not finite.
func tensorsOf(p *nn.Params, fold bool) ([]nn.Tensor, error) {
	tensors := p.Tensors
	if fold {
		tensors = folded(p)
	}
	for _, t := range tensors {
		for i, v := range t.Data {
			if v-v != 0 {
				return nil,
					fmt.Errorf("number %d of tensor %s is %v: the network is damaged or its training diverged", i, t.Name, v)
			}
		}
	}
	return tensors, nil
}

// folded replaces each convolution's weight and BatchNorm by one weight and a
// bias: γ·(conv(x) − mean)/√(variance + ε) + β = conv'(x) + bias.
func folded(p *nn.Params) []nn.Tensor {
	var list []nn.Tensor
	for _, t := range p.Tensors {
		layer, part := cutLast(t.Name)
		switch {
		case !normalised(layer):
			list = append(list, t)
		case part == "weight":
			list = append(list, foldedLayer(p, layer)...)
		}
	}
	return list
}

// normalised reports whether BatchNorm follows a layer.
func normalised(layer string) bool {
	block, part := cutLast(layer)
	return layer == "stem" || strings.HasPrefix(block, "block.") && (part == "0" || part == "1")
}

func foldedLayer(p *nn.Params, layer string) []nn.Tensor {
	from := p.Get(layer + ".weight")
	gamma, beta := p.Get(layer+".gamma").Data, p.Get(layer+".beta").Data
	mean, variance := p.Get(layer+".mean").Data, p.Get(layer+".variance").Data
	weight := nn.Tensor{Name: from.Name, Shape: from.Shape, Data: make([]float32, len(from.Data))}
	bias := nn.Tensor{
		Name: layer + ".bias", Shape: []int{len(gamma)}, Data: make([]float32, len(gamma)),
	}
	size := len(from.Data) / len(gamma)
	for o := range gamma {
		scale := float64(gamma[o]) / math.Sqrt(float64(variance[o])+nn.NormEpsilon)
		bias.Data[o] = float32(float64(beta[o]) - scale*float64(mean[o]))
		for i, v := range from.Data[o*size : (o+1)*size] {
			weight.Data[o*size+i] = float32(scale * float64(v))
		}
	}
	return []nn.Tensor{weight, bias}
}

// cutLast splits a tensor's name at the last dot into layer and part.
func cutLast(name string) (layer, part string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}
