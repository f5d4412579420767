package sgf

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"

	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/random"
)

func parse(t *testing.T, text string) *Record {
	t.Helper()
	r, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

func first(p game.Player) *game.Player { return &p }

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Record
	}{
		{"(;)", Record{Rows: 19, Columns: 19}},
		{"\xef\xbb\xbf\n ( ;FF[4]GM[1]SZ[5] KM[ 7.5 ]\n;B[cc];W[];B[tt];W[ae])trailing",
			Record{
				Rows: 5, Columns: 5, Komi: new(7.5),
				Moves: []Move{{0, 12}, {1, Pass}, {0, Pass}, {1, 20}},
			}},
		{"(;SZ[3:2]B[cb])", Record{Rows: 2, Columns: 3, Moves: []Move{{0, 5}}}},
		// The first variation is the main line; brackets inside values do not count.
		{`(;SZ[9]C[a (;B[aa\]) ];B[aa](;W[bb](;B[cc];W[dd])(;B[ee]))(;W[ff]C[)\\]))(;SZ[5];B[aa])`,
			Record{Rows: 9, Columns: 9, Moves: []Move{{0, 0}, {1, 10}, {0, 20}, {1, 30}}}},
		{`(;SZ[5]PB[A \[9d\]]PW[Jürgen\
 X` + "\t" + `Y]RE[B+R]RU[Chinese:\:])`,
			Record{
				Rows: 5, Columns: 5, Names: [2]string{"A [9d]", "Jürgen X Y"}, Result: "B+R",
				Rules: "Chinese::",
			}},
		{"(;SZ[5]PB[J\xfcrgen])", Record{Rows: 5, Columns: 5, Names: [2]string{"Jürgen", ""}}},
		// Rectangles of points; the size applies although it comes last; later set-up properties
		// override earlier ones.
		{"(;AB[aa][cc:bb]AW[ee]AE[cc]AB[aa]AW[bc]SZ[5]PL[W])",
			Record{Rows: 5, Columns: 5, Setup: [2][]int{{0, 6, 7}, {11, 24}}, First: first(1)}},
		// Long property names, as in FF[3].
		{"(;GaMe[1]SiZe[5];Black[aa];White[bb])",
			Record{Rows: 5, Columns: 5, Moves: []Move{{0, 0}, {1, 6}}}},
	} {
		got, err := Parse([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got.Warnings = nil; !cmp.Equal(&c.want, got) {
			diff := cmp.Diff(&c.want, got)
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		want   string
	}{
		{"", 0, `a game begins with "(;", not with the end of the file`},
		{"go", 0, `not with 'g'`},
		{"()", 1, `a game begins with "(;", not with "(" and ')'`},
		{"(;SZ[5", 5, `the value that begins here has no "]"`},
		{`(;SZ[5\]`, 5, `the value that begins here has no "]"`},
		{"(;B[aa](;W[bb])(;W[cc", 19, `the value that begins here has no "]"`},
		{"(;SZ)", 4, `"[" is wanted after SZ, not ')'`},
		{"(;xy[1])", 2, "a property's name needs capital letters"},
		{"(;SZ[25])", 5, "SZ[25]: a size from 1 to 19"},
		{"(;SZ[5:0])", 5, "SZ[5:0]: a size"},
		{"(;SZ[x])", 5, "SZ[x]: a size"},
		{"(;GM[2])", 5, "GM[2] is not Go, which is GM[1]"},
		{"(;SZ[5];B[fa])", 10, `"fa" is not a point of a board of 5 columns and 5 rows: two letters are wanted, aa to ee`},
		{"(;SZ[5];B[aaa])", 10, `"aaa" is not a point`},
		{"(;SZ[5];B[aa][bb])", 14, "B has more than one move"},
		{"(;SZ[5]PL[green])", 10, "PL[green]: B or W is wanted"},
		{"(;SZ[5]AB[aa:zz])", 10, `"zz" is not a point`},
		{"(;B[aa](x))", 8, `a variation begins with "(;"`},
		{"(;B[aa];W;B[bb])", 9, `"[" is wanted after W, not ';'`},
		{"(;B[aa]C[see [1] here];W[bb])", 17, "a property's name needs capital letters"},
		{"(;SZ[-9])", 5, "SZ[-9]: a size"},
		{"(;SZ[9.5])", 5, "SZ[9.5]: a size"},
		{"(;SZ[9];SZ[19])", 11, "SZ[19] after SZ[9]"},
		{"(;SZ[5]PL[3])", 10, "PL[3]: B or W is wanted"},
		{"(;SZ[5];B[zz])", 10, `"zz" is not a point`},
		{"(;GM[chess])", 5, "GM[chess] is not Go"},
		{";B[aa]", 0, `a game begins with "(;", not with ';'`},
		// Offsets are those of the file, also where its text has other bytes.
		{"\xef\xbb\xbf(;SZ[5];B[zz])", 13, `"zz" is not a point`},
		{utf16("(;SZ[5]PB[井];B[zz])"), 2 + 2*15, `"zz" is not a point`},
		{"(;CA[Shift_JIS]PB[\x83\x5d]SZ[5];B[zz])", 29, `"zz" is not a point`},
	} {
		_, err := Parse([]byte(c.text))
		var e *Error
		if !errors.As(err, &e) || e.Offset != c.offset || !strings.Contains(e.Problem, c.want) {
			t.Errorf("%s: %v, want byte %d: %s", c.text, err, c.offset, c.want)
		}
	}
}

// TestWrite checks the exact text; it was verified by eye.
func TestWrite(t *testing.T) {
	r := &Record{Rows: 4, Columns: 5, Komi: new(0.5), Names: [2]string{`a]b\c` + "\nd", ""},
		Rules: Chinese, Result: "W+0.5",
		Setup: [2][]int{{0, 19}, {4}}, First: first(1)}
	for i := range 12 {
		r.Moves = append(r.Moves, Move{game.Player(1 - i%2), []int{7, Pass}[i/11]})
	}
	const want = `(;FF[4]GM[1]CA[UTF-8]AP[Tengen]SZ[5:4]KM[0.5]
PB[a\]b\\c d]
RU[Chinese]
RE[W+0.5]
AB[aa][ed]
AW[ea]
PL[W]
;W[cb];B[cb];W[cb];B[cb];W[cb];B[cb];W[cb];B[cb];W[cb];B[cb]
;W[cb];B[])
`
	var b bytes.Buffer
	if err := r.Write(&b); err != nil || b.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), want)
	}
}

