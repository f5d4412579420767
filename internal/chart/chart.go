package chart

import (
	"math"
	"strconv"
)

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

// Tick is a labelled value of an axis.
type Tick struct {
	Value float64
	Label string
}

// bounds returns where an axis begins and ends: apart, and finite.
func (a *Axis) bounds() (low, high float64) {
	low, high = a.Min, a.Max
	switch {
	case a.Log && !(low > 0 && low <= high):
		low, high = 1, 10
	case a.Log:
		low, high = max(low, 1e-300), max(high, 1e-299)
	case !(low <= high) || math.IsInf(low, 0) || math.IsInf(high, 0):
		low, high = 0, 1
	}
	if half := math.Abs(high/2 - low/2); half <= 1e-15*max(math.Abs(low), math.Abs(high)) {
		apart := max(1, math.Abs(low)/10) // one value
		if high = low + apart; math.IsInf(high, 0) {
			low, high = low-apart, low
		}
	}
	return max(low, -math.MaxFloat64), min(high, math.MaxFloat64)
}

// at returns how far along an axis a value is: 0 at its beginning, 1 at its end.
func (a *Axis) at(x float64) float64 {
	low, high := a.bounds()
	if a.Log {
		return (math.Log10(x) - math.Log10(low)) / (math.Log10(high) - math.Log10(low))
	}
	return (x/2 - low/2) / (high/2 - low/2)
}

// most is the greatest number of ticks that are chosen.
const most = 8

// ticks returns the ticks of an axis: multiples of 1, 2 or 5 times a power of ten, with as many
// digits as tell them apart; or powers of ten.
func (a *Axis) ticks() []Tick {
	low, high := a.bounds()
	if a.Ticks != nil {
		return a.Ticks
	}
	var values []float64
	if a.Log {
		every := 1 + int(math.Log10(high)-math.Log10(low))/(2*most)
		for e := int(math.Ceil(math.Log10(low) - 1e-9)); e <= 308 &&
			math.Pow10(e) <= high*(1+1e-9); e += every {
			values = append(values, math.Pow10(e))
		}
	} else {
		step := step(high/2 - low/2)
		for i := math.Ceil(low / step); len(values) < 4*most; i++ {
			x := i * step
			if !(x <= high) || len(values) > 0 && x <= values[len(values)-1] {
				break
			}
			values = append(values, x)
		}
	}
	list := make([]Tick, len(values))
	for digits := 6; ; digits++ {
		seen := map[string]bool{}
		again := false
		for i, x := range values {
			label := strconv.FormatFloat(x, 'g', digits, 64)
			again = again || seen[label]
			seen[label], list[i] = true, Tick{x, label}
		}
		if !again || digits == 17 {
			return list
		}
	}
}

// step returns the least distance of ticks with which few enough fit in twice half.
func step(half float64) float64 {
	power := max(math.Pow(10, math.Floor(math.Log10(half))-1), math.SmallestNonzeroFloat64)
	for {
		for _, f := range []float64{1, 2, 5} {
			if half/(power*f) <= most/2 {
				return power * f
			}
		}
		power *= 10
	}
}
