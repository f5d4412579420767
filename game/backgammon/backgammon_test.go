package backgammon

import (
	"io"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

func TestConform(t *testing.T) {
	for _, name := range []string{
		"backgammon", "backgammon:checkers=3", "backgammon:checkers=2", "backgammon:checkers=1",
	} {
		t.Run(name, func(t *testing.T) { gametest.Conform(t, game.Must(game.New(name))) })
	}
}

func TestGolden(t *testing.T) {
	for file, g := range map[string]*Game{
		"testdata/backgammon.txt": New(15), "testdata/hypergammon.txt": New(3),
	} {
		gametest.Rewrite(t, file, func(w io.Writer) error {
			for i := range uint64(2) {
				if err := gametest.Record(w, g.Name(), players, g.NewState().(*State),
					random.New(1, random.Test, 84, i)); err != nil {
					return err
				}
			}
			return nil
		})
		gametest.Golden(t, g, file)
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"backgammon":            "backgammon:checkers=15",
		"backgammon:checkers=3": "backgammon:checkers=3",
	} {
		if g, err := game.New(text); err != nil || g.Name() != want {
			t.Errorf("%s is made as %v, %v; want %s", text, g, err, want)
		}
	}
	for text, want := range map[string]string{
		"backgammon:checkers=4":  "15, 3, 2 or 1",
		"backgammon:checkers=16": "checkers=16",
		"backgamon":              `did you mean "backgammon"`,
	} {
		if _, err := game.New(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want an error with %q", text, err, want)
		}
	}
}

// What the end is worth: the loser has borne off a checker, none, or none and one is still far
// back.
func TestPoints(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"White to play 6-5 | White 2 | Black 1 2", 1},
		{"White to play 6-5 | White 2 | Black bar 2", 1},
		{"White to play 6-5 | White 2 | Black 18*3", 2},
		{"White to play 6-5 | White 2 | Black 1*3", 2},
		{"White to play 6-5 | White 2 | Black 19 2 1", 3},
		{"White to play 6-5 | White 2 | Black bar 2 1", 3},
		{"White to play 6-5 | White 2 | Black 22 1*2", 3},
	} {
		for _, exchange := range []bool{false, true} {
			g := New(3)
			s := position(t, g, c.text)
			winner := 0
			if exchange {
				s, winner = s.exchanged(), 1
			}
			s.Apply(s.LegalActions(nil)[0])
			var utilities, scores [players]float32
			if s.CurrentPlayer() != game.Nobody {
				t.Fatalf("%s: the game is not over", c.text)
			}
			s.Returns(utilities[:])
			s.Scores(scores[:])
			perUtility, atZero := g.Chips()
			if scores[winner] != float32(c.want) || scores[1-winner] != float32(-c.want) ||
				float32(perUtility)*utilities[winner]+float32(atZero) != scores[winner] {
				t.Errorf("%s: scores %v, utilities %v; want %d points",
					c.text, scores, utilities, c.want)
			}
		}
	}
}

