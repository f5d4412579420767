package tcg

import (
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

func TestActionNames(t *testing.T) {
	const name = "tcg:deck=[1/1/1,2/2/2,2/2/2,4/0/3,removal],hand=2,battle=any,order=free"
	g := made(t, name)
	const side = " | 50 hand 1/1/1 field 2/2/2 2/2/2 deck - | 50 hand - field 4/0/3 deck -"
	for _, c := range []struct {
		phase, text string
		want        game.Action
	}{
		// The cells: 1/1/1 0, removal 1, 2/2/2 2 and 3, 4/0/3 4.
		{"place", "place 1/1/1", 3}, {"place", "place none", 0}, {"place", "place removal", 4},
		{"target", "remove 4/0/3", 7}, {"choose", "use 2/2/2", 5}, {"choose", "use 2/2/2#2", 6},
		{"choose", "done", 0},
		{"act 1", "heal", 1}, {"act 1", "attack", 2}, {"act 1", "battle 4/0/3", 7},
		{"act 1", "battle own 2/2/2#2", 11},
	} {
		s := parsed(t, g, "turn 0 First "+c.phase+side)
		if got := g.ActionName(s, c.want); got != c.text {
			t.Errorf("%s: action %d has the name %q; want %q", c.phase, c.want, got, c.text)
		}
		for _, text := range []string{
			c.text, strings.ToUpper(c.text), "  " + strings.ReplaceAll(c.text, " ", "   "),
		} {
			if a, err := g.ParseAction(s, text); err != nil || a != c.want {
				t.Errorf("%s: %q is read as %d, %v; want %d", c.phase, text, a, err, c.want)
			}
		}
	}
	for text, want := range map[string]game.Action{
		"4/0/3": 7, "removal": 4, "2/2/2#1": 5, "nothing": 0, "NONE": 0,
	} {
		if a, err := g.ParseAction(nil, text); err != nil || a != want {
			t.Errorf("%q is read as %d, %v; want %d", text, a, err, want)
		}
	}
	for text, want := range map[string]string{
		"place 9/9/9":        "no card 9/9/9",
		"place 1/1":          `"1/1" is no card`,
		"place 1/1/1/1":      `"1/1/1/1" is no card`,
		"battle 2/2/2#3":     "the deck has 2 of the card 2/2/2",
		"battle 1/1/1#0":     "the deck has 1 of the card",
		"hit 1/1/1":          "place CARD",
		"place all of them":  "is no action",
		"battle own 100/0/0": `"100/0/0" is no card`,
	} {
		if a, err := g.ParseAction(nil, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %d, %v; want an error with %q", text, a, err, want)
		}
	}
	if _, err := made(t, "tcg").ParseAction(nil, "battle own 1/1/1"); err == nil {
		t.Error("a battle against one's own card is accepted in a game without such battles")
	}
}

// Positions are parsed as what was written.
func TestPositionsReadBack(t *testing.T) {
	for _, name := range names {
		g := made(t, name)
		for i := range uint64(4) {
			rng := random.New(6, random.Test, i)
			playBoth(t, g, rng, func(s *State, _ *naive) {
				u := parsed(t, g, s.Position())
				if u.position != s.position || u.Hash() != s.Hash() {
					t.Fatalf("%s: %s is read back as %s", name, s.Position(), u.Position())
				}
			})
		}
	}
}

func TestBadPositions(t *testing.T) {
	const sides = " | 50 hand 6/6/6 field 4/1/1 deck 1/1/1 removal | 44 hand - field 2/2/2 deck -"
	for _, c := range []struct{ name, text, want string }{
		{"tcg", "turn 7 Second act 1", "three parts"},
		{"tcg", "turn 7 Second" + sides, "turn 7 Second act 1"},
		{"tcg", "turn x Second place" + sides, `"x" is no turn`},
		{"tcg", "turn 401 Second place" + sides, "from 0 to 400"},
		{"tcg", "turn 400 Second place" + sides, "should be over"},
		{"tcg", "turn 7 Third place" + sides, "neither First nor Second"},
		{"tcg", "turn 7 First wait" + sides, "deal, draw, place"},
		{"tcg", "turn 7 First act 2" + sides, "1 to 1"},
		{"tcg", "turn 7 First act" + sides, "number of a card"},
		{"tcg", "turn 7 First over" + sides, "the winner is wanted"},
		{"tcg", "turn 7 First place now" + sides, `"now" is too much`},
		{"tcg", "turn 7 First place acted 1" + sides, "too much"},
		{"tcg", "turn 7 First choose" + sides, "free order"},
		{"tcg:order=free", "turn 7 First choose acted 1" + sides, "has not acted"},
		{"tcg:order=free", "turn 7 First act 1 acted 1" + sides, "has acted"},
		{"tcg", "turn 7 Second draw" + sides, "nothing to draw"},
		{"tcg", "turn 7 First deal" + sides, "beginning of the game"},
		{"tcg", "turn 7 First target | 50 hand - field - deck - | 50 hand - field - deck -",
			"opponent has no card"},
		{"tcg", "turn 7 First place | 0 hand - field - deck - | 50 hand - field - deck -",
			"should be over"},
		{"tcg", "turn 7 First place | 50 hand - field removal deck - | 50 hand - field - deck -",
			"can't be there"},
		{"tcg", "turn 7 First place | 50 hand 1/1/1 field 1/1/1 deck - | 50 hand - field - deck -",
			"not more"},
		{"tcg", "turn 7 First place | 50 hand 1/1/1 deck - | 50 hand - field - deck -", "First: "},
		{"tcg", "turn 7 First place | 50 hand - field - deck - | x hand - field - deck -",
			"Second: "},
		{"tcg", "turn 7 First place | 50 hand 7/7/7 field - deck - | 50 hand - field - deck -",
			"no card 7/7/7"},
		{"tcg:cards=representative", "turn 7 First place" + sides, "First: "},
		{"tcg:cards=representative", "turn 7 First place | 50 hand - field - deck - left 99 average 1 1 1 | 50 hand - field - deck - left 1 average 1 1 1", `"99"`},
		{"tcg:cards=representative", "turn 7 First place | 50 hand - field - deck - left 9 average 1 1 | 50 hand - field - deck - left 1 average 1 1 1", "three are wanted"},
	} {
		if s, err := made(t, c.name).ParsePosition(c.text); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q is read as %v, %v; want an error with %q",
				c.name, c.text, s, err, c.want)
		}
	}
}

