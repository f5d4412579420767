package train

import (
	"fmt"
	"math"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/kernels/training"
	"tengen/nn/nntest"
)

// gorgoniaNetwork is a network made of gorgonia's own operations in float64, with a conv
// policy head and a categorical value head. Its loss is that of build.
type gorgoniaNetwork struct {
	graph         *G.ExprGraph
	learned       map[string]*G.Node
	norms         map[string]*G.BatchNormOp
	policy, value *G.Node // logits [rows, actions], [rows·players, outputs]
	loss          *G.Node
}

func buildGorgonia(
	p *nn.Params, b *Batch, rows int, policyWeight, valueWeight float64,
) *gorgoniaNetwork {
	s := p.Spec
	g := G.NewGraph()
	n := &gorgoniaNetwork{
		graph: g, learned: map[string]*G.Node{}, norms: map[string]*G.BatchNormOp{},
	}
	// Names must differ: gorgonia merges inputs of equal name and shape.
	input := func(name string, x []float64, shape ...int) *G.Node {
		t := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(x))
		return G.NewTensor(g, tensor.Float64, len(shape), G.WithShape(shape...), G.WithName(name),
			G.WithValue(t))
	}
	learn := func(name string, shape ...int) *G.Node {
		n.learned[name] = input(name, nntest.Widen(p.Get(name).Data), shape...)
		return n.learned[name]
	}
	one := []int{1, 1}
	affine := func(name string, x *G.Node, out, in int) *G.Node {
		y := G.Must(G.Mul(x, G.Must(G.Transpose(learn(name+".weight", out, in), 1, 0))))
		return G.Must(G.BroadcastAdd(y, learn(name+".bias", 1, out), nil, []byte{0}))
	}
	layer := func(name string, in int, x, skip *G.Node) *G.Node {
		y := G.Must(G.Conv2d(x, learn(name+".weight", s.Filters, in, 3, 3), tensor.Shape{3, 3},
			one, one, one))
		gamma, beta := learn(name+".gamma", 1, s.Filters, 1, 1),
			learn(name+".beta", 1, s.Filters, 1, 1)
		// With momentum 1 the running statistics are the batch's.
		y, _, _, op, err := G.BatchNorm(y, gamma, beta, 1, nn.NormEpsilon)
		if err != nil {
			panic(err)
		}
		n.norms[name] = op
		if skip != nil {
			y = G.Must(G.Add(y, skip))
		}
		return G.Must(G.Rectify(y))
	}
	x := layer("stem", s.Planes,
		input("observations", nntest.Widen(b.Observations), rows, s.Planes, s.Height, s.Width), nil)
	for i := range s.Blocks {
		y := layer(fmt.Sprintf("block.%d.0", i), s.Filters, x, nil)
		x = layer(fmt.Sprintf("block.%d.1", i), s.Filters, y, x)
	}

	// crossEntropy is Σ −weight·target·log softmax(logits), over rows of logits.
	crossEntropy := func(name string, logits *G.Node, weighted []float64, rows, width int) *G.Node {
		log := G.Must(G.Log(G.Must(G.SoftMax(logits))))
		return G.Must(G.Neg(
			G.Must(G.Sum(G.Must(G.HadamardProd(log,
				input(name+" target", weighted, rows, width)))))))
	}
	maps := G.Must(G.Conv2d(x, learn("policy.weight", 1, s.Filters, 1, 1), tensor.Shape{1, 1},
		[]int{0, 0}, one, one))
	maps = G.Must(G.BroadcastAdd(G.Must(G.Reshape(maps, tensor.Shape{rows, s.Actions})),
		learn("policy.bias", 1, 1), nil, []byte{0, 1}))
	n.policy = maps
	targets, mass := nntest.Widen(b.Policy), b.PolicyMass()
	for i := range targets {
		targets[i] *= policyWeight * float64(b.PolicyWeight[i/s.Actions]) / mass
	}
	n.loss = crossEntropy("policy", n.policy, targets, rows, s.Actions)

	flat := G.Must(G.Reshape(x, tensor.Shape{rows, s.Filters * s.Cells()}))
	for player := range s.Players {
		name := fmt.Sprintf("value.%d", player)
		hidden := G.Must(G.Rectify(affine(name+".hidden", flat, s.Hidden, s.Filters*s.Cells())))
		logits := affine(name+".output", hidden, s.Outputs(), s.Hidden)
		var targets []float64
		for r := range rows {
			for _, v := range b.Value[(r*s.Players+player)*s.Outputs():][:s.Outputs()] {
				targets = append(targets, float64(v)*valueWeight/float64(rows*s.Players))
			}
		}
		n.loss = G.Must(G.Add(n.loss, crossEntropy(name, logits, targets, rows, s.Outputs())))
		n.value = logits // of the last player
	}
	return n
}

