package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "tengen"

// A pkg is what the tests know about a folder with Go files.
type pkg struct {
	name    string              // from the package clause
	imports map[string][]string // paths within the module, with the files that import them
	modules map[string]bool     // paths of other modules and of the standard library
	doc     string              // the package comment of doc.go
}

func TestImportsPointOneWay(t *testing.T) {
	pkgs := readModule(t)
	if len(pkgs) < 5 || pkgs["game"] == nil {
		t.Fatalf("only %d packages found, game among them: %v", len(pkgs), pkgs["game"] != nil)
	}
	for _, line := range misdirected(pkgs, layers) {
		t.Error(line)
	}
}

func TestEveryPackageIsDocumented(t *testing.T) {
	for _, line := range undocumented(readModule(t)) {
		t.Error(line)
	}
}

// Each layer may import earlier layers only; otherwise two lines could permit a cycle.
func TestLayersAreInOrder(t *testing.T) {
	for _, line := range disordered(layers) {
		t.Error(line)
	}
}

func TestReadersDoNotTrain(t *testing.T) {
	pkgs := readModule(t)
	if chain := linking(pkgs, "trainer", trainingLibrary); chain == nil {
		t.Fatalf("trainer does not depend on %s: the test looks for the wrong module",
			trainingLibrary)
	}
	for name := range pkgs {
		if !slices.ContainsFunc(readers, func(pattern string) bool {
			folder, all := strings.CutSuffix(pattern, "/...")
			return name == folder || all && strings.HasPrefix(name, folder+"/")
		}) {
			continue
		}
		if chain := linking(pkgs, name, trainingLibrary); chain != nil {
			t.Errorf("%s/%s links %s through %s, which readers of runs must not",
				module, name, trainingLibrary, strings.Join(chain, " → "))
		}
	}
}

// modulesOfTengen are the modules that packages of cmd/tengen may import, by the beginning of their
// paths. Each is downloaded and compiled by everybody who builds the program: a new one has to be
// worth that.
var modulesOfTengen = []string{
	"github.com/charmbracelet/x/ansi", "github.com/ebitengine/purego", "github.com/goccy/go-yaml",
	"github.com/lmittmann/tint", "github.com/nats-io/", "github.com/prometheus/",
	"github.com/spf13/", "github.com/x448/float16",
	"golang.org/x/", "gonum.org/v1/gonum/", "google.golang.org/protobuf/", trainingLibrary,
	"gorgonia.org/tensor",
	"github.com/chewxy/hm", "go4.org/unsafe/assume-no-moving-gc",
}

// TestTengenIsLean: the program that trains and plays has nothing of the experiments, and no other
// modules than those.
func TestTengenIsLean(t *testing.T) {
	pkgs := readModule(t)
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		p := pkgs[name]
		if p == nil || seen[name] {
			return
		}
		seen[name] = true
		if name == "research" || strings.HasPrefix(name, "research/") {
			t.Errorf("cmd/tengen depends on %s, which only cmd/tengen-lab may", name)
		}
		for path := range p.modules {
			host, _, _ := strings.Cut(path, "/")
			if strings.Contains(host, ".") &&
				!slices.ContainsFunc(modulesOfTengen, func(m string) bool {
					return strings.HasPrefix(path, m)
				}) {
				t.Errorf(
					"%s, which cmd/tengen depends on, imports %s: a module that is not in the list",
					name, path)
			}
		}
		for path := range p.imports {
			visit(path)
		}
	}
	visit("cmd/tengen")
	if len(seen) < 50 || !seen["trainer"] {
		t.Errorf("only %d packages found", len(seen))
	}
}

// linking returns a chain of imports through which a package depends on a path
// outside the module, nil if it does not.
func linking(pkgs map[string]*pkg, name, outside string) []string {
	seen := map[string]bool{}
	var visit func(name string) []string
	visit = func(name string) []string {
		p := pkgs[name]
		if p == nil || seen[name] {
			return nil
		}
		seen[name] = true
		if p.modules[outside] {
			return []string{name}
		}
		for imported := range p.imports {
			if chain := visit(imported); chain != nil {
				return append([]string{name}, chain...)
			}
		}
		return nil
	}
	return visit(name)
}

