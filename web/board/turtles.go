package board

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/turtle"
)

// Measures of the picture. The track is at the top; below it are the text that says
// what happens next, the turtles from which a card lets its player choose, and the
// players beside the piles.
const (
	raceWidth = 10.4
	raceEdge  = 0.15
	startWide = 1.5
	trackTall = 3.3
	// Turtles on a square are drawn above each other, the lowest at turtleY.
	turtleY     = 2.78
	turtlePitch = 0.53
	turtleHalf  = 0.41 // maximum half side
	squareY     = 3.24 // the square's number
	raceSaidY   = 3.84
	// The cards of all colours are in two columns, with their turtles beside them.
	chooseY    = 4.66
	chooseRow  = 0.98
	chooseX    = 0.62
	chooseWide = 5.1
	pickHalf   = 0.37 // half side of a turtle to choose
	pickPitch  = 0.84
	playersY   = 6.1
	playerWide = 6.75
	handsX     = 2.42
	pilesX     = 7.02
	pilesTall  = 3.3
)

// turtleTones are the turtles' colours; turtleLetters are drawn on them for the
// colour-blind.
var (
	turtleTones   = [turtle.Turtles]Tone{Red, Green, Blue, Gold, Purple}
	turtleLetters = [turtle.Turtles]string{"R", "G", "B", "Y", "P"}
)

// seatTones are the colours of the players' tokens, distinct from the turtles'.
var seatTones = [turtle.Turtles]Tone{Black, White, Wood, Felt, Grain}

// race draws the Great Turtle Race.
type race struct {
	g      *turtle.Game
	layout Layout
	seats  []string
	goal   int
	square float64 // width of one
	row    float64 // height of a player's
}

func raceDrawer(g game.Game) Drawer {
	t, ok := g.(*turtle.Game)
	if !ok {
		return nil
	}
	d := &race{g: t, goal: t.Rules().Squares - 1}
	players := t.Players()
	d.square = (raceWidth - 2*raceEdge - startWide) / float64(d.goal)
	d.row = 1.7 - 0.1*float64(players)
	height := playersY + max(float64(players)*d.row, pilesTall) + raceEdge
	d.layout = Layout{
		Width: raceWidth, Height: rounded(height), Name: "race of turtles", Spots: []Spot{},
	}
	ground := []Shape{
		{Kind: Rect, Tone: Felt, X: raceWidth / 2, Y: rounded(height / 2), W: raceWidth,
			H: rounded(height), R: 0.18},
	}
	for i := range d.goal + 1 {
		x, w, name := d.squareX(i), d.square, strconv.Itoa(i)
		switch i {
		case 0:
			w, name = startWide, "start"
		case d.goal:
			name = "goal"
		}
		tone, ink := Mat, Ink
		if i == d.goal {
			tone, ink = Wood, Black
		}
		ground = append(ground,
			Shape{
				Kind: Rect, Tone: tone, X: x, Y: raceEdge + trackTall/2, W: rounded(w - 0.06),
				H: trackTall, R: 0.1,
			},
			Shape{Kind: Text, Tone: ink, X: x, Y: squareY, R: 0.26, Text: name})
	}
	d.seats = game.SeatNames(g)
	for p := range d.seats {
		d.layout.Seats = append(d.layout.Seats, Shape{
			Kind: Dot, Tone: seatTones[p], R: 1, Text: strconv.Itoa(p + 1), Of: d.seats[p],
		})
		ground = append(ground, Shape{
			Kind: Rect, Tone: Mat, X: raceEdge + playerWide/2, Y: rounded(d.playerY(p)),
			W: playerWide, H: rounded(d.row - 0.1), R: 0.12,
		})
	}
	d.layout.Ground = append(ground, pileGround()...)
	return d
}

// squareX returns the centre of a square.
func (d *race) squareX(i int) float64 {
	if i == 0 {
		return raceEdge + startWide/2
	}
	return rounded(raceEdge + startWide + (float64(i)-0.5)*d.square)
}

