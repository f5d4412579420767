package turtle

import (
	"strings"
	"testing"

	"tengen/game"
)

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"turtle": "turtle:players=2",
		"turtle:players=5,start=unstacked,unowned=best,deck=standard":                                     "turtle:players=5",
		"turtle:deck=[1,5,2,5,2,3,2]":                                                                     "turtle:players=2",
		"turtle:max_turns=50,hands=open,unowned=none,start=stacked,squares=4,hand=1,deck=[0,1,0,0,0,0,2]": "turtle:players=2,deck=[0,1,0,0,0,0,2],hand=1,squares=4,start=stacked,unowned=none,hands=open,max_turns=50",
	} {
		g := made(t, text)
		if g.Name() != want {
			t.Errorf("%s has the name %s; want %s", text, g.Name(), want)
		}
		if again := made(t, g.Name()); again.rules != g.rules {
			t.Errorf("%s is made again with the rules %+v; want %+v",
				g.Name(), again.rules, g.rules)
		}
	}
}

func TestBadNames(t *testing.T) {
	for text, want := range map[string]string{
		"turtle:players=6":               `players=6: a whole number from 2 to 5 is wanted`,
		"turtle:players=1":               `players=1: a whole number from 2 to 5 is wanted`,
		"turtle:hand=0":                  `hand=0: a whole number from 1 to 10 is wanted`,
		"turtle:squares=11":              `squares=11: a whole number from 3 to 10 is wanted`,
		"turtle:start=stack":             `start=stack: one of unstacked, stacked is wanted`,
		"turtle:unowned=nobody":          `unowned=nobody: one of best, none is wanted`,
		"turtle:hands=face-up":           `hands=face-up: one of hidden, open is wanted`,
		"turtle:max_turns=0":             `max_turns=0: a whole number from 1 to 10000 is wanted`,
		"turtle:deck=[1,2]":              `deck=[1,2]: standard, or a list of 7 numbers such as [1,5,2,5,2,3,2], is wanted`,
		"turtle:deck=small":              `deck=small: standard, FILE.yaml, or a list of 7 numbers such as [1,5,2,5,2,3,2], is wanted`,
		"turtle:deck=[1,1,1,1,1,1,1.5]":  `whole numbers from 0 to 20 are wanted`,
		"turtle:deck=[1,1,1,1,1,1,-1]":   `whole numbers from 0 to 20 are wanted`,
		"turtle:deck=[0,0,0,0,0,0,0]":    `at least one card is wanted`,
		"turtle:deck=[0,1,0,0,0,0,0]":    `these are 5 cards; 2 players with 5 in hand need at least 10`,
		"turtle:deck=[20,20,20,0,0,0,0]": `these are 300 cards; at most 255 are wanted`,
		"turtle:player=3":                `turtle has no key "player" (did you mean "players"?)`,
	} {
		if _, err := game.New(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; want %s", text, err, want)
		}
	}
	if _, err := New(Rules{Players: 9}); err == nil ||
		!strings.Contains(err.Error(), "players=9: a whole number from 2 to 5 is wanted") {
		t.Errorf("nine players: %v", err)
	}
	if _, err := New(Rules{Start: "high"}); err == nil ||
		!strings.Contains(err.Error(), "start=high: unstacked or stacked is wanted") {
		t.Errorf("a high start: %v", err)
	}
	if _, err := New(Rules{Deck: Deck{-1, 20}}); err == nil ||
		!strings.Contains(err.Error(), "0 to 20 copies of each kind are wanted") {
		t.Errorf("a negative deck: %v", err)
	}
}

// Every action's name is parsed as that action, in the state to which it belongs.
func TestActionNames(t *testing.T) {
	g := made(t, "turtle")
	s := at(t, g, "turn 5 player 1 play | 2:RGBYP | red: red+ red- blue+*2 any- | green: green+ green- purple+ purple- arrow | deck red+")
	chance := at(t, g, "turn 5 player 1 draw | 2:RGBYP | red: red+ red- blue+ any- | green: green+ green- purple+ purple- arrow | deck red+")
	seen := map[string]bool{}
	for a := range game.Action(actions + 4) {
		from := s
		if int(a) >= actions || isOutcomeOf(a, rowOwner) || isOutcomeOf(a, rowStack) {
			from = chance
		}
		name := g.ActionName(from, a)
		if want := naiveActions[a]; name != want {
			t.Errorf("action %d has the name %s; want %s", a, name, want)
		}
		if seen[name] {
			t.Errorf("two actions have the name %s", name)
		}
		seen[name] = true
		if b, err := g.ParseAction(from, name); err != nil || b != a {
			t.Errorf("%s is read as %d, %v; want %d", name, b, err, a)
		}
	}
	if name := g.ActionName(chance, Draw(Plus(Red))); name != "draw:red+" {
		t.Errorf("to draw a card is called %s", name)
	}
	for text, want := range map[string]game.Action{
		"R+": Play(Plus(Red), Red), "any- y": Play(AnyMinus, Yellow),
		"Arrow2:p": Play(Arrow2, Purple),
		"red- red": Play(Minus(Red), Red), "discard r-": Discard(Minus(Red)),
		"discard any-": DiscardAny,
	} {
		if a, err := g.ParseAction(s, text); err != nil || a != want {
			t.Errorf("%q is read as %d, %v; want %d", text, a, err, want)
		}
	}
	for text, want := range map[string]string{
		"any+":         "which turtle is to move is wanted",
		"any+:orange":  `"orange" is no turtle: red, green, blue, yellow, purple is wanted`,
		"red+:blue":    "a card of one colour moves its own turtle",
		"discard:red+": "it is never discarded",
		"draw:red+":    "nobody draws now",
		"red":          `"red" is no card`,
		"a b c":        "is no action",
	} {
		if a, err := g.ParseAction(s, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %d, %v; want %s", text, a, err, want)
		}
	}
}