// TestRoundTrip writes random games, reads them back and replays them to the same end.
func TestRoundTrip(t *testing.T) {
	for i, name := range []string{
		"go:size=5,players=2,pass=free",
		"go:rows=3,columns=19,players=2,komi=[0,6.5],pass=free",
		"go:size=9,players=2,komi=[0,-0.5],pass=free",
		"go:size=4,players=2",
	} {
		g := game.Must(game.New(name))
		for k := range 5 {
			rng := random.New(uint64(i), random.Test, uint64(k))
			var actions []game.Action
			s := g.NewState()
			for s.CurrentPlayer() != game.Nobody {
				legal := s.LegalActions(nil)
				a := legal[rng.IntN(len(legal))]
				actions = append(actions, a)
				s.Apply(a)
			}
			r, err := of(g, actions)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := r.Write(&b); err != nil {
				t.Fatal(err)
			}
			again := parse(t, b.String())
			if diff := cmp.Diff(r, again); diff != "" {
				t.Fatalf("%s:\n%s", b.String(), diff)
			}
			end, err := again.Play(g, len(again.Moves))
			if err != nil {
				t.Fatal(err)
			}
			if end.Hash() != s.Hash() ||
				!slices.Equal(goban.Stones(end, nil), goban.Stones(s, nil)) {
				t.Fatalf("%s: the replayed game ends differently", name)
			}
			if margin, ok := MarginOf(again.Result); !ok || margin != Margin(s) {
				t.Fatalf("the result is %s, the margin %v", again.Result, Margin(s))
			}
		}
	}
}

// TestGame checks that a record's game has its board and komi, and free passes.
func TestGame(t *testing.T) {
	g, err := parse(t, "(;SZ[9]KM[7])").Game(nil)
	if err != nil || g.Name() != "go:size=9,players=2,komi=[0,7],pass=free" {
		t.Errorf("%v %v", g, err)
	}
	win, err := goban.New(goban.Rules{
		Rows: 5, Columns: 5, Players: 2, Reward: goban.Win, Pass: goban.Forced, MaxPlies: 70,
	})
	if err != nil {
		t.Fatal(err)
	}
	g, err = parse(t, "(;SZ[5])").Game(win)
	if err != nil || g.Name() != "go:size=5,players=2,pass=free,reward=win,max_plies=70" {
		t.Errorf("%v %v", g, err)
	}
	if _, err := parse(t, "(;KM[5000])").Game(nil); err == nil {
		t.Error("a komi of 5000 is accepted")
	}
}

