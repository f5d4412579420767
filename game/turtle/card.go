package turtle

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"tengen/internal/random"
)

// Card is a kind of card. The first fifteen have a colour: [++], [+] and [−], five
// each in the order of the turtles. The four of all colours follow.
type Card uint8

// Cards of all colours: the player chooses the turtle, for arrows among the last ones.
const (
	AnyPlus  Card = 3*Turtles + iota // one square forward
	AnyMinus                         // one square backward
	Arrow                            // one of the last turtles, one square forward
	Arrow2                           // one of the last turtles, two squares forward
	// Cards is the number of kinds.
	Cards = 3*Turtles + 4
)

// DoublePlus, Plus and Minus are the cards of a turtle: two squares forward, one
// forward, one backward.
func DoublePlus(t Turtle) Card { return Card(t) }
func Plus(t Turtle) Card       { return Turtles + Card(t) }
func Minus(t Turtle) Card      { return 2*Turtles + Card(t) }

// Rows of actions, by what a card does. An action is a row and a turtle.
const (
	rowDoublePlus = iota
	rowPlus
	rowMinus
	rowAnyPlus
	rowAnyMinus
	rowArrow
	rowArrow2
	cardRows // number of rows
)

// steps are the squares moved, by row.
var steps = [cardRows]int{2, 1, -1, 1, -1, 1, 2}

// row returns the row of a card's actions.
func (c Card) row() int {
	if c < AnyPlus {
		return int(c) / Turtles
	}
	return int(c-AnyPlus) + rowAnyPlus
}

// Turtle is the turtle of a card's colour, or NoTurtle for a card of all colours.
func (c Card) Turtle() Turtle {
	if c < AnyPlus {
		return Turtle(c % Turtles)
	}
	return NoTurtle
}

// Steps is the number of squares that a card moves a turtle, negative if backward.
func (c Card) Steps() int { return steps[c.row()] }

var rowNames = [cardRows]string{"++", "+", "-", "any+", "any-", "arrow", "arrow2"}

// String is the card as in positions and actions: "red++", "red+", "red-", "any+",
// "any-", "arrow", "arrow2".
func (c Card) String() string {
	if c < AnyPlus {
		return c.Turtle().String() + rowNames[c.row()]
	}
	return rowNames[c.row()]
}

// ParseCard parses the names of Card.String, in either case. A colour may be its first
// letter.
func ParseCard(text string) (Card, error) {
	word := strings.ToLower(text)
	for c := range Card(Cards) {
		if word == c.String() || c < AnyPlus && word == c.String()[:1]+rowNames[c.row()] {
			return c, nil
		}
	}
	return 0, fmt.Errorf("%q is no card: red++, red+, red- or another colour's, any+, any-, arrow or arrow2 is wanted", text)
}

// parseTurtle parses a colour or its first letter.
func parseTurtle(text string) (Turtle, error) {
	word := strings.ToLower(text)
	for t, name := range turtleNames {
		if word == name || word == name[:1] {
			return Turtle(t), nil
		}
	}
	return NoTurtle,
		fmt.Errorf("%q is no turtle: %s is wanted", text, strings.Join(turtleNames[:], ", "))
}

// pile is a hand, the draw pile or the discards: the number of cards of each kind, and
// in all.
type pile struct {
	count [Cards]uint8
	n     uint8
	held  uint64 // the actions of the kinds held, on some board
	sum   uint64 // sum of the cards' keys, for hashes
}

// kept holds the actions of each kind, on some board.
var kept [Cards]uint64

func init() {
	for c := range Card(Cards) {
		if c < AnyPlus {
			kept[c] = 1 << c
		} else {
			kept[c] = uint64(allTurtles) << (Turtles * c.row())
		}
	}
}

// cardKeys holds a random number for each kind.
var cardKeys = func() (keys [Cards]uint64) {
	for c := range keys {
		keys[c] = random.Mix(uint64(c+1) * random.Gamma)
	}
	return keys
}()

// add adds a card.
func (p *pile) add(c Card) {
	p.count[c]++
	p.n++
	p.held |= kept[c]
	p.sum += cardKeys[c]
}

// remove removes a card, which the pile must contain.
func (p *pile) remove(c Card) {
	p.count[c]--
	p.n--
	p.sum -= cardKeys[c]
	// 1 if it was the last of its kind: no branch, which nobody could predict
	last := (uint64(p.count[c]) - 1) >> 63
	p.held &^= kept[c] & -last
}

// nth returns card i of the pile sorted by kind. For eight kinds at a time a
// multiplication gives the running sums, one byte each, without branches; a sum must
// stay below 128.
func (p *pile) nth(i int) Card {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	from := 0
	if p.n < 128 {
		for ; from+8 <= Cards; from += 8 {
			sums := binary.LittleEndian.Uint64(p.count[from:from+8]) * ones
			if all := int(sums >> 56); i >= all {
				i -= all
				continue
			}
			// The top bit of a byte remains set if its sum is above i.
			above := (sums | tops) - uint64(i+1)*ones
			return Card(from + bits.TrailingZeros64(above&tops)/8)
		}
	}
	return p.nthFrom(from, i)
}

// nthFrom is nth among the kinds starting at from.
func (p *pile) nthFrom(from, i int) Card {
	for c, n := range p.count[from:] {
		if i -= int(n); i < 0 {
			return Card(from + c)
		}
	}
	panic("turtle: a card from beyond the pile")
}

// addAll adds all cards of another pile.
func (p *pile) addAll(q *pile) {
	for c, n := range q.count {
		p.count[c] += n
	}
	p.n += q.n
	p.held |= q.held
	p.sum += q.sum
}
