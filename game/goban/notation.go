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
	return game.NoAction, fmt.Errorf("%q is not a point of this board: write a letter and a number, such as %s (%s, %s)%s",
		text, g.ActionName(nil, game.Action(g.points/2)), columns, rows, pass)
}
