package export

import (
	"encoding/binary"
	"math"
)

// message is one message of protocol buffers, in their wire format
// (protobuf.dev/programming-guides/encoding), being written field by field:
// each is a tag, which is the field's number and the kind of what follows, and a value.
type message []byte

// The kinds of values.
const (
	wireVarint = 0
	wireBytes  = 2 // a length, then so many bytes: text, raw bytes, a message
	wireFixed  = 5 // four bytes, little-endian
)

func (m *message) tag(field, kind int) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|uint64(kind))
}

// integer writes an int32, int64 or enumeration.
func (m *message) integer(field int, v int64) {
	m.tag(field, wireVarint)
	*m = binary.AppendUvarint(*m, uint64(v))
}

func (m *message) float(field int, v float32) {
	m.tag(field, wireFixed)
	*m = binary.LittleEndian.AppendUint32(*m, math.Float32bits(v))
}

func (m *message) text(field int, s string) {
	m.tag(field, wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(s)))
	*m = append(*m, s...)
}

// message writes a message within this one.
func (m *message) message(field int, inner message) {
	m.tag(field, wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(inner)))
	*m = append(*m, inner...)
}