func TestBadPositions(t *testing.T) {
	g := made(t, "turtle:hand=2")
	const good = "turn 5 player 1 play | 2:RGBYP | red: red+ any- | green: green+ arrow | deck red+"
	if _, err := g.ParsePosition(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"| deck", "", "5 parts separated by | are wanted"},
		{"turn 5", "turn x", "turn x: a whole number from 0 to 400 is wanted"},
		{"player 1", "player 3", "player 3: a whole number from 1 to 2 is wanted"},
		{"play |", "paly |", "with one of tiles, stack, deal, play, draw, over"},
		{"2:RGBYP", "2:RGBY", "all five turtles are wanted"},
		{"2:RGBYP", "2:RGBYPR", "red stands in two places"},
		{"2:RGBYP", "12:RGBYP", "a square from 0 to 9"},
		{"2:RGBYP", "2:RGBYX", `"X" is no turtle`},
		{"red: red+", "red red+", "is not of the form"},
		{"red: red+", "pink: red+", `player 1: "pink" is no turtle`},
		{"red: red+", "green: red+", "two players have the green turtle"},
		{"red: red+", "-: red+", "player 1 has turtle nobody"},
		{"red+ any-", "red+ any", `"any" is no card`},
		{"red+ any-", "red+ any-*x", "a number of cards is wanted after *"},
		{"red+ any-", "red+ red++*2", "the deck has 1 of it, not more"},
		{"red+ any-", "red+", "player 1 has 1 cards"},
		{"deck red+", "duck red+", "the last part begins with the word deck"},
		{"2:RGBYP", "9:RGBYP", "the game is over when a turtle has reached the goal"},
		{"turn 5", "turn 400", "the game is over when a turtle has reached the goal"},
		{"1 play", "1 deal", "impossible in this phase"},
		{"1 play", "1 stack", "impossible in this phase"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if s, err := g.ParsePosition(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v; want %s (%v)", text, err, c.want, s)
		}
	}
}

// A seat sees the others' backs, nobody sees all backs, and the end shows everything.
func TestDrawing(t *testing.T) {
	g := made(t, "turtle:players=3,hand=2,deck=[1,1,0,1,1,0,0]")
	s := at(t, g, "turn 12 player 2 play | 0:YG 3:BR 4:P | green: red+ blue++ | blue: purple+ any+ | purple: red++ green+ | deck yellow+ any-")
	const track = `                    R
G Y         .   .   B   P   .   .   .   .   .
start       1   2   3   4   5   6   7   8   goal
`
	const below = `draw pile 2   discards green++ yellow++ purple++ blue+
player 2 plays a card`
	const can = ": purple+, any+ of R G B Y P\n"
	for _, c := range []struct {
		name, got, want string
	}{
		{"player 2", s.(game.SeatDrawn).DrawFor(1, false), track + `  player 1  ?       [ ] [ ]
* player 2  blue    purple+ any+
  player 3  ?       [ ] [ ]
` + below + can},
		{"nobody", s.(game.SeatDrawn).DrawFor(game.Nobody, false), track + `  player 1  ?       [ ] [ ]
* player 2  ?       [ ] [ ]
  player 3  ?       [ ] [ ]
` + below + "\n"},
		{"everybody", s.(game.Drawn).Draw(false), track + `  player 1  green   red+ blue++
* player 2  blue    purple+ any+
  player 3  purple  red++ green+
` + below + can},
	} {
		want := strings.Replace(c.want, "red+ blue++", "blue++ red+", 1)
		if squeezed(c.got) != squeezed(want) {
			t.Errorf("%s sees\n%swant\n%s", c.name, c.got, want)
		}
	}
	if text := s.(game.Drawn).Draw(true); !strings.Contains(text,
		"\x1b[34mblue\x1b[0m    \x1b[35mpurple+\x1b[0m any+") {
		t.Errorf("in colours it is\n%s", text)
	}

	end := at(t, g, "turn 12 player 2 over | 0:YG 3:BR 9:P | green: red+ blue++ | blue: any+ | purple: red++ green+ | deck yellow+ any-")
	if text := end.(game.SeatDrawn).DrawFor(2, false); !strings.Contains(text,
		"player 1  green   blue++ red+") || !strings.Contains(text, "player 3 has won") {
		t.Errorf("the end is\n%s", text)
	}
	stacked := at(t, made(t, "turtle:hand=2,start=stacked,squares=4"),
		"turn 2 player 1 play | 0:YG 1:BRP | green: red+ blue+ | blue: any+*2 | deck -")
	const high = `            P
G           R
Y           B   .   .
start       1   2   goal
`
	if text := stacked.(game.Drawn).Draw(false); !strings.HasPrefix(squeezed(text),
		squeezed(high)) {
		t.Errorf("a stacked start is\n%swant\n%s", text, high)
	}
}

// squeezed removes the blanks at the ends of lines.
func squeezed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
