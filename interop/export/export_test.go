package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/checkpoints"
	"tengen/checkpoints/safetensors"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
	"tengen/search/nneval"
)

const rows = 5

// networks returns a network for every kind of head, with random parameters.
func networks() (list []*Network) {
	for i, spec := range nntest.Specs() {
		list = append(list, &Network{
			Params: nntest.Random(spec, random.New(1, random.Test, uint64(i))),
			Game:   "some game", Iteration: 7, Step: 1234, Version: "v1.2.3",
		})
	}
	return list
}

// expected returns random observations for a network, with the outputs of package nn.
func expected(n *Network, seed uint64) *nn.Batch {
	e := nn.NewEvaluator(nn.Fold(n.Params))
	b := e.NewBatch(rows)
	b.N = rows
	copy(b.Observations, nntest.Observations(n.Params.Spec, rows, random.New(seed, random.Test)))
	e.Evaluate(b)
	return b
}

func written(t *testing.T, format Format, n *Network, fold bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, n, fold); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func near(t *testing.T, what string, got []float64, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-float64(w)) <= tolerance*(1+math.Abs(float64(w)))) {
			t.Fatalf("%s: number %d is %g, want %g", what, i, got[i], w)
		}
	}
}

// eachNetwork runs a test for every head, folded and not.
func eachNetwork(t *testing.T, f func(t *testing.T, n *Network, fold bool)) {
	for i, n := range networks() {
		for _, fold := range []bool{true, false} {
			s := n.Params.Spec
			t.Run(fmt.Sprintf("%d %s %s fold=%v", i, s.Policy, s.Value, fold), func(t *testing.T) {
				f(t, n, fold)
			})
		}
	}
}

// TestONNXComputesTheNetwork compares the written model's outputs with the network's.
func TestONNXComputesTheNetwork(t *testing.T) {
	eachNetwork(t, func(t *testing.T, n *Network, fold bool) {
		s := n.Params.Spec
		want := expected(n, 2)
		m := parseModel(written(t, ONNX, n, fold))
		got := m.run(readTensor{
			shape: []int{rows, s.Planes, s.Height, s.Width}, data: nntest.Widen(want.Observations),
		})

		d, err := Describe(ONNX, n, fold)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range []struct {
			read      []readValue
			described []Array
		}{{m.inputs, d.Inputs}, {m.outputs, d.Outputs}} {
			if len(pair.read) != len(pair.described) {
				t.Fatalf("%v, described as %v", pair.read, pair.described)
			}
			for i, v := range pair.read {
				have := got[v.name]
				if v.name != pair.described[i].Name || v.doc == "" || v.shape[0] != "N" ||
					pair.described[i].Shape[0] != -1 {
					t.Errorf("%v, described as %v", v, pair.described[i])
				}
				for k := 1; k < len(v.shape); k++ {
					if v.shape[k] != have.shape[k] || pair.described[i].Shape[k] != have.shape[k] ||
						len(v.shape) != len(have.shape) {
						t.Errorf("%v, described as %v, is of shape %v",
							v, pair.described[i], have.shape)
					}
				}
			}
		}
		if _, policy := got["policy"]; policy != (s.Policy != nn.PolicyNone) {
			t.Errorf("a policy: %v", policy)
		} else if policy {
			near(t, "policy", got["policy"].data, want.Policy, 1e-5)
		}
		near(t, "values", got["values"].data, want.Values, 1e-5)

		if m.ir != 7 || m.opset != 13 || m.producer != "tengen" || m.version != "v1.2.3" ||
			m.graph == "" {
			t.Errorf("IR %d, opset %d, producer %q %q, graph %q",
				m.ir, m.opset, m.producer, m.version, m.graph)
		}
		if diff := cmp.Diff(d.Metadata, m.metadata); diff != "" {
			t.Error(diff)
		}
		norms := 0
		for _, node := range m.nodes {
			if node.op == "BatchNormalization" {
				norms++
			}
		}
		if want := 1 + 2*s.Blocks; fold && norms != 0 || !fold && norms != want {
			t.Errorf("%d nodes of BatchNorm", norms)
		}
	})
}

