package board

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	"tengen/game/turtle"
	"tengen/internal/random"
)

var turtleGames = []string{
	"turtle",
	"turtle:players=5",
	"turtle:players=3,hands=open",
	"turtle:players=4,hand=10,deck=[2,5,3,5,2,3,2]",
	"turtle:players=2,start=stacked,squares=4,hand=2,deck=[0,1,3,1,2,1,1],max_turns=60",
}

// raceThrough visits the positions of random games of g; look also gets the action
// played next (NoAction at the end).
func raceThrough(
	g game.Game, games uint64, look func(s game.State, a game.Action, rng *rand.Rand),
) {
	for i := range games {
		rng := random.New(5, random.Test, i)
		s := g.NewState()
		for s.CurrentPlayer() != game.Nobody {
			var a game.Action
			if s.CurrentPlayer() == game.Chance {
				a = s.(game.Chancer).Sample(rng)
			} else {
				legal := s.LegalActions(nil)
				a = legal[rng.IntN(len(legal))]
			}
			look(s, a, rng)
			s.Apply(a)
		}
		look(s, game.NoAction, rng)
	}
}

// In every position exactly the legal actions can be chosen. Nothing leaves the
// picture, cards do not overlap, and turtles are on their squares.
func TestTurtlesCanAllBePlayed(t *testing.T) {
	for _, name := range turtleGames {
		g := game.Must(game.New(name))
		d := For(g)
		layout := d.Layout()
		within := func(x Shape) bool {
			w, h := x.W/2, x.H/2
			if w == 0 {
				w, h = x.R/2, x.R/2
			}
			return x.X-w >= 0 && x.X+w <= layout.Width && x.Y-h >= 0 && x.Y+h <= layout.Height
		}
		for _, x := range layout.Ground {
			if !within(x) {
				t.Errorf("%s: %+v leaves the picture", name, x)
			}
		}
		phases := map[string]int{}
		raceThrough(g, 3, func(s game.State, a game.Action, _ *rand.Rand) {
			view := viewOf(s, game.Nobody)
			phases[view.Phase]++
			f := d.Draw(s, game.Nobody)
			shapes := byKey(f)
			played := map[game.Action]bool{}
			for i, x := range f.Spots {
				played[x.Action] = true
				half := x.W / 2
				if x.W == 0 {
					half = x.R
				}
				if x.Name == "" || half < 0.19 || x.X-half < 0 || x.X+half > layout.Width {
					t.Fatalf("%s: spot %+v", name, x)
				}
				for _, y := range f.Spots[:i] {
					if x.Name == y.Name != (x.Action == y.Action) {
						t.Fatalf("%s: %+v and %+v", name, x, y)
					}
					w, h, w2, h2 := x.W, x.H, y.W, y.H
					if w == 0 {
						w, h = 2*x.R, 2*x.R
					}
					if w2 == 0 {
						w2, h2 = 2*y.R, 2*y.R
					}
					if overlap(x.X, x.Y, w, h, y.X, y.Y, w2, h2) {
						t.Fatalf("%s: %+v lies on %+v", name, x, y)
					}
				}
			}
			if s.CurrentPlayer() >= 0 {
				for _, a := range s.LegalActions(nil) {
					if !played[a] {
						t.Fatalf("%s: %s can be played nowhere", name, game.ActionName(g, s, a))
					}
					delete(played, a)
				}
			}
			if len(played) > 0 {
				t.Fatalf("%s: %v can be played, and are not legal", name, played)
			}
			var cards []Shape
			standing := 0
			for _, x := range f.Shapes {
				if !within(x) {
					t.Fatalf("%s: %+v leaves the picture", name, x)
				}
				if x.Kind == Piece &&
					(strings.HasPrefix(x.Of, "Square") || strings.HasPrefix(x.Of, "Start") ||
						strings.HasPrefix(x.Of, "Goal")) {
					standing++
				}
				if x.Kind != Card {
					continue
				}
				for _, y := range cards {
					if overlap(x.X, x.Y, x.W, x.H, y.X, y.Y, y.W, y.H) {
						t.Fatalf("%s: %+v lies on %+v", name, x, y)
					}
				}
				if x.Of != "" {
					cards = append(cards, x)
				}
			}
			held, stood := 0, 0
			for _, side := range view.Sides {
				held += len(side.Hand)
			}
			for _, stack := range view.Squares {
				stood += len(stack)
			}
			if len(cards) != held || standing != stood {
				t.Fatalf("%s: %d cards are drawn of %d, %d turtles of %d",
					name, len(cards), held, standing, stood)
			}
			if said := shapes["said"].Text; said == "" || len(said) > 60 {
				t.Fatalf("%s: %q", name, said)
			}
			if a != game.NoAction {
				if told := d.(Teller).Tell(s, a, game.Nobody); told == "" ||
					strings.HasSuffix(told, ".") || strings.Contains(told, "a card") ||
					strings.Contains(told, "a turtle") {
					t.Fatalf("%s: %q", name, told)
				}
			}
		})
		for _, phase := range []string{"tiles", "deal", "play", "draw", "over"} {
			if phases[phase] == 0 {
				t.Errorf("%s: no position to %s was met", name, phase)
			}
		}
		if strings.Contains(name, "stacked") && phases["stack"] == 0 {
			t.Errorf("%s: phases %v", name, phases)
		}
	}
}

