package gtp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/goban"
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
