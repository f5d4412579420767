package board

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/tcg"
)

// number formats a value or health points, averages with two decimals.
func number(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	return strings.Replace(text, "-", "−", 1)
}

// title returns a card's name for a sentence.
func title(c *tcg.CardView) string {
	if c.Removal {
		return "Removal"
	}
	return c.Name
}

// battle is the result of a battle for the acting card.
type battle int

const (
	lost battle = iota - 1
	tied
	won
)

// outcome returns the result of a battle of the acting card c against another: the
// card with the lower Fight is removed, in a tie both.
func outcome(c, other *tcg.CardView) battle {
	switch {
	case c.Fight > other.Fight:
		return won
	case c.Fight < other.Fight:
		return lost
	}
	return tied
}

// hint is the text below the other card.
func (b battle) hint() string { return [...]string{"wins", "both fall", "falls"}[b-lost] }

func (b battle) tone() Tone { return [...]Tone{Faint, Faint, Green}[b-lost] }

// said describes the result in a sentence.
func (b battle) said(c, other *tcg.CardView) string {
	return [...]string{title(c) + " falls", "both fall", title(other) + " falls"}[b-lost]
}

// situation says whose turn it is and what happens next.
func (d *cards) situation(t *tcg.View) string {
	turn := fmt.Sprintf("Turn %d · ", t.Turn)
	name := d.seats[t.Mover]
	switch t.Phase {
	case "over":
		if t.Winner == game.Nobody {
			return "The game is drawn"
		}
		return fmt.Sprintf("%s has won in turn %d", d.seats[t.Winner], t.Turn)
	case "deal":
		return name + " is dealt a hand"
	case "draw":
		return turn + name + " draws a card"
	case "place":
		return turn + name + " may place a card"
	case "target":
		return turn + name + "’s Removal takes a card"
	case "choose":
		return turn + name + " chooses a card that acts"
	}
	return turn + name + "’s " + title(acts(t)) + " acts"
}

// button returns the label of an action's button, and a description of the action.
func (d *cards) button(s game.State, t *tcg.View, a game.Action) (label, name string) {
	c, me, them := acts(t), int(t.Mover), 1-int(t.Mover)
	switch {
	case t.Phase == "place" && a == tcg.Pass:
		return "Place none", "Place no card"
	case t.Phase == "choose" && a == tcg.Pass:
		return "Done", "Let no other card act"
	case t.Phase == "act" && a == tcg.Pass:
		return "Nothing", "Do nothing with " + title(c)
	case t.Phase == "act" && a == tcg.Heal:
		hp := t.Sides[me].HP
		return "Heal +" + number(c.Heal),
			fmt.Sprintf("Heal: %s from %s to %s health points",
				d.seats[me], number(hp), number(hp+c.Heal))
	case t.Phase == "act" && a == tcg.Attack:
		hp := t.Sides[them].HP
		label, name = "Attack −"+number(c.Attack),
			fmt.Sprintf("Attack: %s from %s to %s health points",
				d.seats[them], number(hp), number(hp-c.Attack))
		if hp <= c.Attack {
			label, name = "Attack: wins", name+", which wins"
		}
		return label, name
	}
	name = game.ActionName(d.g, s, a)
	return name, name
}

// Tell describes an action with the names of cards and players.
func (d *cards) Tell(s game.State, a game.Action, _ game.Player) string {
	t := s.(*tcg.State).View()
	name, other := d.seats[t.Mover], d.seats[1-t.Mover]
	words := strings.Fields(game.ActionName(d.g, s, a))
	card, _, _ := strings.Cut(words[len(words)-1], "#") // the action's card, if it names one
	if card == "removal" {
		card = "a Removal"
	}
	switch t.Phase {
	case "deal":
		return name + " is dealt " + card
	case "draw":
		return name + " draws " + card
	case "place":
		if a == tcg.Pass {
			return name + " places nothing"
		}
		return name + " places " + card
	case "target":
		return name + "’s Removal takes " + other + "’s " + card
	case "choose":
		if a == tcg.Pass {
			return name + " is done"
		}
		return name + " chooses " + card
	}
	c := acts(&t)
	who := name + "’s " + title(c)
	switch a {
	case tcg.Pass:
		return who + " does nothing"
	case tcg.Heal:
		hp := t.Sides[t.Mover].HP
		return fmt.Sprintf("%s heals: %s from %s to %s", who, name, number(hp), number(hp+c.Heal))
	case tcg.Attack:
		hp := t.Sides[1-t.Mover].HP
		return fmt.Sprintf("%s attacks: %s from %s to %s",
			who, other, number(hp), number(hp-c.Attack))
	}
	for p := range t.Sides {
		for i := range t.Sides[p].Field {
			if with := &t.Sides[p].Field[i]; with.Action == a {
				own := ""
				if p == int(t.Mover) {
					own = "its own "
				}
				return fmt.Sprintf("%s battles %s%s: %s",
					who, own, title(with), outcome(c, with).said(c, with))
			}
		}
	}
	return name + ": " + strings.Join(words, " ")
}
