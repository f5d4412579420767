package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"tengen/internal/random"
)

// scramble returns a Config with random values, valid or not; writing does not validate.
func scramble(rng *rand.Rand) Config {
	letters := []rune("az09:=,. []{}#&*!|>'\"%@`-?~\\/\nü")
	var c Config
	for _, f := range fields {
		switch v := f.of(&c); v.Kind() {
		case reflect.Int:
			v.SetInt(int64(rng.IntN(1000) - 500))
		case reflect.Uint64:
			v.SetUint(rng.Uint64())
		case reflect.Float64:
			v.SetFloat((rng.Float64() -
				0.5) * float64(uint64(1)<<rng.IntN(60)) / float64(uint64(1)<<rng.IntN(60)))
		case reflect.Bool:
			v.SetBool(rng.IntN(2) == 0)
		case reflect.String:
			var b strings.Builder
			for range rng.IntN(8) {
				b.WriteRune(letters[rng.IntN(len(letters))])
			}
			v.SetString(b.String())
		}
	}
	return c
}

func load(t *testing.T, text []byte) Config {
	t.Helper()
	r := &Resolved{Sources: map[string]Source{}}
	if err := r.readFile("written.yaml", text); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(r.Sources) != len(fields) {
		t.Fatalf("%d of %d keys are written", len(r.Sources), len(fields))
	}
	return r.Config
}

func TestWrittenLoadsBackEqual(t *testing.T) {
	rng := random.New(1, random.Test, 1)
	list := []Config{Default()}
	for range 300 { // each has all keys
		list = append(list, scramble(rng))
	}
	for _, game := range []string{
		"go:size=5,players=3,komi=[0,0,0]", "true", "null", "Yes", "3", "a: b", "a #b", "a:", "-",
		"~", "1e3", ".inf", "",
	} {
		c := Default()
		c.Game = game
		list = append(list, c)
	}
	for _, c := range list {
		text, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if got := load(t, text); !reflect.DeepEqual(got, c) {
			t.Fatalf("got\n%+v\nwant\n%+v\nin\n%s", got, c, text)
		}
		r := Resolved{Config: c, Sources: map[string]Source{"seed": {Set: true}}}
		if text, err = r.YAML(true); err != nil {
			t.Fatal(err)
		}
		if got := load(t, text); !reflect.DeepEqual(got, c) {
			t.Fatalf("with sources: got\n%+v\nwant\n%+v\nin\n%s", got, c, text)
		}
	}
}

// Another YAML reader reads the same values, and a Config survives encoding as JSON.
func TestOtherReadersAgree(t *testing.T) {
	c := Default()
	var viaYAML, viaJSON Config
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &viaYAML); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &viaJSON); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(viaYAML, c) || !reflect.DeepEqual(viaJSON, c) {
		t.Errorf("YAML %+v\nJSON %+v\nwant %+v", viaYAML, viaJSON, c)
	}
}

