package gametest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/game/gametest"
	"tengen/internal/random"
)

func TestGoldenReplaysByHand(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"sound", "# Left takes the middle.\n\ngame toy:broken=nothing\n" + handPlayed, ""},
		{
			"twice", "game toy:broken=nothing\n" + handPlayed + "game toy:broken=nothing\n" +
				handPlayed, "",
		},
		{"another game", "game toy\n" + handPlayed, `:1: "game toy", but`},
		{"no game", handPlayed, ":1: "},
		{"empty", "\n", "no playthrough"},
		{
			"cut short", "game toy:broken=nothing\n" +
				handPlayed[:strings.Index(handPlayed, "returns")], "does not end",
		},
		{"begun again", "game toy:broken=nothing\ngame toy:broken=nothing\n",
			":2: a playthrough begins"},
		{"early returns", "game toy:broken=nothing\nreturns 1 0\n", "should be over"},
		{"nonsense", "game toy:broken=nothing\nfoo\n", "not of the form"},
		{"seat", edited("0 plays 2", "1 plays 2"), ":4: 0 is to move, not 1"},
		{"legal", edited("of 0-1 3-4", "of 0 1 3-4"), ":5: the legal actions are"},
		{"chance", edited("11=0.33333333 13", "11=0.3 13"), ":3: the outcomes"},
		{"played", edited("0 plays 2", "0 plays 7"), "not among"},
		{"returns", edited("returns 1 0", "returns 0.5 0.5"), "the utilities are"},
		{"returns of one", edited("returns 1 0", "returns 1"), "the utilities are"},
		{"over", edited("returns", "0 plays 5 of 5\nreturns"), "is over"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "golden.txt")
			if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			var r recorder
			gametest.Golden(&r, &toy{broken: "nothing"}, file)
			got := strings.Join(r.failures, "\n")
			if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
				t.Errorf("reported is %q; want %q", got, c.says)
			}
		})
	}
}

// handPlayed is the rest of a playthrough, with cards 2 and 0: Left ends with 2+3+2+1
// points, Right with 0+2+1.
const handPlayed = `chance plays 12 of 10=0.25 11=0.25 12=0.25 13=0.25
chance plays 10 of 10=0.33333333 11=0.33333333 13=0.33333333
0 plays 2 of 0-4
1 plays 0 of 0-1 3-4
0 plays 1 of 1 3-4
1 plays 3 of 3-4
0 plays 5 of 5
returns 1 0
`

// edited returns a playthrough with one piece of text replaced.
func edited(from, to string) string {
	text := "game toy:broken=nothing\n" + handPlayed
	if strings.Count(text, from) != 1 {
		panic(from + " does not occur exactly once in the playthrough")
	}
	return strings.Replace(text, from, to, 1)
}

func TestGoldenMissingFile(t *testing.T) {
	var r recorder
	gametest.Golden(&r, &toy{broken: "nothing"}, filepath.Join(t.TempDir(), "absent.txt"))
	if len(r.failures) != 1 || !strings.Contains(r.failures[0], "absent.txt") {
		t.Errorf("reported is %q; want one failure that names the file", r.failures)
	}
}

func TestRecordWritesWhatGoldenReads(t *testing.T) {
	var b strings.Builder
	for i := range uint64(20) {
		s := (&toy{broken: "nothing"}).NewState()
		if err := gametest.Record(&b, "toy:broken=nothing",
			2, s, random.New(1, random.Test, i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(b.String(), "\n"); n != 20*9 {
		t.Errorf("%d lines are written; want 20 games of 9 lines each", n)
	}
	file := filepath.Join(t.TempDir(), "golden.txt")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	gametest.Golden(t, &toy{broken: "nothing"}, file)
	var r recorder
	gametest.Golden(&r, &toy{broken: "range"}, file)
	if len(r.failures) != 1 || !strings.Contains(r.failures[0], "but the game is") {
		t.Errorf("reported is %q; want an error about the name", r.failures)
	}
}

func TestRecordRefusesStuckGame(t *testing.T) {
	var b strings.Builder
	s := (&toy{broken: "no legal action"}).NewState()
	err := gametest.Record(&b, "toy", 2, s, random.New(1, random.Test))
	if err == nil || !strings.Contains(err.Error(), "no action is legal") {
		t.Errorf("the error is %v; want one about legal actions", err)
	}
}
