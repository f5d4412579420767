package board

import (
	"fmt"
	"strconv"

	"tengen/game"
	"tengen/game/connectfour"
)

// dropTones are the colours of Connect Four's seats.
var dropTones = [...]Tone{Red, Gold, Green}

// drops draws Connect Four: an upright board with holes, through which stones are seen.
type drops struct {
	g             game.Game
	rows, columns int
	letters       []string
	layout        Layout
	seats         []string
}

func dropsDrawer(g game.Game) Drawer {
	if _, ok := g.(*connectfour.Game); !ok {
		return nil
	}
	shape := g.Planes()
	d := &drops{g: g, rows: shape.H, columns: shape.W, seats: game.SeatNames(g)}
	d.layout = grid(d.rows, d.columns,
		fmt.Sprintf("upright board of %d rows and %d columns", d.rows, d.columns))
	width, height := float64(d.columns), float64(d.rows)
	ground := []Shape{
		{Kind: Rect, Tone: Blue, X: left - 0.5 + width/2, Y: top - 0.5 + height/2, W: width + 0.1,
			H: height + 0.1, R: 0.18},
	}
	for cell := range d.rows * d.columns {
		x, y := place(cell, d.columns)
		ground = append(ground, Shape{Kind: Dot, Tone: Paper, X: x, Y: y, R: 0.41})
	}
	for c := range d.columns {
		d.letters = append(d.letters, game.ActionName(g, nil, game.Action(c)))
	}
	d.layout.Ground = append(ground, coordinates(d.rows, d.letters)...)
	d.layout.Spots = []Spot{}
	for p := range d.seats {
		d.layout.Seats = append(d.layout.Seats, Shape{
			Kind: Disc, Tone: dropTones[p], R: 1, Of: d.seats[p],
		})
	}
	return d
}

func (d *drops) Layout() *Layout { return &d.layout }

// Draw reads the first planes of the observation, one for each player's stones. A column is played
// where its stone would land.
func (d *drops) Draw(s game.State, _ game.Player) Frame {
	planes := make([]float32, d.g.Planes().Size())
	s.Observation(planes)
	cells := d.rows * d.columns
	stones := make([]int, d.columns) // in each column
	var f Frame
	for cell := range cells {
		for p := range d.seats {
			if planes[p*cells+cell] == 0 {
				continue
			}
			stones[cell%d.columns]++
			x, y := place(cell, d.columns)
			at := d.letters[cell%d.columns] + strconv.Itoa(d.rows-cell/d.columns)
			f.Shapes = append(f.Shapes, Shape{
				Key: strconv.Itoa(cell), Kind: Disc, Tone: dropTones[p], X: x, Y: y, R: 0.43,
				Of: d.seats[p], At: at,
			})
		}
	}
	if s.CurrentPlayer() == game.Nobody {
		return f
	}
	for _, a := range s.LegalActions(nil) {
		x, y := place((d.rows-1-stones[a])*d.columns+int(a), d.columns)
		f.Spots = append(f.Spots, Spot{
			Action: a, X: x, Y: y, R: 0.43, Name: "Drop into column " + d.letters[a],
		})
	}
	return f
}
