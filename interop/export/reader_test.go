package export

import (
	"encoding/binary"
	"fmt"
	"math"
)

// This reader shares no code with the writer: it parses fields into the types below, by the
// numbers in onnx.proto.

type wireField struct {
	number int
	kind   int
	value  uint64 // for wire types 0 and 5
	bytes  []byte // for wire type 2
}

func parseFields(b []byte) (list []wireField, err error) {
	varint := func() (v uint64) {
		for shift := 0; err == nil; shift += 7 {
			if len(b) == 0 || shift > 63 {
				err = fmt.Errorf("an invalid varint")
				return 0
			}
			c := b[0]
			b = b[1:]
			v |= uint64(c&0x7f) << shift
			if c < 0x80 {
				return v
			}
		}
		return 0
	}
	for len(b) > 0 && err == nil {
		tag := varint()
		f := wireField{number: int(tag >> 3), kind: int(tag & 7)}
		switch f.kind {
		case 0:
			f.value = varint()
		case 2:
			n := varint()
			if n > uint64(len(b)) {
				return nil, fmt.Errorf("field %d has %d bytes, %d are left", f.number, n, len(b))
			}
			f.bytes, b = b[:n], b[n:]
		case 5:
			if len(b) < 4 {
				return nil, fmt.Errorf("field %d is cut off", f.number)
			}
			f.value, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
		default:
			return nil, fmt.Errorf("field %d is of kind %d", f.number, f.kind)
		}
		list = append(list, f)
	}
	return list, err
}

type readTensor struct {
	name  string
	shape []int
	data  []float64
}

type readNode struct {
	name, op        string
	inputs, outputs []string
	floats          map[string]float64
	ints            map[string][]int
}

type readValue struct {
	name, doc string
	shape     []any // numbers, or the name of a variable length
}

type readModel struct {
	ir, opset         int
	producer, version string
	metadata          map[string]string
	graph             string
	nodes             []readNode
	tensors           []readTensor
	inputs, outputs   []readValue
}

// must panics if the file can't be read, which fails the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func unknown(message string, f wireField) {
	panic(fmt.Errorf("%s has a field %d of kind %d", message, f.number, f.kind))
}

func parseModel(b []byte) *readModel {
	m := &readModel{metadata: map[string]string{}}
	for _, f := range must(parseFields(b)) {
		switch [2]int{f.number, f.kind} {
		case [2]int{1, 0}:
			m.ir = int(f.value)
		case [2]int{2, 2}:
			m.producer = string(f.bytes)
		case [2]int{3, 2}:
			m.version = string(f.bytes)
		case [2]int{7, 2}:
			m.parseGraph(f.bytes)
		case [2]int{8, 2}:
			set := must(parseFields(f.bytes))
			if len(set) != 2 || len(set[0].bytes) != 0 || set[1].number != 2 {
				unknown("OperatorSetIdProto", set[0])
			}
			m.opset = int(set[1].value)
		case [2]int{14, 2}:
			entry := must(parseFields(f.bytes))
			if len(entry) != 2 || entry[0].number != 1 || entry[1].number != 2 {
				unknown("StringStringEntryProto", entry[0])
			}
			m.metadata[string(entry[0].bytes)] = string(entry[1].bytes)
		default:
			unknown("ModelProto", f)
		}
	}
	return m
}

func (m *readModel) parseGraph(b []byte) {
	for _, f := range must(parseFields(b)) {
		switch f.number {
		case 1:
			m.nodes = append(m.nodes, parseNode(f.bytes))
		case 2:
			m.graph = string(f.bytes)
		case 5:
			m.tensors = append(m.tensors, parseTensor(f.bytes))
		case 11:
			m.inputs = append(m.inputs, parseValue(f.bytes))
		case 12:
			m.outputs = append(m.outputs, parseValue(f.bytes))
		default:
			unknown("GraphProto", f)
		}
	}
}

func parseNode(b []byte) readNode {
	n := readNode{floats: map[string]float64{}, ints: map[string][]int{}}
	for _, f := range must(parseFields(b)) {
		switch f.number {
		case 1:
			n.inputs = append(n.inputs, string(f.bytes))
		case 2:
			n.outputs = append(n.outputs, string(f.bytes))
		case 3:
			n.name = string(f.bytes)
		case 4:
			n.op = string(f.bytes)
		case 5:
			n.parseAttribute(f.bytes)
		default:
			unknown("NodeProto", f)
		}
	}
	return n
}

func (n *readNode) parseAttribute(b []byte) {
	var name string
	var kind int
	var real []float64
	var whole []int
	for _, f := range must(parseFields(b)) {
		switch [2]int{f.number, f.kind} {
		case [2]int{1, 2}:
			name = string(f.bytes)
		case [2]int{2, 5}:
			real = append(real, float64(math.Float32frombits(uint32(f.value))))
		case [2]int{3, 0}, [2]int{8, 0}:
			whole = append(whole, int(int64(f.value)))
		case [2]int{20, 0}:
			kind = int(f.value)
		default:
			unknown("AttributeProto", f)
		}
	}
	switch {
	case kind == 1 && len(real) == 1 && whole == nil:
		n.floats[name] = real[0]
	case kind == 2 && len(whole) == 1 && real == nil, kind == 7 && real == nil:
		n.ints[name] = whole
	default:
		panic(fmt.Errorf("attribute %s is of type %d, with %v %v", name, kind, real, whole))
	}
}

func parseTensor(b []byte) (t readTensor) {
	kind := 0
	var raw []byte
	for _, f := range must(parseFields(b)) {
		switch [2]int{f.number, f.kind} {
		case [2]int{1, 0}:
			t.shape = append(t.shape, int(f.value))
		case [2]int{2, 0}:
			kind = int(f.value)
		case [2]int{8, 2}:
			t.name = string(f.bytes)
		case [2]int{9, 2}:
			raw = f.bytes
		default:
			unknown("TensorProto", f)
		}
	}
	if kind == 7 && len(raw) == 8*product(t.shape) {
		for ; len(raw) > 0; raw = raw[8:] {
			t.data = append(t.data, float64(int64(binary.LittleEndian.Uint64(raw))))
		}
		return t
	}
	if n := product(t.shape); kind != 1 || len(raw) != 4*n {
		panic(fmt.Errorf("tensor %s of type %d and shape %v has %d bytes",
			t.name, kind, t.shape, len(raw)))
	}
	for ; len(raw) > 0; raw = raw[4:] {
		t.data = append(t.data, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
	}
	return t
}

func parseValue(b []byte) (v readValue) {
	for _, f := range must(parseFields(b)) {
		switch f.number {
		case 1:
			v.name = string(f.bytes)
		case 3:
			v.doc = string(f.bytes)
		case 2:
			for _, tensor := range must(parseFields(must(parseFields(f.bytes))[0].bytes)) {
				if tensor.number == 1 && tensor.value != 1 {
					panic(fmt.Errorf("%s is of type %d", v.name, tensor.value))
				}
				if tensor.number != 2 {
					continue
				}
				for _, dim := range must(parseFields(tensor.bytes)) {
					switch d := must(parseFields(dim.bytes))[0]; d.number {
					case 1:
						v.shape = append(v.shape, int(d.value))
					case 2:
						v.shape = append(v.shape, string(d.bytes))
					}
				}
			}
		default:
			unknown("ValueInfoProto", f)
		}
	}
	return v
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
