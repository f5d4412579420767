package board

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/turtle"
)

// face returns the text of a card: how far it moves, and which turtle.
func face(c turtle.Card) string {
	switch c {
	case turtle.AnyPlus:
		return "+\nany"
	case turtle.AnyMinus:
		return "−\nany"
	case turtle.Arrow:
		return "↑\nlast"
	case turtle.Arrow2:
		return "↑↑\nlast"
	}
	sign := map[int]string{2: "++", 1: "+", -1: "−"}[c.Steps()]
	at := c.Turtle()
	return sign + "\nturtle " + turtleLetters[at] + " " + string(turtleTones[at])
}

// plural returns a number of things in words.
func plural(n int, of string) string {
	if n != 1 {
		of += "s"
	}
	return strconv.Itoa(n) + " " + of
}

// listing joins names as in a sentence: "red, green and blue".
func listing(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// does describes playing a card for a turtle, as the name of a spot.
func (d *race) does(t *turtle.View, c turtle.Card, at turtle.Turtle) string {
	name := "Play " + c.String()
	if c >= turtle.AnyPlus {
		name += " for " + at.String()
	}
	return name + ": " + d.move(t, at, c.Steps())
}

// move says where a turtle goes, and which turtles it carries: "red to square 3 with
// blue".
func (d *race) move(t *turtle.View, at turtle.Turtle, steps int) string {
	from := slices.IndexFunc(t.Squares, func(stack []turtle.Turtle) bool {
		return slices.Contains(stack, at)
	})
	where := ""
	switch to := min(max(from+steps, 0), d.goal); to {
	case 0:
		where = "the start"
	case d.goal:
		where = "the goal"
	default:
		where = "square " + strconv.Itoa(to)
	}
	words := at.String() + " to " + where
	if from > 0 || t.Stacked {
		var carried []string
		stack := t.Squares[from]
		for _, other := range stack[slices.Index(stack, at)+1:] {
			carried = append(carried, other.String())
		}
		if len(carried) > 0 {
			words += " with " + listing(carried)
		}
	}
	return words
}

// situation says whose turn it is and what happens next.
func (d *race) situation(s game.State, t *turtle.View) string {
	turn, name := fmt.Sprintf("Turn %d · ", t.Turn), d.seats[t.Mover]
	switch t.Phase {
	case "tiles":
		return name + " is dealt a turtle"
	case "stack":
		return "The turtles are stacked on the start"
	case "deal":
		return name + " is dealt a hand"
	case "draw":
		return fmt.Sprintf("Turn %d · %s draws a card", t.Turn-1, name)
	case "over":
		var names []string
		for _, p := range t.Winners {
			names = append(names, d.seats[p])
		}
		if len(names) > 1 {
			return listing(names) + " share the win"
		}
		return names[0] + " has won"
	}
	if t.Sides[t.Mover].Seen {
		if word, _, _ := strings.Cut(game.ActionName(d.g, s, s.LegalActions(nil)[0]),
			":"); word == "discard" {
			return turn + name + " can play no card, and discards one"
		}
	}
	return turn + name + " plays a card"
}

// Tell describes an action; of what is dealt or drawn, it names what viewer may see.
func (d *race) Tell(s game.State, a game.Action, viewer game.Player) string {
	t := viewOf(s, viewer)
	name := d.seats[t.Mover]
	// "draw:red+", "own:red", "place:red", "discard:red-", "any+:red" or "red+".
	word, of, _ := strings.Cut(game.ActionName(d.g, s, a), ":")
	seen := t.Sides[t.Mover].Seen
	switch t.Phase {
	case "tiles":
		if !seen {
			return name + " is dealt a turtle"
		}
		return name + " is dealt " + of + ", its colour"
	case "stack":
		return of + " is put onto the stack"
	case "deal", "draw":
		if !seen {
			of = "a card"
		}
		if t.Phase == "deal" {
			return name + " is dealt " + of
		}
		return name + " draws " + of
	}
	if word == "discard" {
		return name + " can play no card, and discards " + of
	}
	c, err := turtle.ParseCard(word)
	if err != nil {
		return name + ": " + word
	}
	at := c.Turtle()
	if at == turtle.NoTurtle {
		for other := range turtle.Turtle(turtle.Turtles) {
			if turtle.Play(c, other) == a {
				at = other
			}
		}
	}
	return name + " plays " + c.String() + ": " + d.move(&t, at, c.Steps())
}
