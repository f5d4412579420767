package turtle

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/internal/notation"
)

// The choices that the paper leaves open. The first constant of each is the default.
type (
	// Start says how turtles stand on the start square.
	Start string
	// Unowned says who wins if nobody owns the winning turtle.
	Unowned string
	// Hands says who sees hands and colours.
	Hands string
)

const (
	Unstacked Start = "unstacked" // side by side, also when they return to it
	// stacked as on any other square; all begin in one stack, in random order
	Stacked Start = "stacked"

	Best Unowned = "best" // the players with the most victory points, sharing equally
	None Unowned = "none" // nobody: all players share equally

	Concealed Hands = "hidden" // their owner
	Open      Hands = "open"   // everybody
)

// Deck is the number of cards of each kind: for each colour [++], [+] and [−], for all
// colours [+], [−], [↑] and [↑↑], in this order.
type Deck [7]int

// Standard are the 52 cards of the published game.
var Standard = Deck{1, 5, 2, 5, 2, 3, 2}

// size is the number of cards.
func (d Deck) size() int {
	n := 0
	for row, copies := range d {
		if row < rowAnyPlus {
			copies *= Turtles
		}
		n += copies
	}
	return n
}

// Rules are the rules of a game. The zero value of a field means its default.
type Rules struct {
	Players int  // 2 to 5; 2
	Deck    Deck // Standard
	Hand    int  // cards in a hand, 1 to 10; 5
	Squares int  // squares of the track, start and goal included, 3 to 10; 10
	Start   Start
	Unowned Unowned
	Hands   Hands
	// cards played by all players together, after which the most victory points win; 400
	MaxTurns int
	// History is the number of last plays of each player that observations show, beside what it has
	// played and passed up in total: 0 to 8. With 0 they show no history at all.
	History int
}

// Defaults and bounds.
const (
	DefaultPlayers = 2
	DefaultHand    = 5
	DefaultSquares = 10
	DefaultTurns   = 400
	MostHand       = 10
	MostSquares    = 10
	MostCopies     = 20 // copies of a kind of card
	MostTurns      = 10000
	mostCards      = 255 // in the deck
)

// complete fills in defaults, or returns an error that says what is wrong.
func (r Rules) complete() (Rules, error) {
	r.Players = cmp.Or(r.Players, DefaultPlayers)
	r.Deck = cmp.Or(r.Deck, Standard)
	r.Hand = cmp.Or(r.Hand, DefaultHand)
	r.Squares = cmp.Or(r.Squares, DefaultSquares)
	r.Start = cmp.Or(r.Start, Unstacked)
	r.Unowned = cmp.Or(r.Unowned, Best)
	r.Hands = cmp.Or(r.Hands, Concealed)
	r.MaxTurns = cmp.Or(r.MaxTurns, DefaultTurns)
	for _, c := range []struct {
		key             string
		value, low, top int
	}{
		{"players", r.Players, 2, Turtles},
		{"hand", r.Hand, 1, MostHand},
		{"squares", r.Squares, 3, MostSquares},
		{"max_turns", r.MaxTurns, 1, MostTurns},
		{"history", r.History, 0, MostHistory},
	} {
		if c.value < c.low || c.value > c.top {
			return r, fmt.Errorf("%s=%d: a whole number from %d to %d is wanted",
				c.key, c.value, c.low, c.top)
		}
	}
	for _, c := range []struct {
		key, value string
		known      []string
	}{
		{"start", string(r.Start), []string{string(Unstacked), string(Stacked)}},
		{"unowned", string(r.Unowned), []string{string(Best), string(None)}},
		{"hands", string(r.Hands), []string{string(Concealed), string(Open)}},
	} {
		if c.value != c.known[0] && c.value != c.known[1] {
			return r, fmt.Errorf("%s=%s: %s is wanted",
				c.key, c.value, strings.Join(c.known, " or "))
		}
	}
	for _, copies := range r.Deck {
		if copies < 0 || copies > MostCopies {
			return r, fmt.Errorf("deck=%s: 0 to %d copies of each kind are wanted",
				r.Deck, MostCopies)
		}
	}
	switch n, dealt := r.Deck.size(), r.Players*r.Hand; {
	case n > mostCards:
		return r, fmt.Errorf("deck=%s: these are %d cards; at most %d are wanted",
			r.Deck, n, mostCards)
	case n < dealt:
		return r,
			fmt.Errorf("deck=%s: these are %d cards; %d players with %d in hand need at least %d",
				r.Deck, n, r.Players, r.Hand, dealt)
	}
	return r, nil
}

// String formats the list as in a name: [1,5,2,5,2,3,2].
func (d Deck) String() string {
	words := make([]string, len(d))
	for i, n := range d {
		words[i] = fmt.Sprint(n)
	}
	return "[" + strings.Join(words, ",") + "]"
}

// name is the canonical name of complete rules: the players, and what differs from the
// defaults.
func (r *Rules) name() string {
	words := []string{fmt.Sprintf("turtle:players=%d", r.Players)}
	for _, o := range [][3]string{
		{"deck", r.Deck.String(), Standard.String()},
		{"hand", fmt.Sprint(r.Hand), fmt.Sprint(DefaultHand)},
		{"squares", fmt.Sprint(r.Squares), fmt.Sprint(DefaultSquares)},
		{"start", string(r.Start), string(Unstacked)},
		{"unowned", string(r.Unowned), string(Best)},
		{"hands", string(r.Hands), string(Concealed)},
		{"max_turns", fmt.Sprint(r.MaxTurns), fmt.Sprint(DefaultTurns)},
		{"history", fmt.Sprint(r.History), "0"},
	} {
		if o[1] != o[2] {
			words = append(words, o[0]+"="+o[1])
		}
	}
	return strings.Join(words, ",")
}