// What a seat sees and is told is the same for all positions that it can't tell apart,
// and it is offered no actions when others are to move.
func TestTurtlesKeepHandsHidden(t *testing.T) {
	for _, name := range []string{
		"turtle", "turtle:players=5", "turtle:players=3,hand=1,deck=[1,1,3,1,1,1,1],start=stacked",
	} {
		g := game.Must(game.New(name))
		d := For(g)
		other := g.NewState()
		differ := 0
		raceThrough(g, 2, func(s game.State, a game.Action, rng *rand.Rand) {
			for seat := range game.Player(g.Players()) {
				other.CopyFrom(s)
				other.(game.ImperfectInformation).Determinize(rng, seat)
				mine := d.Draw(s, seat)
				if like := d.Draw(other, seat); !reflect.DeepEqual(mine, like) {
					t.Fatalf("%s: seat %d sees more than it may:\n%s",
						name, seat, cmp.Diff(mine, like))
				}
				if s.Hash() != other.Hash() {
					differ++
				}
				if s.CurrentPlayer() >= 0 && seat != s.CurrentPlayer() && len(mine.Spots) > 0 {
					t.Fatalf("%s: seat %d is offered what seat %d can do",
						name, seat, s.CurrentPlayer())
				}
				if s.CurrentPlayer() != game.Chance {
					continue
				}
				// What the others are dealt and draw is described alike, whatever it is.
				view := viewOf(s, game.Nobody)
				told := map[string]bool{}
				for _, o := range s.(game.Chancer).Outcomes(nil) {
					told[d.(Teller).Tell(s, o.Action, seat)] = true
				}
				if view.Phase != "stack" && view.Mover != seat && len(told) != 1 {
					t.Fatalf("%s: seat %d is told %v", name, seat, told)
				}
			}
		})
		if differ == 0 {
			t.Errorf("%s: no two positions differed", name)
		}
	}
}

