package board

import "tengen/game"

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
	Icon  Kind = "icon"  // the small picture that Text names, of half side R: fight, heal, attack, removal, deck, turtle
	// Card is a playing card of W × H around X, Y. Each line of its Text is the name
	// of an icon, and then perhaps a word that stands beside it, "fight 4", or a letter
	// and a tone for a Piece of it, "turtle R red"; what is no icon's name is written as
	// it is. A card in the tone Back lies face down.
	Card Kind = "card"
	// Piece is a thing that goes from place to place: the icon that Text names, around
	// X, Y, of half side R, with the letter that follows on it: "turtle R".
	Piece Kind = "piece"
)

// Tone is a colour by its name; the page says what it looks like in light and
// in dark.
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
	Felt   Tone = "felt"  // a table
	Mat    Tone = "mat"   // a place on a table
	Back   Tone = "back"  // of a card
	Faint  Tone = "faint" // what has had its turn, and words of less weight
)

// Shape is one thing in a picture. X, Y, W, H and R are in units of the layout,
// X to the right and Y down.
type Shape struct {
	// Key tells a shape of a frame from the others of the same frame, and is the
	// same from frame to frame for what a person takes for the same thing.
	Key  string  `json:"key,omitempty"`
	Kind Kind    `json:"kind"`
	Tone Tone    `json:"tone,omitempty"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	W    float64 `json:"w,omitempty"`
	H    float64 `json:"h,omitempty"`
	R    float64 `json:"r,omitempty"`
	Text string  `json:"text,omitempty"`
	// Of and At are what a screen reader says: "Black", "c3". Shapes without them
	// are ornaments.
	Of string `json:"of,omitempty"`
	At string `json:"at,omitempty"`
}

// Spot is where an action is played, and where what a search thinks of it is
// shown: a circle of radius R, or where W is not 0 a rectangle of W × H whose
// corners R rounds.
type Spot struct {
	Action game.Action `json:"action"`
	X      float64     `json:"x"`
	Y      float64     `json:"y"`
	W      float64     `json:"w,omitempty"`
	H      float64     `json:"h,omitempty"`
	R      float64     `json:"r"`
	// Name is where that is, "c3"; of a spot of a frame what is done there,
	// "Place 4/1/1".
	Name string `json:"name"`
}

// Layout is what all positions of a game have in common.
type Layout struct {
	Width  float64 `json:"width"`  // 0: there is no picture
	Height float64 `json:"height"` // in units
	Name   string  `json:"name"`   // what a screen reader says of the whole
	Ground []Shape `json:"ground"` // drawn first, in this order
	Spots  []Spot  `json:"spots"`  // of actions that are always played in the same place
	Seats  []Shape `json:"seats"`  // a token of each seat, around 0, 0, of radius 1, perhaps with a Text on it
}

// Frame is what one position adds to its layout.
type Frame struct {
	// Shapes stand in the order in which they are drawn, each with a Key of its own.
	Shapes []Shape
	Spots  []Spot // of legal actions whose place depends on the position
	Text   string // the position in words or letters, for a game without a picture
}

// Drawer draws positions of one game. It is safe for concurrent use.
type Drawer interface {
	Layout() *Layout
	// Draw draws s, which it does not change, as viewer sees it; game.Nobody sees
	// everything. The mover may be anybody.
	Draw(s game.State, viewer game.Player) Frame
}

// Teller is a Drawer of a game whose pictures alone do not show what was done. It
// is safe for concurrent use.
type Teller interface {
	// Tell says as a sentence, without a full stop, what a does in s: "First draws
	// 4/1/1". The mover may be Chance. viewer is as in Drawer.Draw.
	Tell(s game.State, a game.Action, viewer game.Player) string
}
