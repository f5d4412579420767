package configs

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"tengen/internal/notation"
)

// write writes text to a new file and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// A key that no layer sets has its value from Base, which is not modified.
func TestBase(t *testing.T) {
	base := Default()
	base.Seed, base.Search.CPUCT = 7, 1.5
	r, err := Resolve(Options{
		Name: "x.yaml", Text: []byte("search: {simulations: 5}"),
		Environment: []string{"TENGEN_TRAINING_GAMES=9"}, Set: []string{"seed=8"}, Base: &base,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := base
	want.Seed, want.Search.Simulations, want.Training.Games = 8, 5, 9
	if !reflect.DeepEqual(r.Config, want) || base.Seed != 7 {
		t.Errorf("%+v, want %+v", r.Config, want)
	}
	if s := r.Sources["search.c_puct"]; s != (Source{}) {
		t.Errorf("search.c_puct is from %v", s)
	}
}

// Keys of parts of other files override the file's; they may be written in full.
func TestPartsOfFiles(t *testing.T) {
	part := func(name, text string) Layer {
		keys, err := notation.ParseYAML(name, []byte(text), "")
		if err != nil {
			t.Fatal(err)
		}
		return Layer{name, keys}
	}
	r, err := Resolve(Options{Name: "x.yaml", Text: []byte("search: {simulations: 5, c_puct: 2}"),
		Layers: []Layer{
			part("a.yaml", "search.simulations: 6\nsearch: {c_puct: 3}"),
			part("b.yaml", "\nsearch: {simulations: 7}"),
		}, Set: []string{"seed=3"}})
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Seed, want.Search.Simulations, want.Search.CPUCT = 3, 7, 3
	if !reflect.DeepEqual(r.Config, want) ||
		r.Sources["search.simulations"] != (Source{File: "b.yaml", Line: 2}) ||
		r.Sources["search.c_puct"] != (Source{File: "a.yaml", Line: 2}) {
		t.Errorf("%+v, %v", r.Config, r.Sources)
	}
	for text, want := range map[string]string{
		"search.rot: 1":                             `a.yaml:1: unknown key "search.rot" (did you mean "search.root"?)`,
		"search: {search.root: puct}":               `a.yaml:1: unknown key "search.root"`,
		"\nsearch.root: x":                          "a.yaml:2: search.root=x: one of",
		"search.root: puct\nsearch: {root: gumbel}": "a.yaml:2: search.root is given twice, first on line 1",
		"\n\nsearch.full_probability: 0.5":          "a.yaml:3: search.full_probability=0.5: 1 is wanted while",
		"search.root: {}":                           "a.yaml:1: search.root is a key, not a group",
	} {
		if _, err := Resolve(Options{
			Name: "x.yaml", Text: []byte(""), Layers: []Layer{part("a.yaml", text)},
		}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
	// A configuration's own file has keys in groups only.
	if _, err := Resolve(Options{
		Name: "x.yaml", Text: []byte("search.simulations: 5"),
	}); err == nil {
		t.Error("a key in full is accepted in a configuration")
	}
}

// Each layer overrides the one before it and becomes the value's source.
func TestLayers(t *testing.T) {
	path := write(t, "seed: 2\n\nsearch:\n  simulations: 20\n  c_puct: 2\n  reuse_tree: false\ntraining: {batch: 20}\n")
	r, err := Resolve(Options{
		Name:        path,
		Environment: []string{"HOME=/", "TENGEN_SEARCH_C_PUCT=3", "TENGEN_TRAINING_BATCH=30"},
		Set:         []string{"training.batch=40", "game=go:size=3,players=3", "training.batch=50"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Seed = 2
	want.Search.Simulations = 20
	want.Search.CPUCT = 3
	want.Search.ReuseTree = false
	want.Training.Batch = 50
	want.Game = "go:size=3,players=3"
	if !reflect.DeepEqual(r.Config, want) {
		t.Errorf("got\n%+v\nwant\n%+v", r.Config, want)
	}
	for key, source := range map[string]string{
		"seed":               path + ":1",
		"search.simulations": path + ":4",
		"search.c_puct":      "TENGEN_SEARCH_C_PUCT",
		"search.reuse_tree":  path + ":6",
		"training.batch":     "--set",
		"game":               "--set",
		"replay.games":       "default",
	} {
		if got := r.Sources[key].String(); got != source {
			t.Errorf("%s comes from %s, want %s", key, got, source)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		file string
		o    Options
		want string // FILE stands for the file's path
	}{
		{"unknown key", "search:\n  c_puct: 1\n  simulatons: 3\n", Options{},
			`FILE:3: unknown key "simulatons" (did you mean "simulations"?)`},
		{"unknown group", "seed: 1\nserach:\n  c_puct: 1\n", Options{},
			`FILE:2: unknown key "serach" (did you mean "search"?)`},
		{"a key outside its group", "c_puct: 1\n", Options{},
			`FILE:1: unknown key "c_puct" (did you mean "search.c_puct"?)`},
		{"a key in another's group", "play:\n  c_puct: 1\n", Options{},
			`FILE:2: unknown key "c_puct" (did you mean "search.c_puct"?)`},
		{"nearly a key of another group", "simulatons: 1\n", Options{},
			`FILE:1: unknown key "simulatons" (did you mean "search.simulations"?)`},
		{"a key with dots", "search.c_puct: 1\n", Options{},
			`FILE:1: unknown key "search.c_puct" (write c_puct within the group search)`},
		{"a key of the top in a group", "play:\n  seed: 1\n", Options{},
			`FILE:2: unknown key "seed" (seed belongs at the top level)`},
		{"unknown key within flow",
			"seed: 1\nsearch: {simulations: 3,\n  zzzzzzzzzz: 4}\n", Options{},
			`FILE:3: unknown key "zzzzzzzzzz"`},
		{"not a number", "\ntraining:\n  batch: many\n", Options{},
			`FILE:3: training.batch=many: a whole number from 1 to 65536 is wanted`},
		{"a fraction", "training:\n  batch: 1.5\n", Options{},
			`FILE:2: training.batch=1.5: a whole number from 1 to 65536 is wanted`},
		{"a text", "training:\n  batch: \"8\"\n", Options{},
			`FILE:2: training.batch=8: a whole number from 1 to 65536 is wanted`},
		{"out of range", "training:\n  batch: 0\n", Options{},
			`FILE:2: training.batch=0: a whole number from 1 to 65536 is wanted`},
		{"a bad choice", "training:\n  optimizer: adan\n", Options{},
			`FILE:2: training.optimizer=adan: one of sgd, adam is wanted (did you mean "adam"?)`},
		{"no such algorithm", "algorithm: decent\n", Options{},
			`FILE:1: algorithm=decent: one of alphazero, descent is wanted (did you mean "descent"?)`},
		{"a head that the algorithm can't use",
			"algorithm: descent\nnetwork:\n  value: categorical\n", Options{},
			`FILE:3: network.value=categorical: linear is wanted by algorithm=descent`},
		{"not a boolean", "search:\n  reuse_tree: yes\n", Options{},
			`FILE:2: search.reuse_tree=yes: true or false is wanted`},
		{"no value", "search:\n  c_puct:\n", Options{}, `FILE:2: search.c_puct has no value`},
		{"a list for a number", "search:\n  c_puct: [1, 2]\n", Options{},
			`FILE:2: search.c_puct=[1,2]: a number from 0 to 1000 is wanted`},
		{"a group for a number", "search:\n  c_puct: {a: 1}\n", Options{},
			`FILE:2: search.c_puct is a key, not a group: a plain value is wanted`},
		{"a number for a group", "play: 3\n", Options{},
			`FILE:1: play is a group of keys (temperature, temperature_plies, late_temperature, random_plies, epsilon), not a value`},
		{"twice", "search:\n  c_puct: 1\n  c_puct: 2\n",
			Options{}, `FILE:3: search.c_puct is given twice, first on line 2`},
		{"group twice", "play:\n  temperature: 1\nplay:\n  late_temperature: 2\n",
			Options{}, `FILE:3: play is given twice, first on line 1`},
		{"not YAML", "seed: 1\nsearch: [\n", Options{}, `FILE:2: not YAML: `},
		{"not keys", "- 1\n", Options{}, `FILE:1: keys and values are wanted`},
		{"two documents", "seed: 1\n---\nseed: 2\n", Options{}, `FILE:3: a second document`},
		{"an anchor", "seed: &a 1\n",
			Options{}, `FILE:1: seed: anchors, aliases and tags are not supported`},
		{"a merge", "<<: {seed: 1}\n", Options{}, `FILE:1: a plain key is wanted`},
		{"no such game", "seed: 1\ngame: gp\n", Options{},
			`FILE:2: game=gp: no game is called "gp" (did you mean "go"?)`},
		{"a game's bad key", "game: go:siz=5\n", Options{},
			`FILE:1: game=go:siz=5: go has no key "siz" (did you mean "size"?)`},
		{"relation", "search:\n  fast_simulations: 500\n", Options{},
			`FILE:2: search.fast_simulations=500: fewer than search.simulations are wanted`},

		{"environment, unknown", "", Options{Environment: []string{"TENGEN_SEARCH_SIMULATION=3"}},
			`environment: TENGEN_SEARCH_SIMULATION sets no key (did you mean "TENGEN_SEARCH_SIMULATIONS"?)`},
		{"environment, bad", "", Options{Environment: []string{"TENGEN_TRAINING_BATCH=many"}},
			`TENGEN_TRAINING_BATCH=many: a whole number from 1 to 65536 is wanted`},
		{"environment, out of range", "",
			Options{Environment: []string{"TENGEN_TRAINING_BATCH=-3"}},
			`TENGEN_TRAINING_BATCH=-3: a whole number from 1 to 65536 is wanted`},

		{"set, no value", "", Options{Set: []string{"seed"}}, `--set seed: key=value is wanted`},
		{"set, unknown", "", Options{Set: []string{"search.simulation=3"}},
			`--set search.simulation=3: unknown key "search.simulation" (did you mean "search.simulations"?)`},
		{"set, without its group", "", Options{Set: []string{"simulations=3"}},
			`--set simulations=3: unknown key "simulations" (did you mean "search.simulations"?)`},
		{"set, nearly, without its group", "", Options{Set: []string{"simulatons=3"}},
			`--set simulatons=3: unknown key "simulatons" (did you mean "search.simulations"?)`},
		{"set, a group", "", Options{Set: []string{"play=3"}},
			`--set play=3: play is a group; set one of its keys, such as play.temperature`},
		{"set, bad", "",
			Options{Set: []string{"seed=-1"}}, `--set seed=-1: a whole number from 0 is wanted`},
		{"set, out of range", "", Options{Set: []string{"search.noise_weight=1.5"}},
			`--set search.noise_weight=1.5: a number from 0 to 1 is wanted`},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, cmp.Or(test.file, "seed: 1\n"))
			test.o.Name = path
			_, err := Resolve(test.o)
			if err == nil {
				t.Fatal("no error")
			}
			want := strings.ReplaceAll(test.want, "FILE", path)
			if !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestMissingFile(t *testing.T) {
	_, err := Resolve(Options{Name: "quikc"})
	want := `no file or preset is called "quikc" (did you mean "quick"?); the presets are backgammon, connect-four, connect-four-descent, descent-ablation, descent-quick, go5-four-players, go5-three-players, go5-two-player, go7-three-players, go9, hypergammon, kuhn, kuhn-three-players, leduc, paper-alphazero, paper-descent, quick, tcg, turtle`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := Resolve(Options{Name: t.TempDir()}); err == nil ||
		!strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a folder: %v", err)
	}
}

// A file with nothing in it is a mistake; groups may be empty.
func TestEmptyFiles(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n"} {
		if _, err := Resolve(Options{Name: write(t, text)}); err == nil ||
			!strings.Contains(err.Error(), "no key is set in it") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"search:\nplay: {}\n", "search: # later\n"} {
		r, err := Resolve(Options{Name: write(t, text)})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if !reflect.DeepEqual(r.Config, Default()) || len(r.Sources) != 0 {
			t.Errorf("%q sets something: %+v", text, r.Sources)
		}
	}
}

// Kubernetes and Docker links set such variables in containers next to a service called tengen.
func TestInjectedVariablesAreIgnored(t *testing.T) {
	_, err := Resolve(Options{Environment: []string{
		"TENGEN_SERVICE_HOST=10.0.0.1", "TENGEN_SERVICE_PORT=80",
		"TENGEN_SERVICE_PORT_METRICS=9464",
		"TENGEN_PORT=tcp://10.0.0.1:80", "TENGEN_PORT_80_TCP=tcp://10.0.0.1:80", "TENGEN_PORT_80_TCP_ADDR=10.0.0.1",
		"TENGEN_METRICS_SERVICE_HOST=10.0.0.1", "TENGEN_METRICS_PORT_9464_TCP_PROTO=tcp",
		"TENGENX=1",
	}})
	if err != nil {
		t.Error(err)
	}
}

func FuzzFile(f *testing.F) {
	f.Add("search:\n  simulations: 3\n")
	f.Add("a: &b [*b]\n<<: *b\n")
	f.Add("? {a: b}\n: c\n")
	f.Add("seed: !!int 3\n- x\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := &Resolved{Config: Default(), Sources: map[string]Source{}}
		err := r.readFile("f.yaml", []byte(text))
		if err != nil && !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Errorf("%q: an error without its place: %v", text, err)
		}
	})
}

// yes and no are words, not booleans, quoted or not, also after writing and reading.
// TestVariablesAreKnown checks that a variable TENGEN_… that the program reads elsewhere is not
// refused as an unknown key.
func TestVariablesAreKnown(t *testing.T) {
	read := regexp.MustCompile(`(?:Getenv|LookupEnv)\("(TENGEN_\w+)"|\bVariable = "(TENGEN_\w+)"`)
	found := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") ||
			strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range read.FindAllStringSubmatch(string(text), -1) {
			found++
			if _, err := Resolve(Options{
				Name: "quick", Environment: []string{m[1] + m[2] + "=x"},
			}); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		return err
	})
	if err != nil || found < 2 {
		t.Errorf("%d variables are found, error %v", found, err)
	}
}

// TestRemovedKeys: a key that is gone is refused with its line, wherever it is set.
func TestRemovedKeys(t *testing.T) {
	for key, why := range removed {
		if _, ok := byKey[key]; ok || isGroup(key) {
			t.Errorf("%s was removed, and is a key", key)
		}
		if !regexp.MustCompile(`^\d{4}-\d\d-\d\d: \w`).MatchString(why) {
			t.Errorf("%s: %q: want a date and a reason", key, why)
		}
		group, name, ok := strings.Cut(key, ".")
		if !ok { // a group
			name = "share"
			key += "." + name
		}
		for _, o := range []Options{
			{Name: write(t, group+":\n  "+name+": 1\n")},
			{Set: []string{key + "=1"}},
			{Environment: []string{EnvironmentName(key) + "=1"}},
		} {
			if _, err := Resolve(o); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", key, err)
			}
		}
	}
}
