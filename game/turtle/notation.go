package turtle

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// Words of actions.
const (
	wordDiscard = "discard"
	wordDraw    = "draw"
	wordOwn     = "own"
	wordPlace   = "place"
)

// ActionName is the card, and after a colon the turtle that a card of all
// colours moves: "red++", "any-:blue", "arrow2:green". A card that can't be
// played is "discard:red-". Outcomes of chance are "draw:red+", "draw:arrow",
// "own:red" and "place:red".
func (g *Game) ActionName(state game.State, a game.Action) string {
	chance := state != nil && tableOf(state).Mover() == game.Chance
	switch {
	case isDraw(a) && (chance || int(a) >= actions):
		return wordDraw + ":" + drawnCard(a).String()
	case isOutcomeOf(a, rowOwner):
		return wordOwn + ":" + turtleOf(a).String()
	case isOutcomeOf(a, rowStack):
		return wordPlace + ":" + turtleOf(a).String()
	case isDiscard(a):
		return wordDiscard + ":" + playedCard(a).String()
	case isPlay(a) && a < game.Action(AnyPlus):
		return playedCard(a).String()
	case isPlay(a):
		return playedCard(a).String() + ":" + turtleOf(a).String()
	}
	return strconv.Itoa(int(a)) // stands for nothing
}

// ParseAction reads what ActionName writes, in letters of either case and with
// a space in place of the colon. A colour may be its first letter.
func (g *Game) ParseAction(state game.State, text string) (game.Action, error) {
	const forms = "red++, red+, red-, any+:red, any-:red, arrow:red, arrow2:red or discard:red-"
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == ':' })
	chance := state == nil || tableOf(state).Mover() == game.Chance
	fail := func(err error) (game.Action, error) {
		return game.NoAction, fmt.Errorf("%w; actions are %s", err, forms)
	}
	switch len(words) {
	case 1:
		c, err := ParseCard(words[0])
		switch {
		case err != nil:
			return fail(err)
		case c >= AnyPlus:
			return fail(fmt.Errorf("%s: which turtle is to move is wanted, %s:red or another", c, c))
		}
		return Play(c, c.Turtle()), nil
	case 2:
		switch words[0] {
		case wordDraw, wordDiscard:
			c, err := ParseCard(words[1])
			switch {
			case err != nil:
				return fail(err)
			case words[0] == wordDraw && chance:
				return Draw(c), nil
			case words[0] == wordDraw:
				return fail(fmt.Errorf("%q: nobody draws now", text))
			case c.Steps() >= 0:
				return fail(fmt.Errorf("%s can always be played: it is never discarded", c))
			}
			return Discard(c), nil
		}
		t, err := parseTurtle(words[1])
		if err != nil {
			return fail(err)
		}
		switch words[0] {
		case wordOwn:
			return Own(t), nil
		case wordPlace:
			return Place(t), nil
		}
		c, err := ParseCard(words[0])
		switch {
		case err != nil:
			return fail(err)
		case c < AnyPlus && c.Turtle() != t:
			return fail(fmt.Errorf("%q: a card of one colour moves its own turtle", text))
		}
		return Play(c, t), nil
	}
	return fail(fmt.Errorf("%q is no action", text))
}