// TestGraphAgreesWithGorgonia compares outputs, gradients and batch statistics, for both ways to
// compute the trunk, with those of a graph of gorgonia's own operations in float64.
func TestGraphAgreesWithGorgonia(t *testing.T) {
	const policyWeight, valueWeight = 1.5, 0.7
	small := nntest.Specs()[0]
	for index, c := range []struct {
		height, width, filters, blocks, rows int
	}{
		{5, 5, 16, 2, 19}, {3, 3, 32, 1, 16}, {6, 7, 16, 1, 5}, {9, 9, 5, 1, 3}, {11, 3, 6, 1, 4},
		{10, 5, 24, 1, 5},
	} {
		spec := small
		spec.Height, spec.Width, spec.Filters, spec.Blocks, spec.Actions = c.height, c.width,
			c.filters, c.blocks, c.height*c.width
		rng := random.New(seed, random.Test, uint64(index))
		p := nntest.Random(spec, rng)
		b := RandomBatch(spec, c.rows, rng)
		reference := buildGorgonia(p, b, c.rows, policyWeight, valueWeight)
		var names []string
		var nodes G.Nodes
		for name, node := range reference.learned {
			names, nodes = append(names, name), append(nodes, node)
		}
		gradients, err := G.Grad(reference.loss, nodes...)
		if err != nil {
			t.Fatal(err)
		}
		machine := G.NewTapeMachine(reference.graph)
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		ways := map[int]string{fused: "fused", separate: "separate"}
		if !training.Fits(c.height, c.width) {
			delete(ways, fused)
			if trunkFor[float32](spec) != separate {
				t.Errorf("the trunk of a board of %d×%d is not computed layer by layer",
					c.height, c.width)
			}
		}
		for way, what := range ways {
			t.Run(fmt.Sprintf("%dx%d %s", c.height, c.width, what), func(t *testing.T) {
				s := newStore[float32](p)
				n, err := buildWith(s, c.rows, 2, true, way)
				if err != nil {
					t.Fatal(err)
				}
				loadInto(n, b, c.rows, policyWeight, valueWeight)
				if err := n.run(); err != nil {
					t.Fatal(err)
				}
				near := func(what string, got []float32, want []float64, tolerance float64) {
					t.Helper()
					scale := 1e-3 // some gradients are 0 but for rounding
					for _, v := range want {
						scale = max(scale, math.Abs(v))
					}
					for i, v := range want {
						if d := math.Abs(float64(got[i]) - v); !(d <= tolerance*scale) {
							t.Fatalf("%s: number %d is %g, gorgonia's is %g", what, i, got[i], v)
						}
					}
				}
				near("policy logits", data[float32](n.policyLogits.Value()),
					data[float64](reference.policy.Value()), 1e-5)
				var logits []float32 // of the last player
				for r := range c.rows {
					logits = append(logits,
						data[float32](n.valueLogits.Value())[((r+1)*spec.Players-1)*
							spec.Outputs():][:spec.Outputs()]...)
				}
				near("value logits", logits, data[float64](reference.value.Value()), 1e-5)
				for name, op := range reference.norms {
					mean, variance := op.Stats()
					near(name+".mean", n.batch[name].mean, mean.Data().([]float64), 1e-5)
					want := append([]float64(nil), variance.Data().([]float64)...)
					cells := float64(c.rows * spec.Cells())
					for i := range want {
						want[i] *= (cells - 1) / cells // gorgonia's variance is unbiased
					}
					near(name+".variance", n.batch[name].variance, want, 1e-5)
				}
				for i, name := range names {
					want := data[float64](gradients[i].Value())
					for j, l := range s.parameters {
						got := data[float32](n.gradients[j].Value())
						for k, part := range l.parts {
							if s.names[part] == name {
								near("gradient of "+name,
									got[k*len(want):(k+1)*len(want)], want, 1e-4)
							}
						}
					}
				}
			})
		}
	}
}

// TestTrunkIsFused checks that the trunk is one operation if the processor has kernels for it, and
// that in any case the graph contains none of gorgonia's own convolution or normalisation
// operations.
func TestTrunkIsFused(t *testing.T) {
	fast := training.Generated(kernels.Selected())
	for _, forTraining := range []bool{true, false} {
		spec := goSpec(2, 16)
		s := newStore[float32](paramsOf(t, spec))
		n, err := build(s, 8, 1, forTraining)
		if err != nil {
			t.Fatal(err)
		}
		trunks := 0
		for _, node := range n.graph.AllNodes() {
			op := node.Op()
			if op == nil {
				continue
			}
			if f, ok := op.(*forwardOp[float32]); ok {
				if _, ok := f.layer.(*trunk); ok {
					trunks++
				}
				if _, ok := f.layer.(*convolution[float32]); ok && fast {
					t.Errorf("training %v: the layer %s is not fused", forTraining, f.name)
				}
			}
			kind := strings.ToLower(fmt.Sprintf("%T %s", op, op))
			for _, alien := range []string{"im2col", "col2im", "conv2d", "batchnorm", "maxpool"} {
				if strings.Contains(kind, alien) {
					t.Errorf("training %v: the graph runs gorgonia's %s", forTraining, kind)
				}
			}
		}
		if fast && trunks != 1 {
			t.Errorf("training %v: %d operations compute the trunk, want 1", forTraining, trunks)
		}
	}
}

// goSpec returns the papers' network for three players on 5×5, in any size.
func goSpec(blocks, filters int) nn.Spec {
	s := nn.Spec{Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25, Blocks: blocks,
		Filters: filters,
		Policy:  nn.PolicyConv, Value: nn.ValueCategorical, Hidden: 64}
	for i := range 26 {
		s.Support = append(s.Support, float32(i)/25)
	}
	return s
}
