package game_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAbilitiesAreDocumented: docs/adding-a-game.md names every ability, which is an exported
// interface of this package.
func TestAbilitiesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/adding-a-game.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	// Parts of other abilities, which their comments explain.
	part := map[string]bool{
		"Game": true, "State": true, "Abstraction": true, "AuxiliaryTargetState": true, "HiddenFactState": true,
		"Solver": true,
	}
	abilities := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() || part[spec.Name.Name] {
				return true
			}
			if _, ok := spec.Type.(*ast.InterfaceType); ok {
				abilities++
				if !strings.Contains(string(text), "`"+spec.Name.Name+"`") {
					t.Errorf("docs/adding-a-game.md does not name %s", spec.Name.Name)
				}
			}
			return true
		})
	}
	for _, elsewhere := range []string{"PlaneNamed", "Drawer", "Teller"} {
		if !strings.Contains(string(text), "`"+elsewhere+"`") {
			t.Errorf("docs/adding-a-game.md does not name %s", elsewhere)
		}
	}
	if abilities < 30 {
		t.Errorf("%d abilities are found", abilities)
	}
}