// TestSafetensorsHoldTheNetwork checks that the tensors are the network's or, if folded, give the
// same outputs in a network whose BatchNorm only adds the bias.
func TestSafetensorsHoldTheNetwork(t *testing.T) {
	eachNetwork(t, func(t *testing.T, n *Network, fold bool) {
		data := written(t, Safetensors, n, fold)
		tensors, metadata, err := safetensors.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Describe(Safetensors, n, fold)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d.Metadata, metadata); diff != "" {
			t.Error(diff)
		}
		count := 0
		for i, a := range tensors {
			count += len(a.Data)
			if d.Tensors[i].Name != a.Name || !slices.Equal(d.Tensors[i].Shape, a.Shape) {
				t.Errorf("tensor %d: %s %v, described as %v", i, a.Name, a.Shape, d.Tensors[i])
			}
		}
		if d.Numbers != count || len(d.Tensors) != len(tensors) || d.Inputs != nil ||
			d.Outputs != nil {
			t.Errorf("%d numbers in %d tensors, described as %+v", count, len(tensors), d)
		}
		if !fold {
			m, err := checkpoints.ReadModel(data)
			if err != nil {
				t.Fatalf("not a checkpoint's model: %v", err)
			}
			if diff := cmp.Diff(n.Params.Tensors, m.Params.Tensors); diff != "" ||
				m.Game != n.Game || m.Iteration != 7 || m.Step != 1234 {
				t.Errorf("read as a model: %s, iteration %d, step %d %s",
					m.Game, m.Iteration, m.Step, diff)
			}
			return
		}
		p, err := nn.NewParams(n.Params.Spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range p.Tensors {
			if strings.HasSuffix(a.Name, ".variance") {
				for i := range a.Data {
					a.Data[i] = 1 - nn.NormEpsilon
				}
			}
		}
		for _, a := range tensors {
			if layer, part := cutLast(a.Name); part == "bias" && normalised(layer) {
				copy(p.Get(layer+".beta").Data, a.Data)
			} else {
				copy(p.Get(a.Name).Data, a.Data)
			}
		}
		want := expected(n, 3)
		got := nntest.NewReference(p).Forward(nntest.Widen(want.Observations), rows, false)
		near(t, "policy", got.Policy, want.Policy, 1e-5)
		near(t, "values", got.Values, want.Values, 1e-5)
	})
}

// A network in half precision computes nearly the same, and is a model like any other.
func TestHalf(t *testing.T) {
	for _, n := range networks() {
		var b bytes.Buffer
		if err := WriteHalf(&b, n, false); err != nil {
			t.Fatal(err)
		}
		m, err := checkpoints.ReadModel(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if same := cmp.Equal(n.Params.Tensors, m.Params.Tensors); same ||
			b.Len() >= len(written(t, Safetensors, n, false)) {
			t.Error("nothing was halved")
		}
		halved := *n
		halved.Params = m.Params
		want, got := expected(n, 4), expected(&halved, 4)
		near(t, "policy", nntest.Widen(got.Policy), want.Policy, 4e-3)
		near(t, "values", nntest.Widen(got.Values), want.Values, 1e-3)
	}
}

func TestSameBytes(t *testing.T) {
	n := networks()[0]
	for _, format := range Formats() {
		if !bytes.Equal(written(t, format, n, true), written(t, format, n, true)) {
			t.Errorf("%s: the second file differs", format)
		}
	}
}

// TestWriteLeavesTheNetworkAlone checks that exporting does not modify the network.
func TestWriteLeavesTheNetworkAlone(t *testing.T) {
	n := networks()[0]
	before := n.Params.Clone()
	for _, format := range Formats() {
		written(t, format, n, true)
		written(t, format, n, false)
	}
	if diff := cmp.Diff(before.Tensors, n.Params.Tensors); diff != "" {
		t.Error(diff)
	}
}

// of returns a network for a game.
func of(t *testing.T, name string) *Network {
	t.Helper()
	g, err := game.New(name)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := nneval.Spec(g, nneval.Size{Blocks: 1, Filters: 2, Hidden: 2})
	if err != nil {
		t.Fatal(err)
	}
	return &Network{
		Params: nntest.Random(spec, random.New(4, random.Test)), Game: g.Name(), Rules: g,
		Iteration: 3, Step: 40, Average: true,
	}
}

func TestMetadata(t *testing.T) {
	d, err := Describe(ONNX, of(t, "go:size=2,players=3"), true)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"format_version":     "1",
		"game":               "go:size=2,players=3",
		"iteration":          "3",
		"step":               "40",
		"average":            "true",
		"batch_norm":         "folded",
		"players":            "3",
		"observation":        "[6,2,2]",
		"points_per_utility": "4",
		"seats":              `["Black","White","Red"]`,
		"actions":            `["a2","b2","a1","b1"]`,
		"planes":             `["stones of Black","stones of White","stones of Red","ones where Black is to move","ones where White is to move","ones where Red is to move"]`,
		"support":            "[0,0.25,0.5,0.75,1]",
		"network":            `{"planes":6,"height":2,"width":2,"players":3,"actions":4,"blocks":1,"filters":2,"policy":"conv","value":"categorical","hidden":2,"support":[0,0.25,0.5,0.75,1]}`,
	}
	if diff := cmp.Diff(want, d.Metadata); diff != "" {
		t.Error(diff)
	}

	// A game unknown to the program has fewer keys.
	n := of(t, "go:size=2,players=3")
	n.Rules, n.Average = nil, false
	if d, err = Describe(Safetensors, n, false); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"points_per_utility", "seats", "actions", "planes"} {
		delete(want, key)
	}
	want["average"], want["batch_norm"] = "false", "kept"
	if diff := cmp.Diff(want, d.Metadata); diff != "" {
		t.Error(diff)
	}
}