// playerY returns the centre of a player's row.
func (d *race) playerY(p int) float64 { return playersY + (float64(p)+0.5)*d.row }

// Positions of the numbers of discards: those of colours in a row per kind, below the
// turtles; below them those of all colours.
const (
	countX, countPitch = pilesX + 0.75, 0.56
	countY, countRow   = playersY + 1.55, 0.4
	anyX, anyPitch     = pilesX + 0.45, 0.8
	anyY               = playersY + 2.82
)

// pileGround returns the fixed shapes beside the players: places of the piles and
// names of the counted cards.
func pileGround() []Shape {
	var shapes []Shape
	for t, tone := range turtleTones {
		shapes = append(shapes, Shape{
			Kind: Piece, Tone: tone, X: rounded(countX + float64(t)*countPitch), Y: playersY + 1.18,
			R: 0.22, Text: "turtle " + turtleLetters[t],
		})
	}
	for i, sign := range []string{"++", "+", "−"} {
		shapes = append(shapes, Shape{
			Kind: Text, Tone: Ink, X: pilesX + 0.24, Y: rounded(countY + float64(i)*countRow),
			R: 0.28, Text: sign,
		})
	}
	for i, sign := range []string{"any +", "any −", "↑", "↑↑"} {
		shapes = append(shapes, Shape{
			Kind: Text, Tone: Ink, X: rounded(anyX + float64(i)*anyPitch), Y: anyY,
			R: 0.24, Text: sign,
		})
	}
	return shapes
}

func (d *race) Layout() *Layout { return &d.layout }

// viewOf returns the position as viewer sees it, or with everything shown for
// game.Nobody.
func viewOf(s game.State, viewer game.Player) turtle.View {
	switch s := s.(type) {
	case *turtle.State:
		if viewer != game.Nobody {
			return s.ViewFor(viewer)
		}
		return s.View()
	case *turtle.OpenState:
		return s.View()
	}
	panic("board: no state of the turtle race")
}

// Draw shows the track, the piles, and what viewer may see of the players. It has
// spots only if viewer sees the current player's hand.
func (d *race) Draw(s game.State, viewer game.Player) Frame {
	t := viewOf(s, viewer)
	var f Frame
	d.track(&f, &t)
	f.Shapes = append(f.Shapes, Shape{
		Key: "said", Kind: Text, Tone: Ink, X: raceWidth / 2, Y: raceSaidY, R: 0.3, Of: "Now",
		Text: d.situation(s, &t),
	})
	can := map[game.Action]bool{}
	if s.CurrentPlayer() >= 0 && t.Sides[s.CurrentPlayer()].Seen {
		for _, a := range s.LegalActions(nil) {
			can[a] = true
		}
	}
	d.choices(&f, &t, can)
	for p := range t.Sides {
		d.player(&f, p, &t, viewer, can)
	}
	piles(&f, &t)
	return f
}

// track draws the turtles on their squares.
func (d *race) track(f *Frame, t *turtle.View) {
	r := rounded(min(turtleHalf, 0.46*d.square))
	for i, stack := range t.Squares {
		for k, at := range stack {
			x, y := d.squareX(i), turtleY-float64(k)*turtlePitch
			of := "Square " + strconv.Itoa(i)
			switch {
			case i == 0 && !t.Stacked: // side by side
				of = "Start"
				x = rounded(x + 0.66*(float64(at%2)-0.5))
				y = turtleY - float64(at)*turtlePitch
			case i == 0:
				of = "Start"
			case i == d.goal:
				of = "Goal"
			}
			if len(stack) > 1 && (i > 0 || t.Stacked) {
				of += " from below"
			}
			f.Shapes = append(f.Shapes, Shape{
				Key: at.String(), Kind: Piece, Tone: turtleTones[at], X: x, Y: rounded(y), R: r,
				Text: "turtle " + turtleLetters[at],
				Of:   of, At: at.String(),
			})
		}
	}
}

