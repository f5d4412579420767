package export

import (
	"fmt"
	"math"
	"slices"
)

// run executes a model operator by operator in float64, following the operators' definitions
// (onnx/docs/Operators.md, opset 13).
func (m *readModel) run(observation readTensor) map[string]readTensor {
	have := map[string]readTensor{"observation": observation}
	for _, t := range m.tensors {
		have[t.name] = t
	}
	for _, n := range m.nodes {
		var in []readTensor
		for _, name := range n.inputs {
			t, ok := have[name]
			if !ok {
				panic(fmt.Errorf("%s has the input %s, which no earlier node outputs",
					n.name, name))
			}
			in = append(in, t)
		}
		if len(n.outputs) != 1 {
			panic(fmt.Errorf("%s has outputs %v", n.name, n.outputs))
		}
		if _, taken := have[n.outputs[0]]; taken {
			panic(fmt.Errorf("%s has the output %s, which an earlier node has too",
				n.name, n.outputs[0]))
		}
		have[n.outputs[0]] = n.apply(in)
	}
	return have
}

// attributes panics if the node has other attributes.
func (n *readNode) attributes(names ...string) {
	for name := range n.ints {
		if !slices.Contains(names, name) {
			panic(fmt.Errorf("%s has an attribute %s", n.op, name))
		}
	}
	for name := range n.floats {
		if !slices.Contains(names, name) {
			panic(fmt.Errorf("%s has an attribute %s", n.op, name))
		}
	}
}

func (n *readNode) expect(ok bool, in []readTensor) {
	if !ok {
		var shapes [][]int
		for _, t := range in {
			shapes = append(shapes, t.shape)
		}
		panic(fmt.Errorf("%s %s: invalid inputs %v with attributes %v %v",
			n.op, n.name, shapes, n.ints, n.floats))
	}
}

func zeros(shape ...int) readTensor {
	return readTensor{shape: shape, data: make([]float64, product(shape))}
}

func (n *readNode) apply(in []readTensor) readTensor {
	x := in[0]
	switch n.op {
	case "Conv":
		return n.convolve(in)
	case "BatchNormalization":
		n.attributes("epsilon")
		n.expect(len(in) == 5 && len(x.shape) == 4, in)
		y := zeros(x.shape...)
		for i, v := range x.data {
			c := i / (x.shape[2] * x.shape[3]) % x.shape[1]
			y.data[i] = in[1].data[c]*(v-in[3].data[c])/
				math.Sqrt(in[4].data[c]+n.floats["epsilon"]) + in[2].data[c]
		}
		return y
	case "Relu":
		n.attributes()
		y := zeros(x.shape...)
		for i, v := range x.data {
			y.data[i] = max(v, 0)
		}
		return y
	case "Add":
		n.attributes()
		n.expect(slices.Equal(x.shape, in[1].shape), in)
		y := zeros(x.shape...)
		for i, v := range x.data {
			y.data[i] = v + in[1].data[i]
		}
		return y
	case "Flatten":
		n.attributes("axis")
		n.expect(slices.Equal(n.ints["axis"], []int{1}), in)
		return readTensor{shape: []int{x.shape[0], product(x.shape[1:])}, data: x.data}
	case "GlobalAveragePool":
		n.attributes()
		y := zeros(x.shape[0], x.shape[1], 1, 1)
		for i, v := range x.data {
			cells := x.shape[2] * x.shape[3]
			y.data[i/cells] += v / float64(cells)
		}
		return y
	case "Gemm", "MatMul":
		return n.multiply(in)
	case "Softmax":
		n.attributes("axis")
		n.expect(slices.Equal(n.ints["axis"], []int{1}) && len(x.shape) == 2, in)
		y := zeros(x.shape...)
		width := x.shape[1]
		for r := range x.shape[0] {
			top, sum := slices.Max(x.data[r*width:(r+1)*width]), 0.0
			for i := r * width; i < (r+1)*width; i++ {
				y.data[i] = math.Exp(x.data[i] - top)
				sum += y.data[i]
			}
			for i := r * width; i < (r+1)*width; i++ {
				y.data[i] /= sum
			}
		}
		return y
	case "Concat":
		n.attributes("axis")
		n.expect(slices.Equal(n.ints["axis"], []int{1}), in)
		width := 0
		for _, t := range in {
			n.expect(len(t.shape) == 2 && t.shape[0] == x.shape[0], in)
			width += t.shape[1]
		}
		y := readTensor{shape: []int{x.shape[0], width}}
		for r := range x.shape[0] {
			for _, t := range in {
				y.data = append(y.data, t.data[r*t.shape[1]:(r+1)*t.shape[1]]...)
			}
		}
		return y
	}
	panic(fmt.Errorf("no operator is called %s", n.op))
}

func (n *readNode) convolve(in []readTensor) readTensor {
	n.attributes("kernel_shape", "pads")
	x, w := in[0], in[1]
	pads := n.ints["pads"]
	if pads == nil {
		pads = make([]int, 4)
	}
	n.expect(len(in) <= 3 && len(pads) == 4 && w.shape[1] == x.shape[1] &&
		slices.Equal(n.ints["kernel_shape"], w.shape[2:]), in)
	rows, channels, height, width := x.shape[0], x.shape[1], x.shape[2], x.shape[3]
	filters, kh, kw := w.shape[0], w.shape[2], w.shape[3]
	y := zeros(rows, filters, height+pads[0]+pads[2]-kh+1, width+pads[1]+pads[3]-kw+1)
	for i := range y.data {
		u := i % y.shape[3]
		v := i / y.shape[3] % y.shape[2]
		f := i / y.shape[3] / y.shape[2] % filters
		r := i / y.shape[3] / y.shape[2] / filters
		if len(in) == 3 {
			y.data[i] = in[2].data[f]
		}
		for c := range channels {
			for dy := range kh {
				for dx := range kw {
					b, a := v+dy-pads[0], u+dx-pads[1]
					if b >= 0 && b < height && a >= 0 && a < width {
						y.data[i] += w.data[((f*channels+c)*kh+dy)*kw+dx] *
							x.data[((r*channels+c)*height+b)*width+a]
					}
				}
			}
		}
	}
	return y
}

func (n *readNode) multiply(in []readTensor) readTensor {
	x, w := in[0], in[1]
	at := func(k, o int) float64 { return w.data[k*w.shape[1]+o] }
	length, width := w.shape[0], w.shape[1]
	if n.op == "Gemm" {
		n.attributes("transB")
		n.expect(len(in) == 3 && slices.Equal(n.ints["transB"], []int{1}), in)
		at = func(k, o int) float64 { return w.data[o*w.shape[1]+k] }
		length, width = width, length
		n.expect(slices.Equal(in[2].shape, []int{width}), in)
	} else {
		n.attributes()
		n.expect(len(in) == 2, in)
	}
	n.expect(len(x.shape) == 2 && len(w.shape) == 2 && x.shape[1] == length, in)
	y := zeros(x.shape[0], width)
	for i := range y.data {
		r, o := i/width, i%width
		if n.op == "Gemm" {
			y.data[i] = in[2].data[o]
		}
		for k := range length {
			y.data[i] += x.data[r*length+k] * at(k, o)
		}
	}
	return y
}
