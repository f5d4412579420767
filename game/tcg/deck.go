package tcg

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of a deck.
const (
	MostCards = 40    // cards of one player
	MostHP    = 10000 // health points at the beginning
)

// Deck is the deck of cards and the initial values of both players.
type Deck struct {
	Cards []Card // all of a player's cards, in any order
	Hand  int    // cards dealt, and the limit for draws unless the rules say otherwise
	HP    int    // health points
	// Opening is the hand with which both players begin; nil if hands are dealt.
	Opening []Card
}

// standardCards is the deck of the paper: its Table 1 and two Removals.
const standardCards = "1/1/1 2/2/2 3/3/3 4/4/4 4/0/3 2/4/2 0/0/7 4/1/0 1/1/2 3/2/2 1/1/5 6/0/0 3/3/2 4/0/4 2/4/1 5/1/0 1/0/3 0/4/4 4/4/0 3/3/0 1/3/3 4/1/1 6/6/6 removal removal"

// benchmarkHand is the starting hand of the paper's section 6. Two of its cards (2/1/1
// and 2/3/2) are not in Table 1; they replace 1/1/2 and 3/2/2.
const benchmarkHand = "6/6/6 2/1/1 4/1/1 2/3/2 1/3/3"

// Standard is the deck of the paper: 25 cards, five in hand, 50 health points.
func Standard() Deck {
	return Deck{Cards: mustCards(standardCards), Hand: 5, HP: 50}
}

// Benchmark is the deck of the paper's Tables 2 and 3: both players begin with the
// hand 6/6/6, 2/1/1, 4/1/1, 2/3/2, 1/3/3.
func Benchmark() Deck {
	d := Standard()
	d.Opening = mustCards(benchmarkHand)
	for i, c := range d.Cards {
		switch c {
		case Card{Fight: 1, Heal: 1, Attack: 2}:
			d.Cards[i] = Card{Fight: 2, Heal: 1, Attack: 1}
		case Card{Fight: 3, Heal: 2, Attack: 2}:
			d.Cards[i] = Card{Fight: 2, Heal: 3, Attack: 2}
		}
	}
	return d
}

// named lists the decks that have a name.
var named = []struct {
	name string
	deck func() Deck
}{
	{"standard", Standard},
	{"benchmark", Benchmark},
}

func mustCards(text string) []Card {
	cards, err := parseCards(strings.Fields(text))
	if err != nil {
		panic(err)
	}
	return cards
}

func parseCards(words []string) ([]Card, error) {
	cards := make([]Card, len(words))
	for i, word := range words {
		c, err := ParseCard(word)
		if err != nil {
			return nil, err
		}
		cards[i] = c
	}
	return cards, nil
}

// bracketed parses a list of cards as in a game's name: "[1/1/1,removal]".
func bracketed(text string) ([]Card, error) {
	inner, ok := strings.CutPrefix(text, "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	if !ok || !ok2 || strings.TrimSpace(inner) == "" {
		return nil, fmt.Errorf("a list of cards in brackets is wanted, such as [4/1/1,removal]")
	}
	words := strings.Split(inner, ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return parseCards(words)
}

// inBrackets formats cards for bracketed.
func inBrackets(cards []Card) string {
	words := make([]string, len(cards))
	for i, c := range cards {
		words[i] = c.String()
	}
	return "[" + strings.Join(words, ",") + "]"
}

// sorted returns a sorted copy of cards.
func sorted(cards []Card) []Card {
	s := slices.Clone(cards)
	slices.SortFunc(s, Card.before)
	return s
}

// checkCards checks the list of cards.
func (d *Deck) checkCards() error {
	if n := len(d.Cards); n < 1 || n > MostCards {
		return fmt.Errorf("%d cards; want 1 to %d", n, MostCards)
	}
	for _, c := range d.Cards {
		low, high := min(c.Fight, c.Heal, c.Attack), max(c.Fight, c.Heal, c.Attack)
		if c.Removal && c != Removal || low < 0 || high > MostValue {
			return fmt.Errorf("the card %v: values from 0 to %d are wanted", c, MostValue)
		}
	}
	return nil
}

// checkHand checks the size of the hand.
func (d *Deck) checkHand() error {
	if d.Hand < 1 || d.Hand > len(d.Cards) {
		return fmt.Errorf("a hand of %d; want 1 to %d, the number of cards in the deck",
			d.Hand, len(d.Cards))
	}
	return nil
}

// checkHP checks the health points.
func (d *Deck) checkHP() error {
	if d.HP < 1 || d.HP > MostHP {
		return fmt.Errorf("%d health points; want 1 to %d", d.HP, MostHP)
	}
	return nil
}

// checkOpening checks the opening hand.
func (d *Deck) checkOpening() error {
	if d.Opening == nil {
		return nil
	}
	if n := len(d.Opening); n < 1 || n > d.Hand {
		return fmt.Errorf("an opening hand of %d cards; want 1 to %d, the size of the hand",
			n, d.Hand)
	}
	left := slices.Clone(d.Cards)
	for _, c := range d.Opening {
		i := slices.Index(left, c)
		if i < 0 {
			return fmt.Errorf("the opening hand has more of the card %v than the deck", c)
		}
		left = slices.Delete(left, i, i+1)
	}
	return nil
}

// validate returns the first error in the deck.
func (d *Deck) validate() error {
	for _, check := range []func() error{d.checkCards, d.checkHand, d.checkHP, d.checkOpening} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// sameCards reports whether two lists contain the same cards in any order.
func sameCards(a, b []Card) bool { return slices.Equal(sorted(a), sorted(b)) }
