package anchors

import (
	"context"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/backgammon"
	"tengen/internal/random"
	"tengen/player"
)

// at parses a position of the full game, or with three checkers.
func at(t *testing.T, checkers int, text string) *backgammon.State {
	t.Helper()
	s, err := backgammon.New(checkers).ParsePosition("turn 1 | " + text)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*backgammon.State)
}

func TestBoard(t *testing.T) {
	for text, want := range map[string]string{
		"White to play 3-1 | White 24*2 13*5 8*3 6*5 | Black 24*2 13*5 8*3 6*5": "board:tengen:gnubg:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0",
		"Black to play 6-5 | White 24*2 bar 3*2 | Black bar 6*9":                "board:tengen:gnubg:0:0:0:-1:-2:0:0:0:0:9:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0:0:1:1:6:5:0:0:1:1:1:0:1:-1:0:25:5:10:1:1:2:0:0:0",
	} {
		if got := fibsBoard(at(t, 15, text)); got != want {
			t.Errorf("%s\nis written as %s\nwant          %s", text, got, want)
		}
	}
}

// Turns as GNU Backgammon writes them, and the positions after them.
func TestActions(t *testing.T) {
	for _, c := range []struct{ text, turn, want string }{
		{"White to play 6-5 | White 24 13 3 | Black 20 2", "24/18 13/8",
			"turn 2 | Black to roll | White 18 8 3 | Black 20 2"},
		{"White to play 6-5 | White 13 3 2 | Black 17 2", "13/8*/2",
			"turn 2 | Black to roll | White 3 2*2 | Black bar 2"},
		{"White to play 6-5 | White 13 3 2 | Black 17 2", "13/2",
			"turn 2 | Black to roll | White 3 2*2 | Black 17 2"},
		{"White to play 2-2 | White 13 6*2 | Black 24 3", "13/9 6/4(2)",
			"turn 2 | Black to roll | White 9 4*2 | Black 24 3"},
		{"White to play 5-5 | White bar 15*2 | Black 24 3", "25/20 15/10(2) 20/15",
			"turn 2 | Black to roll | White 15 10*2 | Black 24 3"},
		{"White to play 6-1 | White 6 3 2 | Black 24 5", "6/0 3/2",
			"turn 2 | Black to roll | White 2*2 | Black 24 5"},
	} {
		s := at(t, 3, c.text)
		actions, err := fibsActions(s, c.turn)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for _, a := range actions {
			if !slices.Contains(s.LegalActions(nil), a) {
				t.Fatalf("%s: %s is not legal", c.text, c.turn)
			}
			s.Apply(a)
		}
		if got := s.Position(); got != c.want {
			t.Errorf("%s, %s: %s; want %s", c.text, c.turn, got, c.want)
		}
	}
	for _, turn := range []string{
		"24/18", "24/17 13/8", "roll", "24/x 13/8", "24/18(9)", "26/20 13/8", "take",
	} {
		if a, err := fibsActions(at(t, 3, "White to play 6-5 | White 24 13 3 | Black 20 2"),
			turn); err == nil {
			t.Errorf("%q is read as %v", turn, a)
		}
	}
}

// By hand: pairs of 1 and −1, 2 and 0 points.
func TestSummary(t *testing.T) {
	r := summary("a", "b", []int{1, -1, 2, -2, 3, -1, 1, 1}, -3, 3)
	if r.Games != 8 || r.Mean != 0.5 || r.Wins != 5 || r.Gammons != [2]int{2, 1} ||
		*r.Low >= r.Mean || *r.High <= r.Mean || *r.Plain <= 0 {
		t.Errorf("%+v", r)
	}
	if r := summary("a", "b", []int{1, 1, 1, 1}, -3, 3); *r.Low >= 0 || *r.High <= 1 {
		t.Errorf("two pairs that are won: %g to %g", *r.Low, *r.High)
	}
	if r := summary("a", "b", []int{1, 1}, -3, 3); r.Low != nil || r.High != nil || r.Plain != nil {
		t.Errorf("one pair has an interval: %+v", r)
	}
}

// A program that is not installed is told with what installs it.
func TestNotInstalled(t *testing.T) {
	_, err := look("no/such/gnubg")
	if err == nil || err.Error() !=
		"GNU Backgammon (no/such/gnubg) is not installed; on Debian: apt-get install gnubg" {
		t.Error(err)
	}
}

// start starts GNU Backgammon, or skips the test where it is not installed.
func start(t *testing.T) *GNU {
	path, err := FindGNU()
	if err != nil {
		t.Skip(err)
	}
	e, err := StartGNU(t.Context(), GNUOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// Its turns are legal here, all through random games of both kinds.
func TestTurnsOfTheProgram(t *testing.T) {
	e := start(t)
	for _, checkers := range []int{3, 15} {
		g := backgammon.New(checkers)
		for i := range 3 {
			rng := random.New(1, random.Test, 91, uint64(i))
			s := g.NewState().(*backgammon.State)
			for s.CurrentPlayer() != game.Nobody {
				if s.CurrentPlayer() == game.Chance {
					s.Apply(s.Sample(rng))
					continue
				}
				legal := s.LegalActions(nil)
				if legal[0] == backgammon.Pass || s.CurrentPlayer() == 0 {
					s.Apply(legal[rng.IntN(len(legal))])
					continue
				}
				actions, err := e.Turn(s)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range actions {
					s.Apply(a)
				}
			}
		}
	}
}

// It beats random play; the same match is the same again.
func TestMatch(t *testing.T) {
	e := start(t)
	g := backgammon.New(15)
	p, err := player.Parse(g, "random")
	if err != nil {
		t.Fatal(err)
	}
	var results [2]*GNUResult
	for i := range results {
		if results[i], err = PlayGNU(context.Background(), g, e, p, 10, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if *results[0] != *results[1] || results[0].Mean > -1 || results[0].Games != 20 {
		t.Errorf("%+v, again %+v", results[0], results[1])
	}
}
