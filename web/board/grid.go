package board

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/connectfour"
	"tengen/game/mnk"
)

// The first column and row of a grid. Row names are to the left of it, column names
// below.
const (
	left   = 1.0
	top    = 0.6
	margin = 0.6 // to the right, and between the grid and the names
)

// grid returns the layout of a board of rows and columns, one unit apart.
func grid(rows, columns int, name string) Layout {
	return Layout{
		Width: left + float64(columns-1) + margin, Height: top + float64(rows-1) + left, Name: name,
	}
}

// place returns the position of a cell of a grid.
func place(cell, columns int) (x, y float64) {
	return left + float64(cell%columns), top + float64(cell/columns)
}

// spotOn returns the spot of the action with the number of its cell.
func spotOn(cell, columns int, name string) Spot {
	x, y := place(cell, columns)
	return Spot{Action: game.Action(cell), X: x, Y: y, R: 0.44, Name: name}
}

// coordinates returns the names of columns below a grid and of rows, counted from the
// bottom, to its left.
func coordinates(rows int, columns []string) []Shape {
	var list []Shape
	// Boards of all sizes have about the same size on the screen, and so should the names.
	size := min(0.36, max(0.12, 0.04*float64(max(rows, len(columns)))))
	for c, letter := range columns {
		list = append(list, Shape{
			Kind: Text, X: left + float64(c), Y: top + float64(rows-1) + 0.78, R: size,
			Text: letter,
		})
	}
	for r := range rows {
		list = append(list, Shape{
			Kind: Text, X: 0.22, Y: top + float64(r), R: size, Text: strconv.Itoa(rows - r),
		})
	}
	return list
}

// box is a part of a picture, given by its upper left corner and its size.
type box struct{ left, top, width, height float64 }

// spread arranges n equal things in a box, in the number of rows that makes them
// largest. width is that of one, at most most; centers are their positions, row by
// row. The height of each is tall times its width; gap is the distance between two.
func (b box) spread(n int, most, tall, gap float64) (width float64, centers [][2]float64) {
	rows := 1
	for r := 1; r <= n; r++ {
		columns := (n + r - 1) / r
		w := min(most, b.width/float64(columns)-gap, (b.height/float64(r)-gap)/tall)
		if w > width {
			width, rows = w, r
		}
	}
	columns := (n + rows - 1) / max(rows, 1)
	for i := range n {
		row, column := i/columns, i%columns
		here := min(columns, n-row*columns)
		centers = append(centers, [2]float64{
			b.left + b.width/2 + (float64(column)-float64(here-1)/2)*(width+gap),
			b.top + b.height/2 + (float64(row)-float64(rows-1)/2)*(tall*width+gap),
		})
	}
	return width, centers
}

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
