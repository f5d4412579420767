package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tengen/checkpoints/pretrained"
	"tengen/game"
	"tengen/nn"
	"tengen/search/nneval"
)

// These tests read exported files with other programs. Each is skipped if its program is not
// installed; node finds packages in the folders of NODE_PATH.

// python returns the name of an interpreter that has the modules.
func python(t *testing.T, modules string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+modules).Run() == nil {
			return name
		}
	}
	t.Skipf("no python3 that imports %s", modules)
	return ""
}

// node returns the name of a node that has onnxruntime-web.
func node(t *testing.T) string {
	t.Helper()
	if exec.Command("node", "-e", `require.resolve("onnxruntime-web")`).Run() != nil {
		t.Skip("no node that finds the package onnxruntime-web: npm install --prefix DIR onnxruntime-web, and NODE_PATH=DIR/node_modules")
	}
	return "node"
}

// output runs a program in a folder and decodes the last line that it prints, which is JSON.
func output(t *testing.T, dir string, into any, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", name, err, out, &stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), into); err != nil {
		t.Fatalf("%s: %v\n%s%s", name, err, out, &stderr)
	}
}

func save(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// outsideCase is a file to be evaluated by another program.
type outsideCase struct {
	File        string    `json:"file"`
	Shape       []int     `json:"shape"`
	Observation []float32 `json:"observation"`

	want *nn.Batch
}

// outsideCases writes all networks, folded and not, and cases.json into a folder.
func outsideCases(t *testing.T, dir string, format Format, folds ...bool) (list []outsideCase) {
	t.Helper()
	for i, n := range networks() {
		for _, fold := range folds {
			s := n.Params.Spec
			name := fmt.Sprintf("%d-%v.%s", i, fold, format)
			save(t, filepath.Join(dir, name), written(t, format, n, fold))
			want := expected(n, uint64(i))
			list = append(list,
				outsideCase{
					name, []int{rows, s.Planes, s.Height, s.Width}, want.Observations, want,
				})
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "cases.json"), text)
	return list
}

// results are the outputs of another program.
type results []struct{ Policy, Values []float64 }

func (r results) check(t *testing.T, list []outsideCase) {
	t.Helper()
	if len(r) != len(list) {
		t.Fatalf("%d results, want %d", len(r), len(list))
	}
	for i, c := range list {
		near(t, c.File+": policy", r[i].Policy, c.want.Policy, 1e-5)
		near(t, c.File+": values", r[i].Values, c.want.Values, 1e-5)
	}
}

// TestONNXChecker checks that ONNX's checker accepts every file, and that its shape inference
// finds the declared shapes.
func TestONNXChecker(t *testing.T) {
	name := python(t, "onnx")
	dir := t.TempDir()
	list := outsideCases(t, dir, ONNX, true, false)
	var shapes map[string][][]any
	output(t, dir, &shapes, name, "-c", `
import json, onnx
found = {}
for case in json.load(open("cases.json")):
    onnx.checker.check_model(case["file"], full_check=True)
    model = onnx.load(case["file"])
    del model.graph.output[:]
    names = [n.output[0] for n in model.graph.node if n.output[0] in ("policy", "values")]
    model.graph.output.extend([onnx.helper.make_empty_tensor_value_info(n) for n in names])
    model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    found[case["file"]] = [[o.name] + [d.dim_param or d.dim_value for d in o.type.tensor_type.shape.dim] for o in model.graph.output]
print(json.dumps(found))
`)
	if len(shapes) != len(list) {
		t.Errorf("%d of %d files", len(shapes), len(list))
	}
	for i, n := range networks() {
		for _, fold := range []bool{true, false} {
			d, err := Describe(ONNX, n, fold)
			if err != nil {
				t.Fatal(err)
			}
			var want [][]any
			for _, a := range d.Outputs {
				want = append(want, []any{a.Name, "N", float64(a.Shape[1])})
			}
			file := fmt.Sprintf("%d-%v.onnx", i, fold)
			if fmt.Sprint(shapes[file]) != fmt.Sprint(want) {
				t.Errorf("%s: shapes %v, want %v", file, shapes[file], want)
			}
		}
	}
}

func TestONNXRuntimeWeb(t *testing.T) {
	name := node(t)
	dir := t.TempDir()
	list := outsideCases(t, dir, ONNX, true, false)
	var got results
	output(t, dir, &got, name, "-e", `
const fs = require("node:fs"), ort = require("onnxruntime-web");
ort.env.wasm.numThreads = 1;
(async () => {
  const results = [];
  for (const c of JSON.parse(fs.readFileSync("cases.json"))) {
    const session = await ort.InferenceSession.create(fs.readFileSync(c.file));
    const out = await session.run({ observation: new ort.Tensor("float32", Float32Array.from(c.observation), c.shape) });
    results.push({ policy: out.policy ? [...out.policy.data] : [], values: [...out.values.data] });
  }
  console.log(JSON.stringify(results));
})();
`)
	got.check(t, list)
}

// program returns a program from docs/export.md, by the name in its first line.
func program(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```[a-z]+\n((?:#|//) " + regexp.QuoteMeta(name) + "\n.*?)```").
		FindSubmatch(text)
	if m == nil {
		t.Fatalf("docs/export.md has no program %s", name)
	}
	return string(m[1])
}

func TestDocumentedNumpy(t *testing.T) {
	name := python(t, "numpy")
	dir := t.TempDir()
	list := outsideCases(t, dir, Safetensors, true)
	var got results
	output(t, dir, &got, name, "-c", program(t, "with_numpy.py")+`
results = []
for case in json.load(open("cases.json")):
    x = np.array(case["observation"], np.float32).reshape(case["shape"])
    policy, values = evaluate(*load(case["file"]), x)
    results.append({"policy": [] if policy is None else policy.flatten().tolist(), "values": values.flatten().tolist()})
print(json.dumps(results))
`)
	got.check(t, list)
}

// documented returns the position that the documented programs evaluate, its observation by the
// game, and the outputs of the network go-5x5x3.
func documented(t *testing.T, dir string) *nn.Batch {
	t.Helper()
	shipped, ok := pretrained.Find("go-5x5x3")
	if !ok {
		t.Fatal("no network go-5x5x3")
	}
	model, err := shipped.Model()
	if err != nil {
		t.Fatal(err)
	}
	g := game.Must(game.New(model.Game))
	if err := nneval.Fits(g, model.Params.Spec); err != nil {
		t.Fatal(err)
	}
	n := &Network{Params: model.Params, Game: model.Game, Rules: g}
	save(t, filepath.Join(dir, "go-5x5x3.onnx"), written(t, ONNX, n, true))
	s := g.NewState()
	for _, name := range []string{"c3", "b3", "d3", "c4", "c2"} { // Black, White, Red, Black, White
		a, err := g.(game.Notated).ParseAction(s, name)
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(a)
	}
	e := nn.NewEvaluator(nn.Fold(model.Params))
	b := e.NewBatch(1)
	b.N = 1
	s.Observation(b.Observations)
	e.Evaluate(b)
	d, err := Describe(ONNX, n, true)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{
		"metadata": d.Metadata, "observation": b.Observations, "policy": b.Policy,
		"values": b.Values,
	})
	if err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "expected.json"), text)
	return b
}

