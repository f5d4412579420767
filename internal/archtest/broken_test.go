package archtest

import (
	"slices"
	"strings"
	"testing"
)

// Modules that are not in order, to see that it is noticed.
func TestDisorderIsNoticed(t *testing.T) {
	imports := func(names ...string) *pkg {
		p := &pkg{name: "p", doc: "Package p is sound.", imports: map[string][]string{}}
		for _, n := range names {
			p.imports[n] = []string{"file.go"}
		}
		return p
	}
	for _, c := range []struct {
		name, pkg string
		imports   []string
		says      string // "" where all is well
	}{
		{"a search imports games", "mcts", []string{"game", "search", "internal/stream"}, ""},
		{"a search imports a network", "mcts", []string{"nn"}, "tengen/mcts (file.go) imports tengen/nn"},
		{"a network imports games", "nn", []string{"game"}, "tengen/nn (file.go) imports tengen/game"},
		{"a network's part imports searches", "nn/train", []string{"nn", "search"}, "tengen/nn/train (file.go) imports tengen/search"},
		{"a network has parts of its own", "nn", []string{"nn/internal/conv"}, ""},
		{"another uses a network's parts", "selfplay", []string{"nn/internal/conv"}, "tengen/selfplay (file.go) imports"},
		{"games import a game", "game", []string{"game/goban"}, "tengen/game (file.go) imports tengen/game/goban"},
		{"one game imports another", "game/mnk", []string{"game", "game/goban"}, "tengen/game/mnk (file.go) imports tengen/game/goban"},
		{"internal imports games", "internal/spec", []string{"game"}, "tengen/internal/spec (file.go) imports tengen/game"},
		{"internal imports internal", "internal/spec", []string{"internal/stream"}, ""},
		{"checkpoints import games", "checkpoints", []string{"game"}, "tengen/checkpoints (file.go) imports tengen/game"},
		{"a settings package imports the trainer", "configs", []string{"trainer"}, "tengen/configs (file.go) imports tengen/trainer"},
		{"metrics import the trainer", "metrics", []string{"trainer"}, "tengen/metrics (file.go) imports tengen/trainer"},
		{"a command imports all", "cmd/tengen", []string{"trainer", "game/all", "cmd"}, ""},
		{"something new", "foo", nil, "tengen/foo is in no layer: add it to the table"},
		{"something new is imported", "trainer", []string{"foo"}, "tengen/trainer (file.go) imports tengen/foo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := misdirected(map[string]*pkg{c.pkg: imports(c.imports...)}, layers)
			switch {
			case c.says == "" && len(lines) > 0:
				t.Errorf("reported is %q, where all is well", lines)
			case c.says != "" && (len(lines) != 1 || !strings.HasPrefix(lines[0], c.says)):
				t.Errorf("reported is %q, where %q is wanted", lines, c.says)
			}
		})
	}
}

func TestMissingDocumentationIsNoticed(t *testing.T) {
	pkgs := map[string]*pkg{
		"sound":  {name: "sound", doc: "Package sound is."},
		"none":   {name: "none"},
		"stolen": {name: "stolen", doc: "Package sound is."},
		"cmd":    {name: "main"},
	}
	lines := undocumented(pkgs)
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "tengen/none has") || !strings.HasPrefix(lines[1], "tengen/stolen has") {
		t.Errorf("reported is %q, where none and stolen are wanted", lines)
	}
}

func TestDisorderedTableIsNoticed(t *testing.T) {
	table := []layer{{"a", []string{"b"}}, {"b", []string{"a"}}}
	if lines := disordered(table); !slices.Equal(lines, []string{`the layer "a" may import "b", which does not stand before it`}) {
		t.Errorf("reported is %q, where a's import of b is wanted", lines)
	}
}
