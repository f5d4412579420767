package tcg

import (
	"fmt"
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
