package configs

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
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
