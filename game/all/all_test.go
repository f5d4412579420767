package all_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
)

// Every family makes a game of its defaults, whose name makes it again.
func TestDefaults(t *testing.T) {
	families := game.Families()
	if len(families) == 0 {
		t.Fatal("no game is registered")
	}
	for _, f := range families {
		g, err := game.New(f.Name)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if again, err := game.New(g.Name()); err != nil || again.Name() != g.Name() {
			t.Errorf("%s has the name %q, which is refused or makes another: %v",
				f.Name, g.Name(), err)
		}
		if f.Summary == "" {
			t.Errorf("%s has no summary", f.Name)
		}
		for _, p := range f.Params {
			if p.Help == "" {
				t.Errorf("%s: the key %s has no help", f.Name, p.Key)
			}
		}
	}
}

// A folder below game that registers a family is imported here, so that no
// game is forgotten.
func TestNoGameIsForgotten(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var registering []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(file))
		if strings.Contains(string(text), "game.Register(") &&
			!strings.HasSuffix(file, "_test.go") && !slices.Contains(registering, folder) {
			registering = append(registering, folder)
		}
	}
	if len(registering) == 0 {
		t.Fatal("no folder registers a game")
	}
	for _, folder := range registering {
		if !strings.Contains(string(source), `_ "tengen/game/`+folder+`"`) {
			t.Errorf("tengen/game/%s registers a game but is not imported by tengen/game/all: add it to doc.go", folder)
		}
	}
}
