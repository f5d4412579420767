package board

import (
	"fmt"
	"strconv"

	"tengen/game"
	"tengen/game/goban"
)

// stoneTones are the colours of Go's seats.
var stoneTones = [...]Tone{Black, White, Red, Blue}

// stones draws a board of Go: points one unit apart, action p on point p, row by row
// from the top.
type stones struct {
	layout Layout
	seats  []string
}

func goDrawer(g game.Game) Drawer {
	rules, ok := goban.RulesOf(g)
	if !ok {
		return nil
	}
	d := &stones{}
	points := rules.Rows * rules.Columns
	d.layout = grid(rules.Rows, rules.Columns,
		fmt.Sprintf("board of %d rows and %d columns", rules.Rows, rules.Columns))
	names := make([]string, points)
	for p := range names {
		names[p] = game.ActionName(g, nil, game.Action(p))
	}
	// Lines run through the points.
	width, height := float64(rules.Columns-1), float64(rules.Rows-1)
	ground := []Shape{
		{Kind: Rect, Tone: Wood, X: left + width/2, Y: top + height/2, W: width + 1.1,
			H: height + 1.1, R: 0.08},
	}
	for r := range rules.Rows {
		ground = append(ground, Shape{
			Kind: Line, Tone: Grain, X: left, Y: top + float64(r), W: width,
		})
	}
	for c := range rules.Columns {
		ground = append(ground, Shape{
			Kind: Line, Tone: Grain, X: left + float64(c), Y: top, H: height,
		})
	}
	for _, p := range stars(rules.Rows, rules.Columns) {
		x, y := place(p, rules.Columns)
		ground = append(ground, Shape{Kind: Dot, Tone: Grain, X: x, Y: y, R: 0.07})
	}
	letters := make([]string, rules.Columns)
	for c := range letters {
		letters[c] = names[c][:1]
	}
	d.layout.Ground = append(ground, coordinates(rules.Rows, letters)...)
	for p, name := range names {
		d.layout.Spots = append(d.layout.Spots, spotOn(p, rules.Columns, name))
	}
	d.seats = game.SeatNames(g)
	for p := range d.seats {
		d.layout.Seats = append(d.layout.Seats, Shape{
			Kind: Disc, Tone: stoneTones[p], R: 1, Of: d.seats[p],
		})
	}
	return d
}

// stars returns the marked points of a board: the usual ones on large boards, the
// centre of small ones.
func stars(rows, columns int) []int {
	var lines [2][]int
	for i, n := range []int{rows, columns} {
		switch {
		case n >= 13:
			lines[i] = []int{3, n - 4}
			if n%2 == 1 {
				lines[i] = []int{3, n / 2, n - 4}
			}
		case n >= 8:
			lines[i] = []int{2, n - 3}
		case n%2 == 1 && n >= 5:
			lines[i] = []int{n / 2}
		}
	}
	var points []int
	for _, r := range lines[0] {
		for _, c := range lines[1] {
			points = append(points, r*columns+c)
		}
	}
	if n := len(lines[0]); n == 2 && len(lines[1]) == 2 && rows%2 == 1 && columns%2 == 1 {
		points = append(points, rows/2*columns+columns/2)
	}
	return points
}

func (d *stones) Layout() *Layout { return &d.layout }

func (d *stones) Draw(s game.State, _ game.Player) Frame {
	var f Frame
	for p, c := range goban.Stones(s, nil) {
		if c == game.Nobody {
			continue
		}
		at := d.layout.Spots[p]
		f.Shapes = append(f.Shapes, Shape{
			Key: strconv.Itoa(p), Kind: Disc, Tone: stoneTones[c], X: at.X, Y: at.Y, R: 0.46,
			Of: d.seats[c], At: at.Name,
		})
	}
	return f
}