// standardDeck names the deck of the published game.
const standardDeck = "standard"

func init() {
	game.Register(game.Family{
		Name:    "turtle",
		Summary: "the Great Turtle Race: hidden colours and hands of cards, five turtles that carry each other",
		Params: []game.Param{
			{Key: "players", Default: fmt.Sprint(DefaultPlayers), Help: "2 to 5"},
			{Key: "deck", Default: standardDeck, Help: "standard, FILE.yaml, or copies [1,5,2,5,2,3,2]: each colour's ++ + -, of all colours + - arrow arrow2"},
			{Key: "hand", Default: fmt.Sprint(DefaultHand), Help: "cards in a hand, 1 to 10"},
			{Key: "squares", Default: fmt.Sprint(DefaultSquares),
				Help: "squares of the track, start and goal included, 3 to 10"},
			{Key: "start", Default: string(Unstacked), Help: "turtles on the start are unstacked, or stacked as elsewhere, initially in random order"},
			{Key: "unowned", Default: string(Best), Help: "if nobody owns the winning turtle: best (the most victory points win) or none (all players share)"},
			{Key: "hands", Default: string(Concealed),
				Help: "hands and colours are hidden, or open to all"},
			{Key: "max_turns", Default: fmt.Sprint(DefaultTurns),
				Help: "cards played after which the best victory points win"},
			{Key: "history", Default: "0", Help: "last plays of each player that networks see, beside all that it has played and passed up, 1 to 8; 0: none"},
		},
		New: fromValues,
	})
}

// fromValues makes the game from its parameters.
func fromValues(v *game.Values) (game.Game, error) {
	r := Rules{
		Players:  v.Int("players", 2, Turtles),
		Hand:     v.Int("hand", 1, MostHand),
		Squares:  v.Int("squares", 3, MostSquares),
		Start:    Start(v.Choice("start", string(Unstacked), string(Stacked))),
		Unowned:  Unowned(v.Choice("unowned", string(Best), string(None))),
		Hands:    Hands(v.Choice("hands", string(Concealed), string(Open))),
		MaxTurns: v.Int("max_turns", 1, MostTurns),
		History:  v.Int("history", 0, MostHistory),
	}
	switch text := v.String("deck"); {
	case text == standardDeck:
	case filepath.Ext(text) == ".yaml" || filepath.Ext(text) == ".yml":
		var err error
		if r.Deck, err = ReadDeck(text); err != nil {
			return nil, fmt.Errorf("deck=%s: %w", text, err)
		}
	case !strings.HasPrefix(text, "["):
		v.Fail("deck", fmt.Sprintf("%s, FILE.yaml, or a list of %d numbers such as %v, is wanted",
			standardDeck, len(r.Deck), Standard))
	default:
		copies := v.Floats("deck")
		if len(copies) != len(r.Deck) {
			v.Fail("deck", fmt.Sprintf("%s, or a list of %d numbers such as %v, is wanted",
				standardDeck, len(r.Deck), Standard))
		} else {
			for row, x := range copies {
				if x != float64(int(x)) || x < 0 || x > MostCopies {
					v.Fail("deck", fmt.Sprintf("whole numbers from 0 to %d are wanted", MostCopies))
				}
				r.Deck[row] = int(x)
			}
			if r.Deck == (Deck{}) {
				v.Fail("deck", "at least one card is wanted")
			}
		}
	}
	if err := v.Err(); err != nil {
		return nil, err
	}
	return New(r)
}

// deckKeys are the keys of a deck file, in the order of a Deck.
var deckKeys = [len(Deck{})]string{
	"double_plus", "plus", "minus", "any_plus", "any_minus", "arrow", "arrow2",
}

// ReadDeck reads a deck from a YAML file: the number of copies of each kind of card,
// for the first three kinds per colour:
//
//	double_plus: 1
//	plus: 5
//	minus: 2
//	any_plus: 5
//	any_minus: 2
//	arrow: 3
//	arrow2: 2
//
// A missing kind is not in the deck. Errors name the file and the line.
func ReadDeck(path string) (Deck, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Deck{}, err
	}
	return parseDeck(path, text)
}

func parseDeck(name string, text []byte) (Deck, error) {
	keys, err := notation.ParseYAML(name, text, "plus: 5")
	if err != nil {
		return Deck{}, err
	}
	var d Deck
	lines := map[string]int{} // line of each key
	for entries := keys.MapRange(); entries.Next(); {
		node := entries.Key()
		key := notation.OneLine(node.String())
		if first, twice := lines[key]; twice {
			return Deck{}, notation.ErrorAt(name, node,
				"%s is given twice, first on line %d", key, first)
		}
		lines[key] = notation.LineOf(node)
		row := slices.Index(deckKeys[:], key)
		if row < 0 {
			return Deck{}, notation.ErrorAt(name, node, "a deck has no key %q%s; its keys are %s",
				key, notation.DidYouMean(key, deckKeys[:]), strings.Join(deckKeys[:], ", "))
		}
		n, err := strconv.Atoi(notation.OneLine(entries.Value().String()))
		if err != nil || n < 0 || n > MostCopies {
			return Deck{}, notation.ErrorAt(name, node, "%s: a whole number from 0 to %d is wanted",
				key, MostCopies)
		}
		d[row] = n
	}
	if d.size() == 0 {
		return Deck{}, fmt.Errorf("%s: at least one card is wanted, such as \"plus: 5\"", name)
	}
	return d, nil
}
