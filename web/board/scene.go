package board

import (
	"sync"

	"tengen/game"
)

// Kind is the form of a shape.
type Kind string

// The forms.
const (
	Disc  Kind = "disc"  // a stone: a circle of radius R around X, Y
	Ring  Kind = "ring"  // the outline of a circle
	Dot   Kind = "dot"   // a small flat circle, such as a star point
	Cross Kind = "cross" // two diagonals of a square of half side R
	Rect  Kind = "rect"  // W × H around X, Y, its corners rounded by R
	Line  Kind = "line"  // from X, Y by W, H
	Text  Kind = "text"  // Text around X, Y, of height R
	// the icon named by Text, of half side R: fight, heal, attack, removal, deck, turtle
	Icon Kind = "icon"
	// Card is a playing card of W × H around X, Y. A line of its Text is the name of an
	// icon, optionally followed by a word that is shown beside it, "fight 4", or by a
	// letter and a tone for a Piece, "turtle R red"; a line that names no icon is shown as
	// it is. A card in the tone Back lies face down.
	Card Kind = "card"
	// Piece is a movable piece around X, Y, of half side R: the icon that Text names, with
	// the letter that follows on it: "turtle R".
	Piece Kind = "piece"
)

// Tone is the name of a colour; the page defines it for light and dark mode.
type Tone string

// The tones.
const (
	Black  Tone = "black"
	White  Tone = "white"
	Red    Tone = "red"
	Blue   Tone = "blue"
	Green  Tone = "green"
	Gold   Tone = "gold"
	Purple Tone = "purple"
	Wood   Tone = "wood"  // a board
	Grain  Tone = "grain" // lines on wood
	Paper  Tone = "paper" // a card, a sheet
	Ink    Tone = "ink"   // lines and words on paper
	Felt   Tone = "felt"  // a card table
	Mat    Tone = "mat"   // a place on a card table
	Back   Tone = "back"  // the back of a card
	Faint  Tone = "faint" // what has been used this turn, and secondary words
)