// TestDocumentedPython runs the documented program. If onnxruntime is missing, a substitute
// module checks the observation and returns the expected outputs.
func TestDocumentedPython(t *testing.T) {
	name := python(t, "numpy")
	dir := t.TempDir()
	want := documented(t, dir)
	if exec.Command(name, "-c", "import onnxruntime").Run() != nil {
		save(t, filepath.Join(dir, "onnxruntime.py"), []byte(`
import json
import numpy as np
expected = json.load(open("expected.json"))
class InferenceSession:
    custom_metadata_map = expected["metadata"]
    def __init__(self, path):
        open(path).close()
    def get_modelmeta(self):
        return self
    def run(self, names, feed):
        x = feed["observation"]
        if list(feed) != ["observation"] or x.dtype != np.float32 or x.shape != (1, 6, 5, 5) or x.flatten().tolist() != expected["observation"]:
            raise ValueError(f"fed with {feed}")
        return [np.array([expected[n]], np.float32) for n in names]
`))
	}
	var got struct {
		Policy, Values []float64
		Best           string
	}
	output(t, dir, &got, name, "-c", program(t, "with_onnxruntime.py")+`
print(json.dumps({"policy": policy[0].tolist(), "values": values[0].tolist(), "best": actions[empty[np.argmax(chances)]]}))
`)
	near(t, "policy", got.Policy, want.Policy, 1e-5)
	near(t, "values", got.Values, want.Values, 1e-5)
	if best := bestEmpty(want); got.Best != best {
		t.Errorf("the best move is %s, want %s", got.Best, best)
	}
}

func TestDocumentedJavaScript(t *testing.T) {
	name := node(t)
	dir := t.TempDir()
	want := documented(t, dir)
	file := filepath.Join(dir, "program.js")
	save(t, file, []byte(strings.Replace(program(t, "with_onnxruntime_web.js"), "main();\n", `
const log = [];
const print = console.log;
console.log = (line) => log.push(line);
const inner = evaluate;
let seen;
evaluate = async (...args) => (seen = await inner(...args));
main().then(() => print(JSON.stringify({ policy: [...seen.policy], values: [...seen.values], best: log[0] })));
`, 1)))
	var got struct {
		Policy, Values []float64
		Best           string
	}
	output(t, dir, &got, name, file)
	near(t, "policy", got.Policy, want.Policy, 1e-5)
	near(t, "values", got.Values, want.Values, 1e-5)
	if best := bestEmpty(want); got.Best != best {
		t.Errorf("the best move is %s, want %s", got.Best, best)
	}
}

// bestEmpty returns the empty point with the greatest logit.
func bestEmpty(b *nn.Batch) string {
	best := -1
	for a, v := range b.Policy {
		if b.Observations[a]+b.Observations[25+a]+b.Observations[50+a] == 0 &&
			(best < 0 || v > b.Policy[best]) {
			best = a
		}
	}
	return fmt.Sprintf("%c%d", "abcde"[best%5], 5-best/5)
}
