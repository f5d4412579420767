package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/x448/float16"

	"tengen/nn"
)

// Decode decodes a file. It returns the tensors in the order of their data, which is
// copied, and the metadata, which is never nil. It checks the header against the
// file's length before it allocates memory.
//
// Besides the checks of the format's reference implementation, it refuses duplicate
// keys, as the format demands, tensors whose type is neither F32 nor F16, and numbers that are NaN
// or infinite. Numbers in F16 are returned in single precision, which loses nothing.
func Decode(data []byte) (tensors []nn.Tensor, metadata map[string]string, err error) {
	tensors, metadata, err = decode(data)
	if err != nil {
		return nil, nil, fmt.Errorf("read safetensors: %w", err)
	}
	return tensors, metadata, nil
}

func decode(data []byte) ([]nn.Tensor, map[string]string, error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("%d bytes; the header's length alone has 8", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	switch {
	case n > maxHeader:
		return nil, nil, fmt.Errorf("a header of %d bytes; the maximum is %d", n, maxHeader)
	case n > uint64(len(data)-8):
		return nil, nil, fmt.Errorf("a header of %d bytes, but %d follow", n, len(data)-8)
	}
	header, numbers := data[8:8+n], data[8+n:]
	entries, metadata, err := parseHeader(header)
	if err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	slices.SortStableFunc(entries, func(a, b named) int {
		return slices.Compare(a.DataOffsets[:], b.DataOffsets[:])
	})
	end := 0
	for _, e := range entries {
		count, ok := elements(e.Shape)
		size, known := sizes[e.DType]
		switch begin := e.DataOffsets[0]; {
		case !known:
			return nil, nil,
				fmt.Errorf("tensor %q has type %s; only F32 and F16 are supported", e.name, e.DType)
		case begin != end:
			return nil, nil,
				fmt.Errorf("tensor %q begins at byte %d of the data, but the one before it ends at byte %d", e.name, begin, end)
		case !ok || e.DataOffsets[1]-begin != size*count:
			return nil, nil,
				fmt.Errorf("tensor %q of shape %v takes bytes %d to %d of the data",
					e.name, e.Shape, begin, e.DataOffsets[1])
		}
		end = e.DataOffsets[1]
	}
	if end != len(numbers) {
		return nil, nil,
			fmt.Errorf("the tensors take %d bytes, but %d follow the header", end, len(numbers))
	}
	tensors := make([]nn.Tensor, len(entries))
	for i, e := range entries {
		raw := numbers[e.DataOffsets[0]:e.DataOffsets[1]]
		values := make([]float32, len(raw)/sizes[e.DType])
		for j := range values {
			if e.DType == half {
				values[j] = float16.Frombits(binary.LittleEndian.Uint16(raw[2*j:])).Float32()
			} else {
				values[j] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*j:]))
			}
		}
		tensors[i] = nn.Tensor{Name: e.name, Shape: e.Shape, Data: values}
	}
	if err := nn.CheckFinite(tensors); err != nil {
		return nil, nil, err
	}
	return tensors, metadata, nil
}

type named struct {
	name string
	info
}

// parseHeader parses the JSON text key by key, since decoding into a map would not
// detect duplicate keys.
func parseHeader(text []byte) (entries []named, metadata map[string]string, err error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, nil, errors.New("it does not begin with {")
	}
	if !utf8.Valid(text) {
		return nil, nil, errors.New("not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	metadata = map[string]string{}
	err = object(d, func(name string) error {
		if name == metadataKey {
			if err := object(d, func(key string) (err error) {
				metadata[key], err = stringValue(d)
				return err
			}); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		}
		e := named{name: name}
		if err := e.parse(d); err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if rest := strings.TrimRight(string(text[d.InputOffset():]), " \t\r\n"); rest != "" {
		return nil, nil, fmt.Errorf("%d bytes follow the object", len(rest))
	}
	return entries, metadata, nil
}

// parse parses the header's entry of one tensor. It ignores keys that the format does
// not define.
func (e *named) parse(d *json.Decoder) error {
	var found int
	err := object(d, func(key string) (err error) {
		switch key {
		case "dtype":
			e.DType, err = stringValue(d)
		case "shape":
			e.Shape, err = numbers(d)
		case "data_offsets":
			var list []int
			list, err = numbers(d)
			if err == nil && len(list) != 2 {
				err = fmt.Errorf("%d numbers, want two", len(list))
			}
			copy(e.DataOffsets[:], list)
		default:
			var ignored json.RawMessage
			found--
			err = d.Decode(&ignored)
		}
		found++
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		return nil
	})
	if err == nil && found != 3 {
		err = errors.New("dtype, shape and data_offsets are wanted")
	}
	return err
}

// object parses an object. It calls value after each key to parse the value.
func object(d *json.Decoder, value func(key string) error) error {
	if err := delimiter(d, '{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key := token.(string) // the decoder allows nothing else here
		if seen[key] {
			return fmt.Errorf("duplicate key %q", key)
		}
		seen[key] = true
		if err := value(key); err != nil {
			return err
		}
	}
	return delimiter(d, '}')
}

func delimiter(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if token != want {
		return fmt.Errorf("%.40v, want %v", token, want)
	}
	return nil
}

func stringValue(d *json.Decoder) (string, error) {
	token, err := d.Token()
	if err != nil {
		return "", err
	}
	s, ok := token.(string)
	if !ok {
		return "", fmt.Errorf("%.40v, want a string", token)
	}
	return s, nil
}

// maxNumbers is the most numbers of a list: the dimensions of a tensor.
const maxNumbers = 64

// numbers parses a list of whole numbers from 0.
func numbers(d *json.Decoder) ([]int, error) {
	if err := delimiter(d, '['); err != nil {
		return nil, err
	}
	list := []int{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, ok := token.(json.Number)
		if !ok {
			return nil, fmt.Errorf("%.40v, want a size", token)
		}
		n, err := strconv.ParseInt(v.String(), 10, strconv.IntSize)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%.40s is not a size", v)
		}
		if len(list) == maxNumbers {
			return nil, fmt.Errorf("a list has more than %d numbers", maxNumbers)
		}
		list = append(list, int(n))
	}
	return list, delimiter(d, ']')
}
