package tcg

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// A View shows what Position writes, and its cards carry all legal actions except
// Pass, Heal and Attack, under their names.
func TestView(t *testing.T) {
	for _, name := range names {
		g := made(t, name)
		for i := range uint64(4) {
			s := g.NewState().(*State)
			for rng := random.New(7, random.Test, i); ; s.Apply(randomAction(s, rng)) {
				checkView(t, s)
				if s.CurrentPlayer() == game.Nobody {
					break
				}
			}
		}
	}
}

// randomAction returns a legal action of s, or a card drawn by chance.
func randomAction(s *State, rng *rand.Rand) game.Action {
	if s.CurrentPlayer() == game.Chance {
		return s.Sample(rng)
	}
	legal := s.LegalActions(nil)
	return legal[rng.IntN(len(legal))]
}

func checkView(t *testing.T, s *State) {
	t.Helper()
	g, view := s.g, s.View()
	position := s.Position()
	if !strings.HasPrefix(position,
		fmt.Sprintf("turn %d %s %s", s.Turn(), g.SeatName(view.Mover), view.Phase)) {
		t.Fatalf("%s: turn %d of %d, %s by %v",
			position, view.Turn, view.MaxTurns, view.Phase, view.Mover)
	}
	carried := map[game.Action]bool{}
	for p, part := range strings.Split(position, "|")[1:] {
		side := view.Sides[p]
		if !g.rules.Representative {
			want := fmt.Sprintf(" %g hand %s field %s deck ",
				side.HP, s.listed(namesOf(side.Hand)), s.listed(namesOf(side.Field)))
			if deck, ok := strings.CutPrefix(strings.TrimSpace(part)+" ",
				strings.TrimPrefix(want, " ")); !ok ||
				len(strings.Fields(strings.Trim(deck, "- "))) != side.Deck {
				t.Fatalf("%s: drawn is%s, %d cards", position, want, side.Deck)
			}
		} else if want := fmt.Sprintf(" left %d ", side.Deck); !strings.Contains(part, want) ||
			side.HP != float64(s.sides[p].hp)/representativeUnit {
			t.Fatalf("%s: drawn are %g health points,%srepresentatives", position, side.HP, want)
		}
		for _, c := range append(side.Hand, side.Field...) {
			if c.Acts != (c.Acts && view.Phase == "act") || c.Acts && c.Acted {
				t.Fatalf("%s: %+v", position, c)
			}
			if c.Action == game.NoAction {
				continue
			}
			carried[c.Action] = true
			words := strings.Fields(g.ActionName(s, c.Action))
			if bare, _, _ := strings.Cut(words[len(words)-1], "#"); bare != c.Name {
				t.Fatalf("%s: %s has the action %v", position, c.Name, words)
			}
		}
	}
	if s.CurrentPlayer() < 0 {
		if len(carried) > 0 {
			t.Fatalf("%s: %v can be chosen, and nobody is to move", position, carried)
		}
		return
	}
	for _, a := range s.LegalActions(nil) {
		if a >= firstCell && !carried[a] {
			t.Fatalf("%s: no card has the action %s", position, g.ActionName(s, a))
		}
		delete(carried, a)
	}
	if len(carried) > 0 {
		t.Fatalf("%s: cards have the actions %v, which are not legal", position, carried)
	}
}

func namesOf(cards []CardView) []string {
	var list []string
	for _, c := range cards {
		list = append(list, c.Name)
	}
	return list
}

// By hand: of two 2/2/2 the second acts in free order, the first has acted; one may
// battle the other, which comes first.
func TestViewOfFreeOrder(t *testing.T) {
	g := made(t, "tcg:deck=[1/1/1,2/2/2,2/2/2,4/0/3,removal],hand=2,battle=any,order=free")
	const sides = " | 50 hand 1/1/1 field 2/2/2 2/2/2 deck - | 50 hand - field 4/0/3 deck -"
	for _, c := range []struct {
		phase        string
		first, other game.Action // of the first 2/2/2, and of the 4/0/3
		text         string
	}{
		{"act 2 acted 1", 10, 7, "First's 2/2/2 acts: heal (own HP 52), attack (Second's HP 48), battle 4/0/3 (2/2/2 falls), battle own 2/2/2 (both fall)\n"},
		{"choose", 5, game.NoAction,
			"First chooses a card that acts: use 2/2/2, use 2/2/2#2, done\n"},
		{"choose acted 1",
			game.NoAction, game.NoAction, "First chooses a card that acts: use 2/2/2#2, done\n"},
	} {
		s := parsed(t, g, "turn 0 First "+c.phase+sides)
		view := s.View()
		field := view.Sides[0].Field
		if field[0].Action != c.first || view.Sides[1].Field[0].Action != c.other ||
			field[0].Acted != strings.Contains(c.phase, "acted") ||
			field[1].Acts != strings.HasPrefix(c.phase, "act") {
			t.Errorf("%s: %+v", c.phase, view)
		}
		if text := s.Draw(false); !strings.HasSuffix(text, c.text) {
			t.Errorf("%s: drawn is\n%s", c.phase, text)
		}
	}
}

// By hand: what may be placed, including a Removal without a target.
func TestSituationToPlace(t *testing.T) {
	g := made(t, "tcg:deck=[1/1/1,2/2/2,4/0/3,removal],hand=2")
	for field, want := range map[string]string{
		"-":     "First may place a card (Fight/Heal/Attack): 1/1/1, removal (no card to take), none\n",
		"2/2/2": "First may place a card (Fight/Heal/Attack): 1/1/1, removal, none\n",
	} {
		s := parsed(t, g,
			"turn 0 First place | 50 hand 1/1/1 removal field - deck - | 50 hand - field "+
				field+" deck -")
		if text := s.Draw(false); !strings.HasSuffix(text, want) {
			t.Errorf("against %s: %s", field, text)
		}
	}
}

// The moves that the guide mentions are moves, and it explains the rules in force.
func TestGuide(t *testing.T) {
	plain := made(t, "tcg")
	for _, form := range []string{
		"place 4/1/1", "4/1/1", "place none", "heal", "attack", "battle 3/3/3", "nothing",
		"remove 3/3/3",
	} {
		if _, err := plain.ParseAction(nil, form); err != nil ||
			!strings.Contains(plain.Guide(), form) {
			t.Errorf("%s: %v", form, err)
		}
	}
	for name, want := range map[string]string{
		"tcg:battle=any": "battle own 3/3/3", "tcg:order=free": "use 3/3/3",
		"tcg:cards=representative": "fight, heal and attack",
	} {
		if text := made(t, name).Guide(); !strings.Contains(text, want) ||
			strings.Contains(plain.Guide(), want) {
			t.Errorf("%s: %s", name, text)
		}
	}
}
