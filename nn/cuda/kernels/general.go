package kernels

import (
	"fmt"

	"tengen/nn"
	"tengen/nn/cuda/driver"
)

// General is the plan of a network's layers by kernels that need no shape at compile time and use
// the tensor cores: one launch per layer over device memory, in bf16, fp16 or tf32. They are
// compiled ahead, for networks whose own kernels can't be compiled.
type General struct {
	Precision           Precision
	Stem, Block, Hidden *Product // Block is nil without blocks; Hidden is the value's hidden layers
	// Wide is compiled for the blocks' shape, and is faster with the same bits where its blocks
	// fill the device. It is nil where the layer has too few channels.
	Wide *Product
}

// newGeneral plans a network's layers, the blocks' with wgmma if that is wanted. It returns an
// error in fp32, if a layer does not fit shared memory, and if there is no product with wgmma.
func newGeneral(
	spec nn.Spec, p Precision, wgmma bool, l *Layered, h *Heads, d *driver.Device,
) (*General, error) {
	if p == FP32 {
		return nil, fmt.Errorf("the general kernels compute in bf16, fp16 and tf32 only")
	}
	if err := p.On(d); err != nil {
		return nil, err
	}
	g := &General{Precision: p}
	layer := Layer{
		Taps: spec.Taps(), Height: spec.Height, Width: spec.Width, In: l.Inputs,
		Out: l.Channels,
	}
	inner, hidden := layer,
		Layer{Taps: 1, Height: 1, Width: 1, In: spec.Cells() * l.Channels, Out: h.HiddenColumns}
	inner.In = l.Channels
	for _, x := range []struct {
		to    **Product
		layer Layer
		leave bool
	}{{&g.Stem, layer, false}, {&g.Block, inner, spec.Blocks == 0}, {&g.Hidden, hidden, false}} {
		if x.leave {
			continue
		}
		q := &Product{Layer: x.layer, positions: 1 << 30} // batches of any size
		if wgmma && x.to == &g.Block {
			if q = q.AsWGMMA(p, d); q == nil {
				return nil, fmt.Errorf("there is no product with wgmma for %d filters on %d × %d in %s on %d.%d",
					spec.Filters, spec.Height, spec.Width, p, d.Major, d.Minor)
			}
			q.Source = forInference(q.Source)
			g.Block = q
			continue
		}
		q = q.AsGeneral(p, d)
		if q.Plain {
			return nil, fmt.Errorf("a layer on %d × %d does not fit shared memory",
				spec.Height, spec.Width)
		}
		q.Source = inferenceProduct(p, x.layer.Taps, q.Chunk, x.to == &g.Hidden)
		*x.to = q
	}
	if wgmma && g.Block == nil {
		return nil, fmt.Errorf("a network without blocks has no product with wgmma")
	}
	g.Wide = g.wide(d)
	return g, nil
}

// wide plans Wide.
func (g *General) wide(d *driver.Device) *Product {
	if g.Block == nil || g.Block.WGMMA || g.Block.Layer.Out%128 != 0 {
		return nil
	}
	r := &Product{
		Layer: g.Block.Layer, TileM: 128, TileN: 128, WarpsM: 4, WarpsN: 2, Chunk: g.Block.Chunk,
		positions: g.Block.positions,
	}
	for r.Stages = 3; r.Stages >= 2; r.Stages-- {
		if r.Shared = r.shared(r.Chunk*g.Precision.Element(), r.Stages); r.Shared <= d.SharedBlock {
			r.Source = forInference(r.source(g.Precision))
			return r
		}
	}
	return nil
}

// forInference returns the source of a product with biases and ReLU.
func forInference(s driver.Source) driver.Source {
	s.Defines = append(s.Defines, "INFERENCE=1")
	return s
}

// inferenceProduct is the source of a product with biases and ReLU, of hidden layers or others.
func inferenceProduct(p Precision, taps, chunk int, hidden bool) driver.Source {
	s := forInference(generalProduct(p, taps, 128, chunk))
	if hidden {
		s.Defines = append(s.Defines, "FLOAT_RESULT=1")
	}
	return s
}

// Source returns the kernels planes and maps.
func (g *General) Source() driver.Source { return generalInference(g.Precision) }

// generalInference is the source of kernels planes and maps.
func generalInference(p Precision) driver.Source {
	return inferenceSource("any_shape.cu", p, "element.h", "general.cu")
}

// GeneralInferenceSources returns all sources with which networks of every shape can be evaluated
// in a precision, beside LayeredSource, which is all of fp32.
func GeneralInferenceSources(p Precision) []driver.Source {
	if p == FP32 {
		return []driver.Source{LayeredSource()}
	}
	list := []driver.Source{generalInference(p)}
	for _, chunk := range generalChunks(p) {
		for _, taps := range []int{1, 9} {
			list = append(list, inferenceProduct(p, taps, chunk, false))
		}
		list = append(list, inferenceProduct(p, 1, chunk, true))
	}
	return list
}

// pack writes the layers' weights, [Out][taps][In].
func (g *General) pack(w *packer, layers []folded) {
	for i := range layers {
		l := g.Stem.Layer
		if i > 0 {
			l = g.Block.Layer
		}
		for o := range l.Out {
			for tap := range l.Taps {
				for c := range l.In {
					w.element(layers[i].at(o, c, tap))
				}
			}
		}
	}
}

// LayerBytes returns the size of a layer's weights.
func (g *General) LayerBytes(layer int) int {
	if layer == 0 {
		return g.Precision.Element() * g.Stem.Layer.Weights()
	}
	return g.Precision.Element() * g.Block.Layer.Weights()
}
