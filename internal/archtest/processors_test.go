package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machines are the packages that ask how many processors the machine has. All others ask for those
// that the process may use, runtime.GOMAXPROCS(0): in a container with a quota it may be a fraction
// of them.
var machines = map[string]string{
	"internal/machine": "tells what the machine has, beside its memory and its load",
	"tools/measure":    "pins processes to processors by their numbers",
	"tools/trials":     "divides the number of threads that want a processor, of all processes",
}

func TestOnlyQuotaIsAsked(t *testing.T) {
	const root = "../.."
	asked := map[string]bool{}
	if err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".go" {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		lines, err := asksForMachine(file, nil)
		folder := path.Dir(filepath.ToSlash(relative))
		for _, line := range lines {
			if asked[folder] = true; machines[folder] == "" {
				t.Errorf("%s:%d has runtime.NumCPU, the processors of the machine: runtime.GOMAXPROCS(0) are those that the process may use; if the machine is meant, say why in the table machines", relative, line)
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for folder := range machines {
		if !asked[folder] {
			t.Errorf("%s no longer asks for the machine's processors: take it from the table",
				folder)
		}
	}
}

func TestMachineIsSeen(t *testing.T) {
	const source = `package p

import r "runtime"

// as in runtime.NumCPU()
var a, b = r.GOMAXPROCS(0), r.NumCPU()
var f = r.NumCPU

// Workers: runtime.NumCPU()
`
	if lines, err := asksForMachine("p.go", source); err != nil ||
		!slices.Equal(lines, []int{5, 6, 7, 9}) {
		t.Errorf("lines %v, %v", lines, err)
	}
}

// asksForMachine returns the lines of a Go file, whose source may be given, that name
// runtime.NumCPU in code or in a comment, such as an example.
func asksForMachine(file string, source any) (lines []int, err error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "NumCPU" {
			lines = append(lines, set.Position(s.Pos()).Line)
		}
		return true
	})
	for _, group := range f.Comments {
		for _, c := range group.List {
			if strings.Contains(c.Text, "runtime.NumCPU()") {
				lines = append(lines, set.Position(c.Pos()).Line)
			}
		}
	}
	slices.Sort(lines)
	return lines, nil
}