// choices draws the cards of all colours that the current player can play, with the
// turtles that they can move.
func (d *race) choices(f *Frame, t *turtle.View, can map[game.Action]bool) {
	shown := 0
	for c := turtle.AnyPlus; c < turtle.Cards; c++ {
		x, y := chooseX+float64(shown%2)*chooseWide, chooseY+float64(shown/2)*chooseRow
		some := false
		for at := range turtle.Turtle(turtle.Turtles) {
			a := turtle.Play(c, at)
			if !can[a] {
				continue
			}
			some = true
			px := rounded(x + 0.84 + float64(at)*pickPitch)
			f.Shapes = append(f.Shapes, Shape{
				Key: fmt.Sprintf("pick %v %v", c, at), Kind: Piece, Tone: turtleTones[at], X: px,
				Y: rounded(y), R: pickHalf - 0.03, Text: "turtle " + turtleLetters[at],
			})
			// A rectangle, so that a search's analysis is shown above the turtle.
			f.Spots = append(f.Spots, Spot{
				Action: a, X: px, Y: rounded(y), W: 2 * pickHalf, H: 2 * pickHalf, R: pickHalf,
				Name: d.does(t, c, at),
			})
		}
		if some {
			f.Shapes = append(f.Shapes, Shape{
				Key: "choose " + c.String(), Kind: Card, Tone: Paper, X: rounded(x), Y: rounded(y),
				W: 0.6, H: rounded(0.6 * cardTall), Text: face(c),
			})
			shown++
		}
	}
}

// player draws a player's row: name, colour and cards, as far as they are visible.
func (d *race) player(
	f *Frame, p int, t *turtle.View, viewer game.Player, can map[game.Action]bool,
) {
	side, y, key := &t.Sides[p], d.playerY(p), strconv.Itoa(p)
	label := d.seats[p]
	if game.Player(p) == viewer {
		label += " (you)"
	}
	owner := Shape{
		Key: key + "owner", Kind: Piece, Tone: Faint, X: 0.62, Y: rounded(y + 0.2), R: 0.32,
		Text: "turtle ?", Of: d.seats[p], At: "owns a colour that is hidden",
	}
	word := "hidden"
	switch {
	case side.Owner != turtle.NoTurtle:
		word = side.Owner.String()
		owner.Tone, owner.Text, owner.At = turtleTones[side.Owner],
			"turtle "+turtleLetters[side.Owner], "owns "+word
	case t.Phase == "tiles" && game.Player(p) >= t.Mover:
		word, owner.At = "none yet", "owns no colour yet"
	}
	f.Shapes = append(f.Shapes, leftText(key+"name", label, Ink, 0.3, rounded(y-0.36), 0.27), owner,
		leftText(key+"colour", word, Faint, 1.0, rounded(y+0.2), 0.24))
	if t.Phase != "over" && game.Player(p) == t.Mover {
		f.Shapes = append(f.Shapes, Shape{
			Key: "turn", Kind: Dot, Tone: Gold, X: 0.2, Y: rounded(y - 0.36), R: 0.07,
		})
	}
	at := box{handsX, y - d.row/2 + 0.05, playerWide + raceEdge - handsX - 0.05, d.row - 0.1}
	w, centers := at.spread(side.Held, 0.88, cardTall, 0.09)
	if !side.Seen {
		for i, c := range centers {
			back := Shape{
				Key: fmt.Sprintf("%d/back/%d", p, i), Kind: Card, Tone: Back, X: rounded(c[0]),
				Y: rounded(c[1]), W: rounded(w), H: rounded(cardTall * w),
			}
			if i == 0 {
				back.Of, back.At = d.seats[p]+"’s hand", plural(side.Held, "hidden card")
			}
			f.Shapes = append(f.Shapes, back)
		}
		return
	}
	copies := map[turtle.Card]int{}
	for i, c := range side.Hand {
		copies[c]++
		shape := Shape{
			Key: fmt.Sprintf("%d/%v/%d", p, c, copies[c]), Kind: Card, Tone: Paper,
			X: rounded(centers[i][0]), Y: rounded(centers[i][1]),
			W: rounded(w), H: rounded(cardTall * w), Text: face(c), Of: d.seats[p] + "’s hand",
			At: c.String(),
		}
		spot := Spot{
			Action: game.NoAction, X: shape.X, Y: shape.Y, W: shape.W, H: shape.H,
			R: rounded(0.1 * w),
		}
		mine := t.Phase == "play" && game.Player(p) == t.Mover
		switch {
		case !mine:
		case c.Turtle() != turtle.NoTurtle && can[turtle.Play(c, c.Turtle())]:
			spot.Action = turtle.Play(c, c.Turtle())
			spot.Name = d.does(t, c, c.Turtle())
		case c.Steps() < 0 && can[turtle.Discard(c)]:
			spot.Action, spot.Name = turtle.Discard(c), "Discard "+c.String()
		case c.Turtle() != turtle.NoTurtle || c.Steps() < 0 && !anywhere(can, c):
			shape.Tone = Faint
			shape.At += ", which can’t be played now"
		}
		f.Shapes = append(f.Shapes, shape)
		if spot.Action != game.NoAction {
			f.Spots = append(f.Spots, spot)
		}
	}
}

