package cards

import (
	"os"
	"path/filepath"
	"testing"

	"tengen/arena"
	"tengen/game/abstraction"
	"tengen/research"
	"tengen/research/pagetest"
)

// allParts has every part.
func allParts() map[string]research.Part {
	made := research.Made{
		Command: "tengen-lab reproduce x --games 500", Machine: "2 processors", Seed: 1,
	}
	played := made
	played.Games, played.Distinct = 1000, 999
	match := func(first string, percent float64) Match {
		return Match{
			Players: [2]Side{
				{"expectiminimax:" + first, 12.5, 0.25, 3, []int{0, 0, 0, 40}},
				{"uct:time=5ms", -1, 5.1, 0, nil},
			},
			Games: 100, Wins: 40, Draws: 1, Distinct: 100,
			Rate: research.Rate{Percent: percent, Low: percent - 9, High: percent + 9}, Turns: 51.5,
		}
	}
	tested, timed := match("depth=3,rm=true", 40.5), match("time=5ms,rm=true", 61)
	tested.Test = &arena.SPRTReport{
		Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05, LLR: -3.1, Lower: -2.94, Upper: 2.94,
		Verdict: "H0",
	}
	undecided := tested
	undecided.Test = &arena.SPRTReport{
		Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05, LLR: 1, Lower: -2.94, Upper: 2.94,
		Verdict: "continue",
	}
	return map[string]research.Part{
		"table2": &Table2{Made: made, Times: 5, Rows: []DepthRow{
			{1, &Search{10, 13, 8e-7, 3.5}, 10, 15, 15, Search{4, 7, 6.76e-6, 3.5}},
			{3, &Search{4828, 4998, 3.03e-5, 5}, 4828, 3066, 3066, Search{74, 136, 0.0164, 5}},
			{8, nil, 0, 0, 0, Search{7576, 9000, 0.0179, 6}},
		}},
		"table3": &Table3{Made: made, Rules: []Rule{
			{Game: "tcg:deck=benchmark,draw=unless-full",
				Rows: []FullRow{
					{3, 415999, Search{398056, 404473, 0.0035, 12.083333},
						Search{4982, 10081, 0.02, 12.083333}},
				},
				Deep: &DeepRow{4, 3600, 1, 1, Search{832498, 1570473, 0.389, 0.965}}},
			{Game: "tcg:deck=benchmark,draw=always",
				Rows: []FullRow{
					{3, 263431094, Search{231599423, 234832011, 1.44, 13.036},
						Search{3216783, 6643387, 1.19, 13.036}},
				},
				Deep: &DeepRow{4, 3600, 7, 19, Search{1234567890, 2e9, 3600, 0}}},
		}, Readings: []Reading{{"the newest card acts first", "tcg:order=newest", 263607691}}},
		"table4": &Table4{
			Made: played, Game: "tcg", Depth: &tested, Time: &timed,
			Losses: &Losses{3, DecisionLoss{31, 14, 0.78}, DecisionLoss{119, 33, 1.5}},
		},
		"table4-real": &Real{
			Made: played, Game: "tcg", Depth: 3, Matches: []*Match{&timed, &undecided},
			Ties:   []*Match{&timed},
			Losses: &Losses{3, DecisionLoss{31, 2, 0.1}, DecisionLoss{119, 0, 0}},
		},
		"table5":      &Table5{Made: played, Game: "tcg", Depth: &undecided},
		"table5-real": &Real{Made: played, Game: "tcg", Depth: 5, Matches: []*Match{&timed}},
		"beyond": &Beyond{Made: played, Game: "tcg", AlphaZero: "runs/tcg",
			Classes: &abstraction.Classes{
				Names: []string{"own fight", "their health"}, K: 2, Shares: []float64{0.75, 0.25},
				Means: [][]float32{{0, 0.01}, {1.25, -3}},
			},
			Matches: []BeyondMatch{{"clusters in UCT", match("rm=clusters", 47.5)}},
		},
	}
}

func TestPage(t *testing.T) {
	parts := allParts()
	delete(parts, "table5-real") // has the text of table4-real
	p := pagetest.Golden(t, Layout, parts)
	for _, format := range []string{".svg"} {
		if _, err := os.Stat(p.Picture("leaves") + format); err != nil {
			t.Error(err)
		}
	}
}

// Parts without a search draw no plot.
func TestPlotIsOfSearches(t *testing.T) {
	p := pagetest.Page(t, filepath.Join(t.TempDir(), "page.md"), Layout, map[string]research.Part{
		"table5": allParts()["table5"],
	})
	if err := p.Write("table5"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p.Picture("leaves") + ".svg"); err == nil {
		t.Error("a plot is drawn without a search")
	}
}

func TestDamagedParts(t *testing.T) {
	const sound = `{"made":{"version":1}`
	pagetest.Damaged(t, Layout, [][3]string{
		{"table2", `{`, "unexpected end"},
		{"table2", `null`, "version 1"},
		{"table2", `{"made":{"version":2}}`, "version 1"},
		{"table2", sound + `}`, "lacks rows"},
		{"table2", sound + `,"rows":[{"depth":0}]}`, "a row of depth 0"},
		{"table3", sound + `}`, "lacks rules"},
		{"table3", sound + `,"rules":[{"rows":[{"depth":1000000000}]}]}`,
			"a row of depth 1000000000"},
		{"table4", sound + `}`, "lacks the match"},
		{"table5", sound + `}`, "lacks the match"},
		{"table4-real", sound + `}`, "lacks matches"},
		{"table5-real", sound + `,"matches":[null]}`, "lacks a match"},
		{"beyond", sound + `}`, "lacks classes"},
		{"beyond", sound + `,"classes":{"shares":[1]}}`, "1 shares and 0 means"},
		{"beyond", sound + `,"classes":{"shares":[1],"means":[[1]]}}`, "1 of 0 features"},
	})
}

func FuzzPage(f *testing.F) {
	pagetest.Fuzz(f, Layout, map[string]string{
		"table2":      `{"made":{"version":1},"rows":[{"depth":3,"plain":{}}]}`,
		"table3":      `{"made":{"version":1},"rules":[{"game":"draw=always","rows":[{"depth":3}],"deep":{"depth":4}}]}`,
		"table4":      `{"made":{"version":1},"depth":{"sprt":{}},"losses":{}}`,
		"table5":      `{"made":{"version":1},"depth":{}}`,
		"table4-real": `{"made":{"version":1},"matches":[{}],"ties":[{}],"losses":{}}`,
		"beyond":      `{"made":{"version":1},"classes":{"features":["x"],"shares":[1],"means":[[1]]},"matches":[{}]}`,
	})
}

func TestWords(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -100: "-100", 263431094: "263,431,094",
	} {
		if got := thousands(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}
