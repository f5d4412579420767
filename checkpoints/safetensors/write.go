package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/x448/float16"

	"tengen/nn"
)

// maxHeader is the maximum length of a header in bytes, enough for 100,000 tensors. The format's
// reference implementation reads 100,000,000, which would cost two gigabytes of memory here.
const maxHeader = 16 << 20

const metadataKey = "__metadata__"

// Write writes the tensors, in the order given, and the metadata. Names must be
// distinct and valid UTF-8; the length of a tensor's data must be the product of its shape, and its
// numbers must be finite.
func Write(w io.Writer, tensors []nn.Tensor, metadata map[string]string) error {
	return writeTyped(w, tensors, metadata, func(*nn.Tensor) string { return single })
}

// WriteHalf writes like Write, but the numbers of tensors of two and more dimensions, such as
// weights, in half precision (F16), rounded to the nearest. It is an error if one of them is
// above 65504. Tensors of one dimension, such as biases and variances, stay F32.
func WriteHalf(w io.Writer, tensors []nn.Tensor, metadata map[string]string) error {
	for i := range tensors {
		for _, x := range tensors[i].Data {
			if halved(&tensors[i]) == half && !(math.Abs(float64(x)) <= 65504) {
				return fmt.Errorf(
					"write safetensors: tensor %q holds %g; half precision ends at 65504",
					tensors[i].Name, x)
			}
		}
	}
	return writeTyped(w, tensors, metadata, halved)
}

// Types of numbers.
const (
	single = "F32"
	half   = "F16"
)

// sizes are the bytes of a number of each type.
var sizes = map[string]int{single: 4, half: 2}

// halved returns the type of a tensor's numbers in a file of half precision.
func halved(t *nn.Tensor) string {
	if len(t.Shape) >= 2 {
		return half
	}
	return single
}

func writeTyped(
	w io.Writer, tensors []nn.Tensor, metadata map[string]string, typeOf func(*nn.Tensor) string,
) error {
	err := nn.CheckFinite(tensors)
	if err != nil {
		return fmt.Errorf("write safetensors: %w", err)
	}
	header, err := header(tensors, metadata, typeOf)
	if err != nil {
		return fmt.Errorf("write safetensors: %w", err)
	}
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("write safetensors: %w", err)
	}
	buf := make([]byte, 0, 1<<16)
	for i := range tensors {
		t := &tensors[i]
		typ := typeOf(t)
		for part := range slices.Chunk(t.Data, cap(buf)/4) {
			buf = buf[:0]
			for _, x := range part {
				if typ == half {
					buf = binary.LittleEndian.AppendUint16(buf, float16.Fromfloat32(x).Bits())
				} else {
					buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
				}
			}
			if _, err := w.Write(buf); err != nil {
				return fmt.Errorf("write safetensors: tensor %q: %w", t.Name, err)
			}
		}
	}
	return nil
}

// header returns what precedes the numbers: the header's length as a 64-bit number
// and the JSON text, padded with spaces to a multiple of 8 bytes so that the numbers
// are aligned.
func header(
	tensors []nn.Tensor, metadata map[string]string, typeOf func(*nn.Tensor) string,
) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 8))
	b.WriteByte('{')
	if len(metadata) > 0 {
		for k, v := range metadata {
			if !utf8.ValidString(k) || !utf8.ValidString(v) {
				return nil, fmt.Errorf("metadata %q: %q is not valid UTF-8", k, v)
			}
		}
		if err := entry(b, metadataKey, metadata); err != nil { // encoding/json sorts the keys
			return nil, err
		}
	}
	seen := make(map[string]bool, len(tensors))
	offset := 0
	for i := range tensors {
		t := &tensors[i]
		switch n, ok := elements(t.Shape); {
		case t.Name == metadataKey || !utf8.ValidString(t.Name):
			return nil, fmt.Errorf("a tensor can't be called %q", t.Name)
		case seen[t.Name]:
			return nil, fmt.Errorf("two tensors are called %q", t.Name)
		case len(t.Shape) > maxNumbers:
			return nil, fmt.Errorf("tensor %q has %d dimensions; the maximum is %d",
				t.Name, len(t.Shape), maxNumbers)
		case !ok || n != len(t.Data):
			return nil, fmt.Errorf("tensor %q of shape %v has %d numbers",
				t.Name, t.Shape, len(t.Data))
		}
		seen[t.Name] = true
		if b.Len() > 9 {
			b.WriteByte(',')
		}
		shape := t.Shape
		if shape == nil {
			shape = []int{} // [] rather than null: a scalar
		}
		typ := typeOf(t)
		end := offset + sizes[typ]*len(t.Data)
		if err := entry(b, t.Name, info{typ, shape, [2]int{offset, end}}); err != nil {
			return nil, err
		}
		offset = end
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len()-8 > maxHeader {
		return nil, fmt.Errorf("the header has %d bytes; the maximum is %d", b.Len()-8, maxHeader)
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(b.Len()-8))
	return b.Bytes(), nil
}

// info is the header's entry of a tensor.
type info struct {
	DType       string `json:"dtype"`
	Shape       []int  `json:"shape"`
	DataOffsets [2]int `json:"data_offsets"` // begin and end in bytes, relative to the header's end
}

// entry writes a key, a colon and a value as JSON.
func entry(b *bytes.Buffer, key string, value any) error {
	for i, part := range []any{key, value} {
		text, err := json.Marshal(part)
		if err != nil {
			return err
		}
		if i == 1 {
			b.WriteByte(':')
		}
		b.Write(text)
	}
	return nil
}

// elements returns the product of a shape, and whether four times the product fits an int.
func elements(shape []int) (n int, ok bool) {
	n = 1
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		if d > 0 && n > math.MaxInt/4/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}
