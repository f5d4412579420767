package tcg

import (
	"slices"
	"strings"
	"testing"

	"tengen/game"
)

// parsed parses a position of a game.
func parsed(t testing.TB, g *Game, text string) *State {
	t.Helper()
	s, err := g.ParsePosition(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s.(*State)
}

// Every rule by hand: a position, actions by name, and the position after them.
func TestRules(t *testing.T) {
	const small = "tcg:deck=[1/1/1,2/2/2,2/2/2,2/1/0,4/0/3,0/0/7,removal,removal],hand=2"
	for _, c := range []struct {
		what, name, before, actions, after string
	}{
		{
			"the higher Fight stays", small,
			"turn 4 First act 1 | 50 hand - field 4/0/3 1/1/1 deck - | 50 hand 2/2/2 0/0/7 field 2/1/0 2/2/2 deck -",
			"battle 2/1/0",
			"turn 4 First act 2 | 50 hand - field 4/0/3 1/1/1 deck - | 50 hand 2/2/2 0/0/7 field 2/2/2 deck -",
		}, {
			"the lower Fight is removed, and the next card acts", small,
			"turn 4 First act 1 | 50 hand - field 1/1/1 4/0/3 deck - | 50 hand 2/2/2 0/0/7 field 2/1/0 deck -",
			"battle 2/1/0",
			"turn 4 First act 1 | 50 hand - field 4/0/3 deck - | 50 hand 2/2/2 0/0/7 field 2/1/0 deck -",
		}, {
			"a tie removes both", small,
			"turn 4 First act 1 | 50 hand - field 2/1/0 4/0/3 deck - | 50 hand 2/2/2 0/0/7 field 1/1/1 2/2/2 deck -",
			"battle 2/2/2",
			"turn 4 First act 1 | 50 hand - field 4/0/3 deck - | 50 hand 2/2/2 0/0/7 field 1/1/1 deck -",
		}, {
			"of two copies the one that is named falls", small,
			"turn 4 First act 1 | 50 hand - field 4/0/3 deck - | 50 hand 1/1/1 0/0/7 field 2/2/2 2/1/0 2/2/2 deck -",
			"battle 2/2/2#2",
			"turn 5 Second place | 50 hand - field 4/0/3 deck - | 50 hand 1/1/1 0/0/7 field 2/2/2 2/1/0 deck -",
		}, {
			"health may grow without limit", small,
			"turn 4 First act 1 | 49 hand - field 2/2/2 deck - | 50 hand 2/2/2 0/0/7 field - deck -",
			"heal",
			"turn 5 Second place | 51 hand - field 2/2/2 deck - | 50 hand 2/2/2 0/0/7 field - deck -",
		}, {
			"a card may do nothing, and a hand may be kept", small,
			"turn 4 First place | 49 hand 2/2/2 field 2/2/2 deck - | 50 hand 1/1/1 0/0/7 field - deck -",
			"place none, nothing",
			"turn 5 Second place | 49 hand 2/2/2 field 2/2/2 deck - | 50 hand 1/1/1 0/0/7 field - deck -",
		}, {
			"the card that was placed acts in the same turn, after those before it", small,
			"turn 4 First place | 50 hand 0/0/7 field 4/0/3 deck - | 50 hand 2/2/2 1/1/1 field - deck -",
			"place 0/0/7, attack, attack",
			"turn 5 Second place | 50 hand - field 4/0/3 0/0/7 deck - | 40 hand 2/2/2 1/1/1 field - deck -",
		}, {
			"no health left: the game is over at once", small,
			"turn 4 First act 1 | 50 hand - field 4/0/3 2/2/2 deck - | 3 hand 2/2/2 0/0/7 field - deck -",
			"attack",
			"turn 4 First over First | 50 hand - field 4/0/3 2/2/2 deck - | 0 hand 2/2/2 0/0/7 field - deck -",
		}, {
			"a Removal takes one opposing card and is gone", small,
			"turn 4 First place | 50 hand removal field 2/2/2 deck - | 50 hand 1/1/1 0/0/7 field 4/0/3 2/1/0 deck -",
			"place removal, remove 4/0/3, nothing",
			"turn 5 Second place | 50 hand - field 2/2/2 deck - | 50 hand 1/1/1 0/0/7 field 2/1/0 deck -",
		}, {
			"a Removal against nothing has no effect", small,
			"turn 4 First place | 50 hand removal field 2/2/2 deck - | 50 hand 1/1/1 0/0/7 field - deck -",
			"place removal, nothing",
			"turn 5 Second place | 50 hand - field 2/2/2 deck - | 50 hand 1/1/1 0/0/7 field - deck -",
		}, {
			"a turn begins with a draw", small,
			"turn 4 First place | 50 hand - field - deck - | 50 hand 1/1/1 field - deck 2/2/2 removal",
			"place none, draw 2/2/2",
			"turn 5 Second place | 50 hand - field - deck - | 50 hand 1/1/1 2/2/2 field - deck removal",
		}, {
			"a full hand draws nothing", small,
			"turn 4 First place | 50 hand - field - deck - | 50 hand 1/1/1 0/0/7 field - deck 2/2/2",
			"place none",
			"turn 5 Second place | 50 hand - field - deck - | 50 hand 1/1/1 0/0/7 field - deck 2/2/2",
		}, {
			"draw=always: a full hand draws too", small + ",draw=always",
			"turn 4 First place | 50 hand - field - deck - | 50 hand 1/1/1 0/0/7 field - deck 2/2/2",
			"place none, draw 2/2/2",
			"turn 5 Second place | 50 hand - field - deck - | 50 hand 1/1/1 0/0/7 2/2/2 field - deck -",
		}, {
			"an empty deck: nothing is drawn", small,
			"turn 4 First place | 50 hand - field - deck - | 50 hand 1/1/1 field - deck -",
			"place none",
			"turn 5 Second place | 50 hand - field - deck - | 50 hand 1/1/1 field - deck -",
		}, {
			"empty=loss: a player who has to draw from an empty deck loses", small + ",empty=loss",
			"turn 4 First place | 50 hand - field - deck - | 50 hand 1/1/1 field - deck -",
			"place none",
			"turn 5 Second over First | 50 hand - field - deck - | 50 hand 1/1/1 field - deck -",
		}, {
			"empty=loss: a player with a full hand does not have to draw", small + ",empty=loss",
			"turn 4 First place | 50 hand - field - deck - | 50 hand 1/1/1 0/0/7 field - deck -",
			"place none",
			"turn 5 Second place | 50 hand - field - deck - | 50 hand 1/1/1 0/0/7 field - deck -",
		}, {
			"the last turn ends in a draw", small + ",max_turns=5",
			"turn 4 First act 1 | 50 hand - field 0/0/7 deck - | 50 hand 1/1/1 0/0/7 field - deck -",
			"attack",
			"turn 5 Second over nobody | 50 hand - field 0/0/7 deck - | 43 hand 1/1/1 0/0/7 field - deck -",
		}, {
			"battle=any: against one's own, before", small + ",battle=any",
			"turn 4 First act 2 | 50 hand - field 2/2/2 4/0/3 1/1/1 deck - | 50 hand 2/1/0 0/0/7 field - deck -",
			"battle own 2/2/2",
			"turn 4 First act 2 | 50 hand - field 4/0/3 1/1/1 deck - | 50 hand 2/1/0 0/0/7 field - deck -",
		}, {
			"battle=any: against one's own, after, in a tie", small + ",battle=any",
			"turn 4 First act 1 | 50 hand - field 2/2/2 4/0/3 2/1/0 1/1/1 deck - | 50 hand 2/2/2 0/0/7 field - deck -",
			"battle own 2/1/0",
			"turn 4 First act 1 | 50 hand - field 4/0/3 1/1/1 deck - | 50 hand 2/2/2 0/0/7 field - deck -",
		}, {
			"order=free: any card acts next, and one may stop", small + ",order=free",
			"turn 4 First choose | 50 hand - field 2/2/2 4/0/3 2/1/0 deck - | 50 hand 2/2/2 0/0/7 field 1/1/1 deck -",
			"use 4/0/3, battle 1/1/1, use 2/2/2, heal, done",
			"turn 5 Second place | 52 hand - field 2/2/2 4/0/3 2/1/0 deck - | 50 hand 2/2/2 0/0/7 field - deck -",
		}, {
			"order=free: what has acted is remembered when a card is lost", small + ",order=free",
			"turn 4 First choose acted 3 | 50 hand - field 2/1/0 4/0/3 1/1/1 deck - | 50 hand 2/1/0 0/0/7 field 2/2/2 deck -",
			"use 2/1/0, battle 2/2/2",
			"turn 4 First choose acted 2 | 50 hand - field 4/0/3 1/1/1 deck - | 50 hand 2/1/0 0/0/7 field - deck -",
		}, {
			"order=free: the turn ends when all have acted", small + ",order=free",
			"turn 4 First choose acted 2 | 50 hand - field 2/2/2 4/0/3 deck - | 50 hand 2/2/2 0/0/7 field 1/1/1 deck -",
			"use 2/2/2, attack",
			"turn 5 Second place | 50 hand - field 2/2/2 4/0/3 deck - | 48 hand 2/2/2 0/0/7 field 1/1/1 deck -",
		},
	} {
		g := made(t, c.name)
		s := parsed(t, g, c.before)
		for word := range strings.SplitSeq(c.actions, ", ") {
			if card, ok := strings.CutPrefix(word, "draw "); ok {
				cell, err := g.parseCell(card)
				if err != nil || s.CurrentPlayer() != game.Chance {
					t.Fatalf("%s: chance can't draw %s: %v", c.what, card, err)
				}
				s.Apply(game.Action(g.actions + cell))
				continue
			}
			a, err := g.ParseAction(s, word)
			if err != nil || s.CurrentPlayer() < 0 || !slices.Contains(s.LegalActions(nil), a) {
				t.Fatalf("%s: %q is not legal: %v", c.what, word, err)
			}
			s.Apply(a)
		}
		want := parsed(t, g, c.after)
		if s.Position() != want.Position() {
			t.Errorf("%s: after %s comes\n%s\nwant\n%s",
				c.what, c.actions, s.Position(), want.Position())
		}
		if s.Hash() != want.Hash() {
			t.Errorf("%s: the hash after %s is %#x, of the position itself %#x",
				c.what, c.actions, s.Hash(), want.Hash())
		}
	}
}

// TestLegal compares legal actions by name.
func TestLegal(t *testing.T) {
	const deck = "tcg:deck=[1/1/1,2/2/2,2/2/2,2/1/0,4/0/3,0/0/7,removal,removal],hand=2"
	for _, c := range []struct{ name, position, want string }{
		{deck, "turn 0 First place | 50 hand 2/2/2 2/2/2 field - deck - | 50 hand - field - deck -",
			"place none, place 2/2/2"},
		{deck, "turn 0 First place | 50 hand removal removal field - deck - | 50 hand - field - deck -", "place none, place removal"},
		{deck, "turn 0 First place | 50 hand - field - deck - | 50 hand - field - deck -",
			"place none"},
		{deck + ",removal=with-target",
			"turn 0 First place | 50 hand removal field - deck - | 50 hand - field - deck -",
			"place none"},
		{deck + ",removal=with-target",
			"turn 0 First place | 50 hand removal field - deck - | 50 hand - field 1/1/1 deck -",
			"place none, place removal"},
		{
			deck, "turn 0 First target | 50 hand - field - deck - | 50 hand - field 2/2/2 2/2/2 deck -", "remove 2/2/2, remove 2/2/2#2",
		},
		{deck, "turn 0 First act 1 | 50 hand - field 2/1/0 deck - | 50 hand - field 2/2/2 1/1/1 deck -", "nothing, heal, attack, battle 1/1/1, battle 2/2/2"},
		{deck + ",battle=any", "turn 0 First act 2 | 50 hand - field 2/2/2 2/2/2 4/0/3 deck - | 50 hand - field - deck -", "nothing, heal, attack, battle own 2/2/2, battle own 4/0/3"},
		{deck + ",order=free", "turn 0 First choose acted 1 | 50 hand - field 2/2/2 2/2/2 4/0/3 deck - | 50 hand - field - deck -", "done, use 2/2/2#2, use 4/0/3"},
		{deck + ",order=free", "turn 0 First act 2 acted 1 | 50 hand - field 2/2/2 2/2/2 4/0/3 deck - | 50 hand - field - deck -", "heal, attack"},
	} {
		g := made(t, c.name)
		s := parsed(t, g, c.position)
		var names []string
		for _, a := range s.LegalActions(nil) {
			names = append(names, g.ActionName(s, a))
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("%s: legal is %s; want %s", c.position, got, c.want)
		}
	}
}

// A game of two players who do nothing is drawn after 400 turns.
func TestFourHundredTurns(t *testing.T) {
	g := made(t, "tcg:deck=benchmark")
	s := g.NewState()
	actions := 0
	for ; s.CurrentPlayer() != game.Nobody; actions++ {
		s.Apply(Pass)
	}
	var u [2]float32
	s.Returns(u[:])
	if actions != 400 || u != [2]float32{0.5, 0.5} {
		t.Errorf("after %d actions the utilities are %v; want 400 and two halves", actions, u)
	}
}

// The deal: five cards for the first player, then five for the second, then the first
// turn, in which a player with a full hand does not draw.
func TestDeal(t *testing.T) {
	s := made(t, "tcg").NewState().(*State)
	for i := range 10 {
		if s.CurrentPlayer() != game.Chance || len(s.Outcomes(nil)) != 24-i%5 {
			t.Fatalf("card %d: %s has %d outcomes; want %d",
				i, s.Position(), len(s.Outcomes(nil)), 24-i%5)
		}
		s.Apply(s.Outcomes(nil)[0].Action)
	}
	const want = "turn 0 First place | 50 hand 1/1/1 1/0/3 1/1/2 4/1/0 removal field - deck"
	if !strings.HasPrefix(s.Position(), want) {
		t.Errorf("after the deal the position is %s; want the beginning %s", s.Position(), want)
	}
	// One of the two Removals is drawn with probability 2/21.
	u := made(t, "tcg").NewState().(*State)
	for range 4 {
		u.Apply(u.Outcomes(nil)[0].Action)
	}
	if o := u.Outcomes(nil)[0]; o.Probability != 2.0/21 {
		t.Errorf("a Removal is drawn with probability %v; want 2/21", o.Probability)
	}
}

// The hand of the paper's tables, the same for both players.
func TestBenchmark(t *testing.T) {
	s := made(t, "tcg:deck=benchmark").NewState().(*State)
	const side = "50 hand 2/1/1 4/1/1 1/3/3 2/3/2 6/6/6 field - deck 1/1/1 1/0/3 4/1/0 removal removal 2/2/2 3/3/0 5/1/0 6/0/0 0/0/7 1/1/5 2/4/1 4/0/3 0/4/4 2/4/2 3/3/2 4/0/4 4/4/0 3/3/3 4/4/4"
	if want := "turn 0 First place | " + side + " | " + side; s.Position() != want {
		t.Errorf("the benchmark begins with\n%s\nwant\n%s", s.Position(), want)
	}
}

// The actions among which playouts choose.
func TestSensible(t *testing.T) {
	const deck = "tcg:deck=[1/1/1,2/2/2,2/1/0,4/0/3,1/0/0,removal,removal],hand=2"
	for _, c := range []struct{ position, want string }{
		{"turn 0 First place | 50 hand 1/1/1 removal field - deck - | 50 hand - field - deck -",
			"place 1/1/1"},
		{"turn 0 First place | 50 hand 1/1/1 removal field - deck - | 50 hand - field 2/2/2 deck -", "place 1/1/1, place removal"},
		{"turn 0 First place | 50 hand removal field - deck - | 50 hand - field - deck -", ""},
		{"turn 0 First act 1 | 50 hand - field 2/2/2 deck - | 50 hand - field 1/1/1 2/1/0 4/0/3 deck -", "heal, attack, battle 1/1/1, battle 2/1/0"},
		{"turn 0 First act 1 | 50 hand - field 4/0/3 deck - | 50 hand - field - deck -", "attack"},
		{"turn 0 First act 1 | 50 hand - field 2/1/0 deck - | 50 hand - field - deck -", "heal"},
		{"turn 0 First act 1 | 50 hand - field 1/0/0 deck - | 50 hand - field 2/2/2 deck -", ""},
		{"turn 0 First target | 50 hand - field 1/0/0 deck - | 50 hand - field 2/2/2 1/1/1 deck -", "remove 1/1/1, remove 2/2/2"},
	} {
		g := made(t, deck)
		s := parsed(t, g, c.position)
		actions, _ := s.legal()
		actions = s.sensible(actions)
		var names []string
		for a := range game.Action(g.Actions()) {
			if actions>>a&1 != 0 {
				names = append(names, g.ActionName(s, a))
			}
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("%s: sensible is %q; want %q", c.position, got, c.want)
		}
	}
}