func TestDraw(t *testing.T) {
	g := made(t, "tcg")
	for _, c := range []struct{ position, want string }{
		{
			"turn 7 Second act 1 | 50 hand 6/6/6 field 4/1/1 3/3/3 2/2/2 deck 1/1/1 removal | 44 hand - field 3/3/2 0/0/7 deck -",
			`Second  HP 44   deck 0   hand -
        field [3/3/2] 0/0/7
        field 4/1/1 3/3/3 2/2/2
First   HP 50   deck 2   hand 6/6/6
Turn 8 of 400: Second's 3/3/2 acts: heal (own HP 47), attack (First's HP 48), battle 2/2/2 (it falls), battle 4/1/1 (3/3/2 falls), battle 3/3/3 (both fall), nothing
`,
		},
		{
			"turn 7 Second place | 50 hand 6/6/6 field - deck - | 44 hand 1/1/1 removal field - deck -",
			`Second  HP 44   deck 0   hand 1/1/1 removal
        field -
        field -
First   HP 50   deck 0   hand 6/6/6
Turn 8 of 400: Second may place a card (Fight/Heal/Attack): 1/1/1, removal (no card to take), none
`,
		},
		{
			"turn 7 First target | 50 hand - field - deck - | 44 hand - field 3/3/2 0/0/7 deck -",
			`Second  HP 44   deck 0   hand -
        field 3/3/2 0/0/7
        field -
First   HP 50   deck 0   hand -
Turn 8 of 400: First's Removal takes a card: remove 0/0/7, remove 3/3/2
`,
		},
		{
			"turn 7 First act 1 | 50 hand - field 4/4/4 deck - | 4 hand - field - deck -",
			`Second  HP 4   deck 0   hand -
        field -
        field [4/4/4]
First   HP 50   deck 0   hand -
Turn 8 of 400: First's 4/4/4 acts: heal (own HP 54), attack (Second's HP 0, and wins), nothing
`,
		},
		{
			"turn 7 Second over First | 50 hand 6/6/6 field - deck - | -2 hand 1/1/1 removal field - deck -",
			`Second  HP -2   deck 0   hand 1/1/1 removal
        field -
        field -
First   HP 50   deck 0   hand 6/6/6
Turn 8 of 400: First has won
`,
		},
	} {
		s := parsed(t, g, c.position)
		if got := s.Draw(false); got != c.want {
			t.Errorf("drawn is\n%swant\n%s", got, c.want)
		}
		if got := s.Draw(true); !strings.Contains(got, "\x1b[34mSecond \x1b[0m HP") {
			t.Errorf("drawn in colour is %q", got)
		}
	}
	image := g.Abstraction().Game().NewState().(*State)
	g.Abstraction().Abstract(image,
		parsed(t, g, "turn 2 First place | 50 hand 6/6/6 1/1/1 field - deck - | 44 hand 2/2/2 field - deck -"))
	if got, want := image.Draw(false), "hand 1/1/1 6/6/6 fight=7 heal=7 attack=7\nTurn 3 of 400: First may place a card (Fight/Heal/Attack): fight, heal, attack, none\n"; !strings.HasSuffix(got, want) {
		t.Errorf("representatives are drawn as\n%s", got)
	}
}

