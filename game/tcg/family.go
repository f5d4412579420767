package tcg

import (
	"fmt"
	"path/filepath"
	"strings"

	"tengen/game"
	"tengen/internal/notation"
)

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
