package goban

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// columnLetters omits i, as is customary, because it looks like j.
const columnLetters = "abcdefghjklmnopqrst"

// ActionName is a column's letter and a row's number, counted from the lower left
// corner ("c3"), or "pass".
func (g *goGame) ActionName(_ game.State, a game.Action) string {
	if a == g.pass() {
		return "pass"
	}
	row, column := int(a)/g.Columns, int(a)%g.Columns
	return columnLetters[column:column+1] + strconv.Itoa(g.Rows-row)
}

// Guide explains the rules to a person.
func (g *goGame) Guide() string {
	var b strings.Builder
	names := make([]string, g.Rules.Players)
	for p := range names {
		names[p] = g.SeatName(game.Player(p))
	}
	last := len(names) - 1
	fmt.Fprintf(&b, "%s and %s place stones in turn; a point is written %s, column and row.\n",
		strings.Join(names[:last], ", "), names[last],
		g.ActionName(nil, game.Action((g.Rows-1)*g.Columns)))
	b.WriteString("Groups of other colours that a stone leaves without a free neighbour (a liberty) are\nremoved, all at once. A stone whose own group then has none may not be placed")
	switch g.Ko {
	case Simple:
		b.WriteString(
			",\nnor one that restores a position of the board since the colour's own last turn.\n")
	case Situational:
		b.WriteString(", nor one\nafter which an earlier position comes again with the same colour to move.\n")
	default:
		b.WriteString(", nor one\nafter which an earlier position comes again.\n")
	}
	if g.Pass == Free {
		b.WriteString("A pass is always possible.\n")
	} else {
		b.WriteString("A colour passes where every legal stone would fill one of its own eyes, and only there.\n")
	}
	fmt.Fprintf(&b, "The game ends after %d passes in a row, or after %d actions. A colour scores its stones\nand the empty regions that touch its stones alone", len(names), g.MaxPlies)
	for _, komi := range g.Komi {
		if komi != 0 {
			b.WriteString(", and its komi")
			break
		}
	}
	if g.Reward == Win {
		b.WriteString(". The most points win.\n")
	} else {
		b.WriteString(". The score counts, not only\nwho has most.\n")
	}
	return b.String()
}

// ParseAction parses the names of ActionName, in upper case too.
func (g *goGame) ParseAction(_ game.State, text string) (game.Action, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if word == "pass" {
		return g.pass(), nil
	}
	if word != "" {
		column := strings.IndexByte(columnLetters[:g.Columns], word[0])
		row, err := strconv.Atoi(word[1:])
		if column >= 0 && err == nil && row >= 1 && row <= g.Rows && word[1] != '+' {
			return game.Action((g.Rows-row)*g.Columns + column), nil
		}
	}
	columns := "column a"
	if g.Columns > 1 {
		columns = "columns a to " + columnLetters[g.Columns-1:g.Columns]
		if g.Columns > strings.IndexByte(columnLetters, 'j') {
			columns += " without i"
		}
	}
	rows := "row 1"
	if g.Rows > 1 {
		rows = fmt.Sprintf("rows 1 to %d", g.Rows)
	}
	pass := ""
	if g.Pass == Free {
		pass = ", or pass"
	}
	return game.NoAction,
		fmt.Errorf(
			"%q is not a point of this board: write a letter and a number, such as %s (%s, %s)%s",
			text, g.ActionName(nil, game.Action(g.points/2)), columns, rows, pass)
}
