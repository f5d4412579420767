package history

import (
	"fmt"
	"math"
	"slices"

	"tengen/internal/chart"
)

// Draw draws the runs' curves as one picture, as SVG. It has rows of panels for
// each game and opponent (points summed over the seats, points by seat, ratings) and a row
// for each kind of losses.
func (c *Comparison) Draw(by Axis) ([]byte, error) {
	rows, err := c.rows(by)
	if err != nil {
		return nil, fmt.Errorf("draw the comparison: %w", err)
	}
	return (&chart.Sheet{Width: 830, RowHeight: 260, Key: c.legend(), Rows: rows}).SVG(), nil
}

// rows returns the panels by row.
func (c *Comparison) rows(by Axis) ([][]*chart.Panel, error) {
	var rows [][]*chart.Panel
	last := c.end(by)
	add := func(panels ...*chart.Panel) {
		var row []*chart.Panel
		for _, p := range panels {
			if !p.Empty() {
				p.X.Min, p.X.Max = 0, last
				row = append(row, p)
			}
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	for _, g := range c.groups(c.measured) {
		sum := c.panel(by, g.runs, Sum, false)
		sum.Title = g.what + ": " + c.unit(g.runs) + " summed over the seats"
		sum.Y.Label = c.unit(g.runs)
		sum.Y.Min = min(0, sum.Y.Min)
		anchored(sum, c.baseline(g.runs, -1), last)
		add(sum)
		var seats []*chart.Panel
		for i, seat := range c.runs[g.runs[0]].Seats {
			p := c.panel(by, g.runs, Points(seat), false)
			p.Title = seat
			if i == 0 {
				p.Y.Label = c.unit(g.runs)
			}
			anchored(p, c.baseline(g.runs, i), last)
			seats = append(seats, p)
		}
		level(seats)
		add(seats...)
	}
	for _, g := range c.groups(c.rated) {
		p := c.panel(by, g.runs, Rating, false)
		p.Title = g.what + ": rating"
		p.Y.Label = "Elo over UCT"
		anchored(p, 0, last)
		add(p)
	}
	for _, g := range c.groups(c.heads) {
		policy, value := c.panel(by, g.runs, "losses/policy", true),
			c.panel(by, g.runs, "losses/value", true)
		for _, h := range []struct {
			panel *chart.Panel
			name  string
		}{{policy, "policy"}, {value, "value"}} {
			h.panel.Title = h.name + " loss"
			if len(c.groups(c.heads)) > 1 {
				h.panel.Title += ": " + g.what
			}
		}
		policy.Y.Label = "nats"
		add(policy, value)
	}
	if len(rows) == 0 && by == Evaluations {
		return nil,
			fmt.Errorf(
				"no run has counted its evaluations: only those with training.evaluations do")
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no run has finished an iteration or been measured yet")
	}
	for _, p := range rows[len(rows)-1] {
		p.X.Label = axisLabel(by)
	}
	return rows, nil
}

// end returns the greatest position of any run on the axis.
func (c *Comparison) end(by Axis) float64 {
	end := 0.0
	for _, r := range c.runs {
		if x, ok := r.At(r.Iteration(), by); ok {
			end = max(end, x)
		}
	}
	if end == 0 {
		return 1
	}
	return end
}

// baseline returns UCT's points in a seat against itself, as the mean over the runs, each of
// which has measured it. Seat -1 is the sum of the seats. It is NaN if no run has.
func (c *Comparison) baseline(runs []int, seat int) float64 {
	total, n := 0.0, 0
	for _, i := range runs {
		sum, seats := 0.0, 0
		for k, s := range c.Runs[i].Strength.Seats {
			if s.Baseline != nil && (seat < 0 || k == seat) {
				sum += *s.Baseline
				seats++
			}
		}
		if seats > 0 {
			total += sum
			n++
		}
	}
	return total / float64(n)
}

func axisLabel(by Axis) string {
	switch by {
	case Games:
		return "games played"
	case Hours:
		return "hours of the run"
	case Evaluations:
		return "network evaluations asked for"
	}
	return "iterations"
}

// panel draws the curve with a name for each of the runs, with its interval as a band if
// it has one. Losses on held-out games are drawn too, dashed.
func (c *Comparison) panel(by Axis, runs []int, name string, loss bool) *chart.Panel {
	p := chart.New("")
	for _, i := range runs {
		s := style(i)
		curve := Thin(c.runs[i].Curve(name, by), maxDrawnPoints, !loss)
		var low, high []chart.Point
		for _, x := range curve {
			low, high = append(low, chart.Point{X: x.X, Y: x.Low}),
				append(high, chart.Point{X: x.X, Y: x.High})
		}
		if p.Band(low, high, s.Color); !loss {
			p.Line("", points(curve), s)
			continue
		}
		drawLoss(p, curve, s)
		s.Dash, s.Width = heldOut, 1
		held := c.runs[i].Curve("held_out"+name[len("losses"):], by)
		drawLoss(p, Thin(held, maxDrawnPoints, false), s)
	}
	return p
}

// maxDrawnPoints is the number of points of a curve in a picture: more can't be told apart.
const maxDrawnPoints = 400

// points returns the positions of a curve.
func points(curve []Point) (list []chart.Point) {
	for _, x := range curve {
		list = append(list, chart.Point{X: x.X, Y: x.Y})
	}
	return list
}

// drawLoss draws a curve of losses, unless the network does not have this head. Of its many points
// only the last one is marked.
func drawLoss(p *chart.Panel, curve []Point, s chart.Style) {
	list := points(curve)
	if !slices.ContainsFunc(list, func(x chart.Point) bool { return x.Y != 0 }) {
		return
	}
	last := s
	last.NoLine = true
	s.Mark = chart.NoMark
	p.Line("", list, s)
	p.Line("", list[len(list)-1:], last)
}

// anchored draws UCT's points against itself, unless they are unknown or nothing else is drawn.
func anchored(p *chart.Panel, y, last float64) {
	if !p.Empty() {
		p.Line("", []chart.Point{{X: 0, Y: y}, {X: last, Y: y}}, chart.Style{
			Color: dark, Dash: anchor,
		})
	}
}

// level gives panels of points the same scale, which includes 0.
func level(panels []*chart.Panel) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range panels {
		if !p.Empty() {
			low, high = min(low, p.Y.Min), max(high, p.Y.Max)
		}
	}
	for _, p := range panels {
		p.Y.Min, p.Y.Max = min(0, low), high
	}
}

// palette has the colors of the runs. Black is the anchor's.
var palette = []string{
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#785e3c", "#808080",
}

// marks distinguish runs of the same color.
var marks = []chart.Mark{chart.Dot, chart.Square, chart.Triangle}

// style returns the style of run i, different for each of MaxRuns.
func style(i int) chart.Style {
	n := len(palette)
	return chart.Style{Color: palette[i%n], Mark: marks[(i/n+i%n)%len(marks)]}
}

// The lines that are no run's own.
const (
	heldOut = "4 3"
	anchor  = "1 3"
	dark    = "#3c3c3c"
)

// legend returns the entries of the runs, then those of the kinds of lines. It stands above the
// panels, where it hides no curve.
func (c *Comparison) legend() []chart.Entry {
	var list []chart.Entry
	for i := range c.Runs {
		list = append(list, chart.Entry{Name: c.Runs[i].Name, Style: style(i)})
	}
	if len(c.groups(c.heads)) > 0 {
		list = append(list, chart.Entry{
			Name: "losses on held-out games", Style: chart.Style{Color: dark, Dash: heldOut},
		})
	}
	if len(c.groups(c.measured)) > 0 {
		list = append(list, chart.Entry{
			Name: "UCT alone; bands: 95 %", Style: chart.Style{Color: dark, Dash: anchor},
		})
	}
	return list
}
