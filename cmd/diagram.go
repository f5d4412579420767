package cmd

import (
	"fmt"
	"html"
	"math"
	"strings"

	"tengen/game"
	"tengen/game/goban"
)

// diagram is a board of Go with a search's shares of visits on its points.
type diagram struct {
	game   game.Game
	rules  goban.Rules
	stones []game.Player
	moves  map[int]consideredMove // by point
	mover  game.Player
	best   game.Action
}

// newDiagram is nil where the game is not Go.
func newDiagram(g game.Game, s game.State, t *analysis, best game.Action) *diagram {
	rules, ok := goban.RulesOf(g)
	if !ok {
		return nil
	}
	d := &diagram{game: g, rules: rules, stones: goban.Stones(s, nil), moves: map[int]consideredMove{}, mover: s.CurrentPlayer(), best: best}
	for _, m := range t.Moves {
		if int(m.Action) < len(d.stones) {
			d.moves[int(m.Action)] = m
		}
	}
	return d
}

// column is the letter of a column, row the number of a row.
func (d *diagram) column(c int) string { return game.ActionName(d.game, nil, game.Action(c))[:1] }
func (d *diagram) row(r int) int       { return d.rules.Rows - r }

// percent is a point's share of the visits in words: "" below one half of a percent.
func (d *diagram) percent(p int) string {
	if n := math.Round(100 * d.moves[p].Share); n > 0 {
		return fmt.Sprintf("%.0f", n)
	}
	return ""
}

// text draws it for a terminal.
func (d *diagram) text() string {
	var b strings.Builder
	letters := "   "
	for c := range d.rules.Columns {
		letters += "   " + d.column(c)
	}
	fmt.Fprintln(&b, letters)
	for r := range d.rules.Rows {
		fmt.Fprintf(&b, "%2d ", d.row(r))
		for c := range d.rules.Columns {
			p := r*d.rules.Columns + c
			cell := goban.Mark(d.stones[p])
			if percent := d.percent(p); percent != "" {
				cell = percent
			}
			fmt.Fprintf(&b, " %3s", cell)
		}
		fmt.Fprintf(&b, "  %d\n", d.row(r))
	}
	fmt.Fprintln(&b, letters)
	return b.String()
}

// Sizes of the picture, in pixels, and its colours.
const (
	cellSide    = 52
	boardMargin = 46
	lineHeight  = 18
)

// paint is the fill and the outline of each colour's stones.
var paint = [...][2]string{{"#1b1b1b", "#000000"}, {"#fafafa", "#555555"}, {"#c8322b", "#7c1a15"}, {"#2b62c8", "#173a7c"}}

// svg draws it as a picture, above lines of text. The circles of moves are as
// dark as their share of the visits is great; below it stands what the mover
// can expect.
func (d *diagram) svg(caption string) string {
	var b strings.Builder
	at := func(i int) int { return boardMargin + i*cellSide + cellSide/2 }
	width := 2*boardMargin + d.rules.Columns*cellSide
	bottom := 2*boardMargin + d.rules.Rows*cellSide
	lines := strings.Split(strings.TrimSpace(caption), "\n")
	for _, line := range lines { // some 7.3 pixels a letter
		width = max(width, 24+len([]rune(line))*73/10)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" text-anchor="middle">`+"\n",
		width, bottom+lineHeight*len(lines)+8)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n")
	fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#dcb35c"/>`+"\n", boardMargin, boardMargin, d.rules.Columns*cellSide, d.rules.Rows*cellSide)
	for c := range d.rules.Columns {
		fmt.Fprintf(&b, `<path d="M%d %dV%d" stroke="#5d4317"/>`+"\n", at(c), at(0), at(d.rules.Rows-1))
		for _, y := range []int{boardMargin - 12, bottom - boardMargin + 24} {
			fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="15">%s</text>`+"\n", at(c), y, d.column(c))
		}
	}
	for r := range d.rules.Rows {
		fmt.Fprintf(&b, `<path d="M%d %dH%d" stroke="#5d4317"/>`+"\n", at(0), at(r), at(d.rules.Columns-1))
		for _, x := range []int{boardMargin - 18, boardMargin + d.rules.Columns*cellSide + 18} {
			fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="15">%d</text>`+"\n", x, at(r)+5, d.row(r))
		}
	}
	for p, stone := range d.stones {
		x, y := at(p%d.rules.Columns), at(p/d.rules.Columns)
		switch percent := d.percent(p); {
		case stone != game.Nobody:
			fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="%d" fill="%s" stroke="%s"/>`+"\n", x, y, cellSide*46/100, paint[stone][0], paint[stone][1])
		case percent != "":
			ring := ""
			if game.Action(p) == d.best {
				ring = ` stroke="#0b5b37" stroke-width="3"`
			}
			fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="%d" fill="#dcb35c"/>`+"\n", x, y, cellSide*42/100)
			fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="%d" fill="#3fae6f" fill-opacity="%.2f"%s/>`+"\n", x, y, cellSide*42/100, 0.15+0.8*d.moves[p].Share, ring)
			fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="14">%s %%</text>`+"\n", x, y, percent)
			if value := d.moves[p].Value; value != nil {
				fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="11">%.3g</text>`+"\n", x, y+14, value[d.mover])
			}
		}
	}
	for i, line := range lines {
		fmt.Fprintf(&b, `<text x="12" y="%d" font-family="monospace" font-size="12" text-anchor="start" xml:space="preserve">%s</text>`+"\n", bottom+lineHeight*(i+1)-8, html.EscapeString(line))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
