package gtp

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/random"
)

// stonesOnBoard lists the stones on the board, one on a line.
func stonesOnBoard(e *Engine) string {
	var list []string
	for p, c := range goban.Stones(e.State(), nil) {
		if c != game.Nobody {
			list = append(list, vertex(e.game, game.Action(p)))
		}
	}
	return strings.Join(list, "\n")
}

// dialogue sends commands, and compares the answers.
func dialogue(t *testing.T, e *Engine, lines [][2]string) {
	t.Helper()
	for _, c := range lines {
		got := ""
		if c[0] == "stones" { // no command: those on the board
			got = "= " + stonesOnBoard(e)
		} else {
			got = say(t, e, c[0]+"\n")
		}
		if got = strings.TrimSpace(got); !answers(got, strings.TrimSpace(c[1])) {
			t.Errorf("%s: %q, want %q", c[0], got, c[1])
		}
	}
}

// Handicaps as the protocol's section 4.1.1 prints them.
func TestFixedHandicap(t *testing.T) {
	e := newEngine(t, newLowest(), five)
	for _, c := range [][3]string{
		{"19", "2", "= D4 Q16"},
		{"19", "3", "= D4 Q16 D16"},
		{"19", "4", "= D4 Q16 D16 Q4"},
		{"19", "5", "= D4 Q16 D16 Q4 K10"},
		{"19", "6", "= D4 Q16 D16 Q4 D10 Q10"},
		{"19", "7", "= D4 Q16 D16 Q4 D10 Q10 K10"},
		{"19", "8", "= D4 Q16 D16 Q4 D10 Q10 K4 K16"},
		{"19", "9", "= D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"},
		{"19", "1", "? invalid number of stones"},
		{"19", "10", "? invalid number of stones"},
		{"13", "5", "= D4 K10 D10 K4 G7"},
		{"9", "9", "= C3 G7 C7 G3 C5 G5 E3 E7 E5"},
		{"8", "4", "= C3 F6 C6 F3"},
		{"8", "5", "? invalid number of stones"},
		{"7", "4", "= C3 E5 C5 E3"},
		{"7", "5", "? invalid number of stones"},
		{"6", "2", "? invalid number of stones"},
		{"19", "two", "? syntax error"},
	} {
		dialogue(t, e, [][2]string{{"boardsize " + c[0], "="}, {"fixed_handicap " + c[1], c[2]}})
	}
}

func TestHandicaps(t *testing.T) {
	e := newEngine(t, newLowest(), five)
	dialogue(t, e, [][2]string{
		{"place_free_handicap 2", "= B2 D4"},
		{"place_free_handicap 2", "? board not empty"},
		{"set_free_handicap A1 B1", "? board not empty"},
		{"showboard", "= \n    a b c d e\n 5  . . . . . 5\n 4  . . . X . 4\n 3  . . . . . 3\n 2  . X . . . 2\n 1  . . . . . 1\n    a b c d e\nX Black 25  O White 0  (White to move)"},
		{"genmove w", "= A5"},
		{"undo", "="},
		{"undo", "? cannot undo"},
		{"komi 0.5", "="}, // the stones remain
		{"final_score", "= B+24.5"},
		{"clear_board", "="},
		{"place_free_handicap 12", "= B2 D4 B4 D2 B3 D3 C2 C4 C3"},
		{"clear_board", "="},
		{"place_free_handicap 1", "? invalid number of stones"},
		{"place_free_handicap 25", "? invalid number of stones"},
		{"place_free_handicap x", "? syntax error"},
		{"set_free_handicap A1 E5 C3", "="},
		{"play w A1", "? illegal move"},
		{"play w A2", "="},
		{"set_free_handicap B1 B2", "? board not empty"},
		{"clear_board", "="},
		{"set_free_handicap A1", "? bad vertex list"},
		{"set_free_handicap", "? bad vertex list"},
		{"set_free_handicap A1 A1", "? bad vertex list"},
		{"set_free_handicap A1 pass", "? bad vertex list"},
		{"set_free_handicap A1 F9", "? syntax error"},
		{"boardsize 3", "="},
		{"place_free_handicap 2", "? invalid number of stones"},
		{"boardsize 2", "="},
		{"set_free_handicap A1 A2 B1 B2", "? bad vertex list"},
		{"final_score", "= W+0.5"},
		{"boardsize 19", "="},
		{"place_free_handicap 30", "= D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"},
	})
}

