package kuhn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

func TestConform(t *testing.T) {
	for _, name := range []string{"kuhn", "kuhn:players=3"} {
		t.Run(name, func(t *testing.T) { gametest.Conform(t, game.Must(game.New(name))) })
	}
}

// dealt returns the state after the cards have been dealt, such as "KJ".
func dealt(t *testing.T, cards string) *State {
	t.Helper()
	s := New(len(cards)).NewState().(*State)
	for _, c := range cards {
		s.Apply(Deal(strings.IndexRune(ranks, c)))
	}
	return s
}

// Chips won by acts: p is pass, b is bet.
func TestChips(t *testing.T) {
	for _, c := range []struct {
		cards, acts string
		want        []float32
	}{
		{"KJ", "pp", []float32{1, -1}}, {"JQ", "pp", []float32{-1, 1}},
		{"JK", "bp", []float32{1, -1}}, {"JK", "bb", []float32{-2, 2}},
		{"KQ", "bb", []float32{2, -2}},
		{"KJ", "pbp", []float32{-1, 1}}, {"KJ", "pbb", []float32{2, -2}},
		{"QK", "pbb", []float32{-2, 2}},
		{"JQK", "ppp", []float32{-1, -1, 2}}, {"AQK", "ppp", []float32{2, -1, -1}},
		{"JQK", "bpp", []float32{2, -1, -1}}, {"JQK", "bbp", []float32{-2, 3, -1}},
		{"JQK", "bpb", []float32{-2, -1, 3}},
		{"AQK", "bbb", []float32{4, -2, -2}}, {"AQK", "pbpp", []float32{-1, 2, -1}},
		{"AQK", "pbbp", []float32{-1, -2, 3}},
		{"AQK", "pbpb", []float32{3, -2, -1}}, {"AQK", "ppbpp", []float32{-1, -1, 2}},
		{"JQA", "ppbbb", []float32{-2, -2, 4}},
	} {
		s := dealt(t, c.cards)
		for i, x := range c.acts {
			if p := s.CurrentPlayer(); int(p) != i%s.g.players {
				t.Fatalf("%s %s: the player to move after %d acts is %d", c.cards, c.acts, i, p)
			}
			s.Apply(map[rune]game.Action{'p': Pass, 'b': Bet}[x])
		}
		if s.CurrentPlayer() != game.Nobody {
			t.Errorf("%s %s: the game is not over", c.cards, c.acts)
		}
		got, utilities := make([]float32, s.g.players), make([]float32, s.g.players)
		s.Scores(got)
		s.Returns(utilities)
		perUtility, atZero := s.g.Chips()
		for p, u := range utilities {
			if got[p] != c.want[p] ||
				math.Abs(float64(u)*perUtility+atZero-float64(got[p])) > 1e-6 {
				t.Errorf("%s %s: the chips are %v, the utilities %v; want %v chips",
					c.cards, c.acts, got, utilities, c.want)
				break
			}
		}
	}
}

// All deals that a seat thinks possible are equally likely.
func TestDeterminize(t *testing.T) {
	s := dealt(t, "QAJ")
	s.Apply(Pass)
	counts := map[string]int{}
	rng, d := random.New(1, random.Test, 70), New(3).NewState().(*State)
	for range 6000 {
		d.CopyFrom(s)
		d.Determinize(rng, 1)
		text := ""
		for _, c := range d.cards {
			text += ranks[c:][:1]
		}
		counts[text]++
	}
	for text, n := range counts {
		if text[1] != 'A' || math.Abs(float64(n)-1000) > 150 {
			t.Errorf("%s is drawn %d times", text, n)
		}
	}
	if len(counts) != 6 {
		t.Errorf("%d deals are drawn; want 6", len(counts))
	}
}

func TestDraw(t *testing.T) {
	s := dealt(t, "QK")
	s.Apply(Pass)
	s.Apply(Bet)
	if got, want := s.DrawFor(0, false), "* player 1   Q   paid 1  passes\n  player 2  [ ]  paid 2  bets\npot 3\nplayer 1 folds (pass) or calls (bet)\n"; got != want {
		t.Errorf("drawn is\n%swant\n%s", got, want)
	}
	s.Apply(Bet)
	if got, want := s.DrawFor(0, false), "  player 1   Q   paid 2  passes, calls\n  player 2   K   paid 2  bets\npot 4\nplayer 2 has won 2\n"; got != want {
		t.Errorf("drawn is\n%swant\n%s", got, want)
	}
}

func TestNotation(t *testing.T) {
	g := New(2)
	for text, want := range map[string]game.Action{
		"check": Pass, "FOLD": Pass, "call": Bet, "deal:k": Deal(2),
	} {
		if a, err := g.ParseAction(nil, text); err != nil || a != want {
			t.Errorf("%q is read as %d, %v; want %d", text, a, err, want)
		}
	}
	if _, err := g.ParseAction(nil, "deal:a"); err == nil {
		t.Error("an ace is dealt to two players")
	}
}

// Two states that differ in others' cards alone look the same.
func TestNothingLeaks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s, d := dealt(t, "JKA"), New(3).NewState().(*State)
		for s.CurrentPlayer() != game.Nobody {
			seat := s.CurrentPlayer()
			d.CopyFrom(s)
			d.Determinize(rng, seat)
			a, b := make([]float32, s.g.Planes().C), make([]float32, s.g.Planes().C)
			s.Observation(a)
			d.Observation(b)
			if !slices.Equal(a, b) || s.DrawFor(seat, true) != d.DrawFor(seat, true) {
				t.Fatalf("%v and %v look different to player %d", s, d, seat+1)
			}
			s.Apply(game.Action(rng.IntN(2)))
		}
	}
}