// anywhere reports whether a card of all colours can be played for any turtle.
func anywhere(can map[game.Action]bool, c turtle.Card) bool {
	for at := range turtle.Turtle(turtle.Turtles) {
		if can[turtle.Play(c, at)] {
			return true
		}
	}
	return false
}

// piles draws the draw pile and the discards, all of which are visible.
func piles(f *Frame, t *turtle.View) {
	f.Shapes = append(f.Shapes,
		Shape{
			Key: "pile", Kind: Icon, Tone: Faint, X: pilesX + 0.4, Y: playersY + 0.38, R: 0.24,
			Text: "deck", Of: "Draw pile", At: plural(t.Left, "card"),
		},
		leftText("left", strconv.Itoa(t.Left)+" to draw", Faint, pilesX+0.74, playersY+0.38, 0.28))
	counts := map[turtle.Card]int{}
	var words []string
	for _, c := range t.Discards {
		counts[c]++
	}
	for c := range turtle.Card(turtle.Cards) {
		n := counts[c]
		if n == 0 {
			continue
		}
		word := c.String()
		if n > 1 {
			word += " × " + strconv.Itoa(n)
		}
		words = append(words, word)
		x, y := countX+float64(c%turtle.Turtles)*countPitch,
			countY+float64(c/turtle.Turtles)*countRow
		if c >= turtle.AnyPlus {
			x, y = anyX+float64(c-turtle.AnyPlus)*anyPitch, anyY+0.32
		}
		f.Shapes = append(f.Shapes, Shape{
			Key: "gone " + c.String(), Kind: Text, Tone: Ink, X: rounded(x), Y: rounded(y), R: 0.28,
			Text: strconv.Itoa(n),
		})
	}
	lie := "none"
	if len(words) > 0 {
		lie = strings.Join(words, ", ")
	}
	gone := leftText("discards", strconv.Itoa(len(t.Discards))+" discarded",
		Faint, pilesX+0.16, playersY+0.8, 0.28)
	gone.Of, gone.At = "Discards", lie
	f.Shapes = append(f.Shapes, gone)
}

// leftText is a text that begins at about x.
func leftText(key, text string, tone Tone, x, y, size float64) Shape {
	return Shape{
		Key: key, Kind: Text, Tone: tone, X: rounded(x + 0.27*size*float64(len([]rune(text)))),
		Y: y, R: size, Text: text,
	}
}