func TestPositions(t *testing.T) {
	e := newEngine(t, newLowest(), "go:size=3,players=2,pass=free")
	dialogue(t, e, [][2]string{
		{"set_position b A1 w B1 b B2", "="},
		{"showboard", "= \n    a b c\n 3  . . . 3\n 2  . X . 2\n 1  X O . 1\n    a b c\nX Black 2  O White 1  (Black to move)"},
		{"gogui-setup_player w", "="},
		{"genmove w", "= A3"},
		{"gogui-setup_player w", "? the game has begun"},
		{"set_position b A1 b", "? syntax error"},
		{"set_position b A1 green B1", "? syntax error"},
		{"set_position b A1 w Z9", "? syntax error"},
		{"set_position b A1 w A1", "? bad vertex list"},
		{"set_position b pass", "? bad vertex list"},
		{"gogui-setup b A1 w A2 w B1",
			"? set up go:size=3,players=2,pass=free: the group of a1 has no liberty"},
		{"final_status_list dead", "= A3\nB1"}, // as it was
		{"set_position", "="},
		{"set_free_handicap A1 A2", "="},
		{"set_position", "="},
		{"gogui-setup_player w", "="},
		{"printsgf", "= (;FF[4]GM[1]CA[UTF-8]AP[Tengen]SZ[3]KM[0]\nRU[Chinese]\nRE[?]\nPL[W]\n)"},
		{"genmove w", "= A3"},
		{
			"printsgf -",
			"= (;FF[4]GM[1]CA[UTF-8]AP[Tengen]SZ[3]KM[0]\nRU[Chinese]\nRE[?]\nPL[W]\n;W[aa])",
		},
		{"printsgf game.sgf",
			"? files are not written: the record is the answer to printsgf without arguments"},
		{"gg-undo 2", "? cannot undo"},
		{"play b C1", "="},
		{"gg-undo 2", "="},
		{"gg-undo", "? cannot undo"},
		{"gg-undo x", "? syntax error"},
	})
	if e.State().CurrentPlayer() != 1 {
		t.Error("White is not to move")
	}
}

