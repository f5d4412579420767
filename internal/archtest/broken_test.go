package archtest

import (
	"slices"
	"strings"
	"testing"
)

// misdirected reports imports that break the rules, and only those.
func TestMisdirectedImportsAreReported(t *testing.T) {
	imports := func(names ...string) *pkg {
		p := &pkg{name: "p", doc: "Package p is documented.", imports: map[string][]string{}}
		for _, n := range names {
			p.imports[n] = []string{"file.go"}
		}
		return p
	}
	for _, c := range []struct {
		name, pkg string
		imports   []string
		want      string // the beginning of the one line reported; "" if there is none
	}{
		{"a search imports games", "mcts", []string{"game", "search", "internal/random"}, ""},
		{"a search imports a network", "mcts",
			[]string{"nn"}, "tengen/mcts (file.go) imports tengen/nn"},
		{"a network imports games", "nn",
			[]string{"game"}, "tengen/nn (file.go) imports tengen/game"},
		{"a network's part imports searches", "nn/train",
			[]string{"nn", "search"}, "tengen/nn/train (file.go) imports tengen/search"},
		{"a network has parts of its own", "nn", []string{"nn/kernels"}, ""},
		{"another package uses a network's parts", "selfplay",
			[]string{"nn/cuda/internal/emulate"}, "tengen/selfplay (file.go) imports"},
		{"games import a game", "game",
			[]string{"game/goban"}, "tengen/game (file.go) imports tengen/game/goban"},
		{"one game imports another", "game/mnk",
			[]string{"game", "game/goban"}, "tengen/game/mnk (file.go) imports tengen/game/goban"},
		{"internal imports games", "internal/notation",
			[]string{"game"}, "tengen/internal/notation (file.go) imports tengen/game"},
		{"internal imports internal", "internal/notation", []string{"internal/random"}, ""},
		{"checkpoints import games", "checkpoints",
			[]string{"game"}, "tengen/checkpoints (file.go) imports tengen/game"},
		{"configs imports the trainer", "configs",
			[]string{"trainer"}, "tengen/configs (file.go) imports tengen/trainer"},
		{"metrics import the trainer", "metrics",
			[]string{"trainer"}, "tengen/metrics (file.go) imports tengen/trainer"},
		{"a command imports anything", "cmd/tengen", []string{"trainer", "game/all", "cmd"}, ""},
		{"a package without a layer", "foo",
			nil, "tengen/foo is in no layer: add a line to the table"},
		{"a package without a layer is imported", "trainer",
			[]string{"foo"}, "tengen/trainer (file.go) imports tengen/foo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := misdirected(map[string]*pkg{c.pkg: imports(c.imports...)}, layers)
			switch {
			case c.want == "" && len(lines) > 0:
				t.Errorf("got %q, want nothing", lines)
			case c.want != "" && (len(lines) != 1 || !strings.HasPrefix(lines[0], c.want)):
				t.Errorf("got %q, want %q", lines, c.want)
			}
		})
	}
}

func TestMissingDocumentationIsReported(t *testing.T) {
	pkgs := map[string]*pkg{
		"good":  {name: "good", doc: "Package good is."},
		"none":  {name: "none"},
		"wrong": {name: "wrong", doc: "Package good is."},
		"cmd":   {name: "main"},
	}
	lines := undocumented(pkgs)
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "tengen/none has") ||
		!strings.HasPrefix(lines[1], "tengen/wrong has") {
		t.Errorf("got %q, want lines about none and wrong", lines)
	}
}

func TestDisorderedTableIsReported(t *testing.T) {
	table := []layer{{"a", []string{"b"}}, {"b", []string{"a"}}}
	if lines := disordered(table); !slices.Equal(lines,
		[]string{`layer "a" may import "b", which is not listed before it`}) {
		t.Errorf("got %q, want a line about a's import of b", lines)
	}
}
