package chart

import "math"

// Colors are distinguishable for color-blind readers (Okabe and Ito 2008).
var Colors = []string{
	"#000000", "#e69f00", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#808080",
}

// Point is a position on both axes.
type Point struct{ X, Y float64 }

// finite reports whether p can be drawn.
func (p Point) finite() bool {
	return !math.IsNaN(p.X-p.X) && !math.IsNaN(p.Y-p.Y)
}

// Mark is the shape at each point of a curve.
type Mark int

// The marks. NoMark draws none.
const (
	NoMark Mark = iota
	Dot
	Square
	Triangle
	Ring
	Cross
	Marks // their number
)

// Style is how a curve is drawn. The zero value is a thin black line without marks.
type Style struct {
	Color  string // as in SVG; "": black
	Width  float64
	Dash   string // lengths of dashes and gaps, as in SVG; "": none
	Mark   Mark
	NoLine bool // marks alone
}

// Axis is one side of a panel.
type Axis struct {
	Label    string
	Min, Max float64
	Log      bool   // of base 10; values that are not above 0 are left out
	Ticks    []Tick // nil: chosen by the range
}

// grow extends an axis to a value.
func (a *Axis) grow(x float64) { a.Min, a.Max = min(a.Min, x), max(a.Max, x) }

// Corner is where a panel's key stands.
type Corner int

// The corners.
const (
	TopRight Corner = iota
	TopLeft
	BottomRight
	BottomLeft
)

// Entry is a line of a key: a name and how what it names is drawn.
type Entry struct {
	Name  string
	Style Style
}

// Panel is a pair of axes with what is drawn over them, in the order in which it was added.
type Panel struct {
	Title  string
	X, Y   Axis
	Corner Corner // of the key
	Bare   bool   // without axes and grid: their labels and ticks alone
	items  []item
	key    []Entry
}

// item is a curve, an area or a cell.
type item struct {
	points []Point
	style  Style
	area   bool   // the points are around it
	text   string // in the middle of an area
	ink    string // of the text
	solid  bool   // of an area: opaque, with a white edge
}

// New returns an empty panel.
func New(title string) *Panel {
	none := Axis{Min: math.Inf(1), Max: math.Inf(-1)}
	return &Panel{Title: title, X: none, Y: none}
}

func (p *Panel) add(x item) {
	var kept []Point
	for _, q := range x.points {
		if q.finite() && (!p.X.Log || q.X > 0) && (!p.Y.Log || q.Y > 0) {
			p.X.grow(q.X)
			p.Y.grow(q.Y)
			kept = append(kept, q)
		}
	}
	if x.points = kept; len(kept) > 0 {
		p.items = append(p.items, x)
	}
}

// Line draws a curve through points, and names it in the key unless name is "".
func (p *Panel) Line(name string, points []Point, s Style) {
	p.add(item{points: points, style: s})
	if name != "" {
		p.key = append(p.key, Entry{name, s})
	}
}

// Band draws the light area between two curves over the same X, and a line where an interval stands
// alone. Intervals without a finite bound are gaps.
func (p *Panel) Band(low, high []Point, color string) {
	for from := 0; from < len(low); from++ {
		to := from
		for to < len(low) && low[to].finite() && high[to].finite() {
			to++
		}
		switch to - from {
		case 0:
			continue
		case 1:
			p.add(item{points: []Point{low[from], high[from]}, style: Style{Color: color}})
		default:
			around := append([]Point(nil), low[from:to]...)
			for i := to - 1; i >= from; i-- {
				around = append(around, high[i])
			}
			p.add(item{points: around, style: Style{Color: color}, area: true})
		}
		from = to
	}
}

// Cell draws a rectangle between two corners with a text in its middle.
func (p *Panel) Cell(from, to Point, color, text, ink string) {
	p.add(item{
		points: []Point{from, {to.X, from.Y}, to, {from.X, to.Y}},
		style:  Style{Color: color}, area: true, solid: true, text: text, ink: ink,
	})
}

// Empty reports whether nothing was added.
func (p *Panel) Empty() bool { return len(p.items) == 0 }
