package export

import (
	"fmt"
	"io"
	"math"
	"strings"

	"tengen/nn"
)

// inputs and outputs return those of an ONNX model.
func inputs(s *nn.Spec) []Array {
	return []Array{{"observation", []int{-1, s.Planes, s.Height, s.Width}}}
}

func outputs(s *nn.Spec) []Array {
	values := Array{"values", []int{-1, s.Players}}
	if s.Policy == nn.PolicyNone {
		return []Array{values}
	}
	return []Array{{"policy", []int{-1, s.Actions}}, values}
}

// docs describes inputs and outputs in the file.
var docs = map[string]string{
	"observation": "positions as the mover sees them; what the planes mean stands in the metadata",
	"policy":      "logits of all actions, the illegal ones too",
	"values":      "the expected utility of each seat",
}

// largestONNX is the size limit of messages in protocol buffer readers.
const largestONNX = math.MaxInt32

// writeONNX writes the tensors, and the operators that compute the network's outputs from them.
func writeONNX(
	w io.Writer, n *Network, tensors []nn.Tensor, metadata map[string]string, fold bool,
) error {
	bytes := 0
	for _, t := range tensors {
		bytes += 4 * len(t.Data)
	}
	if bytes > largestONNX-1<<20 {
		return fmt.Errorf("export: the network's numbers take %d bytes; an ONNX file holds less than 2 GiB: export safetensors", bytes)
	}
	b := &graphBuilder{spec: &n.Params.Spec, fold: fold}
	b.build()
	var g message
	g = append(g, b.nodes...)
	g.text(2, "network")
	for i := range tensors {
		g.message(5, tensorProto(&tensors[i]))
	}
	for i := range b.constants {
		g.message(5, tensorProto(&b.constants[i]))
	}
	for _, a := range inputs(b.spec) {
		g.message(11, valueInfoProto(a, docs[a.Name]))
	}
	for _, a := range outputs(b.spec) {
		g.message(12, valueInfoProto(a, docs[a.Name]))
	}
	if _, err := w.Write(modelProto(g, n.Version, metadata)); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// graphBuilder appends operators in an order in which inputs precede their use. A layer's outputs
// are named after it: "stem.relu", "block.0.sum".
type graphBuilder struct {
	spec      *nn.Spec
	fold      bool
	nodes     message     // fields 1 of a GraphProto
	constants []nn.Tensor // in addition to the network's tensors
}

// node adds an operator and returns the name of its output.
func (b *graphBuilder) node(op, output string, inputs []string, attributes ...message) string {
	b.nodes.message(1, nodeProto(op, output, inputs, attributes))
	return output
}

func (b *graphBuilder) build() {
	x := b.relu("stem", b.convolution("stem", "observation"))
	for i := range b.spec.Blocks {
		block := fmt.Sprintf("block.%d", i)
		y := b.relu(block+".0", b.convolution(block+".0", x))
		y = b.convolution(block+".1", y)
		x = b.relu(block, b.node("Add", block+".sum", []string{y, x}))
	}
	b.policy(x)
	b.values(x)
}

// convolution adds a 3×3 convolution with zero padding, and its BatchNorm.
func (b *graphBuilder) convolution(layer, x string) string {
	kernel, pads := intsAttribute("kernel_shape", 3, 3), intsAttribute("pads", 1, 1, 1, 1)
	if b.fold {
		return b.node("Conv", layer+".conv",
			[]string{x, layer + ".weight", layer + ".bias"}, kernel, pads)
	}
	y := b.node("Conv", layer+".conv", []string{x, layer + ".weight"}, kernel, pads)
	return b.node("BatchNormalization", layer+".norm",
		[]string{y, layer + ".gamma", layer + ".beta", layer + ".mean", layer + ".variance"},
		floatAttribute("epsilon", nn.NormEpsilon))
}

func (b *graphBuilder) relu(layer, x string) string {
	return b.node("Relu", layer+".relu", []string{x})
}

// flatten flattens all axes but the first.
func (b *graphBuilder) flatten(output, x string) string {
	return b.node("Flatten", output, []string{x}, intAttribute("axis", 1))
}

// dense adds x·Wᵀ + b.
func (b *graphBuilder) dense(layer, output, x string) string {
	return b.node("Gemm",
		output, []string{x, layer + ".weight", layer + ".bias"}, intAttribute("transB", 1))
}

func (b *graphBuilder) policy(trunk string) {
	if b.spec.Policy == nn.PolicyNone {
		return
	}
	maps := b.node("Conv", "policy.conv",
		[]string{trunk, "policy.weight", "policy.bias"}, intsAttribute("kernel_shape", 1, 1))
	switch b.spec.Policy {
	case nn.PolicyConv:
		b.flatten("policy", maps)
	case nn.PolicyConvPass:
		cells := b.flatten("policy.cells", maps)
		mean := b.flatten("policy.mean",
			b.node("GlobalAveragePool", "policy.pool", []string{trunk}))
		pass := b.dense("policy.pass", "policy.pass", mean)
		b.node("Concat", "policy", []string{cells, pass}, intAttribute("axis", 1))
	case nn.PolicyDense:
		cells := b.flatten("policy.cells", b.relu("policy", maps))
		b.dense("policy.dense", "policy", cells)
	}
}

func (b *graphBuilder) values(trunk string) {
	const support = "value.support"
	if b.spec.Value == nn.ValueCategorical {
		b.constants = append(b.constants, nn.Tensor{
			Name: support, Shape: []int{len(b.spec.Support), 1}, Data: b.spec.Support,
		})
	}
	flat := b.flatten("value.trunk", trunk)
	list := make([]string, b.spec.Players)
	for p := range list {
		name := fmt.Sprintf("value.%d", p)
		hidden := b.relu(name+".hidden", b.dense(name+".hidden", name+".hidden", flat))
		list[p] = b.dense(name+".output", name+".output", hidden)
		if b.spec.Value == nn.ValueCategorical {
			chances := b.node("Softmax", name+".softmax",
				[]string{list[p]}, intAttribute("axis", 1))
			list[p] = b.node("MatMul", name+".expected", []string{chances, support})
		}
	}
	b.node("Concat", "values", list, intAttribute("axis", 1))
}

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
