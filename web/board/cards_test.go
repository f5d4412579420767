package board

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	"tengen/game/tcg"
	"tengen/internal/random"
)

var cardGames = []string{
	"tcg",
	"tcg:deck=benchmark,draw=always",
	"tcg:deck=[1/1/1,1/1/1,1/1/1,3/0/2,3/0/2,0/2/9,removal,removal,removal],hand=3,hp=9,battle=any,order=free",
	"tcg:deck=[0/1/0,0/1/0,0/1/0,0/1/0,0/1/0,0/1/0,0/1/0,0/1/0,0/1/0,0/1/0,0/1/0,0/1/0,0/1/0,0/1/0],draw=always",
	"tcg:cards=representative,max_turns=60",
	"tcg:cards=representative,battle=any,order=free,hp=20,max_turns=40",
}

// walk visits the positions of random games of g; look also gets the action played
// next (NoAction at the end).
func walk(g game.Game, games uint64, look func(s *tcg.State, a game.Action)) {
	for i := range games {
		rng := random.New(3, random.Test, i)
		s := g.NewState().(*tcg.State)
		for s.CurrentPlayer() != game.Nobody {
			var a game.Action
			if s.CurrentPlayer() == game.Chance {
				a = s.Sample(rng)
			} else {
				legal := s.LegalActions(nil)
				a = legal[rng.IntN(len(legal))]
			}
			look(s, a)
			s.Apply(a)
		}
		look(s, game.NoAction)
	}
}

// In every phase exactly the legal actions can be chosen. Cards and buttons do not
// overlap or leave the picture, and all cards are drawn.
func TestCardsCanAllBePlayed(t *testing.T) {
	for _, name := range cardGames {
		g := game.Must(game.New(name))
		d := For(g)
		phases := map[string]int{}
		walk(g, 3, func(s *tcg.State, a game.Action) {
			view := s.View()
			phases[view.Phase]++
			f := d.Draw(s, game.Nobody)
			shapes := byKey(f)
			played := map[game.Action]bool{}
			for i, x := range f.Spots {
				played[x.Action] = true
				if x.Name == "" || x.W < 0.2 || !within(x.X, x.Y, x.W, x.H) {
					t.Fatalf("%s: %s: spot %+v", name, s.Position(), x)
				}
				for _, y := range f.Spots[:i] {
					if x.Name == y.Name && x.Action != y.Action &&
						!strings.HasPrefix(x.Name, "Battle") &&
						!strings.HasPrefix(x.Name, "Remove") && !strings.HasPrefix(x.Name, "Use") {
						t.Fatalf("%s: %s: two actions are called %s", name, s.Position(), x.Name)
					}
					if overlap(x.X, x.Y, x.W, x.H, y.X, y.Y, y.W, y.H) {
						t.Fatalf("%s: %s: %+v lies on %+v", name, s.Position(), x, y)
					}
				}
			}
			if s.CurrentPlayer() >= 0 {
				for _, a := range s.LegalActions(nil) {
					if !played[a] {
						t.Fatalf("%s: %s: %s can be played nowhere",
							name, s.Position(), game.ActionName(g, s, a))
					}
					delete(played, a)
				}
			}
			if len(played) > 0 {
				t.Fatalf("%s: %s: %v can be played, and are not legal", name, s.Position(), played)
			}
			var cards []Shape
			for _, x := range f.Shapes {
				if !within(x.X, x.Y, x.W, x.H) {
					t.Fatalf("%s: %s: %+v leaves the picture", name, s.Position(), x)
				}
				if x.Kind == Card {
					for _, y := range cards {
						if overlap(x.X, x.Y, x.W, x.H, y.X, y.Y, y.W, y.H) {
							t.Fatalf("%s: %s: %+v lies on %+v", name, s.Position(), x, y)
						}
					}
					cards = append(cards, x)
				}
			}
			count := 0
			for _, side := range view.Sides {
				count += len(side.Hand) + len(side.Field)
			}
			if len(cards) != count {
				t.Fatalf("%s: %s: %d cards are drawn of %d", name, s.Position(), len(cards), count)
			}
			if said := shapes["said"].Text; said == "" || len(said) > 46 {
				t.Fatalf("%s: %s: %q", name, s.Position(), said)
			}
			if a != game.NoAction {
				if told := d.(Teller).Tell(s, a, game.Nobody); !strings.HasPrefix(told,
					game.SeatName(g, view.Mover)) || strings.HasSuffix(told, ".") {
					t.Fatalf("%s: %s: %q", name, s.Position(), told)
				}
			}
		})
		for _, phase := range []string{"place", "act", "over"} {
			if phases[phase] == 0 {
				t.Errorf("%s: no position to %s was met", name, phase)
			}
		}
		if strings.Contains(name, "removal") &&
			(phases["target"] == 0 || phases["choose"] == 0 || phases["deal"] == 0 ||
				phases["draw"] == 0) {
			t.Errorf("%s: phases %v", name, phases)
		}
	}
}

