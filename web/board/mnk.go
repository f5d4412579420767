package board

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/mnk"
)

// marks draws an m,n,k game, whose players put crosses, rings and dots into cells.
type marks struct {
	g             game.Game
	rows, columns int
	layout        Layout
}

var markTokens = [...]Shape{
	{Kind: Cross, Tone: Red}, {Kind: Ring, Tone: Blue}, {Kind: Disc, Tone: Green},
}

func mnkDrawer(g game.Game) Drawer {
	if _, ok := g.(*mnk.Game); !ok {
		return nil
	}
	shape := g.Planes()
	d := &marks{g: g, rows: shape.H, columns: shape.W}
	d.layout = grid(d.rows, d.columns,
		fmt.Sprintf("board of %d rows and %d columns", d.rows, d.columns))
	width, height := float64(d.columns), float64(d.rows)
	// Lines run between the cells.
	ground := []Shape{
		{Kind: Rect, Tone: Paper, X: left - 0.5 + width/2, Y: top - 0.5 + height/2, W: width,
			H: height, R: 0.08},
	}
	for r := 1; r < d.rows; r++ {
		ground = append(ground, Shape{
			Kind: Line, Tone: Ink, X: left - 0.42, Y: top - 0.5 + float64(r), W: width - 0.16,
		})
	}
	for c := 1; c < d.columns; c++ {
		ground = append(ground, Shape{
			Kind: Line, Tone: Ink, X: left - 0.5 + float64(c), Y: top - 0.42, H: height - 0.16,
		})
	}
	letters := make([]string, d.columns)
	for c := range letters {
		letters[c] = strings.TrimRight(game.ActionName(g, nil, game.Action(c)), "0123456789")
	}
	d.layout.Ground = append(ground, coordinates(d.rows, letters)...)
	for cell := range g.Actions() {
		d.layout.Spots = append(d.layout.Spots,
			spotOn(cell, d.columns, game.ActionName(g, nil, game.Action(cell))))
	}
	for p := range g.Players() {
		token := markTokens[p]
		token.R, token.Of = 1, game.SeatName(g, game.Player(p))
		d.layout.Seats = append(d.layout.Seats, token)
	}
	return d
}

func (d *marks) Layout() *Layout { return &d.layout }

// Draw reads the first planes of the observation, one for each player's marks.
func (d *marks) Draw(s game.State, _ game.Player) Frame {
	planes := make([]float32, d.g.Planes().Size())
	s.Observation(planes)
	cells := d.rows * d.columns
	var f Frame
	for cell := range cells {
		for p := range d.g.Players() {
			if planes[p*cells+cell] == 0 {
				continue
			}
			at, mark := d.layout.Spots[cell], d.layout.Seats[p]
			mark.Key, mark.X, mark.Y, mark.R, mark.At = strconv.Itoa(cell), at.X, at.Y,
				0.28, at.Name
			f.Shapes = append(f.Shapes, mark)
		}
	}
	return f
}
