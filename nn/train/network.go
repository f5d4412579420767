package train

import (
	"fmt"
	"math"
	"strings"
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/kernels/training"
)

// store holds a network's numbers, shared by its graphs: the learned parameters (one of which
// may hold several tensors of nn.Params) and the running statistics.
type store[T float] struct {
	spec       nn.Spec
	tensors    [][]T // in the order of nn.Params: parts of parameters, or statistics
	names      []string
	index      map[string]int
	parameters []*parameter[T]
	byName     map[string]*parameter[T]
	running    map[string]statistics[T] // by layer
}

// parameter is a learned array of the graph.
type parameter[T float] struct {
	name   string
	value  *tensor.Dense
	weight bool  // a weight of a convolution or dense layer, to which L2 applies
	parts  []int // indices of the nn.Params tensors that it holds, in order
}

// newStore returns a store with a copy of p.
func newStore[T float](p *nn.Params) *store[T] {
	s := &store[T]{
		spec: p.Spec, tensors: make([][]T, len(p.Tensors)),
		index: map[string]int{}, byName: map[string]*parameter[T]{},
		running: map[string]statistics[T]{},
	}
	for i, t := range p.Tensors {
		s.names = append(s.names, t.Name)
		s.index[t.Name] = i
	}
	for i, t := range p.Tensors {
		layer, kind, _ := cutLast(t.Name)
		switch {
		case kind == "mean":
			st := newStatistics[T](len(t.Data))
			s.running[layer] = st
			s.tensors[i], s.tensors[i+1] = st.mean, st.variance
		case kind == "variance":
		case strings.HasPrefix(t.Name, "value."):
			// The layers of all players are one parameter: value.P.hidden.weight is part P of
			// value.hidden.weight.
			var player int
			var rest string
			if n, _ := fmt.Sscanf(t.Name, "value.%d.%s", &player, &rest); n != 2 || player > 0 {
				continue
			}
			parts := []int{}
			for player := range p.Spec.Players {
				parts = append(parts, s.index[fmt.Sprintf("value.%d.%s", player, rest)])
			}
			shape := append(tensor.Shape{p.Spec.Players * t.Shape[0]}, t.Shape[1:]...)
			s.addParameter("value."+rest, shape, parts)
		default:
			s.addParameter(t.Name, t.Shape, []int{i})
		}
	}
	s.set(p)
	return s
}