func within(x, y, w, h float64) bool {
	return x-w/2 >= 0 && x+w/2 <= pictureWidth && y-h/2 >= 0 && y+h/2 <= pictureHeight
}

func overlap(x, y, w, h, x2, y2, w2, h2 float64) bool {
	return math.Abs(x-x2) < (w+w2)/2-1e-9 && math.Abs(y-y2) < (h+h2)/2-1e-9
}

// By hand: the possible actions in a position of each phase, where a click plays them,
// the text in the middle, and the descriptions of the actions.
func TestCardsInWords(t *testing.T) {
	rules := "tcg:deck=[1/1/1,2/2/2,2/2/2,4/0/3,removal],hand=5,hp=50"
	for _, c := range []struct {
		rules, position, said string
		spots, told           []string
	}{
		{
			"", "turn 6 First place | 50 hand 1/1/1 2/2/2 2/2/2 removal field - deck - | 44 hand - field 4/0/3 deck -", "Turn 7 · First may place a card",
			[]string{"Place 1/1/1", "Place Removal", "Place 2/2/2", "Place 2/2/2", "Place no card"},
			[]string{
				"First places 1/1/1", "First places a Removal", "First places 2/2/2",
				"First places 2/2/2", "First places nothing",
			},
		},
		{
			"", "turn 6 First target | 50 hand - field - deck - | 44 hand - field 2/2/2 2/2/2 deck -", "Turn 7 · First’s Removal takes a card",
			[]string{"Remove 2/2/2", "Remove 2/2/2"},
			[]string{
				"First’s Removal takes Second’s 2/2/2", "First’s Removal takes Second’s 2/2/2",
			},
		},
		{
			"", "turn 7 Second act 1 | 3 hand - field 1/1/1 2/2/2 4/0/3 deck - | 44 hand - field 2/2/2 deck -", "Turn 8 · Second’s 2/2/2 acts",
			[]string{"Battle 1/1/1: 1/1/1 falls", "Battle 2/2/2: both fall",
				"Battle 4/0/3: 2/2/2 falls",
				"Heal: Second from 44 to 46 health points",
				"Attack: First from 3 to 1 health points", "Do nothing with 2/2/2"},
			[]string{"Second’s 2/2/2 battles 1/1/1: 1/1/1 falls",
				"Second’s 2/2/2 battles 2/2/2: both fall",
				"Second’s 2/2/2 battles 4/0/3: 2/2/2 falls",
				"Second’s 2/2/2 heals: Second from 44 to 46",
				"Second’s 2/2/2 attacks: First from 3 to 1", "Second’s 2/2/2 does nothing"},
		},
		{
			"", "turn 7 Second act 1 | 2 hand - field - deck - | 44 hand - field 4/0/3 deck -",
			"Turn 8 · Second’s 4/0/3 acts",
			[]string{
				"Heal: Second from 44 to 44 health points",
				"Attack: First from 2 to −1 health points, which wins", "Do nothing with 4/0/3",
			},
			[]string{
				"Second’s 4/0/3 heals: Second from 44 to 44",
				"Second’s 4/0/3 attacks: First from 2 to −1", "Second’s 4/0/3 does nothing",
			},
		},
		{
			",battle=any,order=free", "turn 6 First act 2 acted 1 | 50 hand - field 2/2/2 2/2/2 deck - | 44 hand - field - deck -", "Turn 7 · First’s 2/2/2 acts",
			[]string{
				"Battle 2/2/2: both fall", "Heal: First from 50 to 52 health points",
				"Attack: Second from 44 to 42 health points",
			},
			[]string{
				"First’s 2/2/2 battles its own 2/2/2: both fall",
				"First’s 2/2/2 heals: First from 50 to 52",
				"First’s 2/2/2 attacks: Second from 44 to 42",
			},
		},
		{
			",battle=any,order=free", "turn 6 First choose acted 1 | 50 hand - field 4/0/3 2/2/2 1/1/1 deck - | 44 hand - field - deck -", "Turn 7 · First chooses a card that acts",
			[]string{"Use 2/2/2", "Use 1/1/1", "Let no other card act"},
			[]string{"First chooses 2/2/2", "First chooses 1/1/1", "First is done"},
		},
		{"", "turn 6 First draw | 50 hand - field - deck 2/2/2 | 44 hand - field - deck -",
			"Turn 7 · First draws a card", nil, []string{"First draws 2/2/2"}},
		{"", "turn 6 First over Second | -2 hand - field - deck - | 44 hand - field - deck -",
			"Second has won in turn 7", nil, nil},
		{"", "turn 6 First over nobody | 2 hand - field - deck - | 44 hand - field - deck -",
			"The game is drawn", nil, nil},
	} {
		g := game.Must(game.New(rules + c.rules)).(*tcg.Game)
		s, err := g.ParsePosition(c.position)
		if err != nil {
			t.Fatal(err)
		}
		d := For(g)
		f := d.Draw(s, game.Nobody)
		var spots, told []string
		for _, x := range f.Spots {
			spots = append(spots, x.Name)
			told = append(told, d.(Teller).Tell(s, x.Action, game.Nobody))
		}
		if s.CurrentPlayer() == game.Chance {
			for _, o := range s.(game.Chancer).Outcomes(nil) {
				told = append(told, d.(Teller).Tell(s, o.Action, game.Nobody))
			}
		}
		if diff := cmp.Diff(c.spots, spots) + cmp.Diff(c.told, told); diff != "" {
			t.Errorf("%s: %s", c.position, diff)
		}
		if said := byKey(f)["said"].Text; said != c.said {
			t.Errorf("%s: %q, want %q", c.position, said, c.said)
		}
	}
	// A deal, from the beginning.
	g := game.Must(game.New(rules))
	s := g.NewState().(*tcg.State)
	if told := For(g).(Teller).Tell(s, s.Outcomes(nil)[1].Action, game.Nobody); told !=
		"First is dealt a Removal" {
		t.Errorf("a deal is told as %q", told)
	}
}