// By hand: the possible actions, where a click plays them, the text in the middle, and
// the descriptions of the actions.
func TestTurtlesInWords(t *testing.T) {
	g := game.Must(game.New("turtle:hand=4")).(*turtle.Game)
	for _, c := range []struct {
		position, said string
		spots, told    []string
	}{
		{
			"turn 6 player 1 play | 0:RG 2:BYP | red: red+*2 any- arrow2 | green: green+ green- purple+ purple- | deck red+", "Turn 7 · player 1 plays a card",
			[]string{
				"Play any- for blue: blue to square 1 with yellow and purple",
				"Play any- for yellow: yellow to square 1 with purple",
				"Play any- for purple: purple to square 1",
				"Play arrow2 for red: red to square 2", "Play arrow2 for green: green to square 2",
				"Play red+: red to square 1", "Play red+: red to square 1",
			},
			[]string{
				"player 1 plays any-: blue to square 1 with yellow and purple",
				"player 1 plays any-: yellow to square 1 with purple",
				"player 1 plays any-: purple to square 1",
				"player 1 plays arrow2: red to square 2",
				"player 1 plays arrow2: green to square 2",
				"player 1 plays red+: red to square 1", "player 1 plays red+: red to square 1",
			},
		},
		{
			"turn 9 player 2 play | 1:R 8:GBYP | red: red+*2 any- arrow2 | yellow: green++ red- blue- yellow+ | deck red+", "Turn 10 · player 2 plays a card",
			[]string{
				"Play green++: green to the goal with blue, yellow and purple",
				"Play yellow+: yellow to the goal with purple", "Play red-: red to the start",
				"Play blue-: blue to square 7 with yellow and purple",
			},
			[]string{
				"player 2 plays green++: green to the goal with blue, yellow and purple",
				"player 2 plays yellow+: yellow to the goal with purple",
				"player 2 plays red-: red to the start",
				"player 2 plays blue-: blue to square 7 with yellow and purple",
			},
		},
		{
			"turn 9 player 2 play | 0:RG 8:BYP | red: red+*2 any- arrow2 | yellow: red-*2 green-*2 | deck red+", "Turn 10 · player 2 can play no card, and discards one",
			[]string{"Discard red-", "Discard red-", "Discard green-", "Discard green-"},
			[]string{
				"player 2 can play no card, and discards red-",
				"player 2 can play no card, and discards red-",
				"player 2 can play no card, and discards green-",
				"player 2 can play no card, and discards green-",
			},
		},
		{"turn 9 player 1 draw | 1:RG 8:BYP | red: red+*2 any- | yellow: red-*2 green-*2 | deck red+", "Turn 9 · player 1 draws a card", nil, []string{"player 1 draws red+"}},
		{"turn 9 player 1 over | 1:RG 9:BYP | blue: red+*2 any- | yellow: red-*2 green-*2 | deck red+", "player 1 has won", nil, nil},
	} {
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
}

// By hand: what a seat sees of the track, its own hand, the other's backs and the
// piles.
func TestTurtlesFromASeat(t *testing.T) {
	g := game.Must(game.New("turtle:hand=2")).(*turtle.Game)
	s, err := g.ParsePosition("turn 7 player 2 play | 0:RG 3:BY 5:P | red: red++ any- | green: blue+ any+ | deck red+ arrow2")
	if err != nil {
		t.Fatal(err)
	}
	shapes := byKey(For(g).Draw(s, 0))
	for key, want := range map[string]string{
		"red": "Start: red", "blue": "Square 3 from below: blue",
		"yellow": "Square 3 from below: yellow", "purple": "Square 5: purple",
		"0owner": "player 1: owns red", "1owner": "player 2: owns a colour that is hidden",
		"0/red++/1": "player 1’s hand: red++", "1/back/0": "player 2’s hand: 2 hidden cards",
		"pile": "Draw pile: 2 cards",
	} {
		if x := shapes[key]; x.Of+": "+x.At != want {
			t.Errorf("%s: %+v; want %q", key, x, want)
		}
	}
	if !(shapes["yellow"].Y < shapes["blue"].Y && shapes["yellow"].X == shapes["blue"].X &&
		shapes["purple"].X > shapes["blue"].X && shapes["red"].X != shapes["green"].X) {
		t.Errorf("the track is %+v", shapes)
	}
	if name := shapes["0name"].Text; name != "player 1 (you)" {
		t.Errorf("the own seat is called %q", name)
	}
	if x := byKey(For(g).Draw(s, 1)); x["1/any+/1"].Tone != Paper || x["1/blue+/1"].Tone != Paper ||
		x["0/back/1"].Tone != Back {
		t.Errorf("who is to move sees %+v", x)
	}
	if s, err = g.ParsePosition("turn 7 player 2 play | 0:RG 3:BY 5:P | red: red++ any- | green: green- any+ | deck red+ arrow2"); err != nil {
		t.Fatal(err)
	}
	if x := byKey(For(g).Draw(s, 1))["1/green-/1"]; x.Tone != Faint ||
		x.At != "green-, which can’t be played now" {
		t.Errorf("a card that can't be played is %+v", x)
	}
	if _, open := shapes["1/blue+/1"]; open || shapes["gone blue+"].Text != "4" ||
		!strings.Contains(shapes["discards"].At, "blue+ × 4") {
		t.Errorf("%+v", shapes["discards"])
	}
}
