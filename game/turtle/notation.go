package turtle

import (
	"fmt"
	"math/bits"
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

// ActionName is the card, and after a colon the turtle that a card of all colours
// moves: "red++", "any-:blue", "arrow2:green". Discarding a card that can't be played
// is "discard:red-". Outcomes of chance are "draw:red+", "draw:arrow", "own:red" and
// "place:red".
func (g *Game) ActionName(state game.State, a game.Action) string {
	chance := state != nil && baseOf(state).CurrentPlayer() == game.Chance
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
	return strconv.Itoa(int(a)) // no valid action
}

// ParseAction parses the names of ActionName, in either case and with a space or a
// colon. A colour may be its first letter, and an arrow needs no turtle if only one is
// last.
func (g *Game) ParseAction(state game.State, text string) (game.Action, error) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r == ' ' || r == ':'
	})
	chance := state == nil || baseOf(state).CurrentPlayer() == game.Chance
	fail := func(form string, args ...any) (game.Action, error) {
		return game.NoAction, fmt.Errorf(form, args...)
	}
	switch len(words) {
	case 1:
		c, err := ParseCard(words[0])
		switch {
		case err != nil:
			return fail("%q is no card; actions are %s", text, forms)
		case c >= Arrow && state != nil:
			if s := baseOf(state); bits.OnesCount32(s.at(s.lastSquare())) == 1 {
				return Play(c, Turtle(bits.TrailingZeros32(s.at(s.lastSquare())))), nil
			}
		}
		if c >= AnyPlus {
			return fail("%s: which turtle is to move is wanted, %s:red or another", c, c)
		}
		return Play(c, c.Turtle()), nil
	case 2:
		switch words[0] {
		case wordDraw, wordDiscard:
			c, err := ParseCard(words[1])
			switch {
			case err != nil:
				return game.NoAction, err
			case words[0] == wordDraw && chance:
				return Draw(c), nil
			case words[0] == wordDraw:
				return fail("%q: nobody draws now; actions are %s", text, forms)
			case c.Steps() >= 0:
				return fail("%s can always be played: it is never discarded", c)
			}
			return Discard(c), nil
		case wordOwn, wordPlace:
			t, err := parseTurtle(words[1])
			switch {
			case err != nil:
				return game.NoAction, err
			case words[0] == wordOwn:
				return Own(t), nil
			}
			return Place(t), nil
		}
		c, err := ParseCard(words[0])
		if err != nil {
			return fail("%q is no card; actions are %s", words[0], forms)
		}
		t, err := parseTurtle(words[1])
		switch {
		case err != nil:
			return game.NoAction, err
		case c < AnyPlus && c.Turtle() != t:
			return fail("%q: a card of one colour moves its own turtle", text)
		}
		return Play(c, t), nil
	}
	return fail("%q is no action; actions are %s", text, forms)
}

// forms lists the forms of actions.
const forms = "red++, red+, red-, any+:red, any-:red, arrow:red, arrow2:red and discard:red-, of any colour"

// Guide explains cards, moves and drawings to a human player.
func (g *Game) Guide() string {
	return `red++ moves red two squares forward, red+ one forward, red- one back; likewise for
green, blue, yellow and purple. A colour may be its first letter: r++.
any+ and any- move a turtle that you choose: any+:blue, or any+ b.
arrow and arrow2 move one of the last turtles, one or two squares forward:
arrow:red; if only one is last, arrow is enough.
A player who can't play a card discards one: discard:red-.
On the track R G B Y P are the turtles; in a stack each carries those above it.
red+*2 means two cards of a kind, [ ] a card and ? a turtle that you can't see. The first
turtle at the goal ends the game: its owner wins, or, if it carries others there, the
owner of the lowest.
`
}

// ParseSeen makes a state from what the current player knows. The text is written like
// Position's, but with a question mark for each player whose turtle and hand are
// hidden, and the discards in place of the draw pile:
//
//	turn 7 player 2 play | 0:RG 3:BY 5:P | ? | green: blue+*2 any+*3 | discards red+ arrow
//
// What is hidden is dealt arbitrarily: the state is one of those that the player can't
// tell apart.
func (g *Game) ParseSeen(text string) (game.State, error) {
	const unseen = "?"
	parts, history := g.splitHistory(strings.Split(text, "|"))
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	players := g.rules.Players
	last := strings.Fields(parts[len(parts)-1])
	switch {
	case len(parts) != players+3:
		return nil, fmt.Errorf("position: %d parts separated by | are wanted (the turn, the squares, each player, the discards), not %d", players+3, len(parts))
	case len(last) == 0 || last[0] != "discards":
		return nil, fmt.Errorf("position: if a hand is hidden, the last part begins with the word discards, and lists them")
	}
	left := base{g: g} // whose discards are the cards that are not seen
	left.discards = g.full
	var elsewhere pile
	if err := left.readPile(&elsewhere, last[1:]); err != nil {
		return nil, fmt.Errorf("position: discards: %w", err)
	}
	free := allTurtles
	for p, part := range parts[2 : 2+players] {
		owner, hand, _ := strings.Cut(part, ":")
		switch t, err := parseTurtle(strings.TrimSpace(owner)); {
		case part == unseen && strings.Contains(parts[0]+" ", fmt.Sprintf("player %d ", p+1)):
			return nil,
				fmt.Errorf("position: player %d is in turn: its turtle and hand are wanted", p+1)
		case part == unseen:
			continue
		case err != nil:
			return nil,
				fmt.Errorf("position: player %d: %w, or ? for a player whose cards are not seen",
					p+1, err)
		default:
			free &^= 1 << t
		}
		if err := left.readPile(&elsewhere, strings.Fields(hand)); err != nil {
			return nil, fmt.Errorf("position: player %d: %w", p+1, err)
		}
	}
	for p, part := range parts[2 : 2+players] {
		if part != unseen {
			continue
		}
		if int(left.discards.n) < g.rules.Hand {
			return nil,
				fmt.Errorf("position: too few cards are left for the hand of player %d", p+1)
		}
		owner := Turtle(bits.TrailingZeros32(free))
		free &= free - 1
		var hand pile
		for range g.rules.Hand {
			c := left.discards.nth(0)
			left.discards.remove(c)
			hand.add(c)
		}
		parts[2+p] = owner.String() + ": " + listed(&hand, false)
	}
	parts[players+2] = "deck " + listed(&left.discards, false)
	return g.ParsePosition(strings.Join(append(parts, history...), " | "))
}
