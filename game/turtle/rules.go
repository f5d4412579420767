package turtle

import (
	"cmp"
	"fmt"
	"strings"
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
