package tcg

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tengen/game"
	"tengen/internal/notation"
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

// Words in a game's name.
const (
	openingDealt        = "dealt"
	cardsReal           = "real"
	cardsRepresentative = "representative"
	cardsRealRoot       = "real-root"
)

func init() {
	game.Register(game.Family{
		Name:    "tcg",
		Summary: "the trading-card game of the representative-moves paper: two decks, two fields, 50 health points",
		Params: []game.Param{
			{Key: "deck", Default: "standard", Help: "standard, benchmark (the paper's starting hand), FILE.yaml, or a list [4/1/1,removal]"},
			{Key: "opening", Help: "the hand of both players at the beginning, [4/1/1,removal], or dealt; default: the deck's"},
			{
				Key: "hand", Help: "cards dealt, and the limit up to which players draw; default: the deck's, else 5",
			},
			{Key: "hp", Help: "health points at the beginning; default: the deck's, else 50"},
			{Key: "draw", Default: string(UnlessFull),
				Help: "a turn begins with a draw unless-full, or always"},
			{Key: "empty", Default: string(Nothing),
				Help: "a draw from an empty deck: nothing, or loss"},
			{Key: "battle", Default: string(Opponent),
				Help: "battle against cards of the opponent, or any others"},
			{Key: "order", Default: string(FieldOrder), Help: "cards act in field order, the oldest first; newest, then the others in field order; or free, as the player chooses"},
			{Key: "removal", Default: string(Anytime),
				Help: "a Removal may be placed anytime, or only with-target"},
			{Key: "max_turns", Default: fmt.Sprint(DefaultTurns),
				Help: "turns of both players after which the game is a draw"},
			{Key: "cards", Default: cardsReal, Help: "real, or representative: three average cards a player, and no draws; or real-root: hands in the first turn, representative after it"},
		},
		New: fromValues,
	})
}

// fromValues makes the game from its parameters.
func fromValues(v *game.Values) (game.Game, error) {
	cards := v.Choice("cards", cardsReal, cardsRepresentative, cardsRealRoot)
	r := Rules{
		Draw:   Draw(v.Choice("draw", string(UnlessFull), string(Always))),
		Empty:  Empty(v.Choice("empty", string(Nothing), string(Loss))),
		Battle: Battle(v.Choice("battle", string(Opponent), string(Any))),
		Order: Order(v.Choice("order",
			string(FieldOrder), string(FreeOrder), string(NewestOrder))),
		Removals:       Removals(v.Choice("removal", string(Anytime), string(WithTarget))),
		MaxTurns:       v.Int("max_turns", 1, MostTurns),
		Representative: cards != cardsReal,
		RealRoot:       cards == cardsRealRoot,
	}
	var err error
	if r.Deck, err = findDeck(v.String("deck")); err != nil {
		return nil, err
	}
	if v.Given("hand") {
		r.Deck.Hand = v.Int("hand", 1, len(r.Deck.Cards))
	}
	if v.Given("hp") {
		r.Deck.HP = v.Int("hp", 1, MostHP)
	}
	if v.Given("opening") {
		r.Deck.Opening = nil
		if text := v.String("opening"); text != openingDealt {
			if r.Deck.Opening, err = bracketed(text); err != nil {
				return nil, fmt.Errorf("opening=%s: %w, or the word %s", text, err, openingDealt)
			}
		}
	}
	if err := v.Err(); err != nil {
		return nil, err
	}
	return New(r)
}

// findDeck returns the deck that text names or lists, or that is in the file text.
func findDeck(text string) (Deck, error) {
	if strings.HasPrefix(text, "[") {
		cards, err := bracketed(text)
		if err == nil {
			err = (&Deck{Cards: cards}).checkCards()
		}
		if err != nil {
			return Deck{}, fmt.Errorf("deck: %w", err)
		}
		return Deck{Cards: cards, Hand: min(5, len(cards)), HP: 50}, nil
	}
	var names []string
	for _, n := range named {
		if n.name == text {
			return n.deck(), nil
		}
		names = append(names, n.name)
	}
	if ext := filepath.Ext(text); ext != ".yaml" && ext != ".yml" {
		return Deck{},
			fmt.Errorf("deck=%s: %s, a path that ends in .yaml or a list of cards [4/1/1,removal] is wanted%s",
				text, strings.Join(names, ", "), notation.DidYouMean(text, names))
	}
	return ReadDeck(text)
}