func TestNames(t *testing.T) {
	const standard = "tcg:deck=standard,hand=5,hp=50,draw=unless-full"
	for _, c := range []struct{ text, name, fails string }{
		{text: "tcg", name: standard},
		{text: standard, name: standard},
		{text: "tcg:battle=opponent,empty=nothing,max_turns=400,cards=real,order=field,removal=anytime", name: standard},
		{text: "tcg:deck=benchmark,draw=always",
			name: "tcg:deck=benchmark,hand=5,hp=50,draw=always"},
		{text: "tcg:deck=benchmark,opening=dealt",
			name: "tcg:deck=benchmark,hand=5,hp=50,draw=unless-full,opening=dealt"},
		{text: "tcg:opening=[removal,1/1/1]", name: standard + ",opening=[1/1/1,removal]"},
		{text: "tcg:hp=20,hand=3,battle=any,order=free,removal=with-target,empty=loss,max_turns=10",
			name: "tcg:deck=standard,hand=3,hp=20,draw=unless-full,empty=loss,battle=any,order=free,removal=with-target,max_turns=10"},
		{text: "tcg:deck=[2/2/2, removal,1/1/1]",
			name: "tcg:deck=[1/1/1,removal,2/2/2],hand=3,hp=50,draw=unless-full"},
		{text: "tcg:cards=representative", name: standard + ",cards=representative"},
		{text: "tcg:deck=testdata/small.yaml", name: "tcg:deck=[1/1/1,removal,removal,6/0/0,0/4/4],hand=3,hp=20,draw=unless-full,opening=[removal,6/0/0]"},
		{text: "tcg:deck=testdata/small.yaml,hp=9,opening=dealt",
			name: "tcg:deck=[1/1/1,removal,removal,6/0/0,0/4/4],hand=3,hp=9,draw=unless-full"},
		{text: "tcg:deck=standart", fails: `did you mean "standard"`},
		{text: "tcg:deck=testdata/none.yaml", fails: "testdata/none.yaml"},
		{text: "tcg:deck=[]", fails: "a list of cards in brackets"},
		{text: "tcg:deck=[1/1]", fails: `"1/1" is no card`},
		{text: "tcg:deck=[" + strings.Repeat("1/1/1,", 40) + "1/1/1]",
			fails: "41 cards; want 1 to 40"},
		{text: "tcg:hand=26", fails: "hand=26: a whole number from 1 to 25"},
		{text: "tcg:hp=0", fails: "hp=0: a whole number from 1 to 10000"},
		{text: "tcg:opening=5", fails: "opening=5: a list of cards in brackets"},
		{text: "tcg:opening=[9/9/9]", fails: "more of the card 9/9/9 than the deck"},
		{text: "tcg:hand=2", name: "tcg:deck=standard,hand=2,hp=50,draw=unless-full"},
		{text: "tcg:deck=benchmark,hand=2", fails: "an opening hand of 5 cards; want 1 to 2"},
		{text: "tcg:draw=never", fails: "draw=never"},
		{text: "tcg:max_turns=0", fails: "max_turns=0"},
		{text: "tcg:drow=always", fails: `did you mean "draw"`},
		{text: "tcg:always", fails: `"always" is not key=value`},
	} {
		g, err := game.New(c.text)
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: the error is %v; want %q", c.text, err, c.fails)
			}
		case err != nil:
			t.Errorf("%s: %v", c.text, err)
		case g.Name() != c.name:
			t.Errorf("%s has the name %s; want %s", c.text, g.Name(), c.name)
		}
	}
}