func TestNotation(t *testing.T) {
	g := New(15)
	for _, c := range []struct{ text, word, name string }{
		// blocked: parsed, not legal
		{"White to play 6-5 | White 24*2 13 | Black 7*2 6", "24/18", ""},
		{"White to play 6-5 | White 24*2 13 | Black 6", "24/19", "24/19*"},
		{"White to play 6-5 | White 24*2 13 | Black 6", " 24/19* ", "24/19*"},
		{"Black to play 6-5 | White 24*2 13 | Black bar 6", "BAR/20", "bar/20"},
		{"Black to play 6-5 | White 24*2 13 | Black 4 3", "4/off", "4/off"},
		{"White to play 6-6 | White bar | Black 6*2", "pass", "pass"},
		{"White to roll | White bar | Black 6*2", "3-6", "6-3"},
		{"White to roll | White bar | Black 6*2", "11", "1-1"},
	} {
		s := position(t, g, c.text)
		a, err := g.ParseAction(s, c.word)
		if err != nil || c.name != "" && g.ActionName(s, a) != c.name {
			t.Errorf("%s: %q is read as %s, %v; want %s",
				c.text, c.word, g.ActionName(s, a), err, c.name)
		}
	}
	for _, c := range []struct{ text, word, want string }{
		{"White to play 6-5 | White 24*2 13 | Black 6", "24/20", "by one of the dice 6-5"},
		{"White to play 6-5 | White 24*2 13 | Black 6", "24", "such as 24/18"},
		{"White to play 6-5 | White 24*2 13 | Black 6", "18/24", "such as 24/18"},
		{"White to play 6-5 | White 24*2 13 | Black 6", "6-5", "such as 24/18"},
		{"White to roll | White 24*2 13 | Black 6", "24/18", "a roll"},
		{"White to roll | White 24*2 13 | Black 6", "7-1", "a roll"},
		{"White to roll | White 24*2 13 | Black 6", "6", "a roll"},
	} {
		if a, err := g.ParseAction(position(t, g, c.text), c.word); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q is read as %d, %v; want an error with %q",
				c.text, c.word, a, err, c.want)
		}
	}
}

func TestBadPositions(t *testing.T) {
	g := New(3)
	for text, want := range map[string]string{
		"turn 1 | White to roll | White 24":                                     "four parts",
		"turn x | White to roll | White 24 | Black 24":                          "turn and a number",
		"turn 1 | Red to roll | White 24 | Black 24":                            "White or Black",
		"turn 1 | White to roll | White 24*4 | Black 24":                        "a point such as",
		"turn 1 | White to roll | White 24*2 3 2 | Black 24":                    "more than 3",
		"turn 1 | White to roll | White 24 24 | Black 24":                       "each once",
		"turn 1 | White to roll | White 24 | Black 1":                           "one point",
		"turn 1 | White to roll | White | Black 1":                              "borne off all",
		"turn 1 | White has won | White 2 | Black 1":                            "borne off all",
		"turn 1 | White to open | White 2 | Black 1":                            "only White opens",
		"turn 1 | White to sleep | White 2 | Black 1":                           "is wanted",
		"turn 1 | White to play 7-1 | White 2 | Black 1":                        "a roll",
		"turn 1 | White to play 6-1 2 left from 4 | White 2 | Black 1":          "is wanted",
		"turn 1 | White to play 6-1 after 3 from 4 | White 2 | Black 1":         "is wanted",
		"turn 1 | White to play 6-1 after 1 from 3* | White 2 | Black 1":        "is wanted",
		"turn 1 | White to play 6-6 3 left from 24 | White 24 6 | Black 2":      "",
		"turn 1 | White to play 6-6 3 left from 24 | White 24 6 | Black 13*2 2": "no move can follow",
		"turn 1 | White to play 6-5 after 6 from 24 | White 18 | Black 12*2 1":  "no move can follow",
		"turn 1 | White to play 6-6 3 left from 12 | White 24 6 | Black 13 2":   "no move can follow",
	} {
		if _, err := g.ParsePosition(text); (want == "") != (err == nil) ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want an error with %q", text, err, want)
		}
	}
}

func FuzzParsePosition(f *testing.F) {
	g := New(3)
	f.Add("turn 3 | White to play 6-5 after 6 from 13* | White 7 3 | Black bar 2*2")
	f.Add("turn 3 | Black to play 6-6 2 left from 13 | White 24 3 | Black 7 2*2")
	f.Add("turn 0 | White to open | White 24 23 22 | Black 24 23 22")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := g.ParsePosition(text)
		if err != nil {
			return
		}
		again, err := g.ParsePosition(s.(*State).Position())
		if err != nil || again.Hash() != s.Hash() {
			t.Fatalf("%q is written as %q, which is read as another: %v",
				text, s.(*State).Position(), err)
		}
		rng := random.New(1, random.Test)
		for range 500 { // it can be played on
			switch s.CurrentPlayer() {
			case game.Nobody:
				return
			case game.Chance:
				s.Apply(s.(*State).Sample(rng))
			default:
				legal := s.LegalActions(nil)
				s.Apply(legal[rng.IntN(len(legal))])
			}
		}
	})
}