func TestYAMLWithSources(t *testing.T) {
	r, err := Resolve(Options{Name: "quick", Set: []string{"seed=7"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.YAML(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"seed: 7 ", "# --set\n", "# default\n", "# configs/quick.yaml:",
		"\nsearch:\n  simulations: ",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestPresetsAreThoseOfTheFolder(t *testing.T) {
	paths, err := filepath.Glob("*.yaml")
	if err != nil || len(paths) != len(PresetNames()) {
		t.Fatalf("%v, %v; presets %v", paths, err, PresetNames())
	}
	for _, name := range PresetNames() {
		preset, err := Resolve(Options{Name: name})
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := os.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		file, err := Resolve(Options{Name: write(t, string(text))})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(preset.Config, file.Config) {
			t.Errorf("%s: the preset and its file differ", name)
		}
	}
}

// The values are copied from the paper's Tables 1 and 2.
func TestPaperAlphaZero(t *testing.T) {
	r, err := Resolve(Options{Name: "paper-alphazero"})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Config
	for name, ok := range map[string]bool{
		"n": c.Search.Simulations == 180 && c.WarmStart.Simulations == 180 &&
			c.Evaluation.Simulations == 180,
		"c":         c.Search.CPUCT == 0.8 && WarmStartC == 0.8,
		"n_updates": c.Training.Iterations == 50,
		"n_games":   c.Training.Games == 1000,
		// The paper has 8; the number does not change the games.
		"n_envs":             c.SelfPlay.Workers == 0,
		"buffer_size":        c.Replay.Games == 2000,
		"N":                  c.Training.Iterations*c.Training.Games == 50000,
		"n_res":              c.Network.Blocks == 8,
		"res_filters":        c.Network.Filters == 128,
		"policy head":        c.Network.Policy == "conv",
		"value_activation":   c.Network.Value == "categorical",
		"kernel_regularizer": c.Training.L2 == 0.0001,
		"optimizer":          c.Training.Optimizer == "sgd",
		"lr":                 c.Training.LearningRate == 0.0001,
		"epsilon": c.WarmStart.Schedule == "formula" && c.WarmStart.Start == 0.5 &&
			WarmStartFloor == 0.05,
		"game": c.Game == "go:size=5,players=3",
	} {
		if !ok {
			t.Errorf("%s is not the paper's", name)
		}
	}
	checkSourced(t, r)
}

// The values for Descent are copied from the paper's Tables 1 and 2.
func TestPaperDescent(t *testing.T) {
	r, err := Resolve(Options{Name: "paper-descent"})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Config
	for name, ok := range map[string]bool{
		"algorithm": c.Algorithm == "descent" && c.Descent.Search == "descent" &&
			c.Descent.Targets == "tree",
		"n": c.Descent.Iterations == 180 && c.Evaluation.Simulations == 180,
		// The paper has 8; the number does not change the games.
		"n_envs":             c.SelfPlay.Workers == 0,
		"N":                  c.Training.Iterations*c.Training.Games == 50000,
		"n_res":              c.Network.Blocks == 8,
		"res_filters":        c.Network.Filters == 128,
		"policy head":        c.Network.Policy == "none",
		"value_activation":   c.Network.Value == "linear",
		"kernel_regularizer": c.Training.L2 == 0.0001,
		"optimizer":          c.Training.Optimizer == "adam",
		"lr":                 c.Training.LearningRate == 0.0001,
		"game":               c.Game == "go:size=5,players=3",
	} {
		if !ok {
			t.Errorf("%s is not the paper's", name)
		}
	}
	checkSourced(t, r)
}

// unused matches the keys that an algorithm does not use, but for search.canonical.
var unused = map[string]*regexp.Regexp{
	"alphazero": regexp.MustCompile(`^descent\.`),
	"descent":   regexp.MustCompile(`^play\.|^search\.|^warm_start\.policy_target$|^training\.(fast_positions|belief_weight|value_(mix|lambda))$`),
}

// checkSourced checks that a preset sets exactly the keys that its algorithm uses,
// each with a comment that names its source.
func checkSourced(t *testing.T, r *Resolved) {
	t.Helper()
	for _, key := range Keys() {
		used := key == "search.canonical" || !unused[string(r.Config.Algorithm)].MatchString(key)
		if written := r.Sources[key].File != ""; written != used {
			t.Errorf("%s: %s is set: %v; used: %v", r.Name, key, written, used)
		}
	}
	text, _ := preset(r.Name)
	for i, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, ": ") && !strings.HasPrefix(line, "#") &&
			!strings.Contains(line, " # ") {
			t.Errorf("%s: line %d names no source: %s", r.Name, i+1, line)
		}
	}
}

// The comments in config.go, which document the keys, begin with the field's name
// and give the limits and words of rules.go.
func TestCommentsGiveTheLimits(t *testing.T) {
	comments := fieldComments(t)
	for _, r := range rules {
		comment, ok := comments[r.key]
		if !ok {
			t.Errorf("%s has no comment", r.key)
			continue
		}
		var lo, hi string
		limits := ""
		switch {
		case scan(r.want, "a whole number from %s to %s", &lo, &hi),
			scan(r.want, "a number from %s to %s", &lo, &hi):
			limits = fmt.Sprintf(`\b%s( \([^)]*\))? to (%s|[A-Z]\w+)\b`,
				regexp.QuoteMeta(lo), regexp.QuoteMeta(hi))
		case scan(r.want, "a number above %s to %s", &lo, &hi):
			limits = fmt.Sprintf(`\babove %s, to %s\b`,
				regexp.QuoteMeta(strings.TrimSuffix(lo, ",")),
				regexp.QuoteMeta(strings.TrimSuffix(hi, ",")))
		case strings.HasPrefix(r.want, "one of "):
			for _, word := range strings.Split(strings.TrimPrefix(r.want, "one of "), ", ") {
				if !regexp.MustCompile(`(^|[ (])` + regexp.QuoteMeta(word) + `([ ,.;:)]|$)`).
					MatchString(comment) {
					t.Errorf("%s: the comment does not name %s: %s", r.key, word, comment)
				}
			}
		}
		if !regexp.MustCompile(limits).MatchString(comment) {
			t.Errorf("%s: the comment does not give %s: %s", r.key, r.want, comment)
		}
	}
}

func scan(text, form string, to ...any) bool {
	n, err := fmt.Sscanf(text, form, to...)
	return n == len(to) && err == nil
}

// fieldComments returns the comments of the fields in config.go by key.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string]*ast.StructType{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			structs[spec.Name.Name], _ = spec.Type.(*ast.StructType)
		}
		return true
	})
	comments := map[string]string{}
	var walk func(s *ast.StructType, prefix string)
	walk = func(s *ast.StructType, prefix string) {
		for _, f := range s.Fields.List {
			key := prefix + regexp.MustCompile(`"(.*)"`).FindStringSubmatch(f.Tag.Value)[1]
			if id, ok := f.Type.(*ast.Ident); ok && structs[id.Name] != nil {
				walk(structs[id.Name], key+".")
				continue
			}
			comments[key] = strings.Join(strings.Fields(f.Doc.Text()), " ")
			if name := f.Names[0].Name; !strings.HasPrefix(comments[key], name+" ") {
				t.Errorf("%s: the comment does not begin with %s: %s", key, name, comments[key])
			}
		}
	}
	walk(structs["Config"], "")
	return comments
}

