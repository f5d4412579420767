package gtp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/game/goban"
	"tengen/interop/sgf"
	"tengen/player"
	"tengen/search"
)

// diagram is a position whose statuses are known.
type diagram struct {
	name       string
	size       int
	stones     []game.Player
	dead, seki []bool
}

// readDiagrams reads testdata/status: X and O are stones that live, x and o dead ones, B and W
// black and white ones in a seki.
func readDiagrams(t *testing.T) (list []diagram) {
	files, err := filepath.Glob("testdata/status/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := diagram{name: strings.TrimSuffix(filepath.Base(file), ".txt")}
		for word := range strings.FieldsSeq(string(text)) {
			c := game.Nobody
			switch {
			case strings.Contains("XxB", word):
				c = 0
			case strings.Contains("OoW", word):
				c = 1
			case word != ".":
				t.Fatalf("%s: %q", file, word)
			}
			d.stones = append(d.stones, c)
			d.dead, d.seki = append(d.dead, word == "x" || word == "o"),
				append(d.seki, word == "B" || word == "W")
		}
		for d.size*d.size < len(d.stones) {
			d.size++
		}
		list = append(list, d)
	}
	return list
}

// engine returns an engine with the position.
func (d *diagram) engine(t *testing.T) *Engine {
	e := newEngine(t, newLowest(), fmt.Sprintf("go:size=%d,players=2,pass=free", d.size))
	if err := e.SetUp(d.stones, 0); err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	return e
}

// The statuses of stones in positions in which they are known, in each orientation, and with the
// colours exchanged.
func TestStatus(t *testing.T) {
	for n, d := range readDiagrams(t) {
		e := d.engine(t)
		ways := e.game.(game.Symmetric).Symmetries()
		// each diagram is turned or mirrored in one way, and together in all
		turned := 1 + n%(len(ways)-1)
		for i, way := range ways {
			if i > 0 && (i != turned || d.size > 9) {
				continue
			}
			for swap := range 2 {
				x := diagram{
					name: d.name, size: d.size, stones: slices.Clone(d.stones),
					dead: slices.Clone(d.dead), seki: slices.Clone(d.seki),
				}
				for p, c := range d.stones {
					q := way.Actions[p]
					if x.stones[q] = c; c != game.Nobody && swap == 1 {
						x.stones[q] = 1 - c
					}
					x.dead[q], x.seki[q] = d.dead[p], d.seki[p]
				}
				s, err := goban.SetUp(e.game, x.stones, 0)
				if err != nil {
					t.Fatal(err)
				}
				got := e.status(s)
				for p := range x.stones {
					if got.dead[p] != x.dead[p] || got.seki[p] != x.seki[p] {
						t.Errorf("%s, symmetry %d, swapped %d: %s: dead %v, seki %v; kept in %d of 1000 games", d.name, i, swap, vertex(e.game, game.Action(p)), got.dead[p],
							got.seki[p], e.rollouts.owned[p][x.stones[p]]*1000/e.rollouts.number)
						break
					}
				}
			}
		}
	}
}

// The forms in which up to six stones are taken so that their taker may get one eye only.
func TestNakade(t *testing.T) {
	for form, want := range map[string]bool{
		"X": true, "XX": true, "XXX": true, "XX/X.": true,
		"XXXX": false, "XX/XX": true, "XXX/.X.": true, "XX./.XX": false, "XXX/X..": false,
		".X./XXX/.X.": true, "XXX/XX.": true, "XXXX/.X..": false, "XXXXX": false,
		".XX/XXX/.X.": true, "XXX/XXX": false, ".X../XXXX/.X..": false,
		"XXX/XXX/X..": false,
	} {
		r := newReading(5)
		stones := make([]game.Player, 25)
		for p := range stones {
			stones[p] = game.Nobody
		}
		first := -1
		for y, row := range strings.Split(form, "/") {
			for x, mark := range row {
				if p := (y+1)*5 + x; mark == 'X' {
					stones[p], first = 0, p
				}
			}
		}
		r.set(stones)
		r.chain(r.point(first), 100)
		if got := r.nakade(); got != want {
			t.Errorf("%s: %v", form, got)
		}
	}
}

// passer passes whatever the position.
type passer struct{}