func TestDraw(t *testing.T) {
	g := New(15)
	s := g.NewState().(*State)
	s.Apply(Roll(6, 2))
	want := ` 13 14 15 16 17 18 |    | 19 20 21 22 23 24 |
  O  ·  ·  ·  X  · |    |  X  ·  ·  ·  ·  O |
  O  ·  ·  ·  X  · |    |  X  ·  ·  ·  ·  O |
  O  ·  ·  ·  X  · |    |  X  ·  ·  ·  ·  · |
  O  ·  ·  ·  ·  · |    |  X  ·  ·  ·  ·  · |
  O  ·  ·  ·  ·  · |    |  X  ·  ·  ·  ·  · |
                   |bar |                   |
  X  ·  ·  ·  ·  · |    |  O  ·  ·  ·  ·  · |
  X  ·  ·  ·  ·  · |    |  O  ·  ·  ·  ·  · |
  X  ·  ·  ·  O  · |    |  O  ·  ·  ·  ·  · |
  X  ·  ·  ·  O  · |    |  O  ·  ·  ·  ·  X |
  X  ·  ·  ·  O  · |    |  O  ·  ·  ·  ·  X |
 12 11 10  9  8  7 |    |  6  5  4  3  2  1 |
O White 167 pips   X Black 167 pips
White has rolled 6-2: 2 moves to play
`
	if got := s.Draw(false); got != want {
		t.Errorf("drawn is\n%swant\n%s", got, want)
	}
	s = position(t, New(15), "Black to play 6-2 | White bar 6*8 | Black 24 2*7")
	want = ` 12 11 10  9  8  7 |    |  6  5  4  3  2  1 |
  ·  ·  ·  ·  ·  · |  O |  ·  ·  ·  ·  X  · |  X off 7
  ·  ·  ·  ·  ·  · |    |  ·  ·  ·  ·  X  · |
  ·  ·  ·  ·  ·  · |    |  ·  ·  ·  ·  X  · |
  ·  ·  ·  ·  ·  · |    |  ·  ·  ·  ·  X  · |
  ·  ·  ·  ·  ·  · |    |  ·  ·  ·  ·  7  · |
                   |bar |                   |
  ·  ·  ·  ·  ·  · |    |  8  ·  ·  ·  ·  · |
  ·  ·  ·  ·  ·  · |    |  O  ·  ·  ·  ·  · |
  ·  ·  ·  ·  ·  · |    |  O  ·  ·  ·  ·  · |
  ·  ·  ·  ·  ·  · |    |  O  ·  ·  ·  ·  · |
  ·  ·  ·  ·  ·  · |    |  O  ·  ·  ·  ·  X |  O off 6
 13 14 15 16 17 18 |    | 19 20 21 22 23 24 |
O White 73 pips   X Black 38 pips
Black has rolled 6-2: 2 moves to play
`
	if got := s.Draw(false); got != want {
		t.Errorf("drawn is\n%swant\n%s", got, want)
	}
}

func BenchmarkRandomGames(b *testing.B) {
	for _, checkers := range []int{3, 15} {
		g := New(checkers)
		b.Run(g.Name(), func(b *testing.B) {
			rng := random.New(1, random.Test)
			initial, s := g.NewState(), g.NewState()
			var buf []game.Action
			plies := 0
			b.ReportAllocs()
			for b.Loop() {
				s.CopyFrom(initial)
				for s.CurrentPlayer() != game.Nobody {
					if s.CurrentPlayer() == game.Chance {
						s.Apply(s.(*State).Sample(rng))
					} else {
						buf = s.LegalActions(buf[:0])
						s.Apply(buf[rng.IntN(len(buf))])
					}
					plies++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(plies), "ns/ply")
		})
	}
}
