package lab

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/research"
)

func TestParse(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "own.yaml"),
		[]byte("game: tictactoe\ntraining: {minutes: 1, iterations: 7}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Parse(filepath.Join(dir, "x.yaml"), []byte(`
title: Widths
base: own.yaml
set: {network.blocks: 1}
seeds: [5, 9]
arms:
  - name: narrow
    set: {network: {filters: 8}}
  - name: wide
    set:
      network.filters: 16
      search.simulations: 20
  - name: other
    base: quick
    set: {game: tictactoe, training: {minutes: 1, iterations: 30}}
match: {games: 12, simulations: 30, opening: 2, seed: 4, pairs: all, search: own}
against:
  - player: uct
    games: 8
`))
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(f, research.Device{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Title != "Widths" || !reflect.DeepEqual(f.Seeds, []uint64{5, 9}) ||
		f.Match != (Match{12, 30, 2, 4, true, true, false}) || len(f.Against) != 1 ||
		f.Against[0].Games != 8 {
		t.Errorf("%+v", f)
	}
	a, b, c := l.Arms[0].Config, l.Arms[1].Config, l.Arms[2].Config
	if a.Network.Blocks != 1 || a.Network.Filters != 8 || b.Network.Filters != 16 ||
		b.Search.Simulations != 20 || c.Network.Blocks != 1 {
		t.Errorf("%+v\n%+v\n%+v", a.Network, b.Network, c.Network)
	}
	// A run that its time ends has as many iterations as it needs, unless the file limits them.
	if a.Training.Iterations != maxIterations || c.Training.Iterations != 30 {
		t.Errorf("%d and %d iterations", a.Training.Iterations, c.Training.Iterations)
	}
	if len(l.Arms[0].Keys) != 0 || len(l.Arms[1].Keys) != 2 ||
		l.Arms[1].Keys[0].String() != "network.filters: 8 → 16" {
		t.Errorf("%v", l.Arms[1].Keys)
	}
	if pairs := l.pairs(); len(pairs) != 3 || len(l.matches()) != 3*4+3*2 {
		t.Errorf("%v, %d matches", pairs, len(l.matches()))
	}
	// What names are unset is as documented.
	f, err = Parse("y.yaml", []byte("arms: [{name: a}, {name: b}]"))
	if err != nil || f.Title != "y" || f.Base != "quick" || len(f.Seeds) != 5 ||
		f.Match != (Match{Games: 40, Opening: -1, Seed: 1}) {
		t.Fatalf("%v, %+v", err, f)
	}
	if l, err = New(f, research.Device{}); err != nil || l.Opening != 4 || l.Simulations != 180 ||
		l.Arms[0].Config.Training.Iterations != 80 {
		t.Errorf("%v, %+v", err, l)
	}
}

// TestRefused: what is wrong in a file is told in one line with the file and the line.
func TestRefused(t *testing.T) {
	const arms = "arms: [{name: a}, {name: b}]\n"
	for text, want := range map[string]string{
		"":                     "two arms or more",
		"arms: [{name: a}]":    "two arms or more",
		"sets: {}":             `lab.yaml:1: unknown key "sets" (did you mean "set"?); the keys are`,
		arms + "seeds: 0":      "lab.yaml:2: seeds: a number from 1 to 100",
		arms + "seeds: [1, 1]": "lab.yaml:2: seeds: different whole numbers",
		arms + "seeds: [1, x]": `not "x"`,
		arms +
			"base: quik": `lab.yaml:2: base: no file or preset is called "quik" (did you mean "quick"?)`,
		arms +
			"\nset:\n  search.rot: 1": `lab.yaml:4: unknown key "search.rot" (did you mean "search.root"?)`,
		arms +
			"\nset:\n  search: {rot: 1}": `lab.yaml:4: unknown key "rot" (did you mean "root"?)`,
		arms +
			"set: {network: {search.root: puct}}": `lab.yaml:2: unknown key "search.root"`,
		arms +
			"set:\n  search.root: gumbl": `lab.yaml:3: search.root=gumbl: one of puct, gumbel is wanted`,
		arms +
			"set: {seed: 3}": "lab.yaml:2: seed: the lab trains",
		arms + "set: {search.root: puct, search: {root: puct}}": "search.root is given twice",
		arms + "set: 3": "lab.yaml:2: set: keys of the configuration",
		arms +
			"set: {training: {minutes: 1, evaluations: 100}}": "0 is wanted while training.minutes",
		arms +
			"match: 3": "lab.yaml:2: match: keys",
		arms +
			"match: {games: 1}": "lab.yaml:2: games: a whole number from 2",
		arms +
			"match: {gams: 10}": `unknown key "match.gams" (did you mean "games"?)`,
		arms + "match: {pairs: nine}": `lab.yaml:2: pairs: first (each arm plays the first one), all or none is wanted (did you mean "none"?)`,
		arms +
			"match: {pairs: none}": "match.pairs is none, and neither exploit nor against",
		arms +
			"exploit: perhaps": "lab.yaml:2: exploit: true (the networks' NashConv",
		arms +
			"exploit: true\nset: {game: 'go:size=3'}": "lab.yaml: exploit: go:size=3,players=3: more than 1000000 histories",
		arms + "exploit: true\nset: {game: kuhn, algorithm: descent}": "lab.yaml:1: arm a: ",
		arms +
			"match: {search: sane}": "lab.yaml:2: search: first (all networks",
		arms + "against: uct":          "lab.yaml:2: against: a list",
		arms + "against: [{games: 3}]": "lab.yaml:2: an opponent has no player",
		arms +
			"against: [{player: ucb}]": `lab.yaml:2: no player is called "ucb" (did you mean "uct"?)`,
		arms +
			"against: [{player: uct}, {player: uct}]": "lab.yaml:2: uct is given twice, first on line 2",
		arms + "title: [x]":               "lab.yaml:2: title: a text",
		arms + arms:                       "lab.yaml:2: arms is given twice, first on line 1",
		"arms: {a: 1}":                    "lab.yaml:1: arms: a list",
		"arms: [a, b]":                    "lab.yaml:1: arms: an arm is a mapping",
		"arms:\n  - name: a\n  - set: {}": "lab.yaml:3: an arm has no name",
		"arms:\n  - name: a\n  - name: A": "lab.yaml:3: two arms are called A; the first is on line 2",
		"arms: [{name: a}, {name: b/c}]":  `lab.yaml:1: name: the arm "b/c"`,
		"arms:\n  - {name: a}\n  - {name: b, set: {game: tictactoe}}":     "lab.yaml:3: arm b learns mnk:",
		"arms:\n  - {name: a}\n  - {name: b, set: {training.minutes: 3}}": "lab.yaml:3: arm b ends by its seconds and arm a by its iterations",
		"arms: [{name: a": "lab.yaml:1: not YAML",
	} {
		_, err := parse(text)
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// TestLabs: the labs of the source tree are sound.
func TestLabs(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "labs", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		f, err := Read(path)
		if err == nil {
			_, err = New(f, research.Device{})
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(tiny)
	f.Add("arms: [{name: a}, {name: b, set: {search: {root: gumbel}}}]\nseeds: [1, 2]\nmatch: {pairs: all}\nagainst: [{player: uct}]")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("x.yaml", []byte(text))
		if err == nil {
			for i := range file.Arms {
				if _, err = file.arm(i); err != nil {
					break
				}
			}
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("several lines: %v", err)
		}
	})
}
