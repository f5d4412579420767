package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/x448/float16"
	"pgregory.net/rapid"

	"tengen/nn"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// file returns a file: the header's length, the header and the numbers.
func file(header string, numbers ...float32) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func sample() ([]nn.Tensor, map[string]string) {
	return []nn.Tensor{
		{Name: "z", Shape: []int{2, 1}, Data: []float32{1, -2}},
		{Name: "a", Shape: []int{}, Data: []float32{0.5}},
		{Name: "none", Shape: []int{3, 0}, Data: []float32{}},
		{Name: `"ä"`, Shape: []int{1}, Data: []float32{math.MaxFloat32}},
	}, map[string]string{"game": "go:size=5", "b": "<&>"}
}

// sampleHeader is the header for sample, written by hand. Three spaces pad it to a
// multiple of 8 bytes.
const sampleHeader = `{"__metadata__":{"b":"\u003c\u0026\u003e","game":"go:size=5"},` +
	`"z":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},` +
	`"a":{"dtype":"F32","shape":[],"data_offsets":[8,12]},` +
	`"none":{"dtype":"F32","shape":[3,0],"data_offsets":[12,12]},` +
	`"\"ä\"":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}}`

func padded(header string) string {
	return header + strings.Repeat(" ", (8-len(header)%8)%8)
}

func write(t testing.TB, tensors []nn.Tensor, metadata map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, tensors, metadata); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestByHand(t *testing.T) {
	want := file(padded(sampleHeader), 1, -2, 0.5, math.MaxFloat32)
	tensors, metadata := sample()
	if diff := cmp.Diff(string(want), string(write(t, tensors, metadata))); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	gotTensors, gotMetadata, err := Decode(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tensors, gotTensors) + cmp.Diff(metadata, gotMetadata); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
}