func (passer) Name() string                                 { return "passer" }
func (passer) NewEvaluator(game.Game, int) search.Evaluator { return nil }
func (passer) NewAgent(game.Game) player.Agent              { return passer{} }
func (passer) Deliver(search.Evaluations)                   {}
func (passer) Begin(*rand.Rand)                             {}
func (passer) Played(game.Action)                           {}
func (passer) SetDeadline(clock.Deadline)                   {}
func (passer) Think(s game.State, _ search.Requests) (game.Action, bool) {
	legal := s.LegalActions(nil)
	return legal[len(legal)-1], true
}

// deadOf returns the number of dead stones of a colour.
func (t *status) deadOf(color game.Player) (n int) {
	for p, dead := range t.dead {
		if dead && t.stones[p] == color {
			n++
		}
	}
	return n
}

// Before it passes a player takes the dead stones of the other, whoever passes first, and loses
// nothing by it. Then the board counts what the score without dead stones did.
func TestCapturesFirst(t *testing.T) {
	taken := 0
	for _, d := range readDiagrams(t) {
		if d.size > 9 {
			continue // as with fewer points, for longer
		}
		for color := range game.Player(2) {
			e := d.engine(t)
			e.config.Player = passer{}
			before := e.status(e.State())
			dead, own, lead := before.deadOf(1-color), before.deadOf(color), before.lead(color)
			taken += dead
			if err := e.Play(1-color, e.pass()); err != nil {
				t.Fatal(err)
			}
			for range 150 {
				a, err := e.GenMove(color)
				if err != nil {
					t.Fatal(err)
				}
				if a == e.pass() {
					break
				}
				if err := e.Play(1-color, e.pass()); err != nil {
					t.Fatal(err)
				}
			}
			after := e.status(e.State())
			if n := after.deadOf(1 - color); n > 0 || after.deadOf(color) > own {
				t.Errorf("%s, %s: of %d dead stones %d are left, and of its own %d are dead, where %d were:\n%s", d.name, colorWord(color), dead, n, after.deadOf(color), own,
					e.State().(game.Drawn).Draw(false))
			}
			if now := after.lead(color); now < lead {
				t.Errorf("%s, %s: its lead of %d points is %d", d.name, colorWord(color), lead, now)
			}
			if own == 0 && sgf.Margin(e.State()) != e.margin() {
				t.Errorf("%s, %s: on the board it is %v, without dead stones %v",
					d.name, colorWord(color), sgf.Margin(e.State()), e.margin())
			}
		}
	}
	if taken < 100 {
		t.Errorf("the diagrams have %d dead stones", taken)
	}
}

