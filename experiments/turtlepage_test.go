package experiments

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fullTurtlePage has parts of every kind, with figures of no meaning.
func fullTurtlePage(path string) *TurtlePage {
	made := Made{Command: "tengen reproduce x --games 1000", Machine: "2 processors", Seed: 1, Games: 6000, Distinct: 5999}
	match := func(players int, first, second string, percent float64, games int) TurtleMatch {
		return TurtleMatch{
			Players: players, First: TurtleSide{first, 2.5}, Second: TurtleSide{second, 0},
			Games: games, Distinct: games, Rate: rateOf(percent/100, games), Turns: 25.5,
		}
	}
	p := &TurtlePage{Path: path}
	for i, part := range turtleTableParts {
		number := int(part[len("table")] - '0')
		open := strings.HasSuffix(part, "-open")
		g, err := turtle(2, open)
		if err != nil {
			panic(err)
		}
		paper := &paperTurtles[number-1]
		t := &TurtleTable{Made: made, Table: number, Game: g.Name(), Row: paper.row, Column: paper.column}
		for k, cell := range paper.cells() {
			row, column := turtleStrategies[cell[0]], turtleStrategies[cell[1]]
			percent := min(100, paper.percent[cell[0]][cell[1]]+float64(3*k))
			t.Cells = append(t.Cells, TurtleCell{row, column, match(2, searches(paper.row, row, 1000), searches(paper.column, column, 1000), percent, 1000)})
		}
		p.tables[i] = t
	}
	for i := range turtleBeyondParts {
		p.beyond[i] = &TurtleBeyond{Made: made, Matches: []TurtleBeyondMatch{
			{"ISMCTS", "Dummy", match(2, "uct:simulations=1000", "random", 75, 500)},
			{"AlphaZero", "ISMCTS", match(3+i%3, "az:runs/turtle", "uct:simulations=1000", 35, 500)},
		}}
	}
	return p
}

// TestTurtlePage: parts are kept one by one, the page is made of all that are there,
// and reads as the golden one; each table is drawn.
func TestTurtlePage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results", "turtle-race.md")
	whole := fullTurtlePage(path)
	written := 0
	for part := range whole.parts() { // in any order
		p, err := ReadTurtlePage(path)
		if err != nil {
			t.Fatal(err)
		}
		if table := whole.Table(part); table != nil {
			p.Put(part, table)
		} else {
			p.Put(part, whole.Beyond(part))
		}
		p.Took(part, time.Minute)
		if err := p.Write(part); err != nil {
			t.Fatal(err)
		}
		if written++; len(glob(t, p.Dir(), "*.json")) != written {
			t.Errorf("after %s: %v", part, glob(t, p.Dir(), "*.json"))
		}
	}
	for _, format := range []string{"*.svg", "*.png"} {
		if files := glob(t, whole.Dir(), format); len(files) != len(turtleTableParts) {
			t.Errorf("drawn are %v", files)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "turtle-race.md")
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
		t.Errorf("the page is not as testdata/turtle-race.md has it:\n%s", got)
	}
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A page of one table says nothing of others.
func TestTurtlePageOfOnePart(t *testing.T) {
	p := &TurtlePage{Path: "t.md"}
	if text := p.Markdown(); strings.Contains(text, "##") {
		t.Errorf("of no parts the page is %s", text)
	}
	p.Put("table2", fullTurtlePage("t.md").Table("table2"))
	text := p.Markdown()
	for _, says := range []string{"## Table II: minimax against minimax", "(t/table2.svg)", "## What differs, and why", "| Table II: minimax against minimax | 6 |"} {
		if !strings.Contains(text, says) {
			t.Errorf("the page lacks %q", says)
		}
	}
	for _, part := range []string{"Table III: ", "Beyond the paper", "Ours, a search of"} {
		if strings.Contains(text, part) {
			t.Errorf("the page has %q", part)
		}
	}
}

// TestDamagedTurtleParts: what is no sound part is named, and nothing is made of it.
func TestDamagedTurtleParts(t *testing.T) {
	const sound = `{"made":{"version":1}`
	for _, c := range []struct{ part, text, says string }{
		{"table1", `{`, "unexpected end"},
		{"table1", `null`, "version 1"},
		{"table1", `{"made":{"version":2}}`, "version 1"},
		{"table1", sound + `}`, "table 0"},
		{"table1", sound + `,"table":2}`, "table 2 is not that of the file"},
		{"table2-open", sound + `,"table":2,"cells":[]}`, "lacks the cell of fast against efficient"},
		{"table1", sound + `,"table":1,"cells":[` + cellTexts(0) + `]}`, "a match of 0 games"},
		{"beyond-time", sound + `}`, "lacks matches"},
		{"beyond-time", sound + `,"matches":[{}]}`, "a match of 0 players"},
		{"beyond-time", sound + `,"matches":[{"match":{"players":2,"games":1,"percent":101}}]}`, "101 % are won"},
	} {
		path := filepath.Join(t.TempDir(), "t.md")
		if err := os.MkdirAll(strings.TrimSuffix(path, ".md"), 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(strings.TrimSuffix(path, ".md"), c.part+".json")
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadTurtlePage(path); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v; it should say %q and name the file", c.text, err, c.says)
		}
	}
}

// cellTexts are all cells of a table of one search, each with so many games.
func cellTexts(games int) string {
	var list []string
	for _, cell := range paperTurtles[0].cells() {
		list = append(list, `{"row":"`+turtleStrategies[cell[0]]+`","column":"`+turtleStrategies[cell[1]]+`","match":{"players":2,"games":`+strconv.Itoa(games)+`}}`)
	}
	return strings.Join(list, ",")
}

// FuzzTurtlePage: whatever the files hold, the page is refused or made.
func FuzzTurtlePage(f *testing.F) {
	f.Add("table1", []byte(`{"made":{"version":1},"table":1,"cells":[`+cellTexts(1)+`]}`))
	f.Add("table6", []byte(`{"made":{"version":1},"table":6}`))
	f.Add("beyond-theirs", []byte(`{"made":{"version":1},"matches":[{"match":{"players":2,"games":1}}]}`))
	f.Fuzz(func(t *testing.T, part string, data []byte) {
		p := &TurtlePage{Path: filepath.Join(t.TempDir(), "t.md")}
		if _, ok := p.parts()[part]; !ok {
			return
		}
		if err := os.MkdirAll(p.Dir(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Dir(), part+".json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		if p, err := ReadTurtlePage(p.Path); err == nil && p.Markdown() == "" {
			t.Error("an empty page")
		}
	})
}