// A game from a file: its board, komi, stones and moves; after an error all is as before.
func TestLoadSGF(t *testing.T) {
	files := map[string]string{
		"game.sgf":         "(;GM[1]SZ[5]KM[2.5];B[cc];W[bb];B[];W[ad])",
		"with a space.sgf": "(;SZ[4]AB[aa][bb]AW[cc]PL[W];W[dd])",
		"handicap.sgf":     "(;SZ[9]HA[2]AB[cc][gg]KM[0.5];W[ee];B[])",
		"wide.sgf":         "(;SZ[5:3])",
		"illegal.sgf":      "(;SZ[3];B[aa];W[aa])",
		"komi.sgf":         "(;SZ[3]KM[5000])",
		"dead.sgf":         "(;SZ[2]AB[aa][ab][ba][bb])",
		"broken.sgf":       "(;SZ[3",
		"found.sgf":        "From: a\n\n(;CA[SJIS]SZ[5]KM[375]PB[\x83\x5d];B[cc]W[bb];B[AA]",
		"edited.sgf":       "(;SZ[5]KM[];B[aa];W[ba];B[];W[ab];AB[ea]AE[ba]PL[W];W[bb];B[ca];PL[B])",
		"wrong.sgf":        "(;SZ[3]KM[375];B[aa];W[aa])",
	}
	var warnings []string
	e := newEngine(t, newLowest(), five)
	e.config.ReadFile = func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
	}
	e.config.Warn = func(err error) { warnings = append(warnings, err.Error()) }
	dialogue(t, e, [][2]string{
		{"loadsgf game.sgf", "="},
		{"get_komi", "= 2.5"},
		{"stones", "= B4\nC3\nA2"},
		{"genmove b", "= A5"},
		{"undo", "="},
		{"undo", "="},
		{"loadsgf game.sgf 1", "="},
		{"stones", "="},
		{"loadsgf game.sgf 3", "="},
		{"stones", "= B4\nC3"},
		{"loadsgf game.sgf 99", "="},
		{"stones", "= B4\nC3\nA2"},
		{"loadsgf with a space.sgf", "="},
		{"stones", "= A4\nB3\nC2\nD1"},
		{"get_komi", "= 0"},
		{"loadsgf with a space.sgf 1", "="},
		{"stones", "= A4\nB3\nC2"},
		{"genmove w", "= B4"},
		{"loadsgf handicap.sgf", "="},
		{"undo", "="},
		{"undo", "="},
		{"undo", "? cannot undo"},
		{"stones", "= C7\nG3"},
		{"loadsgf wide.sgf",
			"? cannot load file: its board has 5 columns and 3 rows: a square one is wanted"},
		{"loadsgf illegal.sgf", "? cannot load file: move 2, white A3: illegal move"},
		{"loadsgf komi.sgf", "? cannot load file: unacceptable komi: 5000"},
		{"loadsgf dead.sgf", "? cannot load file: set up go:size=2,players=2,pass=free: the group of a2 has no liberty"},
		{"loadsgf nowhere.sgf 3", "? cannot load file: open nowhere.sgf: file does not exist"},
		{"loadsgf", "? syntax error"},
		{"loadsgf game.sgf 0", "? syntax error"},
		{"get_komi", "= 0.5"}, // as it was
		{"stones", "= C7\nG3"},
	})
	if warnings != nil {
		t.Errorf("warnings of sound files: %q", warnings)
	}
	// What was guessed is told apart from the answer, also if the game can't be played.
	dialogue(t, e, [][2]string{
		{"loadsgf found.sgf", "="},
		{"get_komi", "= 7.5"},
		{"stones", "= A5\nB4\nC3"},
		{"loadsgf edited.sgf", "="},
		{"get_komi", "= 0"}, // that of the engine's game
		{"stones", "= C5\nE5\nA4\nB4"},
		{"undo", "="},
		{"undo", "="},
		{"undo", "? cannot undo"}, // what came before the set-up is lost
		{"loadsgf edited.sgf 5", "="},
		{"stones", "= E5\nA4"},
		{"genmove w", "= A5"},
		{"loadsgf edited.sgf 4", "="},
		{"stones", "= A5\nB5"},
		{"loadsgf wrong.sgf", "? cannot load file: move 2, white A3: illegal move"},
		{"loadsgf handicap.sgf 1", "="},
	})
	want := []string{
		`found.sgf: SGF, byte 0: the text before "(;"`, "found.sgf: SGF, byte 27: KM[375]",
		"found.sgf: SGF, byte 45: a node has two moves", `found.sgf: SGF, byte 51: the point "AA"`,
		`found.sgf: SGF, byte 54: the file ends within the game`,
	}
	for range 3 {
		want = append(want, "edited.sgf: SGF, byte 10: KM is empty",
			"edited.sgf: SGF, byte 37: stones are set up after move 4")
	}
	want = append(want, "wrong.sgf: SGF, byte 10: KM[375]")
	if !slices.EqualFunc(warnings, want, strings.HasPrefix) {
		t.Errorf("warnings %q\nwant %q", warnings, want)
	}
	if got := say(t, e, "loadsgf broken.sgf\n"); !strings.HasPrefix(got, "? cannot load file: ") {
		t.Errorf("%q", got)
	}
	e.config.Fixed = true
	dialogue(t, e, [][2]string{
		{"loadsgf game.sgf", "? cannot load file: unacceptable size: 5"},
		{"stones", "= C7\nG3"},
	})
}

// The player is told of the moves from the position that was set up on.
func TestToldFromPosition(t *testing.T) {
	p := newLowest()
	e := newEngine(t, p, five)
	say(t, e, "set_free_handicap A5 B5\ngenmove w\nplay b E1\ngenmove w\n")
	if got := strings.Join(p.agent.before, " "); got != "C5 E1" {
		t.Errorf("it was told of %s", got)
	}
	if err := e.SetUp(make([]game.Player, 3), 0); err == nil {
		t.Error("three points of a board of 25")
	}
	e.attempt(func() error { e.Clear(9); return errors.New("no") })
	if s := goban.Stones(e.State(), nil); s[0] != 0 || s[2] != 1 {
		t.Errorf("after a failed attempt the stones are %v", s)
	}
}

