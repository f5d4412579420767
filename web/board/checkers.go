package board

import (
	"fmt"
	"strconv"

	"tengen/game"
	"tengen/game/backgammon"
)

// Measures of the backgammon board: 12 points, the bar in the middle and a tray for what has been
// borne off, White's home at the bottom right; below it what happens next, and a button for each
// move.
const (
	tableWidth  = 15.0
	tableTall   = 11.4
	pointTall   = 4.6
	pointWide   = 0.9
	checkerHalf = 0.42
	checkerMost = 5 // on a point; a number tells of more
	topPoints   = 0.7
	lowPoints   = tableTall - 0.7
	tableSaidY  = tableTall + 0.6
	moveY       = tableTall + 1.5
	moveWide    = 2.3
	moveTall    = 0.72
	moveRow     = 6
	moveRows    = 5
	barPoint    = 25
)

var checkerTones = [2]Tone{White, Red}

// table draws backgammon.
type table struct {
	g      *backgammon.Game
	layout Layout
	seats  []string
}

func tableDrawer(g game.Game) Drawer {
	b, ok := g.(*backgammon.Game)
	if !ok {
		return nil
	}
	height := moveY + moveRows*(moveTall+0.1)
	d := &table{g: b, seats: game.SeatNames(g)}
	d.layout = Layout{
		Width: tableWidth, Height: rounded(height), Name: "backgammon board", Spots: []Spot{},
	}
	ground := []Shape{
		{Kind: Rect, Tone: Wood, X: tableWidth / 2, Y: tableTall / 2, W: tableWidth,
			H: tableTall, R: 0.18},
		{Kind: Rect, Tone: Mat, X: 7, Y: tableTall / 2, W: 0.8, H: tableTall - 0.2, R: 0.05},
		{Kind: Rect, Tone: Mat, X: 14.3, Y: tableTall / 2, W: 1, H: tableTall - 0.2, R: 0.05},
	}
	for p := 1; p <= 24; p++ {
		x, y := pointX(p), topPoints+pointTall/2
		if p <= 12 {
			y = lowPoints - pointTall/2
		}
		tone := Felt
		if p%2 == 0 {
			tone = Grain
		}
		ground = append(ground, Shape{
			Kind: Rect, Tone: tone, X: x, Y: rounded(y), W: pointWide, H: pointTall, R: 0.3,
		})
	}
	d.layout.Ground = ground
	for p := range d.seats {
		d.layout.Seats = append(d.layout.Seats, Shape{
			Kind: Disc, Tone: checkerTones[p], R: 1, Of: d.seats[p],
		})
	}
	return d
}

// pointX is the column of a point, by White's count.
func pointX(p int) float64 {
	c := 13 - p // from the left, of the lower half
	if p > 12 {
		c = p - 12
	}
	if c > 6 {
		c++
	}
	return float64(c)
}

func (d *table) Layout() *Layout { return &d.layout }

// Draw shows the checkers, the points by the count of the player whose turn it is, and a button for
// each legal move.
func (d *table) Draw(x game.State, _ game.Player) Frame {
	s := x.(*backgammon.State)
	v := s.View()
	var f Frame
	for p := 1; p <= 24; p++ {
		number := p
		if v.Mover == 1 {
			number = barPoint - p
		}
		y := 0.38
		if p <= 12 {
			y = tableTall - 0.38
		}
		f.Shapes = append(f.Shapes, Shape{
			Key: "point " + strconv.Itoa(p), Kind: Text, Tone: Ink, X: pointX(p), Y: rounded(y),
			R: 0.34, Text: strconv.Itoa(number),
		})
	}
	for seat, checkers := range v.Checkers {
		for own, n := range checkers {
			white := own
			if seat == 1 {
				white = barPoint - own
			}
			where, x, top := "point "+strconv.Itoa(own), pointX(white), white > 12
			switch own {
			case 0: // White bears off at the bottom
				where, x, top = "borne off", 14.3, seat == 1
			case barPoint:
				where, x, top = "the bar", 7, seat == 0
			}
			d.stack(&f, seat, n, x, top, own, where)
		}
	}
	f.Shapes = append(f.Shapes, Shape{
		Key: "said", Kind: Text, Tone: Ink, X: tableWidth / 2, Y: tableSaidY, R: 0.5, Of: "Now",
		Text: s.Situation(),
	})
	if s.CurrentPlayer() < 0 {
		return f
	}
	for i, a := range s.LegalActions(nil) {
		x := rounded(tableWidth/2 + (float64(i%moveRow)-float64(moveRow-1)/2)*(moveWide+0.1))
		y := rounded(moveY + float64(i/moveRow)*(moveTall+0.1))
		label, key := d.g.ActionName(s, a), "move "+strconv.Itoa(i)
		name := "Pass: no move is possible"
		if from, to, ok := s.Moves(a); ok {
			name = moveName(from, to)
		}
		f.Shapes = append(f.Shapes,
			Shape{
				Key: key, Kind: Rect, Tone: Paper, X: x, Y: y, W: moveWide, H: moveTall,
				R: moveTall / 2,
			},
			Shape{Key: key + " text", Kind: Text, Tone: Ink, X: x, Y: y, R: 0.42, Text: label})
		f.Spots = append(f.Spots, Spot{
			Action: a, X: x, Y: y, W: moveWide, H: moveTall, R: moveTall / 2, Name: name,
		})
	}
	return f
}

// moveName describes a move between points; 25 is the bar, 0 off the board.
func moveName(from, to int) string {
	switch {
	case from == barPoint:
		return fmt.Sprintf("Enter from the bar on point %d", to)
	case to == 0:
		return fmt.Sprintf("Bear off from point %d", from)
	}
	return fmt.Sprintf("Move from point %d to point %d", from, to)
}

// stack draws n checkers of a seat, from the upper or lower edge.
func (d *table) stack(f *Frame, seat, n int, x float64, top bool, own int, where string) {
	for i := range min(n, checkerMost) {
		y := topPoints + checkerHalf + float64(i)*2*checkerHalf
		if !top {
			y = lowPoints - checkerHalf - float64(i)*2*checkerHalf
		}
		f.Shapes = append(f.Shapes, Shape{
			Key: fmt.Sprintf("%d/%d/%d", seat, own, i), Kind: Disc, Tone: checkerTones[seat], X: x,
			Y: rounded(y), R: checkerHalf, Of: d.seats[seat], At: where,
		})
		if i == checkerMost-1 && n > checkerMost {
			f.Shapes = append(f.Shapes, Shape{
				Key: fmt.Sprintf("%d/%d/n", seat, own), Kind: Text, Tone: Ink, X: x, Y: rounded(y),
				R: 0.5, Text: strconv.Itoa(n),
			})
		}
	}
}

// Tell implements Teller.
func (d *table) Tell(x game.State, a game.Action, _ game.Player) string {
	s := x.(*backgammon.State)
	name := d.g.ActionName(s, a)
	seat := d.seats[s.View().Mover]
	switch {
	case s.CurrentPlayer() == game.Chance:
		return seat + " rolls " + name
	case a == backgammon.Pass:
		return seat + " can't move"
	}
	return seat + " plays " + name
}