// A configuration that is truncated at any byte, or has a bit flipped in it, is
// read, or refused with one line that gives its place.
func TestFileAtEveryByte(t *testing.T) {
	c := Default()
	whole, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	read := func(text []byte) {
		t.Helper()
		r := &Resolved{Config: Default(), Sources: map[string]Source{}}
		err := r.readFile("f.yaml", text)
		if err == nil {
			return
		}
		refused++
		if s := err.Error(); !strings.HasPrefix(s, "f.yaml:") || strings.Contains(s, "\n") {
			t.Fatalf("%q: %q is not one line with its place", text, s)
		}
	}
	for n := range whole {
		read(whole[:n])
		damaged := bytes.Clone(whole)
		damaged[n] ^= 1 << (n % 8)
		read(damaged)
	}
	if refused < len(whole)/2 {
		t.Errorf("only %d of %d damaged files are refused", refused, 2*len(whole))
	}
}

// Reading a short file allocates little memory.
func TestFileTakesLittleMemory(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x, x, x, x, x, x, x, x]\n")
	for i := range 12 {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n",
			i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 8))
	}
	for name, text := range map[string]string{
		"aliases of aliases": laughs.String(),
		"deep lists":         strings.Repeat("[", 2_000),
		"deep blocks":        strings.Repeat("- ", 2_000),
		"deep maps":          strings.Repeat("{a: ", 2_000),
		"a long number":      "seed: " + strings.Repeat("9", 100_000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := &Resolved{Config: Default(), Sources: map[string]Source{}}
		err := r.readFile("f.yaml", []byte(text))
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 64<<20 {
			t.Errorf("%s: %d bytes allocated for a file of %d bytes", name, taken, len(text))
		}
	}
}