// Without time for it, the player passes.
func TestCapturesByClock(t *testing.T) {
	for line, want := range map[string]bool{
		"time_left b 0 0": false, "time_left b 60 0": true, "time_settings 0 0 0": true,
	} {
		e := invaders(t, passer{})
		now := time.Unix(1000, 0)
		e.config.Now = func() time.Time { return now }
		say(t, e, line+"\n")
		if got := say(t, e, "genmove b\n"); (got != "= pass\n\n") != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// invaders is an engine in the position of this name.
func invaders(t *testing.T, p player.Player) *Engine {
	for _, d := range readDiagrams(t) {
		if d.name == "invaders" {
			e := d.engine(t)
			e.config.Player = p
			return e
		}
	}
	t.Fatal("there is no diagram of invaders")
	return nil
}

// The commands that tell the status of stones, and the score without the dead.
func TestFinalStatus(t *testing.T) {
	e := invaders(t, passer{})
	for range 2 { // equal positions have equal answers
		dialogue(t, e, [][2]string{
			{"komi 0.5", "="},
			{"final_score", "= B+6.5"},
			{"final_status_list dead", "= B6\nG2"},
			{"final_status_list seki", "="},
			{"final_status_list alive", "= D7 D6 D5 D4 D3 D2 D1\nE7 E6 E5 E4 E3 E2 E1"},
			{"final_status_list black_territory", "= A7\nB7\nC7\nA6\nB6\nC6\nA5\nB5\nC5\nA4\nB4\nC4\nA3\nB3\nC3\nA2\nB2\nC2\nA1\nB1\nC1"},
			{"final_status_list white_territory",
				"= F7\nG7\nF6\nG6\nF5\nG5\nF4\nG4\nF3\nG3\nF2\nG2\nF1\nG1"},
			{"final_status_list dame", "="},
			{"final_status_list", `? syntax error: final_status_list takes one argument, not 0`},
			{"final_status_list DEAD",
				`? syntax error: "DEAD" is no status: alive, seki or dead is wanted`},
			{"play w pass", "="},
			{"play b pass", "="},
		})
	}
	for _, d := range readDiagrams(t) {
		if d.name == "seki-shared" {
			dialogue(t, d.engine(t), [][2]string{
				{"final_status_list seki", "= B9 C9 D9 E9\nG9 G8 F8 E8 D8 C8 B8 A8"},
				{"final_status_list dead", "="},
				{"final_status_list dame", "= A9\nF9"},
			})
		}
	}
}

// A move that is asked for by reg_genmove is that of genmove, is not played, and is the same
// whatever came before.
func TestRegGenMove(t *testing.T) {
	e := newEngine(t, player.UCT{Simulations: 30, C: 0.8, Utility: player.Unit}, five)
	dialogue(t, e, [][2]string{
		{"reg_genmove", "? syntax error: reg_genmove takes one argument, not 0"},
		{"reg_genmove green", `? syntax error: "green" is no colour: b or w is wanted`},
		{"known_command reg_genmove", "= true"},
	})
	first := say(t, e, "reg_genmove b\n")
	for _, before := range []string{
		"", "genmove b\nundo\n", "clear_board\n", "play b c3\ngenmove w\nclear_board\n",
		"reg_genmove w\n", "time_settings 60 0 0\ntime_settings 0 0 0\n",
	} {
		say(t, e, before)
		if got := say(t, e, "reg_genmove b\n"); got != first || len(first) < 5 {
			t.Errorf("after %q it is %q, before it was %q", before, got, first)
		}
	}
	if got := say(t, newEngine(t, e.config.Player, five), "genmove b\n"); got != first {
		t.Errorf("genmove is %q, reg_genmove %q", got, first)
	}
	say(t, e, "clear_board\ntime_settings 10 0 0\nplay b c3\n")
	clocks := e.clocks
	board := say(t, e, "showboard\n")
	say(t, e, "reg_genmove w\nreg_genmove b\n")
	if e.clocks[0].Left() != clocks[0].Left() || e.clocks[1].Left() != clocks[1].Left() {
		t.Errorf("it takes time of the clocks: %+v", e.clocks)
	}
	if got := say(t, e, "showboard\n"); got != board {
		t.Errorf("it changes the board to %s", got)
	}
	dialogue(t, e, [][2]string{{"undo", "="}, {"undo", "? cannot undo"}})
	e = invaders(t, passer{}) // what comes before a pass comes here too
	if got := say(t, e, "reg_genmove b\n"); got == "= pass\n\n" || got != say(t, e, "genmove b\n") {
		t.Errorf("instead of a pass it is %q", got)
	}
}

// After a dispute about dead stones they are taken, where genmove would do something else.
func TestGenMoveCleanup(t *testing.T) {
	e := invaders(t, newLowest())
	say(t, e, "play b pass\nplay w pass\n")
	var moves []string
	for range 10 {
		got := strings.TrimSpace(strings.TrimPrefix(say(t, e, "kgs-genmove_cleanup b\n"), "="))
		say(t, e, "play w pass\n")
		if moves = append(moves, got); e.status(e.State()).deadOf(1) == 0 {
			break
		}
	}
	if strings.Contains(strings.Join(moves, " "), "A7") || len(moves) > 4 ||
		!strings.Contains(say(t, e, "showboard\n"), " 6  X . X X O") {
		t.Errorf("it plays %v", moves)
	}
	// Nothing is left to take: the player decides.
	if got := say(t, e, "kgs-genmove_cleanup b\n"); got != "= A7\n\n" {
		t.Errorf("without dead stones it plays %q", got)
	}
	dialogue(t, e, [][2]string{
		{"kgs-genmove_cleanup", "? syntax error: kgs-genmove_cleanup takes one argument, not 0"},
	})
}
