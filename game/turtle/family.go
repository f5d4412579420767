package turtle

import (
	"fmt"
	"path/filepath"
	"strings"

	"tengen/game"
)

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
