package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wrongFiles are the files that wrong.txt names.
var wrongFiles = map[string]string{
	"text.txt":     "neither a run nor a game\n",
	"empty.json":   "{}\n",
	"game.json":    `{"game": "tictactoe", "actions": [0, 3]}` + "\n",
	"over.json":    `{"game": "tictactoe", "actions": [0, 3, 1, 4, 2, 5]}` + "\n",
	"wrong.yaml":   "search:\n  simulations: 0\n",
	"broken.yaml":  "search: [\n",
	"unknown.yaml": "serach:\n  simulations: 5\n",
}

// leastWrong is the number of wrong inputs that are to be tried.
const leastWrong = 150

// TestWrongInputs: each wrong input of testdata/wrong.txt gives one clear line and status 1 or 2,
// and writes nothing.
func TestWrongInputs(t *testing.T) {
	text, err := os.ReadFile("testdata/wrong.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, content := range wrongFiles {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tried := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		tried++
		var out, problem bytes.Buffer
		status := program.Execute(t.Context(), words(line), strings.NewReader(""), &out, &problem)
		said := problem.String()
		switch {
		case status != exitFailed && status != exitUsage:
			t.Errorf("%s: status %d: %.200s%.200s", line, status, said, out.String())
		case strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "tengen: ") ||
			len(said) < len("tengen: x y\n"):
			t.Errorf("%s: not one line: %q", line, said)
		case out.Len() > 0:
			t.Errorf("%s: prints %.200q", line, out.String())
		}
		entries, err := os.ReadDir(".")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if _, ok := wrongFiles[e.Name()]; !ok {
				t.Errorf("%s: writes %s", line, e.Name())
				if err := os.RemoveAll(filepath.Clean(e.Name())); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if tried < leastWrong {
		t.Errorf("%d wrong inputs are tried, want %d", tried, leastWrong)
	}
}

// words splits a line at spaces; quotation marks hold a word together.
func words(line string) []string {
	var list []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}
