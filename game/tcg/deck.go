package tcg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Card is a soldier with three values of 0 to MostValue, or a Removal.
type Card struct {
	Fight, Heal, Attack int
	// Removal marks the card that removes an opposing card from the field. In the values
	// of hands and decks it counts as 5/0/0 (the paper, section 5).
	Removal bool
}

// MostValue is the greatest Fight, Heal or Attack that a card may have.
const MostValue = 99

// Removal is the card that removes another.
var Removal = Card{Fight: 5, Removal: true}

// removalName is the notation of a Removal.
const removalName = "removal"

// Total is Fight + Heal + Attack, 5 for a Removal.
func (c Card) Total() int { return c.Fight + c.Heal + c.Attack }

// String formats a soldier as its three values, "4/1/1", and a Removal as "removal".
func (c Card) String() string {
	if c.Removal {
		return removalName
	}
	return fmt.Sprintf("%d/%d/%d", c.Fight, c.Heal, c.Attack)
}

// ParseCard parses the format of String.
func ParseCard(text string) (Card, error) {
	if strings.EqualFold(text, removalName) {
		return Removal, nil
	}
	fight, rest, _ := strings.Cut(text, "/")
	heal, attack, _ := strings.Cut(rest, "/")
	var values [3]int
	for i, word := range [3]string{fight, heal, attack} {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > MostValue || strconv.Itoa(n) != word {
			return Card{},
				fmt.Errorf("%q is no card: Fight/Heal/Attack, each 0 to %d, such as 4/1/1, or %s is wanted", text, MostValue, removalName)
		}
		values[i] = n
	}
	return Card{Fight: values[0], Heal: values[1], Attack: values[2]}, nil
}

// before orders a game's cards: by total, then Fight, Heal, Attack; a Removal comes
// after an equal soldier.
func (c Card) before(d Card) int {
	for _, pair := range [][2]int{
		{c.Total(), d.Total()}, {c.Fight, d.Fight}, {c.Heal, d.Heal}, {c.Attack, d.Attack},
	} {
		if pair[0] != pair[1] {
			return pair[0] - pair[1]
		}
	}
	switch {
	case c.Removal == d.Removal:
		return 0
	case d.Removal:
		return -1
	}
	return 1
}

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
