package board

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// cellTones are the colours of stones in games without a drawer of their own.
var cellTones = [game.MaxPlayers]Tone{Black, White, Red, Blue, Green, Gold, Purple, Faint}

// cells draws games whose positions are a game.Board: stones on the cells of a grid.
type cells struct {
	layout Layout
	seats  []string
	places []Spot // of all cells
}

// newGrid returns the drawer of a game whose positions are a game.Board, nil for others and for
// games with hidden information: what a seat sees of their stones is not known.
func newGrid(g game.Game) Drawer {
	s := g.NewState()
	if _, ok := s.(game.Board); !ok {
		return nil
	}
	if _, hidden := s.(game.ImperfectInformation); hidden {
		return nil
	}
	rows, columns := g.Planes().H, g.Planes().W
	d := &cells{seats: game.SeatNames(g)}
	d.layout = grid(rows, columns, fmt.Sprintf("board of %d rows and %d columns", rows, columns))
	width, height := float64(columns), float64(rows)
	ground := []Shape{
		{Kind: Rect, Tone: Wood, X: left - 0.5 + width/2, Y: top - 0.5 + height/2, W: width,
			H: height, R: 0.08},
	}
	for r := 1; r < rows; r++ {
		ground = append(ground, Shape{
			Kind: Line, Tone: Grain, X: left - 0.5, Y: top - 0.5 + float64(r), W: width,
		})
	}
	for c := 1; c < columns; c++ {
		ground = append(ground, Shape{
			Kind: Line, Tone: Grain, X: left - 0.5 + float64(c), Y: top - 0.5, H: height,
		})
	}
	for cell := range rows * columns {
		name := strconv.Itoa(cell)
		if cell < g.Actions() {
			name = game.ActionName(g, s, game.Action(cell))
		}
		d.places = append(d.places, spotOn(cell, columns, name))
	}
	d.layout.Ground = append(ground, d.coordinates(rows, columns)...)
	d.layout.Spots = d.places[:min(len(d.places), g.Actions())]
	for p := range d.seats {
		d.layout.Seats = append(d.layout.Seats, Shape{
			Kind: Disc, Tone: cellTones[p], R: 1, Of: d.seats[p],
		})
	}
	return d
}

// coordinates names columns and rows as the game's cells are named, if these are a column's letters
// with a row's number from below.
func (d *cells) coordinates(rows, columns int) []Shape {
	letters := make([]string, columns)
	for cell, x := range d.places {
		c := cell % columns
		letter, ok := strings.CutSuffix(x.Name, strconv.Itoa(rows-cell/columns))
		if cell < columns {
			letters[c] = letter
		}
		if !ok || letter == "" || letter != letters[c] {
			return nil
		}
	}
	return coordinates(rows, letters)
}

func (d *cells) Layout() *Layout { return &d.layout }

func (d *cells) Draw(s game.State, _ game.Player) Frame {
	var f Frame
	for cell, p := range s.(game.Board).Stones(nil) {
		if p == game.Nobody {
			continue
		}
		at := d.places[cell]
		f.Shapes = append(f.Shapes, Shape{
			Key: strconv.Itoa(cell), Kind: Disc, Tone: cellTones[p], X: at.X, Y: at.Y, R: 0.4,
			Of: d.seats[p], At: at.Name,
		})
	}
	return f
}