func TestPlay(t *testing.T) {
	// A handicap of two, then Black twice in a row, then a capture in the corner.
	r := parse(t, "(;SZ[5]AB[cc][dd];W[aa];B[ab];B[ee];W[];B[ba])")
	g, err := r.Game(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{
		"............X.....X......",
		"O...........X.....X......",
		"O....X......X.....X......",
		"O....X......X.....X.....X",
		"O....X......X.....X.....X",
		".X...X......X.....X.....X",
	} {
		s, err := r.Play(g, n)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, c := range goban.Stones(s, nil) {
			b.WriteByte(".XO"[c+1])
		}
		if b.String() != want {
			t.Errorf("after %d moves: %s, want %s", n, b.String(), want)
		}
	}
	if s, _ := r.Play(g, 0); s.CurrentPlayer() != 1 {
		t.Error("after a handicap White is not to move")
	}
	if s, _ := parse(t, "(;SZ[5];W[aa])").Play(g, 0); s.CurrentPlayer() != 1 {
		t.Error("White, who moves first in the record, is not to move")
	}
	for text, want := range map[string]string{
		"(;SZ[5];B[aa];W[aa])":            "move 2, White a5, is illegal in go:size=5,players=2,pass=free",
		"(;SZ[5]AB[ba][ab]AW[aa];B[cc])":  "the group of a5 has no liberty",
		"(;SZ[9];B[aa])":                  "two-player Go on 9×9 points, not of go:size=5",
		"(;SZ[5]AB[ab][ba];W[aa];B[bb])":  "move 1, White a5, is illegal",
		"(;SZ[5];B[tt];W[tt];W[aa];W[aa]": "",
	} {
		r, err := Parse([]byte(text))
		if err == nil {
			_, err = r.Play(g, len(r.Moves))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := r.Play(g, 9); err == nil || !strings.Contains(err.Error(), "the record has 5") {
		t.Errorf("after nine moves: %v", err)
	}
}

func TestOfErrors(t *testing.T) {
	three := game.Must(game.New("go:size=3,players=3"))
	two := game.Must(game.New("go:size=3,players=2,pass=free"))
	if _, err := of(three, nil); err == nil ||
		!strings.Contains(err.Error(), "is not two-player Go") {
		t.Error(err)
	}
	if _, err := of(two, []game.Action{0, 0}); err == nil ||
		!strings.Contains(err.Error(), "action 2, 0, is illegal") {
		t.Error(err)
	}
	if _, err := of(two, []game.Action{9, 9, 0}); err == nil ||
		!strings.Contains(err.Error(), "after the end") {
		t.Error(err)
	}
	if r, err := of(two, []game.Action{0}); err != nil || r.Result != "?" {
		t.Error(r, err)
	}
}

func TestResults(t *testing.T) {
	for text, want := range map[string]float64{
		"B+3.5": 3.5, "w+25": -25, "0": 0, "Draw": 0, " B+0.5 ": 0.5,
	} {
		if got, ok := MarginOf(text); !ok || got != want {
			t.Errorf("%s: %v %v", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "?", "Void", "B+R", "W+Resign", "B+", "B+-3", "R+5", "B+Inf",
	} {
		if got, ok := MarginOf(text); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
	for margin, want := range map[float64]string{3.5: "B+3.5", -25: "W+25", 0: "0"} {
		if got := ResultOf(margin); got != want {
			t.Errorf("%v: %s", margin, got)
		}
	}
}

// utf16 returns a text in UTF-16, with its mark.
func utf16(text string) string {
	b, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return b
}

// FuzzParse checks that whatever Parse accepts can be written and read again as the same game, and
// that nothing panics.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"(;FF[4]GM[1]SZ[5]KM[0.5]PB[a\\]b]RE[B+3];B[cc];W[];B[tt](;W[aa])(;W[bb]C[x]))",
		"(;SZ[3:7]AB[aa:bc]AW[ca]AE[aa]PL[W];W[bb])",
		"(;SZ[5]AB[aa]AE[aa])", "(;GaMe[1](;(;)))", "(;PB[\\\r\n\xff])",
		"(;SZ[5];B[aa];PL[B];AW[bb:cc]AE[aa];B[dd]AB[ee]W[ff]PL[2];AE[bb]PL[w])",
		utf16("(;SZ[5x5]KM[6,5 pts];B[AA])"),
		"to (you) (GM[]SZ[]KM[375]HA[2];W[pass]", "(;CA[ISO-2022-JP]PB[\x1b$B;3\x1b(B]SZ[9];B[jj])",
	} {
		f.Add([]byte(text))
	}
	list, _ := filepath.Glob("testdata/found/*.sgf")
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, w := range r.Warnings {
			if w.Offset < 0 || w.Offset > len(text) {
				t.Fatalf("%q: %v", text, w)
			}
		}
		again(t, r)
	})
}

// of returns the record of a game of two-player Go, given all its actions. The result is that of
// the final position, or "?" if the game is not over. Names are left empty.
func of(g game.Game, actions []game.Action) (*Record, error) {
	rules, ok := goban.RulesOf(g)
	if !ok || rules.Players != 2 {
		return nil, fmt.Errorf("%s is not two-player Go, the only game that SGF can hold", g.Name())
	}
	r := &Record{
		Rows: rules.Rows, Columns: rules.Columns, Komi: new(rules.Komi[1] - rules.Komi[0]),
		Result: "?",
	}
	if rules.Ko == goban.Positional {
		r.Rules = Chinese
	}
	replayer := game.NewReplayer(g)
	s := replayer.State()
	for i, a := range actions {
		switch err := replayer.Check(a); {
		case err == game.ErrOver:
			return nil, fmt.Errorf("action %d of %d comes after the end of the game",
				i+1, len(actions))
		case err != nil:
			return nil, fmt.Errorf("action %d, %d, is illegal in %s", i+1, a, g.Name())
		}
		m := Move{Player: s.CurrentPlayer(), Point: int(a)}
		if m.Point == r.Rows*r.Columns {
			m.Point = Pass
		}
		r.Moves = append(r.Moves, m)
		replayer.Apply(a)
	}
	if s.CurrentPlayer() == game.Nobody {
		r.Result = ResultOf(Margin(s))
	}
	return r, nil
}