// Rules: those that are in force, and only ko can be changed.
func TestKataRules(t *testing.T) {
	const other = `"friendlyPassOk":false,"hasButton":false,`
	const rest = `,"scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"0"}`
	e := newEngine(t, newLowest(), "go:size=3,players=2,pass=free")
	dialogue(t, e, [][2]string{
		{"kata-get-rules", "= {" + other + `"ko":"POSITIONAL"` + rest},
		{"kata-set-rules {" + other + `"ko":"SITUATIONAL"` + rest, "="},
		{"kata-get-rules", "= {" + other + `"ko":"SITUATIONAL"` + rest},
		{`kata-set-rules { "ko" : "simple", "scoring": "area" }`, "="},
		{"kata-get-rules", "= {" + other + `"ko":"SIMPLE"` + rest},
		{"kata-set-rule ko POSITIONAL", "="},
		{"kata-set-rule suicide false", "="},
		{"kata-set-rule whiteHandicapBonus 0", "="},
		{"kata-get-rules", "= {" + other + `"ko":"POSITIONAL"` + rest},
		{"kata-set-rule suicide true", "? rules not supported: suicide is false here"},
		{"kata-set-rule ko TRIPLE", "? rules not supported: ko TRIPLE"},
		{"kata-set-rule gravity 1", "? rules not supported: there is no rule gravity"},
		{"kata-set-rules tromp-taylor",
			"? rules not supported: only such as kata-get-rules answers are, with another ko"},
		{`kata-set-rules {"scoring":"TERRITORY"}`, "? rules not supported: scoring is AREA here"},
		{`kata-set-rules {"ko":7}`, "? rules not supported: ko is POSITIONAL here"},
		{"kata-set-rules {", "? syntax error"},
		{"kata-set-rules",
			"? rules not supported: only such as kata-get-rules answers are, with another ko"},
		{"kata-set-rule ko", "? syntax error"},
		{"get_komi", "= 0"},
		{"komi 6.5", "="},
		{"get_komi", "= 6.5"},
		{"kata-list-params", "= numSearchThreads"},
		{"kata-get-param numSearchThreads", "= 1"},
		{"kata-get-param maxPlayouts", "? no parameter is called maxPlayouts"},
		{"kata-get-param playoutDoublingAdvantage",
			"? no parameter is called playoutDoublingAdvantage"},
		{"rectangular_boardsize 4 4", "="},
		{"rectangular_boardsize 4 5", "? unacceptable size"},
		{"boardsize 4 5", "? unacceptable size"},
		{"boardsize", "? syntax error"},
	})
	dialogue(t, newUCT(t), [][2]string{
		{"kata-list-params", "= maxPlayouts numSearchThreads"},
		{"kata-get-param maxPlayouts", "= 40"},
	})
	// With simple ko a cycle is possible that superko forbids: the game can't have been played.
	e = newEngine(t, newLowest(), "go:size=2,players=2,pass=free,ko=simple,max_plies=20")
	rng, seen := random.New(1, random.Test), map[string]bool{}
	for stones := ""; !seen[stones]; stones = fmt.Sprint(goban.Stones(e.State(), nil)) {
		seen[stones] = true
		legal := e.play.LegalActions()
		if a := legal[rng.IntN(len(legal))]; a != e.pass() || len(legal) == 1 {
			if err := e.Play(e.mover(), a); err != nil {
				t.Fatal(err)
			}
			if a == e.pass() { // the stones are the same, as they may be
				delete(seen, fmt.Sprint(goban.Stones(e.State(), nil)))
			}
		} else {
			delete(seen, stones)
		}
	}
	n := len(e.moves)
	if got := say(t, e, "kata-set-rule ko POSITIONAL\n"); n < 4 || len(e.moves) != n ||
		got != "? rules not supported: a move of the game is illegal by them\n\n" {
		t.Errorf("%d moves, then %d: %q", n, len(e.moves), got)
	}
}
