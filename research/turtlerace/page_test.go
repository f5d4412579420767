package turtlerace

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tengen/research"
	"tengen/research/pagetest"
)

// allParts has every part, with arbitrary figures.
func allParts() map[string]research.Part {
	made := research.Made{
		Command: "tengen-lab reproduce x --games 1000", Machine: "2 processors", Seed: 1,
		Games: 6000, Distinct: 5999,
	}
	match := func(players int, first, second string, percent float64, games int) Match {
		return Match{
			Players: players, First: Side{first, 2.5}, Second: Side{second, 0},
			Games: games, Distinct: games, Rate: research.NewRate(percent/100, games), Turns: 25.5,
		}
	}
	parts := map[string]research.Part{}
	for _, part := range tableParts {
		number := int(part[len("table")] - '0')
		open := strings.HasSuffix(part, "-open")
		g, err := newGame(2, open)
		if err != nil {
			panic(err)
		}
		paper := &paperTables[number-1]
		t := &Table{Made: made, Table: number, Game: g.Name(), Row: paper.row, Column: paper.column}
		for k, cell := range paper.cells() {
			row, column := strategies[cell[0]], strategies[cell[1]]
			percent := min(100, paper.percent[cell[0]][cell[1]]+float64(3*k))
			t.Cells = append(t.Cells,
				Cell{
					row, column, match(2, searches(paper.row, row, 1000),
						searches(paper.column, column, 1000), percent, 1000),
				})
		}
		parts[part] = t
	}
	for i, part := range beyondParts {
		parts[part] = &Beyond{Made: made, Matches: []BeyondMatch{
			{"ISMCTS", "Dummy", match(2, "uct:simulations=1000", "random", 75, 500)},
			{"AlphaZero", "ISMCTS",
				match(3+i%3, "az:runs/turtle", "uct:simulations=1000", 35, 500)},
		}}
	}
	return parts
}

func TestPage(t *testing.T) {
	all := allParts()
	shown := []string{"table2-open", "table4"}
	some := map[string]research.Part{BeyondPart(sectionWeak): all[BeyondPart(sectionWeak)]}
	for _, part := range shown {
		some[part] = all[part]
	}
	p := pagetest.Golden(t, Layout, some)
	files, err := filepath.Glob(filepath.Join(p.Dir(), "*.svg"))
	if err != nil || len(files) != len(shown) {
		t.Errorf("the pictures are %v, %v", files, err)
	}
}

// A page with one table does not mention other parts.
func TestPageOfOnePart(t *testing.T) {
	if text := pagetest.Page(t, "t.md", Layout, nil).Markdown(); strings.Contains(text, "##") {
		t.Errorf("without parts the page is %s", text)
	}
	text := pagetest.Page(t, "t.md", Layout, map[string]research.Part{
		"table2": allParts()["table2"],
	}).Markdown()
	for _, says := range []string{
		"## Table II: minimax against minimax", "(t/table2.svg)", "## What differs, and why",
		"| Table II: minimax against minimax | 6 |",
	} {
		if !strings.Contains(text, says) {
			t.Errorf("the page lacks %q", says)
		}
	}
	for _, part := range []string{"Table III: ", "Beyond the paper", "Ours, an information-set"} {
		if strings.Contains(text, part) {
			t.Errorf("the page has %q", part)
		}
	}
}

func TestDamagedParts(t *testing.T) {
	const sound = `{"made":{"version":1}`
	pagetest.Damaged(t, Layout, [][3]string{
		{"table1", `{`, "unexpected end"},
		{"table1", `null`, "version 1"},
		{"table1", `{"made":{"version":2}}`, "version 1"},
		{"table1", sound + `}`, "table 0"},
		{"table1", sound + `,"table":2}`, "table 2 is not that of the file"},
		{"table2-open", sound + `,"table":2,"cells":[]}`,
			"lacks the cell of fast against efficient"},
		{"table1", sound + `,"table":1,"cells":[` + cellTexts(0) + `]}`, "a match of 0 games"},
		{"beyond-time", sound + `}`, "lacks matches"},
		{"beyond-time", sound + `,"matches":[{}]}`, "a match of 0 players"},
		{"beyond-time", sound + `,"matches":[{"match":{"players":2,"games":1,"percent":101}}]}`,
			"101 % are won"},
	})
}

// cellTexts returns all cells of a table of one search, each with the given number of games.
func cellTexts(games int) string {
	var list []string
	for _, cell := range paperTables[0].cells() {
		list = append(list,
			`{"row":"`+strategies[cell[0]]+`","column":"`+strategies[cell[1]]+
				`","match":{"players":2,"games":`+strconv.Itoa(games)+`}}`)
	}
	return strings.Join(list, ",")
}

func FuzzPage(f *testing.F) {
	pagetest.Fuzz(f, Layout, map[string]string{
		"table1":        `{"made":{"version":1},"table":1,"cells":[` + cellTexts(1) + `]}`,
		"table6":        `{"made":{"version":1},"table":6}`,
		"beyond-theirs": `{"made":{"version":1},"matches":[{"match":{"players":2,"games":1}}]}`,
	})
}
