package experiments

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden page")

// cellsOf are cells with different numbers.
func cellsOf(x float64) []Cell {
	return []Cell{{500, x, 2, 0.1}, {500, x + 1, 3, 0.2}, {500, x + 2, 4, 0.3}}
}

// fullPage has every part.
func fullPage(path string) *GoPage {
	made := Made{Command: "tengen reproduce x --games 500", Machine: "2 processors", Seed: 1, Games: 1000, Distinct: 999}
	opened := made
	opened.Opening = 3
	return &GoPage{
		Path:    path,
		Table3:  &GoTable3{Made: made, Points: cellsOf(11), Unit: cellsOf(9)},
		Table4:  &GoTable4{Made: opened, Rows: []Table4Row{{"az:a", "ubfm:b", "11 ± 0.2", cellsOf(12)}}},
		Figure3: &GoFigure3{Made: made, Run: "runs/quick", Algorithm: "alphazero", Points: []FigurePoint{{3, 1750, 0.05, cellsOf(15)}, {6, 2500, 0.1, cellsOf(18)}}},
		Reward: &GoReward{Made: opened, Iterations: 6, Seeds: 3, Arms: []RewardArm{
			{"score", cellsOf(1), cellsOf(2), cellsOf(3), cellsOf(4)}, {"win", cellsOf(5), cellsOf(6), cellsOf(7), cellsOf(8)},
		}},
	}
}

// TestPage: parts are kept one by one, the page is made of all that are there,
// and reads as the golden one.
func TestPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results", "go.md")
	whole := fullPage(path)
	for i, part := range []string{"table4", "reward", "figure3", "table3"} {
		p, err := ReadGoPage(path)
		if err != nil {
			t.Fatal(err)
		}
		switch part {
		case "table3":
			p.Table3 = whole.Table3
		case "table4":
			p.Table4 = whole.Table4
		case "figure3":
			p.Figure3 = whole.Figure3
		case "reward":
			p.Reward = whole.Reward
		}
		p.Took(part, time.Minute)
		if err := p.Write(part); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(p.Dir(), "*.json"))
		if err != nil || len(files) != i+1 {
			t.Errorf("after %s: %v, %v", part, files, err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "go.md")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("the page is not as testdata/go.md has it:\n%s", got)
	}
}

// TestDamagedParts: what is no sound part is named, and nothing is made of it.
func TestDamagedParts(t *testing.T) {
	for text, says := range map[string]string{
		`{`:                      "unexpected end",
		`null`:                   "version 1",
		`{"made":{"version":2}}`: "version 1",
		`{"made":{"version":1}}`: "0 cells where each of 3 seats has one",
		`{"made":{"version":1},"points":[{},{}],"unit":[{},{},{}]}`: "2 cells",
	} {
		path := filepath.Join(t.TempDir(), "go.md")
		if err := os.MkdirAll(strings.TrimSuffix(path, ".md"), 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(strings.TrimSuffix(path, ".md"), "table3.json")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadGoPage(path); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v; it should say %q and name the file", text, err, says)
		}
	}
}

// FuzzGoPage: whatever the files hold, the page is refused or made.
func FuzzGoPage(f *testing.F) {
	f.Add("table3", []byte(`{"made":{"version":1},"points":[{},{},{}],"unit":[{},{},{}]}`))
	f.Add("reward", []byte(`{"made":{"version":1},"arms":[{},{}]}`))
	f.Add("figure3", []byte(`{"made":{"version":1},"points":[{"seats":[{},{},{}]}]}`))
	f.Add("table4", []byte(`{"made":{"version":1},"rows":[{"seats":[]}]}`))
	f.Fuzz(func(t *testing.T, part string, data []byte) {
		p := &GoPage{Path: filepath.Join(t.TempDir(), "go.md")}
		if _, ok := p.parts()[part]; !ok {
			return
		}
		if err := os.MkdirAll(p.Dir(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Dir(), part+".json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		if p, err := ReadGoPage(p.Path); err == nil && p.Markdown() == "" {
			t.Error("an empty page")
		}
	})
}