// Shape is one element of a picture. X, Y, W, H and R are in units of the layout, X to
// the right and Y down.
type Shape struct {
	// Key identifies a shape within its frame. It stays the same from frame to frame for
	// what people see as the same thing.
	Key  string  `json:"key,omitempty"`
	Kind Kind    `json:"kind"`
	Tone Tone    `json:"tone,omitempty"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	W    float64 `json:"w,omitempty"`
	H    float64 `json:"h,omitempty"`
	R    float64 `json:"r,omitempty"`
	Text string  `json:"text,omitempty"`
	// Of and At are for screen readers: "Black", "c3". Shapes without them are decoration.
	Of string `json:"of,omitempty"`
	At string `json:"at,omitempty"`
}

// Spot is where an action is played, and where a search's analysis of it is shown: a
// circle of radius R or, if W is not 0, a rectangle of W × H with corners rounded by
// R.
type Spot struct {
	Action game.Action `json:"action"`
	X      float64     `json:"x"`
	Y      float64     `json:"y"`
	W      float64     `json:"w,omitempty"`
	H      float64     `json:"h,omitempty"`
	R      float64     `json:"r"`
	// Name is the place, "c3"; for a spot of a frame it describes the action, "Place
	// 4/1/1".
	Name string `json:"name"`
}

// Layout is the part of the drawing that all positions of a game share.
type Layout struct {
	Width  float64 `json:"width"`  // 0: no picture
	Height float64 `json:"height"` // in units
	Name   string  `json:"name"`   // description for screen readers
	Ground []Shape `json:"ground"` // drawn first, in this order
	Spots  []Spot  `json:"spots"`  // of actions that are always played in the same place
	// a token of each seat, around 0, 0, of radius 1, optionally with a Text on it
	Seats []Shape `json:"seats"`
}

// Frame is what one position adds to its layout.
type Frame struct {
	// Shapes are in drawing order, each with a unique Key.
	Shapes []Shape
	Spots  []Spot // of legal actions whose place depends on the position
	Text   string // the position in words or letters, for a game without a picture
}

// Drawer draws positions of one game. It is safe for concurrent use.
type Drawer interface {
	Layout() *Layout
	// Draw draws s as viewer sees it, or with everything shown if viewer is game.Nobody.
	// Any player may be to move. It does not change s.
	Draw(s game.State, viewer game.Player) Frame
}

// Teller is a Drawer of a game whose pictures do not show which action was played. It
// is safe for concurrent use.
type Teller interface {
	// Tell describes a, an action of s, as a sentence without a full stop: "First draws
	// 4/1/1". The current player may be Chance. viewer is as in Drawer.Draw.
	Tell(s game.State, a game.Action, viewer game.Player) string
}

// Delta is the difference between two frames.
type Delta struct {
	Set  []Shape  `json:"set,omitempty"`  // new or changed shapes
	Drop []string `json:"drop,omitempty"` // keys of removed shapes
	// Spots are all spots of the new frame.
	Spots []Spot `json:"spots,omitempty"`
	Text  string `json:"text,omitempty"` // all text of the new frame
}

// DeltaOf returns the difference between two frames. Shapes that stay keep their place
// in the drawing order; new ones come last.
func DeltaOf(from, to Frame) Delta {
	before := make(map[string]Shape, len(from.Shapes))
	for _, s := range from.Shapes {
		before[s.Key] = s
	}
	d := Delta{Spots: to.Spots, Text: to.Text}
	for _, s := range to.Shapes {
		if old, ok := before[s.Key]; !ok || old != s {
			d.Set = append(d.Set, s)
		}
		delete(before, s.Key)
	}
	for _, s := range from.Shapes {
		if _, gone := before[s.Key]; gone {
			d.Drop = append(d.Drop, s.Key)
		}
	}
	return d
}

// Apply returns the new frame.
func (d Delta) Apply(from Frame) Frame {
	to := Frame{Spots: d.Spots, Text: d.Text}
	place := map[string]int{}
	gone := map[string]bool{}
	for _, key := range d.Drop {
		gone[key] = true
	}
	for _, s := range from.Shapes {
		if !gone[s.Key] {
			place[s.Key] = len(to.Shapes)
			to.Shapes = append(to.Shapes, s)
		}
	}
	for _, s := range d.Set {
		if i, ok := place[s.Key]; ok {
			to.Shapes[i] = s
			continue
		}
		place[s.Key] = len(to.Shapes)
		to.Shapes = append(to.Shapes, s)
	}
	return to
}

// Maker makes the drawer of a game, or returns nil for a game that it does not know.
type Maker func(g game.Game) Drawer

var (
	mu     sync.RWMutex
	makers = []Maker{goDrawer, mnkDrawer, dropsDrawer, cardsDrawer, raceDrawer, tableDrawer}
)

// Register adds drawers of further games. Later registrations take precedence. It is
// called from init functions.
func Register(m Maker) {
	mu.Lock()
	defer mu.Unlock()
	makers = append(makers, m)
}

// For returns the drawer of a game. If there is none, a game whose positions are a game.Board is
// drawn as stones on a grid, another as text.
func For(g game.Game) Drawer {
	mu.RLock()
	defer mu.RUnlock()
	for i := len(makers) - 1; i >= 0; i-- {
		if d := makers[i](g); d != nil {
			return d
		}
	}
	if d := newGrid(g); d != nil {
		return d
	}
	return newWords(g)
}

// tones are the colours of seats without colours of their own.
var tones = [game.MaxPlayers]Tone{Black, Red, Blue, Green, Gold, White, Felt, Wood}

// words draws a game without a picture.
type words struct{ layout Layout }

func newWords(g game.Game) *words {
	d := &words{Layout{Name: g.Name(), Ground: []Shape{}, Spots: []Spot{}}}
	for p := range g.Players() {
		d.layout.Seats = append(d.layout.Seats, Shape{
			Kind: Dot, Tone: tones[p], R: 1, Of: game.SeatName(g, game.Player(p)),
		})
	}
	return d
}

func (d *words) Layout() *Layout { return &d.layout }

// Draw returns the terminal's text. For a player of a game with hidden information it
// shows what that player may see; if the game can't draw that, nothing.
func (d *words) Draw(s game.State, viewer game.Player) Frame {
	if t, ok := s.(game.SeatDrawn); ok && viewer != game.Nobody {
		return Frame{Text: t.DrawFor(viewer, false)}
	}
	if _, hidden := s.(game.ImperfectInformation); hidden && viewer != game.Nobody {
		return Frame{
			Text: "(this game has no drawing of its positions that hides what a player may not see)\n",
		}
	}
	if t, ok := s.(game.Drawn); ok {
		return Frame{Text: t.Draw(false)}
	}
	return Frame{}
}
