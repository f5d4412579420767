package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/arena"
	"tengen/game/abstraction"
)

// fullRMPage has every part.
func fullRMPage(path string) *RMPage {
	made := Made{Command: "tengen reproduce x --games 500", Machine: "2 processors", Seed: 1}
	played := made
	played.Games, played.Distinct = 1000, 999
	match := func(first string, percent float64) RMMatch {
		return RMMatch{
			Players: [2]RMSide{{"expectiminimax:" + first, 12.5, 0.25, 3, []int{0, 0, 0, 40}}, {"uct:time=5ms", -1, 5.1, 0, nil}},
			Games:   100, Wins: 40, Draws: 1, Distinct: 100, Rate: Rate{percent, percent - 9, percent + 9}, Turns: 51.5,
		}
	}
	tested, timed := match("depth=3,rm=true", 40.5), match("time=5ms,rm=true", 61)
	tested.Test = &arena.SPRTReport{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05, LLR: -3.1, Lower: -2.94, Upper: 2.94, Verdict: "H0"}
	undecided := tested
	undecided.Test = &arena.SPRTReport{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05, LLR: 1, Lower: -2.94, Upper: 2.94, Verdict: "continue"}
	return &RMPage{
		Path: path,
		Table2: &RMTable2{Made: made, Times: 5, Rows: []RMDepthRow{
			{1, &RMSearch{10, 13, 8e-7, 3.5}, RMSearch{4, 7, 6.76e-6, 3.5}},
			{3, &RMSearch{4828, 4998, 3.03e-5, 5}, RMSearch{74, 136, 0.0164, 5}},
			{8, nil, RMSearch{7576, 9000, 0.0179, 6}},
		}},
		Table3: &RMTable3{Made: made, Rules: []RMRule{
			{Game: "tcg:deck=benchmark,draw=unless-full", Rows: []RMFullRow{{3, 415999, RMSearch{398056, 404473, 0.0035, 12.083333}, RMSearch{4982, 10081, 0.02, 12.083333}}},
				Deep: &RMDeepRow{4, 3600, 1, 1, RMSearch{832498, 1570473, 0.389, 0.965}}},
			{Game: "tcg:deck=benchmark,draw=always", Rows: []RMFullRow{{3, 263431094, RMSearch{231599423, 234832011, 1.44, 13.036}, RMSearch{3216783, 6643387, 1.19, 13.036}}},
				Deep: &RMDeepRow{4, 3600, 7, 19, RMSearch{1234567890, 2e9, 3600, 0}}},
		}},
		Table4: &RMTable4{Made: played, Game: "tcg", Depth: &tested, Time: &timed, Losses: &RMLosses{3, RMLoss{31, 14, 0.78}, RMLoss{119, 33, 1.5}}},
		Table5: &RMTable5{Made: played, Game: "tcg", Depth: &undecided},
		Beyond: &RMBeyond{Made: played, Game: "tcg", AlphaZero: "runs/tcg",
			Classes: &abstraction.Classes{Names: []string{"own fight", "their health"}, K: 2, Shares: []float64{0.75, 0.25}, Means: [][]float32{{0, 0.01}, {1.25, -3}}},
			Matches: []RMBeyondMatch{{"clusters in UCT", match("rm=clusters", 47.5)}},
		},
	}
}

// TestRMPage: parts are kept one by one, the page is made of all that are there,
// and reads as the golden one; the plot is drawn.
func TestRMPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results", "rm.md")
	whole := fullRMPage(path)
	for i, part := range []string{"table5", "table3", "beyond", "table2", "table4"} {
		p, err := ReadRMPage(path)
		if err != nil {
			t.Fatal(err)
		}
		switch part {
		case "table2":
			p.Table2 = whole.Table2
		case "table3":
			p.Table3 = whole.Table3
		case "table4":
			p.Table4 = whole.Table4
		case "table5":
			p.Table5 = whole.Table5
		case "beyond":
			p.Beyond = whole.Beyond
		}
		p.Took(part, time.Minute)
		if err := p.Write(part); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(p.Dir(), "*.json"))
		if err != nil || len(files) != i+1 {
			t.Errorf("after %s: %v, %v", part, files, err)
		}
		for _, picture := range []string{"leaves.svg", "leaves.png"} {
			_, err := os.Stat(filepath.Join(p.Dir(), picture))
			if drawn := err == nil; drawn != (i > 0) {
				t.Errorf("after %s: %s is drawn: %v", part, picture, drawn)
			}
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "rm.md")
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
		t.Errorf("the page is not as testdata/rm.md has it:\n%s", got)
	}
}

// TestDamagedRMParts: what is no sound part is named, and nothing is made of it.
func TestDamagedRMParts(t *testing.T) {
	const sound = `{"made":{"version":1}`
	for _, c := range []struct{ part, text, says string }{
		{"table2", `{`, "unexpected end"},
		{"table2", `null`, "version 1"},
		{"table2", `{"made":{"version":2}}`, "version 1"},
		{"table2", sound + `}`, "lacks rows"},
		{"table2", sound + `,"rows":[{"depth":0}]}`, "a row of depth 0"},
		{"table3", sound + `}`, "lacks rules"},
		{"table3", sound + `,"rules":[{"rows":[{"depth":1000000000}]}]}`, "a row of depth 1000000000"},
		{"table4", sound + `}`, "lacks the match"},
		{"table5", sound + `}`, "lacks the match"},
		{"beyond", sound + `}`, "lacks classes"},
		{"beyond", sound + `,"classes":{"shares":[1]}}`, "1 shares and 0 means"},
		{"beyond", sound + `,"classes":{"shares":[1],"means":[[1]]}}`, "1 of 0 features"},
	} {
		path := filepath.Join(t.TempDir(), "rm.md")
		if err := os.MkdirAll(strings.TrimSuffix(path, ".md"), 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(strings.TrimSuffix(path, ".md"), c.part+".json")
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRMPage(path); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v; it should say %q and name the file", c.text, err, c.says)
		}
	}
}

// FuzzRMPage: whatever the files hold, the page is refused or made.
func FuzzRMPage(f *testing.F) {
	f.Add("table2", []byte(`{"made":{"version":1},"rows":[{"depth":3,"plain":{}}]}`))
	f.Add("table3", []byte(`{"made":{"version":1},"rules":[{"game":"draw=always","rows":[{"depth":3}],"deep":{"depth":4}}]}`))
	f.Add("table4", []byte(`{"made":{"version":1},"depth":{"sprt":{}},"losses":{}}`))
	f.Add("table5", []byte(`{"made":{"version":1},"depth":{}}`))
	f.Add("beyond", []byte(`{"made":{"version":1},"classes":{"features":["x"],"shares":[1],"means":[[1]]},"matches":[{}]}`))
	f.Fuzz(func(t *testing.T, part string, data []byte) {
		p := &RMPage{Path: filepath.Join(t.TempDir(), "rm.md")}
		if _, ok := p.parts()[part]; !ok {
			return
		}
		if err := os.MkdirAll(p.Dir(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Dir(), part+".json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		if p, err := ReadRMPage(p.Path); err == nil && p.Markdown() == "" {
			t.Error("an empty page")
		}
	})
}

func TestWords(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -100: "-100", 263431094: "263,431,094"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
	for s, want := range map[float64]string{0: "0 µs", 8.3e-7: "0.83 µs", 0.00099951: "1 ms", 0.9994: "999 ms", 0.9996: "1 s", 12.34: "12.3 s", 99.96: "100 s", 3600: "3600 s"} {
		if got := seconds(s); got != want {
			t.Errorf("%v is written %s, want %s", s, got, want)
		}
	}
}
