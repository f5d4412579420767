package position

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"tengen/game"
)

// Diagram is a board with what a search found out about its cells.
type Diagram struct {
	game          game.Game
	state         game.State
	board         game.Board
	rows, columns int
	stones        []game.Player
	cells         map[game.Action]Cell
	best          game.Action
}

// Cell is what a search found out about playing on a cell.
type Cell struct {
	Share float64  // of the visits
	Value *float64 // of the player to move, nil if it is not known
}

// NewDiagram returns the diagram of s, nil if s is not a game.Board.
func NewDiagram(g game.Game, s game.State, cells map[game.Action]Cell, best game.Action) *Diagram {
	board, ok := s.(game.Board)
	if !ok {
		return nil
	}
	planes := g.Planes()
	return &Diagram{
		game: g, state: s, board: board, rows: planes.H, columns: planes.W,
		stones: board.Stones(nil), cells: cells, best: best,
	}
}

// Rows returns the stones as a string for each row.
func (d *Diagram) Rows() (rows []string) {
	for r := range d.rows {
		row := ""
		for _, c := range d.stones[r*d.columns : (r+1)*d.columns] {
			row += d.board.Mark(c)
		}
		rows = append(rows, row)
	}
	return rows
}

// column returns the letters of a column, as the names of the game's cells have them, or else its
// number; row the number of a row.
func (d *Diagram) column(c int) string {
	name := game.ActionName(d.game, d.state, game.Action(c))
	if letters, ok := strings.CutSuffix(name, strconv.Itoa(d.rows)); ok && letters != "" {
		return letters
	}
	return strconv.Itoa(c + 1)
}
func (d *Diagram) row(r int) int { return d.rows - r }

// percent returns the share of the visits of a cell in %, "" below one half.
func (d *Diagram) percent(p int) string {
	if n := math.Round(100 * d.cells[game.Action(p)].Share); n > 0 {
		return fmt.Sprintf("%.0f", n)
	}
	return ""
}

// Text draws the board for a terminal, with the shares of the visits in %.
func (d *Diagram) Text() string {
	var b strings.Builder
	letters := "   "
	for c := range d.columns {
		letters += fmt.Sprintf("%4s", d.column(c))
	}
	fmt.Fprintln(&b, letters)
	for r := range d.rows {
		fmt.Fprintf(&b, "%2d ", d.row(r))
		for c := range d.columns {
			p := r*d.columns + c
			cell := d.board.Mark(d.stones[p])
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
var paint = [game.MaxPlayers][2]string{
	{"#1b1b1b", "#000000"}, {"#fafafa", "#555555"}, {"#c8322b", "#7c1a15"}, {"#2b62c8", "#173a7c"},
	{"#1f8a63", "#10664a"}, {"#d39a1c", "#a87610"}, {"#7b4fb3", "#5a3790"}, {"#8a9097", "#5d646b"},
}

// SVG draws the board as a picture, above lines of text. The circles of moves are darker for
// greater shares of the visits; below the share is the value for the player to move.
func (d *Diagram) SVG(caption string) string {
	var b strings.Builder
	at := func(i int) int { return boardMargin + i*cellSide + cellSide/2 }
	width := 2*boardMargin + d.columns*cellSide
	bottom := 2*boardMargin + d.rows*cellSide
	lines := strings.Split(strings.TrimSpace(caption), "\n")
	for _, line := range lines { // some 7.3 pixels a letter
		width = max(width, 24+len([]rune(line))*73/10)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" text-anchor="middle">`+"\n",
		width, bottom+lineHeight*len(lines)+8)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n")
	fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#dcb35c"/>`+"\n",
		boardMargin, boardMargin, d.columns*cellSide, d.rows*cellSide)
	for c := range d.columns {
		fmt.Fprintf(&b, `<path d="M%d %dV%d" stroke="#5d4317"/>`+"\n", at(c), at(0), at(d.rows-1))
		for _, y := range []int{boardMargin - 12, bottom - boardMargin + 24} {
			fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="15">%s</text>`+"\n",
				at(c), y, html.EscapeString(d.column(c)))
		}
	}
	for r := range d.rows {
		fmt.Fprintf(&b, `<path d="M%d %dH%d" stroke="#5d4317"/>`+"\n",
			at(0), at(r), at(d.columns-1))
		for _, x := range []int{boardMargin - 18, boardMargin + d.columns*cellSide + 18} {
			fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="15">%d</text>`+"\n",
				x, at(r)+5, d.row(r))
		}
	}
	for p, stone := range d.stones {
		x, y := at(p%d.columns), at(p/d.columns)
		switch percent := d.percent(p); {
		case stone != game.Nobody:
			fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="%d" fill="%s" stroke="%s"/>`+"\n",
				x, y, cellSide*46/100, paint[stone][0], paint[stone][1])
		case percent != "":
			ring := ""
			if game.Action(p) == d.best {
				ring = ` stroke="#0b5b37" stroke-width="3"`
			}
			fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="%d" fill="#dcb35c"/>`+"\n",
				x, y, cellSide*42/100)
			fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="%d" fill="#3fae6f" fill-opacity="%.2f"%s/>`+
				"\n", x, y, cellSide*42/100, 0.15+0.8*d.cells[game.Action(p)].Share, ring)
			fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="14">%s %%</text>`+"\n", x, y, percent)
			if value := d.cells[game.Action(p)].Value; value != nil {
				fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="11">%.3g</text>`+"\n",
					x, y+14, *value)
			}
		}
	}
	for i, line := range lines {
		fmt.Fprintf(&b, `<text x="12" y="%d" font-family="monospace" font-size="12" text-anchor="start" xml:space="preserve">%s</text>`+"\n", bottom+lineHeight*(i+1)-8, html.EscapeString(line))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
