package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unprinted are the files with commands that no terminal shows: pages of documentation, and what
// other programs describe.
var unprinted = []string{
	"cmd/tengen-lab/reproduce_all.go", "configs/describe.go", "research/anchors/page.go",
	"research/ablation/sweep.go", "deploy/panels.go", "metrics/playing.go",
}

// TestOnePlaceMakesCommands: outside the help of commands, which is shown with the program as it
// was started, no text has a command in it that notation.Command has not made.
func TestOnePlaceMakesCommands(t *testing.T) {
	var names []string
	for _, c := range Root().Commands() {
		names = append(names, c.Name())
	}
	commands := regexp.MustCompile(`\btengen(-lab [a-z]+| (` + strings.Join(names, "|") + `))\b`)
	found := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel("..", path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() &&
			(strings.HasPrefix(d.Name(), ".") && path != ".." || name == "tools" ||
				d.Name() == "testdata"):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			slices.Contains(unprinted, name):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr: // of a cobra.Command
				key, ok := n.Key.(*ast.Ident)
				return !ok || !strings.HasPrefix(name, "cmd/") ||
					!slices.Contains([]string{"Long", "Example", "Short"}, key.Name)
			case *ast.CallExpr: // of a flag
				f, ok := n.Fun.(*ast.SelectorExpr)
				// of a connection
				return !ok || !strings.HasPrefix(name, "cmd/") ||
					!strings.HasSuffix(f.Sel.Name, "Var") && f.Sel.Name != "Name"
			case *ast.BasicLit:
				if n.Kind != token.STRING {
					return false
				}
				text, err := strconv.Unquote(n.Value)
				if err != nil {
					return false
				}
				if found++; commands.MatchString(text) &&
					!strings.Contains(text, "tengen gtp match") {
					t.Errorf("%s: %s: notation.Command is wanted",
						files.Position(n.Pos()), commands.FindString(text))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 5000 {
		t.Errorf("only %d texts found", found)
	}
}

// printed matches commands in what is printed: between grave accents, or after "with:" to the end
// of the line.
var printed = regexp.MustCompile("`(tengen [^`]*)`|with: (tengen .*)\n")

// TestPrintedCommandsRun: each command that is printed is run by a shell as it is printed.
func TestPrintedCommandsRun(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no shell to run them")
	}
	t.Chdir(t.TempDir())
	shell := func(command, stdin string) (string, error) {
		c := exec.Command(bash, "-c", command)
		c.Stdin = strings.NewReader(stdin)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	newRun(t, "it's a run", "tictactoe", "alphazero")
	if err := os.WriteFile("text", []byte("nothing"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command, stdin string
		with           string // appended to what is printed, so that it ends soon
	}{
		{"tengen train --set lr=1 --runn x", "", ""},
		{"tengen config --describe wallpaper", "", ""},
		{"TENGEN_WALLPAPER=1 tengen config", "", ""},
		{"tengen play --game chess", "", ""},
		{"tengen games perft nothing", "", ""},
		{"tengen inspect text", "", ""},
		{"tengen analyze", "", ""},
		{"mkdir empty && tengen serve empty", "", " --dry-run --json >/dev/null"},
		{"tengen worker", "", " --help"},
		{"tengen play tictactoe human \"it's a run\"", "b2\nsave my game\nquit\n", " </dev/null"},
		{"tengen train --run 'a  $b' --listen 127.0.0.1:0 --device cpu " + tiny, "", " --games 1"},
		{"tengen train --run -x --device cpu " + tiny, "", " --games 1"},
	} {
		said, _ := shell(c.command, c.stdin)
		found := printed.FindAllStringSubmatch(said, -1)
		if len(found) == 0 {
			t.Errorf("%s prints no command: %s", c.command, said)
		}
		for _, m := range found {
			command := m[1] + m[2]
			if strings.HasPrefix(command, "tengen eval") &&
				strings.Contains(c.command, "--device") &&
				!strings.HasSuffix(command, " --device cpu") {
				t.Errorf("%s: %s has lost --device", c.command, command)
			}
			if out, err := shell(command+c.with, ""); err != nil {
				t.Errorf("%s prints %s: %v: %s", c.command, command, err, out)
			}
		}
	}
}
