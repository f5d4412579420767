package tcg

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The choices that the paper leaves open. The first constant of each is the default.
type (
	// Draw says when a player draws at the beginning of a turn.
	Draw string
	// Empty says what happens to a player who has to draw from an empty deck.
	Empty string
	// Battle says which cards may be battled.
	Battle string
	// Order says in which order a player's cards act.
	Order string
	// Removals says when a Removal may be placed.
	Removals string
)

const (
	UnlessFull Draw = "unless-full" // one card, unless the hand is full
	Always     Draw = "always"      // one card, however many are in hand

	Nothing Empty = "nothing" // plays on without a card
	Loss    Empty = "loss"    // loses

	Opponent Battle = "opponent" // those on the opponent's field
	Any      Battle = "any"      // the player's own too

	FieldOrder  Order = "field"  // as they were placed, the oldest first
	FreeOrder   Order = "free"   // as the player chooses
	NewestOrder Order = "newest" // the newest first, then the others, the oldest first

	Anytime    Removals = "anytime"     // always; without an opposing card it has no effect
	WithTarget Removals = "with-target" // only while the opponent has a card on the field
)

// Rules holds a game's deck and choices. The zero value of a choice means its default.
type Rules struct {
	Deck     Deck
	Draw     Draw
	Empty    Empty
	Battle   Battle
	Order    Order
	Removals Removals
	// MaxTurns is the number of turns, counting both players', after which the game is
	// drawn: 1 to MostTurns, 0 for DefaultTurns.
	MaxTurns int
	// Representative makes the game of representative moves; see Game.Abstraction.
	Representative bool
	// RealRoot, with Representative, keeps the hands of the first turn; see
	// Game.RootAbstraction.
	RealRoot bool
}

// Bounds of MaxTurns.
const (
	DefaultTurns = 400
	MostTurns    = 10000
)

// complete fills in defaults, or returns an error that says what is wrong.
func (r Rules) complete() (Rules, error) {
	r.Draw = cmp.Or(r.Draw, UnlessFull)
	r.Empty = cmp.Or(r.Empty, Nothing)
	r.Battle = cmp.Or(r.Battle, Opponent)
	r.Order = cmp.Or(r.Order, FieldOrder)
	r.Removals = cmp.Or(r.Removals, Anytime)
	r.MaxTurns = cmp.Or(r.MaxTurns, DefaultTurns)
	r.Representative = r.Representative || r.RealRoot
	if err := r.Deck.validate(); err != nil {
		return r, err
	}
	for _, c := range []struct {
		key, value string
		known      []string
	}{
		{"draw", string(r.Draw), []string{string(UnlessFull), string(Always)}},
		{"empty", string(r.Empty), []string{string(Nothing), string(Loss)}},
		{"battle", string(r.Battle), []string{string(Opponent), string(Any)}},
		{"order", string(r.Order),
			[]string{string(FieldOrder), string(FreeOrder), string(NewestOrder)}},
		{"removal", string(r.Removals), []string{string(Anytime), string(WithTarget)}},
	} {
		if !slices.Contains(c.known, c.value) {
			return r, fmt.Errorf("%s=%s: %s is wanted",
				c.key, c.value, strings.Join(c.known, " or "))
		}
	}
	if r.MaxTurns < 1 || r.MaxTurns > MostTurns {
		return r, fmt.Errorf("max_turns=%d: a whole number from 1 to %d is wanted",
			r.MaxTurns, MostTurns)
	}
	return r, nil
}

// name is the canonical name of complete rules. It omits defaults, except for the
// deck, the draw, the hand and the health, which are always written.
func (r *Rules) name() string {
	deck, opening := inBrackets(sorted(r.Deck.Cards)), []Card(nil)
	for _, n := range named { // no two of which have the same cards
		if d := n.deck(); sameCards(d.Cards, r.Deck.Cards) {
			deck, opening = n.name, d.Opening
		}
	}
	words := []string{
		"tcg:deck=" + deck,
		fmt.Sprintf("hand=%d,hp=%d", r.Deck.Hand, r.Deck.HP),
		"draw=" + string(r.Draw),
	}
	switch {
	case sameCards(r.Deck.Opening, opening):
	case r.Deck.Opening == nil:
		words = append(words, "opening="+openingDealt)
	default:
		words = append(words, "opening="+inBrackets(sorted(r.Deck.Opening)))
	}
	for _, o := range [][3]string{
		{"empty", string(r.Empty), string(Nothing)},
		{"battle", string(r.Battle), string(Opponent)},
		{"order", string(r.Order), string(FieldOrder)},
		{"removal", string(r.Removals), string(Anytime)},
		{"max_turns", fmt.Sprint(r.MaxTurns), fmt.Sprint(DefaultTurns)},
	} {
		if o[1] != o[2] {
			words = append(words, o[0]+"="+o[1])
		}
	}
	switch {
	case r.RealRoot:
		words = append(words, "cards="+cardsRealRoot)
	case r.Representative:
		words = append(words, "cards="+cardsRepresentative)
	}
	return strings.Join(words, ",")
}
