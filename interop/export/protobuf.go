package export

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"tengen/nn"
)

// message is a protocol buffer message in its wire format, appended field by field.
type message []byte

// integer appends an int32, int64 or enumeration.
func (m *message) integer(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

func (m *message) float(field protowire.Number, v float32) {
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type),
		math.Float32bits(v))
}

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendString(protowire.AppendTag(*m, field, protowire.BytesType), s)
}

// message appends a message as a field of this one.
func (m *message) message(field protowire.Number, inner message) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), inner)
}

// The ONNX messages that a network needs. Field names and numbers are those of onnx.proto
// (github.com/onnx/onnx), IR version 7.

const (
	irVersion = 7  // of the messages
	opset     = 13 // of the operators

	elementFloat = 1 // TensorProto.DataType

	attributeFloat = 1 // AttributeProto.AttributeType
	attributeInt   = 2
	attributeInts  = 7
)

// modelProto returns a complete file with the given GraphProto.
func modelProto(graph message, version string, metadata map[string]string) message {
	var set, m message
	set.text(1, "") // domain: the operators of ONNX itself
	set.integer(2, opset)
	m.integer(1, irVersion)
	m.text(2, "tengen")
	if version != "" {
		m.text(3, version)
	}
	m.message(7, graph)
	m.message(8, set)
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		var entry message
		entry.text(1, key)
		entry.text(2, metadata[key])
		m.message(14, entry)
	}
	return m
}

// nodeProto returns one operator, named after its only output.
func nodeProto(op, output string, inputs []string, attributes []message) message {
	var m message
	for _, name := range inputs {
		m.text(1, name)
	}
	m.text(2, output)
	m.text(3, output)
	m.text(4, op)
	for _, a := range attributes {
		m.message(5, a)
	}
	return m
}

func intAttribute(name string, v int64) message {
	var m message
	m.text(1, name)
	m.integer(3, v)
	m.integer(20, attributeInt)
	return m
}

func intsAttribute(name string, list ...int64) message {
	var m message
	m.text(1, name)
	for _, v := range list {
		m.integer(8, v)
	}
	m.integer(20, attributeInts)
	return m
}

func floatAttribute(name string, v float32) message {
	var m message
	m.text(1, name)
	m.float(2, v)
	m.integer(20, attributeFloat)
	return m
}

// tensorProto returns a tensor of float32.
func tensorProto(t *nn.Tensor) message {
	raw := make(message, 0, 4*len(t.Data))
	for _, v := range t.Data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	m := make(message, 0, len(raw)+len(t.Name)+64)
	for _, d := range t.Shape {
		m.integer(1, int64(d))
	}
	m.integer(2, elementFloat)
	m.text(8, t.Name)
	m.message(9, raw)
	return m
}

// valueInfoProto describes an input or output of the model, of float32. A length of -1 means any
// length, named N.
func valueInfoProto(a Array, doc string) message {
	var shape, tensor, kind, m message
	for _, d := range a.Shape {
		var dimension message
		if d < 0 {
			dimension.text(2, "N")
		} else {
			dimension.integer(1, int64(d))
		}
		shape.message(1, dimension)
	}
	tensor.integer(1, elementFloat)
	tensor.message(2, shape)
	kind.message(1, tensor)
	m.text(1, a.Name)
	m.message(2, kind)
	m.text(3, doc)
	return m
}
