package export

import (
	"bytes"
	"testing"

	"tengen/nn"
)

// TestWireFormat compares the writer with bytes assembled by hand. The first two cases are
// examples from the encoding's documentation.
func TestWireFormat(t *testing.T) {
	var number, text, inner, real, far, negative message
	number.integer(1, 150)
	text.text(2, "testing")
	inner.message(3, number)
	real.float(2, 1.5)
	far.integer(20, 7)
	negative.integer(3, -1)
	for _, c := range []struct {
		name string
		got  message
		want []byte
	}{
		{"150", number, []byte{0x08, 0x96, 0x01}},
		{"text", text, []byte{0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67}},
		{"a message", inner, []byte{0x1a, 0x03, 0x08, 0x96, 0x01}},
		{"1.5", real, []byte{0x15, 0x00, 0x00, 0xc0, 0x3f}},
		{"field 20", far, []byte{0xa0, 0x01, 0x07}}, // 20·8 = 160 = 0x20 + 1·128
		{"-1", negative, []byte{0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
		{"a node", nodeProto("Relu", "y", []string{"x"}, nil), []byte{
			0x0a, 1, 'x', // input
			0x12, 1, 'y', // output
			0x1a, 1, 'y', // name
			0x22, 4, 'R', 'e', 'l', 'u', // op_type
		}},
		{"an attribute", intsAttribute("p", 1, 300), []byte{
			0x0a, 1, 'p', // name
			0x40, 1, // ints
			0x40, 0xac, 0x02,
			0xa0, 0x01, 7, // type INTS
		}},
		{"a tensor", tensorProto(&nn.Tensor{
			Name: "t", Shape: []int{2, 1}, Data: []float32{1, -2},
		}), []byte{
			0x08, 2, 0x08, 1, // dims
			0x10, 1, // data_type FLOAT
			0x42, 1, 't', // name
			0x4a, 8, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, // raw_data
		}},
		{"an input", valueInfoProto(Array{"x", []int{-1, 3}}, "d"), []byte{
			0x0a, 1, 'x', // name
			0x12, 15, // type
			0x0a, 13, // tensor_type
			0x08, 1, // elem_type FLOAT
			0x12, 9, // shape
			0x0a, 3, 0x12, 1, 'N', // dim_param
			0x0a, 2, 0x08, 3, // dim_value
			0x1a, 1, 'd', // doc_string
		}},
		{"a model", modelProto(number, "", map[string]string{"b": "2", "a": ""}), []byte{
			0x08, 7, // ir_version
			0x12, 6, 't', 'e', 'n', 'g', 'e', 'n', // producer_name
			0x3a, 3, 0x08, 0x96, 0x01, // graph
			0x42, 4, 0x0a, 0, 0x10, 13, // opset_import
			0x72, 5, 0x0a, 1, 'a', 0x12, 0, // metadata_props
			0x72, 6, 0x0a, 1, 'b', 0x12, 1, '2',
		}},
	} {
		if !bytes.Equal(c.got, c.want) {
			t.Errorf("%s:\n got % x\nwant % x", c.name, []byte(c.got), c.want)
		}
	}
}