// find returns the index of a package's line in the table: its own, or that of the
// nearest folder above it; -1 if there is none.
func find(table []layer, name string) int {
	if i := slices.IndexFunc(table, func(l layer) bool { return l.pkg == name }); i >= 0 {
		return i
	}
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if i := slices.IndexFunc(table, func(l layer) bool {
			return l.pkg == folder+"/..."
		}); i >= 0 {
			return i
		}
	}
	return -1
}

// misdirected returns a message for each package without a line in the table and
// for each import that the table does not permit.
func misdirected(pkgs map[string]*pkg, table []layer) []string {
	var lines []string
	for name, p := range pkgs {
		i := find(table, name)
		if i < 0 {
			lines = append(lines, fmt.Sprintf("%s/%s is in no layer: add a line to the table in internal/archtest/layers_test.go, below all packages that it imports, with what it may import", module, name))
			continue
		}
		for imported, files := range p.imports {
			if !permitted(table, i, imported) {
				lines = append(lines, fmt.Sprintf("%s/%s (%s) imports %s/%s, which its layer %q may not: move what it needs to a lower layer, or pass it in through an interface; if the table is wrong, change internal/archtest/layers_test.go",
					module, name, strings.Join(files, ", "), module, imported, table[i].pkg))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// permitted reports whether the packages of line i may import a package.
func permitted(table []layer, i int, imported string) bool {
	if root, _, _ := strings.Cut(imported, "/"); root == "internal" || root == "vfs" {
		return true
	}
	j := find(table, imported)
	if j < 0 {
		return false
	}
	// The packages of a folder may import its internal packages.
	if folder, _, ok := strings.Cut(imported, "/internal/"); ok &&
		(table[i].pkg == folder || table[i].pkg == folder+"/...") {
		return true
	}
	return slices.Contains(table[i].imports, anything) ||
		slices.Contains(table[i].imports, table[j].pkg)
}

// disordered returns a message for each import that a line permits but that is not listed before
// it.
func disordered(table []layer) []string {
	var lines []string
	for i, l := range table {
		for _, name := range l.imports {
			before := func(m layer) bool { return m.pkg == name }
			if name != anything && !slices.ContainsFunc(table[:i], before) {
				lines = append(lines,
					fmt.Sprintf("layer %q may import %q, which is not listed before it",
						l.pkg, name))
			}
		}
	}
	return lines
}

// undocumented returns a message for each package without a package comment in doc.go.
func undocumented(pkgs map[string]*pkg) []string {
	var lines []string
	for name, p := range pkgs {
		if p.name != "main" && !strings.HasPrefix(p.doc, "Package "+p.name+" ") {
			lines = append(lines, fmt.Sprintf("%s/%s has no package comment in doc.go: describe there its purpose, main types, an example and caveats, beginning with \"Package %s\"", module, name, p.name))
		}
	}
	slices.Sort(lines)
	return lines
}

// readModule parses the package clauses and imports of the module's Go files, tests
// excepted, and returns the packages by folder.
func readModule(t *testing.T) map[string]*pkg {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+module+"\n") {
		t.Fatalf("%s is not the root of module %s: %v", root, module, err)
	}
	pkgs := map[string]*pkg{}
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			_, nested := os.Stat(filepath.Join(file, "go.mod"))
			if file != root &&
				(nested == nil || name == "testdata" || name == "vendor" ||
					strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		if pkgs[folder] == nil {
			pkgs[folder] = &pkg{imports: map[string][]string{}, modules: map[string]bool{}}
		}
		return pkgs[folder].read(file)
	})
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}

// read adds one file to its package.
func (p *pkg) read(file string) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil,
		parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	name := filepath.Base(file)
	if !neverBuilt(f) {
		p.name = f.Name.Name
	}
	if name == "doc.go" && f.Doc != nil {
		p.doc = f.Doc.Text()
	}
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if within, ok := strings.CutPrefix(imported, module+"/"); ok {
			p.imports[within] = append(p.imports[within], name)
		} else {
			p.modules[imported] = true
		}
	}
	return nil
}

// neverBuilt reports whether a file is a generator ("//go:build ignore"), whose
// package clause is not the folder's.
func neverBuilt(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && c.Text == "//go:build ignore" {
				return true
			}
		}
	}
	return false
}
