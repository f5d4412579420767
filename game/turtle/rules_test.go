package turtle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/game"
)

// at returns the position that a text describes.
func at(t testing.TB, g *Game, text string) game.State {
	t.Helper()
	s, err := g.ParsePosition(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// squares returns the second part of a position's text, the squares.
func squares(s game.State) string {
	return strings.TrimSpace(strings.Split(baseOf(s).Position(), "|")[1])
}

// plays plays a move by its name, which must be legal, and then draws a card by its
// name, or the first possible for "".
func plays(t testing.TB, s game.State, name, drawn string) {
	t.Helper()
	g := baseOf(s).g
	a, err := g.ParseAction(s, name)
	if err != nil || !slices.Contains(s.LegalActions(nil), a) {
		t.Fatalf("%s: %s can't be played: %v", baseOf(s).Position(), name, err)
	}
	s.Apply(a)
	if s.CurrentPlayer() == game.Chance {
		outcome := baseOf(s).Outcomes(nil)[0].Action
		if drawn != "" {
			if outcome, err = g.ParseAction(s, "draw:"+drawn); err != nil {
				t.Fatal(err)
			}
		}
		s.Apply(outcome)
	}
}

// The paper's example of play, its figures 1 to 4: red, with yellow above and blue
// below, moves by an arrow and leaves blue; purple, on which the two now stand,
// carries them back onto blue; red moves two squares on, with yellow. Only the figures
// show the squares of the five; green, which the text does not mention, is ahead of
// them here.
func TestExampleOfThePaper(t *testing.T) {
	g := made(t, "turtle:players=3")
	s := at(t, g, "turn 12 player 1 play | 3:BRY 4:P 6:G |"+
		" green: arrow red+ blue- yellow+ purple++ | blue: purple- any+ red- green+ yellow+ | purple: red++ green- blue+ any- arrow2 |"+
		" deck red+ green+ blue+ yellow+ purple+")
	for _, c := range []struct{ move, drawn, figure string }{
		{"arrow:red", "red+", "3:B 4:PRY 6:G"},
		{"purple-", "green+", "3:BPRY 6:G"},
		{"red++", "blue+", "3:BP 5:RY 6:G"},
	} {
		plays(t, s, c.move, c.drawn)
		if got := squares(s); got != c.figure {
			t.Fatalf("after %s the turtles stand %s; want %s", c.move, got, c.figure)
		}
	}
	// 5 points per square, plus 4, minus 1 for every turtle below.
	for turtle, want := range map[Turtle]int{Red: 29, Yellow: 28, Blue: 19, Purple: 18, Green: 34} {
		if got := baseOf(s).points(turtle); got != want {
			t.Errorf("%s has %d points; want %d", turtle, got, want)
		}
	}
}

// The effect of one card, worked out by hand.
func TestMoves(t *testing.T) {
	const rest = " | red: red++ red- any+ any- arrow | green: arrow2 green+ green- blue+ purple- | deck red+ yellow+"
	for _, c := range []struct{ name, squares, move, want string }{
		{"alone", "2:R 4:G 5:B 6:Y 7:P", "red++", "4:GR 5:B 6:Y 7:P"},
		{"with all that it carries", "2:GRBY 5:P", "red++", "2:G 4:RBY 5:P"},
		{"onto a stack", "2:RB 4:GYP", "red++", "4:GYPRB"},
		{"back", "2:GRB 5:YP", "red-", "1:RB 2:G 5:YP"},
		{"back onto a stack", "1:YP 2:GRB", "red-", "1:YPRB 2:G"},
		{"back to the start", "0:Y 1:GRB 5:P", "red-", "0:RBY 1:G 5:P"}, // side by side
		{"from the start, alone", "0:RGB 5:YP", "any+:green", "0:RB 1:G 5:YP"},
		{"from the start, onto a stack", "0:RGB 1:YP", "red++", "0:GB 1:YP 2:R"},
		{"any turtle back", "2:GRB 5:YP", "any-:yellow", "2:GRB 4:YP"},
		{"the last turtle", "2:GRB 5:YP", "arrow:red", "2:G 3:RB 5:YP"},
		{"the lowest of the last", "2:GRB 5:YP", "arrow:green", "3:GRB 5:YP"},
		{"beyond the goal", "8:GRB 5:YP", "red++", "5:YP 8:G 9:RB"},
	} {
		g := made(t, "turtle")
		s := at(t, g, "turn 5 player 1 play | "+c.squares+rest)
		plays(t, s, c.move, "")
		if got := squares(s); got != c.want {
			t.Errorf("%s: %s leads from %s to %s; want %s", c.name, c.move, c.squares, got, c.want)
		}
	}
}

// A stacked start is like any other square.
func TestStackedStart(t *testing.T) {
	const rest = " | red: red++ red- any+ any- arrow | green: arrow2 green+ green- blue+ purple- | deck red+ yellow+"
	for _, c := range []struct{ squares, move, want string }{
		{"0:GRBYP", "red++", "0:G 2:RBYP"},
		{"0:GY 1:PRB", "red-", "0:GYRB 1:P"},
		{"0:GY 1:PRB", "arrow:yellow", "0:G 1:PRBY"},
	} {
		s := at(t, made(t, "turtle:start=stacked"), "turn 5 player 1 play | "+c.squares+rest)
		plays(t, s, c.move, "")
		if got := squares(s); got != c.want {
			t.Errorf("%s leads from %s to %s; want %s", c.move, c.squares, got, c.want)
		}
	}
}

// legalNames are the names of the legal actions.
func legalNames(s game.State) string {
	var names []string
	for _, a := range s.LegalActions(nil) {
		names = append(names, baseOf(s).g.ActionName(s, a))
	}
	return strings.Join(names, " ")
}

func TestLegal(t *testing.T) {
	const other = " | green: arrow2 green+ green- blue+ purple- | deck red+ yellow+"
	for _, c := range []struct{ name, squares, hand, want string }{
		{"colours", "2:R 4:GBYP", "red++*1 red+*2 blue- yellow+", "red++ red+ yellow+ blue-"},
		{"any turtle forward", "0:R 4:GBYP", "any+*5",
			"any+:red any+:green any+:blue any+:yellow any+:purple"},
		{"no minus on the start", "0:RP 4:GBY", "any-*2 red-*2 green-",
			"green- any-:green any-:blue any-:yellow"},
		{"arrows move the last", "1:RP 4:GBY", "arrow*3 arrow2 green-",
			"green- arrow:red arrow:purple arrow2:red arrow2:purple"},
		{"arrows on the start", "0:RPB 4:GY", "arrow*3 red- blue-",
			"arrow:red arrow:blue arrow:purple"},
		{"nothing can be played", "0:RP 4:GBY", "red-*2 purple-*1", "discard:red- discard:purple-"},
		{"not even for all colours", "0:RPGBY", "red- any-*2", "discard:red- discard:any-"},
	} {
		g := made(t, "turtle")
		if strings.HasPrefix(c.name, "no") && !strings.HasPrefix(c.name, "no minus") {
			g = made(t, "turtle:hand=3")
		}
		hands := other
		if g.rules.Hand == 3 {
			hands = " | green: arrow2 green+ green- | deck red+ yellow+"
		}
		s := at(t, g, "turn 5 player 1 play | "+c.squares+" | red: "+c.hand+hands)
		if got := legalNames(s); got != c.want {
			t.Errorf("%s: legal is %s; want %s", c.name, got, c.want)
		}
	}
}

// A discard moves no turtle, and a card is drawn for it.
func TestDiscard(t *testing.T) {
	g := made(t, "turtle:hand=3")
	s := at(t, g, "turn 5 player 2 play | 0:RPGBY | red: red+ red++ blue+ | green: red- any-*2 | deck red+ yellow+")
	plays(t, s, "discard:any-", "yellow+")
	if want := "turn 6 player 1 play | 0:RGBYP | red: red++ red+ blue+ | green: yellow+ red- any- | deck red+"; baseOf(s).Position() != want {
		t.Errorf("a discard leads to\n%s, where\n%s is wanted", baseOf(s).Position(), want)
	}
	if n := baseOf(s).Discarded(AnyMinus); n != 1 {
		t.Errorf("%d any- are discarded; want 1: the other is in hand", n)
	}
}

// A player who plays while the draw pile is empty draws from the discards, including
// the card just played.
func TestRefill(t *testing.T) {
	g := made(t, "turtle:deck=[0,1,1,0,0,0,0],hand=4")
	s := at(t, g, "turn 5 player 1 play | 2:RGBYP | red: red+ red- blue+ blue- | green: green+ green- purple+ purple- | deck -")
	if baseOf(s).Discarded(Plus(Yellow)) != 1 || baseOf(s).Discarded(Minus(Yellow)) != 1 ||
		baseOf(s).discards.n != 2 {
		t.Fatalf("%s: the two cards of yellow should lie on the discards", baseOf(s).Position())
	}
	a, _ := g.ParseAction(s, "red+")
	s.Apply(a)
	if got, want := baseOf(s).Position(),
		"turn 6 player 1 draw | 3:RGBYP |"; !strings.HasPrefix(got, want) {
		t.Fatalf("%s; want %s", got, want)
	}
	var names []string
	for _, o := range baseOf(s).Outcomes(nil) {
		names = append(names, g.ActionName(s, o.Action))
		if o.Probability != 1./3 {
			t.Errorf("%s has the probability %v; want 1/3",
				g.ActionName(s, o.Action), o.Probability)
		}
	}
	if got := strings.Join(names, " "); got != "draw:red+ draw:yellow+ draw:yellow-" {
		t.Errorf("what may be drawn is %s", got)
	}
	if baseOf(s).discards.n != 0 {
		t.Errorf("%d cards are left on the discards", baseOf(s).discards.n)
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name, rules, squares, owners, move string
		want                               []float32
	}{
		{"the lowest on the goal wins", "players=3", "8:GRBY 5:P", "red blue green", "red++",
			[]float32{1, 0, 0}},
		{"who moves it, or not", "players=3", "8:GRBY 5:P", "blue red green", "red++",
			[]float32{0, 1, 0}},
		{"nobody's: the most points", "players=3", "8:GRBY 5:P", "purple yellow green", "red++",
			[]float32{0, 1, 0}},
		{"nobody's: the most, off the start", "players=3", "0:GP 7:BY 8:R", "purple green blue",
			"red++", []float32{0, 0, 1}},
		{"nobody's: all on the start", "players=2", "0:GP 7:BY 8:R", "purple green", "red++",
			[]float32{0.5, 0.5}},
		{"nobody's: all share", "players=3,unowned=none", "8:GRBY 5:P", "purple yellow green",
			"red++", []float32{1. / 3, 1. / 3, 1. / 3}},
		{"somebody's all the same", "players=3,unowned=none", "8:GRBY 5:P", "purple yellow red",
			"red++", []float32{0, 0, 1}},
		{"after the last turn", "players=2,max_turns=6", "2:GRBY 5:P", "green red", "red++",
			[]float32{0, 1}},
		{"after the last turn, below", "players=2,max_turns=6,unowned=none", "2:GR 4:BY 5:P",
			"red yellow", "red++", []float32{0, 1}},
	} {
		g := made(t, "turtle:hand=2,"+c.rules)
		text := "turn 5 player 1 play | " + c.squares
		hands := []string{"red++ red-", "blue- any+", "arrow any-"}
		for p, owner := range strings.Fields(c.owners) {
			text += " | " + owner + ": " + hands[p]
		}
		s := at(t, g, text+" | deck green+")
		plays(t, s, c.move, "")
		if s.CurrentPlayer() != game.Nobody {
			t.Errorf("%s: %s: the game should be over", c.name, baseOf(s).Position())
			continue
		}
		got := make([]float32, g.Players())
		s.Returns(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the utilities are %v; want %v", c.name, got, c.want)
		}
	}
}

// The published deck has 52 cards.
func TestDeck(t *testing.T) {
	g := made(t, "turtle")
	if g.full.n != 52 {
		t.Errorf("the deck has %d cards; want 52", g.full.n)
	}
	want := map[Card]uint8{
		DoublePlus(Blue): 1, Plus(Blue): 5, Minus(Blue): 2, AnyPlus: 5, AnyMinus: 2,
		Arrow: 3, Arrow2: 2,
	}
	for c, n := range want {
		if g.full.count[c] != n {
			t.Errorf("of %s there are %d; want %d", c, g.full.count[c], n)
		}
	}
}

// Before the first turn chance deals a tile and five cards to each player.
func TestDeal(t *testing.T) {
	g := made(t, "turtle:players=3,start=stacked")
	s := g.NewState()
	var names []string
	for n := 0; s.CurrentPlayer() == game.Chance; n++ {
		outcomes := baseOf(s).Outcomes(nil)
		if n < 8 {
			if want := []int{5, 4, 3, 5, 4, 3, 2, 1}[n]; len(outcomes) != want ||
				outcomes[0].Probability != 1/float64(want) {
				t.Errorf("outcome %d is one of %v; want %d equal ones", n, outcomes, want)
			}
		}
		a := outcomes[len(outcomes)-1].Action
		names = append(names, g.ActionName(s, a))
		s.Apply(a)
	}
	if got, want := strings.Join(names[:8], " "),
		"own:purple own:yellow own:blue place:purple place:yellow place:blue place:green place:red"; got != want {
		t.Errorf("chance deals %s; want %s", got, want)
	}
	if got, want := len(names), 3+5+15; got != want {
		t.Errorf("chance deals %d times; want %d", got, want)
	}
	if got, want := squares(s), "0:PYBGR"; got != want {
		t.Errorf("the stack is %s; want %s", got, want)
	}
	for p := range game.Player(3) {
		if n := baseOf(s).Held(p); n != 5 {
			t.Errorf("player %d holds %d cards", p, n)
		}
	}
	if n := int(baseOf(s).deck.n); n != 37 || s.CurrentPlayer() != 0 {
		t.Errorf("%d cards are left, and %d begins", n, s.CurrentPlayer())
	}
}

// A player that is skipped neither plays nor draws.
func TestSkip(t *testing.T) {
	g := made(t, "turtle:hand=2,max_turns=7")
	s := at(t, g,
		"turn 5 player 2 play | 2:GR 4:BY 5:P | red: red++ red- | green: blue- any+ | deck green+")
	s.(game.Skipper).Skip()
	if want :=
		"turn 6 player 1 play | 2:GR 4:BY 5:P | red: red++ red- | green: blue- any+ | deck green+"; baseOf(s).Position() != want {
		t.Errorf("to skip leads to %s; want %s", baseOf(s).Position(), want)
	}
	s.(game.Skipper).Skip()
	if s.CurrentPlayer() != game.Nobody {
		t.Errorf("the game should be over after the last turn")
	}
}

func TestDeckFile(t *testing.T) {
	for text, want := range map[string]Deck{
		"double_plus: 1\nplus: 5\nminus: 2\nany_plus: 5\nany_minus: 2\narrow: 3\narrow2: 2\n": Standard,
		"# few\narrow2: 2 # high\nplus: 20\n": {0,
			20, 0, 0, 0, 0, 2},
		"{plus: 1, arrow: 3}": {0, 1, 0, 0, 0, 3, 0},
	} {
		if d, err := parseDeck("d.yaml", []byte(text)); err != nil || d != want {
			t.Errorf("%q is read as %v, %v; want %v", text, d, err, want)
		}
	}
	for text, want := range map[string]string{
		"plus: 5\nplsu: 5\n":           `d.yaml:2: a deck has no key "plsu" (did you mean "plus"?); its keys are double_plus, plus, minus, any_plus, any_minus, arrow, arrow2`,
		"plus: 5\n\narrow: 1\nplus: 4": "d.yaml:4: plus is given twice, first on line 1",
		"plus: five\n":                 "d.yaml:1: plus: a whole number from 0 to 20 is wanted",
		"arrow: 1\nplus: 21\n":         "d.yaml:2: plus: a whole number from 0 to 20 is wanted",
		"plus: -1\n":                   "d.yaml:1: plus: a whole number from 0 to 20 is wanted",
		"plus: 1.5\n":                  "d.yaml:1: plus: a whole number from 0 to 20 is wanted",
		"plus: [1]\n":                  "d.yaml:1: plus: a whole number from 0 to 20 is wanted",
		"- plus\n":                     "d.yaml:1: keys and values are wanted",
		"plus: 1\n---\nplus: 1\n":      "a second document; one is wanted",
		"":                             "d.yaml: at least one card is wanted",
		"plus: 0\n":                    "d.yaml: at least one card is wanted",
		"plus: [1\n":                   "d.yaml:1: not YAML: ",
	} {
		if d, err := parseDeck("d.yaml", []byte(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %v, %v; want %s", text, d, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "deck.yaml")
	if err := os.WriteFile(path, []byte("plus: 2\narrow: 4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if g := made(t, "turtle:deck="+path); g.Name() != "turtle:players=2,deck=[0,2,0,0,0,4,0]" {
		t.Errorf("the game of a file is %s", g.Name())
	}
	for name, want := range map[string]string{
		"turtle:deck=nowhere.yaml": "deck=nowhere.yaml: open nowhere.yaml: ",
		"turtle:players=3,deck=" +
			path: "these are 14 cards; 3 players with 5 in hand need at least 15",
		"turtle:deck=" +
			path[:len(path)-
				5]: "standard, FILE.yaml, or a list of 7 numbers such as [1,5,2,5,2,3,2], is wanted",
	} {
		if _, err := game.New(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; want %s", name, err, want)
		}
	}
}
