package goban

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
)

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"go":                          "go:size=5,players=3",
		"go:players=2":                "go:size=5,players=2",
		"go:rows=4,columns=4":         "go:size=4,players=3",
		"go:columns=3,rows=2":         "go:rows=2,columns=3,players=3",
		"go:komi=[0,0,0]":             "go:size=5,players=3",
		"go:players=2,komi=[0, 6.5]":  "go:size=5,players=2,komi=[0,6.5]",
		"go:max_plies=150":            "go:size=5,players=3",
		"go:max_plies=151,ko=simple":  "go:size=5,players=3,ko=simple,max_plies=151",
		"go:pass=forced,eye=diagonal": "go:size=5,players=3",
		"go:pass=free,eye=chain,reward=win,ko=positional": "go:size=5,players=3,pass=free,eye=chain,reward=win",
	} {
		g, err := game.New(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if g.Name() != want {
			t.Errorf("%s: the name is %s, want %s", text, g.Name(), want)
		}
	}
}

// Each error names the key and what is accepted.
func TestErrors(t *testing.T) {
	for text, words := range map[string][]string{
		"go:size=0":               {"size=0", "1 to 19"},
		"go:size=20":              {"size=20", "1 to 19"},
		"go:rows=5":               {"rows=5", "columns is wanted"},
		"go:columns=5":            {"columns=5", "rows is wanted"},
		"go:size=5,rows=3":        {"size=5", "rows and columns"},
		"go:rows=3,columns=x":     {"columns=x", "1 to 19"},
		"go:players=5":            {"players=5", "2 to 4"},
		"go:komi=[1,2]":           {"komi=[1,2]", "one number per colour", "3"},
		"go:komi=5":               {"komi=5", "brackets"},
		"go:komi=[0,NaN,0]":       {"komi=", "finite"},
		"go:komi=[0,2000,0]":      {"komi=", "-1000 to 1000"},
		"go:ko=super":             {"ko=super", "positional", "situational", "simple"},
		"go:pass=never":           {"pass=never", "forced, free"},
		"go:eye=real":             {"eye=real", "diagonal, chain, orthogonal"},
		"go:reward=points":        {"reward=points", "score, win"},
		"go:max_plies=0":          {"max_plies=0", "1 to 20000"},
		"go:max_plies=1000000000": {"max_plies=1000000000", "1 to 20000"},
		"go:colour=3":             {"colour"},
		"go:5":                    {"5", "key=value"},
	} {
		_, err := game.New(text)
		if err == nil {
			t.Errorf("%s is accepted", text)
			continue
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: the error %q does not say %q", text, err, w)
			}
		}
	}
	for _, r := range []Rules{
		{Rows: 0, Columns: 5, Players: 3},
		{Rows: 5, Columns: 20, Players: 3},
		{Rows: 5, Columns: 5, Players: 1},
		{Rows: 5, Columns: 5, Players: 2, Komi: []float64{1}},
		{Rows: 5, Columns: 5, Players: 2, Komi: []float64{0, math.Inf(1)}},
		{Rows: 5, Columns: 5, Players: 2, Ko: "none"},
		{Rows: 5, Columns: 5, Players: 2, MaxPlies: -1},
	} {
		if _, err := New(r); err == nil {
			t.Errorf("%+v is accepted", r)
		}
	}
}

func TestFacts(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	if g.Actions() != 25 || g.Players() != 3 || g.Planes() != (game.Shape{C: 6, H: 5, W: 5}) ||
		game.PointsPerUtility(g) != 25 {
		t.Errorf("actions %d, players %d, planes %v, points a utility %v",
			g.Actions(), g.Players(), g.Planes(), game.PointsPerUtility(g))
	}
	if s := g.Support(); len(s) != 26 || s[0] != 0 || s[9] != 0.36 || s[25] != 1 {
		t.Errorf("support %v", s)
	}
	if _, ok := g.(game.ConstantSum); ok {
		t.Error("scores do not always sum to the same")
	}
	w := game.Must(game.New("go:rows=2,columns=3,players=4,reward=win,pass=free"))
	if w.Actions() != 7 || w.Planes() != (game.Shape{C: 8, H: 2, W: 3}) ||
		game.PointsPerUtility(w) != 1 {
		t.Errorf("actions %d, planes %v, points a utility %v",
			w.Actions(), w.Planes(), game.PointsPerUtility(w))
	}
	if want := []float32{0, 0.25, 1. / 3, 0.5, 1}; !slices.Equal(w.Support(), want) {
		t.Errorf("support %v, want %v", w.Support(), want)
	}
	if c, ok := w.(game.ConstantSum); !ok || c.UtilitySum() != 1 {
		t.Error("win shares sum to one")
	}
	for p, name := range []string{"Black", "White", "Red", "Blue"} {
		if got := game.SeatName(w, game.Player(p)); got != name {
			t.Errorf("seat %d is %s", p, got)
		}
	}
}

func TestSymmetries(t *testing.T) {
	for name, want := range map[string]int{
		"go:size=5": 8, "go:size=9": 8, "go:rows=2,columns=3": 4, "go:rows=3,columns=2": 4,
		"go:rows=1,columns=4": 2, "go:rows=4,columns=1": 2, "go:size=1": 1,
		"go:size=2,pass=free": 8,
	} {
		g := game.Must(game.New(name))
		list := g.(game.Symmetric).Symmetries()
		if len(list) != want {
			t.Errorf("%s has %d symmetries, want %d", name, len(list), want)
		}
		for i, p := range list[0].Cells {
			if p != i {
				t.Errorf("%s: the first symmetry is not the identity", name)
				break
			}
		}
	}
}