func TestDeckFiles(t *testing.T) {
	for _, c := range []struct{ text, fails string }{
		{"cards: [1/1/1]\ncarts: [1/1/1]\n", `d.yaml:2: a deck has no key "carts" (did you mean "cards"?); its keys are cards, hand, hp, opening`},
		{"hand: 3\n", "d.yaml: the key cards is missing"},
		{"", "d.yaml: the key cards is missing"},
		{"- 1/1/1\n", "d.yaml:1: keys and values are wanted"},
		{"cards: 1/1/1\n", "d.yaml:1: cards: a list of cards is wanted"},
		{"hand: 1\ncards:\n  - 1/1/1\n  - 1/1\n", `d.yaml:4: cards: "1/1" is no card`},
		{"cards: []\n", "d.yaml:1: cards: 0 cards"},
		{"cards: [1/1/1]\nhand: many\n", "d.yaml:2: hand: a whole number is wanted"},
		{"cards: [1/1/1]\nhand: 2\n", "d.yaml:2: hand: a hand of 2; want 1 to 1"},
		{"cards: [1/1/1]\n", "d.yaml: hand: a hand of 5; want 1 to 1"},
		{"cards: [1/1/1]\nhand: 1\nhp: 0\n", "d.yaml:3: hp: 0 health points"},
		{"cards: [1/1/1]\nhand: 1\nopening: [2/2/2]\n",
			"d.yaml:3: opening: the opening hand has more of the card 2/2/2"},
		{"cards: [1/1/1]\nhand: 1\nhand: 1\n", "d.yaml:3: hand is given twice, first on line 2"},
		{"cards: [1/1/1\n", "d.yaml:1: not YAML"},
		{"cards: [1/1/1]\nhand: 1\n---\ncards: [1/1/1]\n", "a second document"},
	} {
		if d, err := parseDeck("d.yaml", []byte(c.text)); err == nil ||
			!strings.Contains(err.Error(), c.fails) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is read as %v, %v; want an error with %q", c.text, d, err, c.fails)
		}
	}
	d, err := ReadDeck("testdata/small.yaml")
	want := mustCards("1/1/1 6/0/0 0/4/4 removal removal")
	if err != nil || !slices.Equal(d.Cards, want) || d.Hand != 3 || d.HP != 20 ||
		!slices.Equal(d.Opening, mustCards("6/0/0 removal")) {
		t.Errorf("the deck is %v, %v", d, err)
	}
}
