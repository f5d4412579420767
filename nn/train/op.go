package train

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"sync/atomic"

	"github.com/chewxy/hm"
	// gorgonia's tensors panic on Go releases that this package does not know
	_ "go4.org/unsafe/assume-no-moving-gc"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// layer is a differentiable function of arrays, independent of gorgonia. It may keep
// what forward computed for the call of backward that follows.
type layer[T float] interface {
	// forward writes all of out.
	forward(in [][]T, out []T)
	// backward writes to dIn the gradients of the loss with respect to the inputs, given dOut,
	// that with respect to the output. Elements of dIn that are not needed are nil.
	backward(in [][]T, out, dOut []T, dIn [][]T)
}

// apply adds a layer to the graph. wanted says for each input whether it has a gradient.
func apply[T float](
	name string, l layer[T], shape tensor.Shape, wanted []bool, inputs ...*G.Node,
) *G.Node {
	return G.Must(G.ApplyOp(&forwardOp[T]{
		signature: newSignature[T](name, shape, inputs), layer: l, wanted: wanted,
		out: newTensor[T](shape),
	}, inputs...))
}

// newTensor returns a tensor of zeros in aligned memory.
func newTensor[T float](shape tensor.Shape) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...),
		tensor.WithBacking(aligned[T](shape.TotalSize())))
}

func data[T float](v G.Value) []T { return v.Data().([]T) }

func dtype[T float]() tensor.Dtype {
	if _, ok := any(T(0)).(float32); ok {
		return tensor.Float32
	}
	return tensor.Float64
}

// signature implements the methods of gorgonia.Op that all operations share.
type signature struct {
	name   string
	id     uint64
	shape  tensor.Shape
	inputs int
	typ    hm.Type
}

var lastID atomic.Uint64

func newSignature[T float](name string, shape tensor.Shape, inputs []*G.Node) signature {
	s := signature{name: name, id: lastID.Add(1), shape: shape, inputs: len(inputs)}
	var types []hm.Type
	for _, n := range inputs {
		types = append(types, G.TensorType{Dims: n.Shape().Dims(), Of: dtype[T]()})
	}
	types = append(types, G.TensorType{Dims: shape.Dims(), Of: dtype[T]()})
	s.typ = hm.NewFnType(types...)
	return s
}

func (s *signature) Arity() int                                     { return s.inputs }
func (s *signature) Type() hm.Type                                  { return s.typ }
func (s *signature) InferShape(...G.DimSizer) (tensor.Shape, error) { return s.shape.Clone(), nil }
func (s *signature) ReturnsPtr() bool                               { return true }
func (s *signature) CallsExtern() bool                              { return false }
func (s *signature) OverwritesInput() int                           { return -1 }
func (s *signature) String() string {
	return fmt.Sprintf("%s#%d", s.name, s.id)
}

// WriteHash writes the operation's unique number, since gorgonia merges nodes with equal hashes.
func (s *signature) WriteHash(h hash.Hash) {
	_ = binary.Write(h, binary.LittleEndian, s.id)
}

func (s *signature) Hashcode() uint32 {
	h := fnv.New32a()
	s.WriteHash(h)
	return h.Sum32()
}

func (s *signature) checkArity(n int) error {
	if n != s.inputs {
		return fmt.Errorf("%s: %d inputs, want %d", s.name, n, s.inputs)
	}
	return nil
}

// forwardOp runs a layer's forward pass.
type forwardOp[T float] struct {
	signature
	layer  layer[T]
	wanted []bool
	in     [][]T
	out    *tensor.Dense
}

func (op *forwardOp[T]) Do(values ...G.Value) (G.Value, error) {
	if err := op.checkArity(len(values)); err != nil {
		return nil, err
	}
	op.in = op.in[:0]
	for _, v := range values {
		op.in = append(op.in, data[T](v))
	}
	op.layer.forward(op.in, data[T](op.out))
	return op.out, nil
}

func (op *forwardOp[T]) DiffWRT(int) []bool { return op.wanted }

// SymDiff returns a node for each gradient. Since an operation has one output, the
// node of the first gradient runs the backward pass; the others depend on it
// and return the gradients that it computed.
func (op *forwardOp[T]) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	grads := make(G.Nodes, len(inputs))
	back := &backwardOp[T]{layer: op.layer, dIn: make([]*tensor.Dense, len(inputs)), first: -1}
	for i, n := range inputs {
		if op.wanted[i] {
			back.dIn[i] = newTensor[T](n.Shape())
		}
	}
	arguments := append(append(G.Nodes{}, inputs...), output, grad)
	for i, n := range inputs {
		if !op.wanted[i] {
			continue
		}
		var err error
		if back.first < 0 {
			back.first = i
			back.signature = newSignature[T](op.name+" gradient", n.Shape(), arguments)
			grads[i], err = G.ApplyOp(back, arguments...)
		} else {
			from := grads[back.first]
			pick := &pickOp[T]{
				newSignature[T](op.name+" further gradient", n.Shape(), G.Nodes{from}), back.dIn[i],
			}
			grads[i], err = G.ApplyOp(pick, from)
		}
		if err != nil {
			return nil, fmt.Errorf("gradient of %s: %w", op.name, err)
		}
	}
	return grads, nil
}

// backwardOp runs a layer's backward pass and returns the first gradient.
type backwardOp[T float] struct {
	signature
	layer layer[T]
	dIn   []*tensor.Dense // nil where not wanted
	first int
}

func (op *backwardOp[T]) Do(values ...G.Value) (G.Value, error) {
	if err := op.checkArity(len(values)); err != nil {
		return nil, err
	}
	n := len(op.dIn)
	in, dIn := make([][]T, n), make([][]T, n)
	for i := range n {
		in[i] = data[T](values[i])
		if op.dIn[i] != nil {
			dIn[i] = data[T](op.dIn[i])
		}
	}
	op.layer.backward(in, data[T](values[n]), data[T](values[n+1]), dIn)
	return op.dIn[op.first], nil
}

// pickOp returns a gradient that a backwardOp has computed.
type pickOp[T float] struct {
	signature
	value *tensor.Dense
}

func (op *pickOp[T]) Do(...G.Value) (G.Value, error) { return op.value, nil }
