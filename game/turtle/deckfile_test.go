package turtle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/game"
)

func TestDeckFile(t *testing.T) {
	for text, want := range map[string]Deck{
		"double_plus: 1\nplus: 5\nminus: 2\nany_plus: 5\nany_minus: 2\narrow: 3\narrow2: 2\n": Standard,
		"# few\narrow2: 2 # high\nplus: 20\n": {0,
			20, 0, 0, 0, 0, 2},
		"{plus: 1, arrow: 3}": {0, 1, 0, 0, 0, 3, 0},
	} {
		if d, err := parseDeck("d.yaml", []byte(text)); err != nil || d != want {
			t.Errorf("%q is read as %v, %v; want %v", text, d, err, want)
		}
	}
	for text, want := range map[string]string{
		"plus: 5\nplsu: 5\n":           `d.yaml:2: a deck has no key "plsu" (did you mean "plus"?); its keys are double_plus, plus, minus, any_plus, any_minus, arrow, arrow2`,
		"plus: 5\n\narrow: 1\nplus: 4": "d.yaml:4: plus is given twice, first on line 1",
		"plus: five\n":                 "d.yaml:1: plus: a whole number from 0 to 20 is wanted",
		"arrow: 1\nplus: 21\n":         "d.yaml:2: plus: a whole number from 0 to 20 is wanted",
		"plus: -1\n":                   "d.yaml:1: plus: a whole number from 0 to 20 is wanted",
		"plus: 1.5\n":                  "d.yaml:1: plus: a whole number from 0 to 20 is wanted",
		"plus: [1]\n":                  "d.yaml:1: plus: a whole number from 0 to 20 is wanted",
		"- plus\n":                     "d.yaml:1: keys and values are wanted",
		"plus: 1\n---\nplus: 1\n":      "a second document; one is wanted",
		"":                             "d.yaml: at least one card is wanted",
		"plus: 0\n":                    "d.yaml: at least one card is wanted",
		"plus: [1\n":                   "d.yaml:1: not YAML: ",
	} {
		if d, err := parseDeck("d.yaml", []byte(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %v, %v; want %s", text, d, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "deck.yaml")
	if err := os.WriteFile(path, []byte("plus: 2\narrow: 4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if g := made(t, "turtle:deck="+path); g.Name() != "turtle:players=2,deck=[0,2,0,0,0,4,0]" {
		t.Errorf("the game of a file is %s", g.Name())
	}
	for name, want := range map[string]string{
		"turtle:deck=nowhere.yaml": "deck=nowhere.yaml: open nowhere.yaml: ",
		"turtle:players=3,deck=" +
			path: "these are 14 cards; 3 players with 5 in hand need at least 15",
		"turtle:deck=" +
			path[:len(path)-
				5]: "standard, FILE.yaml, or a list of 7 numbers such as [1,5,2,5,2,3,2], is wanted",
	} {
		if _, err := game.New(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; want %s", name, err, want)
		}
	}
}