// plain hides the abilities of a game.
type plain struct{ game.Game }

// named is a game that describes its planes.
type named struct{ game.Game }

func (named) PlaneName(plane int) string { return fmt.Sprint("plane ", plane) }

func TestPlaneNames(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for _, c := range []struct {
		game game.Game
		want []string
	}{
		{g, []string{
			"stones of X", "stones of O", "ones where X is to move", "ones where O is to move",
		}},
		{plain{g}, []string{
			"stones of player 1", "stones of player 2", "ones where player 1 is to move",
			"ones where player 2 is to move",
		}},
		{named{g}, []string{"plane 0", "plane 1", "plane 2", "plane 3"}},
	} {
		if diff := cmp.Diff(c.want, planeNames(c.game)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestPlanesMeanWhatIsSaid checks the description of planes of stones in random games: an action
// below the number of cells puts a stone of the player to move on that cell.
func TestPlanesMeanWhatIsSaid(t *testing.T) {
	for _, name := range []string{
		"go:size=3,players=3", "go:rows=2,columns=5,players=4", "go:size=9,players=2,pass=free",
		"mnk:rows=4,columns=5,players=3", "tictactoe",
	} {
		g := game.Must(game.New(name))
		if planeNames(g) == nil {
			t.Errorf("%s: its planes have no names", name)
			continue
		}
		rng := random.New(5, random.Test)
		shape := g.Planes()
		cells, seats := shape.H*shape.W, g.Players()
		x := make([]float32, shape.Size())
		s := g.NewState()
		for s.CurrentPlayer() != game.Nobody {
			s.Observation(x)
			for p := range seats {
				for _, v := range x[(seats+p)*cells : (seats+p+1)*cells] {
					if (v == 1) != (s.CurrentPlayer() == game.Player(p)) || v != 0 && v != 1 {
						t.Fatalf("%s: %v is to move; the plane of seat %d holds %g",
							name, s.CurrentPlayer(), p, v)
					}
				}
			}
			mover, legal := s.CurrentPlayer(), s.LegalActions(nil)
			a := legal[rng.IntN(len(legal))]
			s.Apply(a)
			if s.Observation(x); int(a) < cells {
				for p := range seats {
					if want := mover == game.Player(p); (x[p*cells+int(a)] == 1) != want {
						t.Fatalf("%s: after %v's stone on %d the plane of seat %d holds %g there",
							name, mover, a, p, x[p*cells+int(a)])
					}
				}
			}
		}
	}
}

func TestRefused(t *testing.T) {
	n := networks()[0]
	if err := Write(&bytes.Buffer{}, "hdf5", n, true); err == nil ||
		!strings.Contains(err.Error(), `"hdf5"; there are onnx, safetensors`) {
		t.Errorf("got error %v", err)
	}
	n.Params.Get("block.1.0.beta").Data[3] = float32(math.NaN())
	for _, format := range Formats() {
		for _, fold := range []bool{true, false} {
			want := "number 3 of tensor block.1.0.beta is NaN"
			if fold {
				want = "number 3 of tensor block.1.0.bias is NaN"
			}
			var b bytes.Buffer
			if err := Write(&b, format, n, fold); err == nil ||
				!strings.Contains(err.Error(), want) || b.Len() > 0 {
				t.Errorf("%s: got error %v after %d bytes, want %q", format, err, b.Len(), want)
			}
			if _, err := Describe(format, n, fold); err == nil {
				t.Errorf("%s is described", format)
			}
		}
	}
}

func TestDescriptionAsJSON(t *testing.T) {
	d, err := Describe(ONNX, of(t, "tictactoe"), true)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"format":"onnx","batch_norm_folded":true,"inputs":[{"name":"observation","shape":[-1,4,3,3]}],`,
		`"outputs":[{"name":"policy","shape":[-1,9]},{"name":"values","shape":[-1,2]}],`,
		`"tensors":[{"name":"stem.weight","shape":[2,4,3,3]},{"name":"stem.bias","shape":[2]},`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

// TestLargestONNX checks the limit of 2 GiB, the largest message that protocol buffer readers
// accept.
func TestLargestONNX(t *testing.T) {
	n := networks()[0]
	data := make([]float32, 1<<22)
	var tensors []nn.Tensor
	for range 128 {
		tensors = append(tensors, nn.Tensor{Data: data})
	}
	var b bytes.Buffer
	err := writeONNX(&b, n, tensors, nil, true)
	if err == nil ||
		!strings.Contains(err.Error(),
			"take 2147483648 bytes; an ONNX file holds less than 2 GiB") || b.Len() > 0 {
		t.Errorf("got error %v after %d bytes", err, b.Len())
	}
}

// TestAuxiliaryHeadsAreLeftOut compares the files of networks with and without auxiliary heads.
func TestAuxiliaryHeadsAreLeftOut(t *testing.T) {
	for i, spec := range nntest.AuxiliarySpecs() {
		with := networks()[i]
		with.Params = nntest.Random(spec, random.New(1, random.Test, uint64(i)))
		without := *with
		without.Params = with.Params.ForPlay() // WithoutAuxiliary where there is no belief
		for _, format := range Formats() {
			for _, fold := range []bool{true, false} {
				if !bytes.Equal(written(t, format, with, fold),
					written(t, format, &without, fold)) {
					t.Errorf("%+v: %s, fold=%v: auxiliary heads change the file",
						spec.Auxiliary, format, fold)
				}
				a, err := Describe(format, with, fold)
				b, err2 := Describe(format, &without, fold)
				if d := cmp.Diff(b, a); d != "" || err != nil || err2 != nil {
					t.Errorf("%+v: %s, fold=%v: %v %v %s",
						spec.Auxiliary, format, fold, err, err2, d)
				}
			}
		}
	}
}

// TestBeliefIsKept: a file that players read as a model has the belief head, in full and in half
// precision; others have not.
func TestBeliefIsKept(t *testing.T) {
	tested := 0
	for i, spec := range nntest.AuxiliarySpecs() {
		if len(spec.Auxiliary.Belief) == 0 {
			continue
		}
		n := &Network{
			Params: nntest.Random(spec, random.New(2, random.Test, uint64(i))), Game: "none",
			Version: "v",
		}
		for name, c := range map[string]struct {
			write func(w *bytes.Buffer) error
			kept  bool
		}{
			"kept": {func(w *bytes.Buffer) error {
				return Write(w, Safetensors, n, false)
			}, true},
			"half": {func(w *bytes.Buffer) error { return WriteHalf(w, n, false) }, true},
			"folded": {func(w *bytes.Buffer) error {
				return Write(w, Safetensors, n, true)
			}, false},
			"ONNX":      {func(w *bytes.Buffer) error { return Write(w, ONNX, n, false) }, false},
			"half fold": {func(w *bytes.Buffer) error { return WriteHalf(w, n, true) }, false},
		} {
			var b bytes.Buffer
			if err := c.write(&b); err != nil {
				t.Fatal(err)
			}
			if has := bytes.Contains(b.Bytes(), []byte("aux.belief")); has != c.kept {
				t.Errorf("%s: has a belief: %v, want %v", name, has, c.kept)
			}
			if !c.kept {
				continue
			}
			tested++
			m, err := checkpoints.ReadModel(b.Bytes())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if _, err := nn.FoldBelief(m.Params); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if tested == 0 {
		t.Error("no network has a belief head")
	}
}

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