func TestGolden(t *testing.T) {
	path := filepath.Join("testdata", "sample.safetensors")
	tensors, metadata := sample()
	if *update {
		if err := os.WriteFile(path, write(t, tensors, metadata), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, write(t, tensors, metadata)) {
		t.Error("the written file differs from the golden file")
	}
}

// In half precision weights lose what ten bits can't hold; vectors lose nothing. A file so written
// gives the same when it is read and written again.
func TestHalf(t *testing.T) {
	tensors := []nn.Tensor{
		{Name: "w", Shape: []int{1, 6}, Data: []float32{1, -2, 0.1, 65504, 6e-8, 1e-9}},
		{Name: "b", Shape: []int{2}, Data: []float32{0.1, 1e-30}},
	}
	var b bytes.Buffer
	if err := WriteHalf(&b, tensors, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"w":{"dtype":"F16","shape":[1,6],"data_offsets":[0,12]},"b":{"dtype":"F32","shape":[2],"data_offsets":[12,20]}`) {
		t.Errorf("header: %q", b.String())
	}
	got, _, err := Decode(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	// 0.1 is 1638.4/2¹⁴; the smallest number of the type is 2⁻²⁴.
	want := []float32{1, -2, 1638.0 / (1 << 14), 65504, 1.0 / (1 << 24), 0}
	if diff := cmp.Diff(want, got[0].Data) + cmp.Diff(tensors[1], got[1]); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	var again bytes.Buffer
	if err := WriteHalf(&again, got, nil); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("written again it differs", err)
	}
	for _, x := range []float64{65520, -1e9, math.Inf(1), math.NaN()} {
		tensors[0].Data[1] = float32(x)
		if err := WriteHalf(io.Discard, tensors, nil); err == nil ||
			!strings.Contains(err.Error(), `tensor "w" holds`) {
			t.Errorf("%g: error %v", x, err)
		}
	}
}

// NaN and infinity are neither written nor read, in either type.
func TestNumbersThatAreNotFinite(t *testing.T) {
	for _, x := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		want := fmt.Sprintf("number 1 of w is %g", x)
		tensors := []nn.Tensor{
			{Name: "v", Shape: []int{1}, Data: []float32{0}},
			{Name: "w", Shape: []int{2}, Data: []float32{1, x}},
		}
		if err := Write(io.Discard, tensors, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("written: %v, want %q", err, want)
		}
		data := file(`{"v":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"w":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 0, 1, x)
		if _, _, err := Decode(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("read: %v, want %q", err, want)
		}
		data = file(`{"w":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}`)
		data = binary.LittleEndian.AppendUint16(data, float16.Fromfloat32(1).Bits())
		data = binary.LittleEndian.AppendUint16(data, float16.Fromfloat32(x).Bits())
		if _, _, err := Decode(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("read in half precision: %v, want %q", err, want)
		}
	}
}

func TestEmpty(t *testing.T) {
	b := write(t, nil, nil)
	if string(b[8:]) != "{}      " {
		t.Fatalf("got %q", b)
	}
	tensors, metadata, err := Decode(b)
	if len(tensors) != 0 || len(metadata) != 0 || err != nil {
		t.Fatal(tensors, metadata, err)
	}
}

// Files as other programs may write them: keys and tensors in another order, no
// padding, unknown keys.
func TestDecodeTolerates(t *testing.T) {
	for _, header := range []string{
		`{"b":{"data_offsets":[4,8],"shape":[1],"dtype":"F32"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`,
		"{ \"b\" : {\"dtype\":\"F32\",\n\"shape\":[1,1,1],\"data_offsets\":[4,8],\"x\":{\"y\":[1,{}]}}, \"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}} \t\r\n",
	} {
		tensors, _, err := Decode(file(header, 1, 2))
		if err != nil {
			t.Errorf("%s: %v", header, err)
			continue
		}
		if tensors[0].Name != "a" || tensors[0].Data[0] != 1 || tensors[1].Name != "b" ||
			tensors[1].Data[0] != 2 {
			t.Errorf("%s: got %v", header, tensors)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	tensor := func(name, dtype, shape string, begin, end int) string {
		return fmt.Sprintf(`"%s":{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`,
			name, dtype, shape, begin, end)
	}
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "0 bytes; the header's length alone has 8"},
		{[]byte{1, 2, 3}, "3 bytes; the header's"},
		{binary.LittleEndian.AppendUint64(nil, math.MaxUint64),
			"a header of 18446744073709551615 bytes"},
		{binary.LittleEndian.AppendUint64(nil, 3), "a header of 3 bytes, but 0 follow"},
		{file(""), "does not begin with {"},
		{file(` {}`), "does not begin with {"},
		{file(`[]`), "does not begin with {"},
		{file(`{}x`), "1 bytes follow the object"},
		{file(`{}{}`), "2 bytes follow the object"},
		{file(`{`), "EOF"},
		{file(`{"a"`), "EOF"},
		{file("{\"\xff\":1}"), "not valid UTF-8"},
		{file(`{"a":1}`), `tensor "a": 1, want {`},
		{file(`{"a":{}}`), "dtype, shape and data_offsets are wanted"},
		{file(`{"a":{"DType":"F32","shape":[1],"data_offsets":[0,4]}}`, 1),
			"dtype, shape and data_offsets are wanted"},
		{file(`{"a":{"dtype":null,"shape":[1],"data_offsets":[0,4]}}`, 1), "want a string"},
		{file(`{"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 1),
			`duplicate key "dtype"`},
		{file(`{`+tensor("a", "BF16", "[2]", 0, 4)+`}`, 1),
			`tensor "a" has type BF16; only F32 and F16 are supported`},
		{file(`{`+tensor("a", "F16", "[1]", 0, 4)+`}`, 1),
			`tensor "a" of shape [1] takes bytes 0 to 4`},
		{file(`{`+tensor("a", "F32", "[1]", 0, 4)+`,`+tensor("a", "F32", "[1]", 4, 8)+`}`, 1, 2),
			`duplicate key "a"`},
		{file(`{"__metadata__":{"k":"1","k":"2"}}`), `__metadata__: duplicate key "k"`},
		{file(`{"__metadata__":{"k":1}}`), "1, want a string"},
		{file(`{"__metadata__":null}`), "want {"},
		{file(`{`+tensor("a", "F32", "[1]", 4, 8)+`}`, 1, 2),
			`tensor "a" begins at byte 4 of the data, but the one before it ends at byte 0`},
		{
			file(`{`+tensor("a", "F32", "[1]", 0, 4)+`,`+tensor("b", "F32", "[1]", 8, 12)+`}`,
				1, 2, 3), `tensor "b" begins at byte 8`,
		},
		{file(`{`+tensor("a", "F32", "[2]", 0, 8)+`,`+tensor("b", "F32", "[1]", 4, 8)+`}`, 1, 2),
			`tensor "b" begins at byte 4`},
		{file(`{`+tensor("a", "F32", "[1]", 0, 4)+`}`, 1, 2),
			"the tensors take 4 bytes, but 8 follow the header"},
		{file(`{`+tensor("a", "F32", "[2]", 0, 8)+`}`, 1),
			"the tensors take 8 bytes, but 4 follow the header"},
		{file(`{`+tensor("a", "F32", "[2]", 0, 4)+`}`, 1),
			`tensor "a" of shape [2] takes bytes 0 to 4`},
		{file(`{` + tensor("a", "F32", "[4294967296,4294967296]", 0, 0) + `}`),
			`of shape [4294967296 4294967296] takes`},
		{file(`{` + tensor("a", "F32", "[2305843009213693952]", 0, 0) + `}`),
			`of shape [2305843009213693952] takes`},
		{file(`{`+tensor("a", "F32", "[1000000000]", 0, 4000000000)+`}`, 1),
			"the tensors take 4000000000 bytes, but 4 follow"},
		{file(`{` + tensor("a", "F32", "[-1]", 0, 0) + `}`), "-1 is not a size"},
		{file(`{`+tensor("a", "F32", "[1.0]", 0, 4)+`}`, 1), "1.0 is not a size"},
		{file(`{`+tensor("a", "F32", "[99999999999999999999]", 0, 4)+`}`, 1),
			"99999999999999999999 is not a size"},
		{file(`{`+tensor("a", "F32", `["1"]`, 0, 4)+`}`, 1), "want a size"},
		{file(`{`+tensor("a", "F32", "[1"+strings.Repeat(",1", 64)+"]", 0, 4)+`}`, 1),
			"a list has more than 64 numbers"},
		{file(`{`+tensor("a", "F32", "[1]", 4, 0)+`}`, 1), `tensor "a" begins at byte 4`},
		{file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}`, 1),
			"data_offsets: 3 numbers, want two"},
	} {
		if _, _, err := Decode(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got error %v, want %q", c.data, err, c.want)
		}
	}
	good := write(t, []nn.Tensor{{Name: "a", Shape: []int{5}, Data: make([]float32, 5)}},
		map[string]string{"k": "v"})
	for n := range good {
		if _, _, err := Decode(good[:n]); err == nil {
			t.Errorf("a file cut to %d of %d bytes is accepted", n, len(good))
		}
	}
}

// Claims of huge tensors allocate no memory.
func TestDecodeAllocatesNoMoreThanTheFile(t *testing.T) {
	data := file(`{"a":{"dtype":"F32","shape":[1000000000],"data_offsets":[0,4000000000]}}`, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		Decode(data)
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / 10; n > 100_000 {
		t.Errorf("%d bytes for a file of %d", n, len(data))
	}
}

func TestWriteRefuses(t *testing.T) {
	one := []float32{1}
	for name, tensors := range map[string][]nn.Tensor{
		"duplicate name": {{Name: "a", Shape: []int{1}, Data: one},
			{Name: "a", Shape: []int{1}, Data: one}},
		"shape":    {{Name: "a", Shape: []int{2}, Data: one}},
		"negative": {{Name: "a", Shape: []int{-1, -1}, Data: one}},
		"overflow": {{Name: "a", Shape: []int{1 << 40, 1 << 40}, Data: nil}},
		"metadata": {{Name: "__metadata__", Shape: []int{1}, Data: one}},
		"UTF-8":    {{Name: "\xff", Shape: []int{1}, Data: one}},
	} {
		if err := Write(&bytes.Buffer{}, tensors, nil); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if err := Write(&bytes.Buffer{}, nil, map[string]string{"a": "\xff"}); err == nil {
		t.Error("metadata that is not UTF-8 is written")
	}
}

type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.room {
		return 0, errFull
	}
	d.room -= len(p)
	return len(p), nil
}

var errFull = errors.New("no space left")

func TestWriteReportsErrors(t *testing.T) {
	tensors := []nn.Tensor{{Name: "a", Shape: []int{50_000}, Data: make([]float32, 50_000)}}
	for _, room := range []int{0, 100, 100_000, 200_000} {
		if err := Write(&fullDisk{room}, tensors, nil); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: got error %v", room, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tensors []nn.Tensor
		names := rapid.SliceOfNDistinct(rapid.String(), 0, 6, rapid.ID[string]).Draw(t, "names")
		for _, name := range names {
			shape := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 4).Draw(t, "shape")
			n, _ := elements(shape)
			data := make([]float32, n)
			for i := range data {
				data[i] = rapid.Float32().Draw(t, "x")
			}
			tensors = append(tensors, nn.Tensor{
				Name: name, Shape: append([]int{}, shape...), Data: data,
			})
		}
		metadata := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "metadata")
		var b bytes.Buffer
		if err := Write(&b, tensors, metadata); err != nil {
			t.Fatal(err)
		}
		if n := binary.LittleEndian.Uint64(b.Bytes()); n%8 != 0 {
			t.Fatalf("the header has %d bytes", n)
		}
		got, gotMetadata, err := Decode(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(tensors) {
			t.Fatalf("%d tensors, want %d", len(got), len(tensors))
		}
		for i := range got {
			if diff := cmp.Diff(tensors[i], got[i], cmp.Comparer(func(a, b float32) bool {
				return math.Float32bits(a) == math.Float32bits(b)
			})); diff != "" {
				t.Fatalf("tensor %d (-want +got):\n%s", i, diff)
			}
		}
		if diff := cmp.Diff(metadata, gotMetadata); diff != "" {
			t.Fatalf("metadata (-want +got):\n%s", diff)
		}
	})
}

func FuzzDecode(f *testing.F) {
	tensors, metadata := sample()
	f.Add(write(f, tensors, metadata))
	f.Add(write(f, nil, nil))
	f.Add(file(`{"b":{"data_offsets":[4,8],"shape":[1],"dtype":"F32","x":null},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 1, 2))
	f.Add(file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, metadata, err := Decode(data)
		if err != nil {
			return
		}
		again, metadataAgain, err := Decode(write(t, tensors, metadata))
		if err != nil {
			t.Fatal(err)
		}
		bits := cmp.Comparer(func(a, b float32) bool {
			return math.Float32bits(a) == math.Float32bits(b)
		})
		if diff := cmp.Diff(tensors, again, bits) + cmp.Diff(metadata, metadataAgain); diff != "" {
			t.Fatalf("written and read again (-want +got):\n%s", diff)
		}
	})
}