// A card keeps its key from the hand to the field, so that the page animates its move.
func TestCardsKeepTheirKeys(t *testing.T) {
	g := game.Must(game.New("tcg:deck=[1/1/1,2/2/2,2/2/2,4/0/3,removal],hand=5")).(*tcg.Game)
	s, err := g.ParsePosition("turn 6 First place | 50 hand 1/1/1 4/0/3 2/2/2 field - deck - | 44 hand - field 4/0/3 deck -")
	if err != nil {
		t.Fatal(err)
	}
	d := For(g)
	before := byKey(d.Draw(s, game.Nobody))
	a, err := g.ParseAction(s, "place 4/0/3")
	if err != nil {
		t.Fatal(err)
	}
	s.Apply(a)
	after := byKey(d.Draw(s, game.Nobody))
	const key = "0/4/0/3/1"
	if before[key].Of != "First’s hand" || after[key].Of != "First’s field" ||
		after[key].Text != before[key].Text || after[key].At != "4/0/3, acting" {
		t.Errorf("before %+v, after %+v", before[key], after[key])
	}
	if other := "1/4/0/3/1"; after[other].Of != "Second’s field" ||
		!strings.Contains(after["hint "+other].Text, "both fall") {
		t.Errorf("%+v, %+v", after[other], after["hint "+other])
	}
}

// The size of n things in a box: by hand, and for many n they lie in it.
func TestSpread(t *testing.T) {
	b := box{left: 1, top: 2, width: 10, height: 4}
	if w, at := b.spread(3, 2, 1, 0.5); w != 2 ||
		!cmp.Equal(at, [][2]float64{{3.5, 4}, {6, 4}, {8.5, 4}}) {
		t.Errorf("three: %g, %v", w, at)
	}
	// In one row 0.5 each, in two rows 1.5: two rows of five.
	if w, at := b.spread(10, 9, 1, 0.5); w != 1.5 || len(at) != 10 ||
		!cmp.Equal(at[0], [2]float64{2, 3}) || !cmp.Equal(at[9], [2]float64{10, 5}) {
		t.Errorf("ten: %g, %v", w, at)
	}
	for n := range 60 {
		w, at := b.spread(n, 3, 1.3, 0.1)
		if len(at) != n {
			t.Fatalf("%d: %v", n, at)
		}
		for i, p := range at {
			if p[0]-w/2 < b.left || p[0]+w/2 > b.left+b.width || p[1]-1.3*w/2 < b.top ||
				p[1]+1.3*w/2 > b.top+b.height {
				t.Fatalf("%d: %v with %g leaves the box", n, p, w)
			}
			for _, q := range at[:i] {
				if overlap(p[0], p[1], w, 1.3*w, q[0], q[1], w, 1.3*w) {
					t.Fatalf("%d: %v lies on %v", n, p, q)
				}
			}
		}
	}
}