// cutLast splits a name at its last dot.
func cutLast(name string) (before, after string, found bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

func (s *store[T]) addParameter(name string, shape tensor.Shape, parts []int) {
	l := &parameter[T]{
		name: name, value: newTensor[T](shape), weight: strings.HasSuffix(name, ".weight"),
		parts: parts,
	}
	values := data[T](l.value)
	n := len(values) / len(parts)
	for i, part := range parts {
		s.tensors[part] = values[i*n : (i+1)*n : (i+1)*n]
	}
	s.parameters = append(s.parameters, l)
	s.byName[name] = l
}

// set copies p into the store.
func (s *store[T]) set(p *nn.Params) {
	for i, t := range p.Tensors {
		for j, v := range t.Data {
			s.tensors[i][j] = T(v)
		}
	}
}

// get returns a copy of the store's numbers.
func (s *store[T]) get() *nn.Params {
	p, err := nn.NewParams(s.spec)
	if err != nil {
		panic(err) // the spec has been validated
	}
	for i, t := range p.Tensors {
		for j := range t.Data {
			t.Data[j] = float32(s.tensors[i][j])
		}
	}
	return p
}

// network is a graph that computes a store's network for a fixed number of rows.
type network[T float] struct {
	spec    nn.Spec
	rows    int
	graph   *G.ExprGraph
	machine G.VM

	observations              []T // [rows, cells·planes], cell-major
	policyTarget, valueTarget []T // [rows, Actions], [rows, Players·Outputs]
	policyWeight, valueWeight []T // [rows] each row's factor in the loss

	policyLogits, valueLogits *G.Node // policyLogits is nil without a policy head
	policyLoss, valueLoss     interface{ rowLosses() []float64 }
	// policyLoss if there is one: see crossEntropy.overLogits.
	policyEntropy *crossEntropy[T]
	auxiliary[T]
	batch     map[string]statistics[T] // the last batch's statistics in training, by layer
	gradients []*G.Node                // by parameter; only in training
}

// build returns a graph. For training the graph includes the gradients, and BatchNorm uses
// the batch's statistics.
func build[T float](s *store[T], rows, workers int, forTraining bool) (*network[T], error) {
	if _, err := kernels.Select(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return buildWith(s, rows, workers, forTraining, trunkFor[T](s.spec))
}

// Ways to compute a trunk.
const (
	fused    = iota // one operation in the frequency domain: see trunk
	separate        // one operation per layer: see convolution
)

// trunkFor returns the way for a network. The fused trunk works in float32 and on boards that have
// a transform, and it is faster only if its loops are generated.
func trunkFor[T float](s nn.Spec) int {
	if tiled[T]() && training.Fits(s.Height, s.Width) {
		return fused
	}
	return separate
}

// tiled reports whether layers of T use the products of package training.
func tiled[T float]() bool {
	return dtype[T]() == tensor.Float32 && training.Generated(kernels.Selected())
}

// building is held while a graph is built: graphs share constants of package gorgonia, which keep
// their hash when it is first asked for.
var building sync.Mutex

// buildWith is build with a given way to compute the trunk. kernels.Select must have succeeded.
func buildWith[T float](
	s *store[T], rows, workers int, forTraining bool, way int,
) (*network[T], error) {
	building.Lock()
	defer building.Unlock()
	spec := s.spec
	cells := spec.Cells()
	g := G.NewGraph()
	n := &network[T]{spec: spec, rows: rows, graph: g, batch: map[string]statistics[T]{}}

	b := &builder[T]{
		spec: spec, rows: rows, workers: workers, graph: g, nodes: map[string]*G.Node{},
	}
	var learned G.Nodes
	for _, l := range s.parameters {
		shape := l.value.Shape()
		b.nodes[l.name] = G.NewTensor(g, dtype[T](), shape.Dims(), G.WithShape(shape...),
			G.WithName(l.name), G.WithValue(l.value))
		learned = append(learned, b.nodes[l.name])
	}

	var x *G.Node
	x, n.observations = b.input("observations", rows, cells*spec.Planes)
	trunk, err := n.trunk(s, workers, forTraining, way, x, b.nodes)
	if err != nil {
		return nil, err
	}

	// The value head: one hidden layer for all players, then one group per player.
	flat := apply("value.flatten", layer[T](&channelMajor[T]{rows, cells, spec.Filters, workers}),
		trunk.Shape().Clone(), []bool{true}, trunk)
	hidden := b.dense("value.hidden", flat, 1, cells*spec.Filters, spec.Players*spec.Hidden, true)
	n.valueLogits = b.dense("value.output",
		hidden, spec.Players, spec.Hidden, spec.Outputs(), false)
	var valueLoss layer[T]
	if spec.Value == nn.ValueCategorical {
		l := newCrossEntropy[T](rows, spec.Players, spec.Outputs(), workers)
		valueLoss, n.valueLoss = l, l
	} else {
		l := newSquaredError[T](rows, spec.Players)
		valueLoss, n.valueLoss = l, l
	}
	var loss *G.Node
	loss, n.valueTarget, n.valueWeight = b.loss("value",
		valueLoss, n.valueLogits, spec.Players*spec.Outputs())

	if spec.Policy != nn.PolicyNone {
		n.policyLogits = b.policyHead(trunk)
		l := newCrossEntropy[T](rows, 1, spec.Actions, workers)
		n.policyLoss, n.policyEntropy = l, l
		var policyLoss *G.Node
		policyLoss, n.policyTarget, n.policyWeight = b.loss("policy",
			l, n.policyLogits, spec.Actions)
		loss = G.Must(G.Add(loss, policyLoss))
	}
	loss = b.addAuxiliary(n, trunk, flat, loss)

	if forTraining {
		if n.gradients, err = G.Grad(loss, learned...); err != nil {
			return nil, fmt.Errorf("differentiate the network: %w", err)
		}
	}
	n.machine = G.NewTapeMachine(g)
	return n, nil
}

// builder adds the parts of a network to a graph.
type builder[T float] struct {
	spec          nn.Spec
	rows, workers int
	graph         *G.ExprGraph
	nodes         map[string]*G.Node // parameters by name
}

// input adds an input and returns it with its numbers.
func (b *builder[T]) input(name string, shape ...int) (*G.Node, []T) {
	t := newTensor[T](shape)
	return G.NewTensor(b.graph, dtype[T](), len(shape), G.WithShape(shape...), G.WithName(name),
		G.WithValue(t)), data[T](t)
}

// dense adds a dense layer.
func (b *builder[T]) dense(name string, x *G.Node, groups, in, out int, relu bool) *G.Node {
	return apply(name, layer[T](newDense[T](b.rows, groups, in, out, b.workers, relu)),
		tensor.Shape{b.rows, groups * out},
		[]bool{true, true, true}, x, b.nodes[name+".weight"], b.nodes[name+".bias"])
}

// loss adds the sum over rows of a head's losses, each times the row's factor, with inputs for the
// targets, [rows, width], and the factors, [rows].
func (b *builder[T]) loss(
	name string, l layer[T], logits *G.Node, width int,
) (loss *G.Node, targets, factors []T) {
	target, targets := b.input(name+" target", b.rows, width)
	weight, factors := b.input(name+" weight", b.rows)
	losses := apply(name+" loss", l, tensor.Shape{b.rows}, []bool{true, false}, logits, target)
	return G.Must(G.Sum(G.Must(G.HadamardProd(losses, weight)))), targets, factors
}

// policyHead adds the policy head and returns its logits.
func (b *builder[T]) policyHead(trunk *G.Node) *G.Node {
	spec := b.spec
	maps, isDense, pass := 1, spec.Policy == nn.PolicyDense, spec.Policy == nn.PolicyConvPass
	if isDense {
		maps = 2
	}
	head := newPointwise[T](b.rows, spec.Cells(), spec.Filters, maps, b.workers, isDense, pass)
	inputs := []*G.Node{trunk, b.nodes["policy.weight"], b.nodes["policy.bias"]}
	if pass {
		inputs = append(inputs, b.nodes["policy.pass.weight"], b.nodes["policy.pass.bias"])
	}
	logits := apply("policy", layer[T](head), tensor.Shape{b.rows, head.width()},
		[]bool{true, true, true, true, true}[:len(inputs)], inputs...)
	if isDense {
		logits = b.dense("policy.dense", logits, 1, 2*spec.Cells(), spec.Actions, false)
	}
	return logits
}

// trunk adds the trunk to the graph and returns its output, which is cell-major.
func (n *network[T]) trunk(
	s *store[T], workers int, forTraining bool, way int, x *G.Node, nodes map[string]*G.Node,
) (*G.Node, error) {
	spec := s.spec
	shape := tensor.Shape{n.rows, spec.Cells() * spec.Filters}
	layers := []string{"stem"}
	for i := range spec.Blocks {
		layers = append(layers, fmt.Sprintf("block.%d.0", i), fmt.Sprintf("block.%d.1", i))
	}
	for _, name := range layers {
		n.batch[name] = newStatistics[T](spec.Filters)
	}
	if way == fused {
		use, inputs, wanted := n.batch, G.Nodes{x}, []bool{false}
		if !forTraining {
			use = s.running
		}
		var kept []statistics[float32]
		for _, name := range layers {
			inputs = append(inputs, nodes[name+".weight"], nodes[name+".gamma"],
				nodes[name+".beta"])
			wanted = append(wanted, true, true, true)
			kept = append(kept, any(use[name]).(statistics[float32]))
		}
		l, err := newTrunk(spec, n.rows, workers, forTraining, kept)
		if err != nil {
			return nil, err
		}
		return apply("trunk", any(l).(layer[T]), shape, wanted, inputs...), nil
	}
	board := newBoard(spec.Height, spec.Width)
	convolve := func(name string, in int, inputs ...*G.Node) *G.Node {
		l := newConvolution(board, n.rows, in, spec.Filters, workers, forTraining, s.running[name],
			n.batch[name])
		inputs = append([]*G.Node{
			inputs[0], nodes[name+".weight"], nodes[name+".gamma"], nodes[name+".beta"],
		}, inputs[1:]...)
		return apply(name, layer[T](l), shape,
			[]bool{name != "stem", true, true, true, true}[:len(inputs)], inputs...)
	}
	trunk := convolve("stem", spec.Planes, x)
	for i := 1; i < len(layers); i += 2 {
		y := convolve(layers[i], spec.Filters, trunk)
		trunk = convolve(layers[i+1], spec.Filters, y, trunk)
	}
	return trunk, nil
}

// run executes the graph on the current contents of its inputs.
func (n *network[T]) run() error {
	defer n.machine.Reset()
	return n.machine.RunAll()
}

// load copies an observation [Planes, Height, Width] into row r, cell-major.
func (n *network[T]) load(r int, observation []float32) {
	planes, cells := n.spec.Planes, n.spec.Cells()
	dst := n.observations[r*planes*cells:][:planes*cells]
	for p := range planes {
		for c, v := range observation[p*cells : (p+1)*cells] {
			dst[c*planes+p] = T(v)
		}
	}
}

// finiteStatistics reports whether the last batch's statistics are all finite: a variance
// can overflow even if the loss is finite.
func (n *network[T]) finiteStatistics() bool {
	for _, batch := range n.batch {
		for c, v := range batch.variance {
			if sum := float64(v) + float64(batch.mean[c]); math.IsNaN(sum) || math.IsInf(sum, 0) {
				return false
			}
		}
	}
	return true
}

// commitStatistics moves the running statistics towards the last batch's.
func (n *network[T]) commitStatistics(s *store[T]) {
	for name, batch := range n.batch {
		running := s.running[name]
		for c := range running.mean {
			running.mean[c] += NormMomentum * (batch.mean[c] - running.mean[c])
			running.variance[c] += NormMomentum * (batch.variance[c] - running.variance[c])
		}
	}
}

// gradientNorm returns the Euclidean norm of the whole gradient.
func (n *network[T]) gradientNorm(workers int) float64 {
	var all [][]T
	for _, node := range n.gradients {
		all = append(all, data[T](node.Value()))
	}
	return math.Sqrt(squares(workers, all))
}

// squares returns the sum of the squares of all elements.
func squares[T float](workers int, arrays [][]T) float64 {
	list := pieces(len(arrays), func(array int) int { return len(arrays[array]) })
	sums := make([]float64, len(list))
	training.Each(workers, len(list), func(_, i int) {
		var a, b, c, d float64 // four independent sums, so that additions overlap
		x := arrays[list[i].array][list[i].from:list[i].to]
		for ; len(x) >= 4; x = x[4:] {
			a += float64(x[0]) * float64(x[0])
			b += float64(x[1]) * float64(x[1])
			c += float64(x[2]) * float64(x[2])
			d += float64(x[3]) * float64(x[3])
		}
		for _, v := range x {
			a += float64(v) * float64(v)
		}
		sums[i] = (a + b) + (c + d)
	})
	total := 0.0
	for _, v := range sums {
		total += v
	}
	return total
}
