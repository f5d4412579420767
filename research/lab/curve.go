package lab

import (
	"math"
	"slices"

	"tengen/internal/chart"
	"tengen/research"
	"tengen/run/history"
)

// Curve is a figure of an arm during training: the mean over its runs, and the least and the
// greatest of them.
type Curve struct {
	Arm    string       `json:"arm"`
	Figure string       `json:"figure"` // the name of the curve of a run
	Axis   string       `json:"axis"`
	Runs   int          `json:"runs"`
	Points []CurvePoint `json:"points"`
}

// CurvePoint is a point of a Curve.
type CurvePoint struct {
	X    float64 `json:"x"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// figures are the curves that are drawn, with their titles and units. From a loss the entropy of
// its targets is taken, which differs from arm to arm.
var figures = []struct{ name, less, title, unit string }{
	{history.Rating, "", "rating during training, against UCT", "Elo"},
	{"held_out/policy", "held_out/target_entropy",
		"policy loss on held-out games above the entropy of targets", "nats"},
	{"held_out/value", "held_out/value_target_entropy",
		"value loss on held-out games above the entropy of targets", "nats"},
}

// axis returns the axis of curves for a unit of budget.
func axis(unit string) history.Axis {
	switch unit {
	case unitEvaluations:
		return history.Evaluations
	case unitSeconds:
		return history.Hours
	}
	return history.Games
}

// curves returns the curves of all arms.
func (r *running) curves(histories [][]*history.Run) []Curve {
	list := []Curve{}
	by := axis(r.Arms[0].budget().unit)
	for _, f := range figures {
		for i, runs := range histories {
			var all [][]history.Point
			for _, h := range runs {
				if points := less(h.Curve(f.name, by), h.Curve(f.less, by)); len(points) > 0 {
					all = append(all, points)
				}
			}
			points := merge(all)
			if len(points) == 0 ||
				f.name != history.Rating &&
					!slices.ContainsFunc(points, func(p CurvePoint) bool { return p.Mean != 0 }) {
				continue // without such a head the loss is 0
			}
			list = append(list, Curve{
				Arm: r.Arms[i].Name, Figure: f.name, Axis: string(by), Runs: len(all),
				Points: points,
			})
		}
	}
	return list
}

// less returns the differences of two curves at the first one's points. Where the second has no
// point, 0 is taken.
func less(a, b []history.Point) []history.Point {
	a = slices.Clone(a)
	for i, k := 0, 0; i < len(a); i++ {
		for k < len(b) && b[k].X < a[i].X {
			k++
		}
		if k < len(b) && b[k].X == a[i].X {
			a[i].Y -= b[k].Y
		}
	}
	return a
}

// merged is the number of points of a curve of several runs.
const merged = 50

// merge returns the mean of several curves, with their least and greatest, where all of them are
// known. Between its points a curve is taken to be straight.
func merge(curves [][]history.Point) []CurvePoint {
	if len(curves) == 0 {
		return nil
	}
	first, last := math.Inf(-1), math.Inf(1)
	most := 0
	for _, c := range curves {
		first, last = max(first, c[0].X), min(last, c[len(c)-1].X)
		most = max(most, len(c))
	}
	if first > last {
		return nil
	}
	n := min(most, merged)
	var points []CurvePoint
	for k := range n {
		p := CurvePoint{X: first, Low: math.Inf(1), High: math.Inf(-1)}
		if n > 1 {
			p.X += (last - first) * float64(k) / float64(n-1)
		}
		for _, c := range curves {
			y := at(c, p.X)
			p.Mean += y / float64(len(curves))
			p.Low, p.High = min(p.Low, y), max(p.High, y)
		}
		points = append(points, p)
	}
	return points
}

// at returns the height of a curve at x, which is between its ends.
func at(c []history.Point, x float64) float64 {
	i, ok := slices.BinarySearchFunc(c, x, func(p history.Point, x float64) int {
		switch {
		case p.X < x:
			return -1
		case p.X > x:
			return 1
		}
		return 0
	})
	switch {
	case ok:
		return c[i].Y
	case i == 0:
		return c[0].Y
	case i == len(c):
		return c[len(c)-1].Y
	}
	a, b := c[i-1], c[i]
	return a.Y + (b.Y-a.Y)*(x-a.X)/(b.X-a.X)
}

// Names of the pictures.
const (
	curvesPicture    = "curves"
	intervalsPicture = "differences"
)

// drawPictures draws the pictures of a page's lab.
func drawPictures(p *research.Page, name string) error {
	x := p.Part(name).(*Result)
	if list := x.intervals(); len(list) > 0 {
		s := &chart.Sheet{
			Width: 600, RowHeight: 38 * float64(2+len(list)),
			Rows: [][]*chart.Panel{{plotIntervals(list)}},
		}
		if err := research.WritePicture(s, p.Picture(intervalsPicture)); err != nil {
			return err
		}
	}
	if rows := x.panels(); len(rows) > 0 {
		return research.WritePicture(&chart.Sheet{
			Width: 600, RowHeight: 300, Rows: rows,
		}, p.Picture(curvesPicture))
	}
	return nil
}

// comparison is an arm's difference to the first.
type comparison struct {
	arm            string
	elo, low, high float64
}

// intervals returns the differences to the first arm that have an interval.
func (x *Result) intervals() []comparison {
	var list []comparison
	for _, a := range x.Arms {
		if d := a.Elo; d != nil && d.Low != nil && d.High != nil {
			list = append(list, comparison{a.Name, d.Elo, *d.Low, *d.High})
		}
	}
	return list
}

// plotIntervals draws a row for each difference: the mean, its interval, and a line at 0.
func plotIntervals(list []comparison) *chart.Panel {
	p := chart.New("")
	p.X.Label = "Elo to the first arm, 95 % interval"
	last := float64(len(list)) - 0.5
	p.Line("", []chart.Point{{X: 0, Y: -0.5}, {X: 0, Y: last}}, chart.Style{
		Color: "#808080", Dash: "4 4",
	})
	for i, d := range slices.Backward(list) {
		y := float64(len(list) - 1 - i)
		p.Line("", []chart.Point{{X: d.low, Y: y}, {X: d.high, Y: y}}, chart.Style{})
		p.Line("", []chart.Point{{X: d.elo, Y: y}}, chart.Style{Mark: chart.Dot})
		p.Y.Ticks = append(p.Y.Ticks, chart.Tick{Value: y, Label: d.arm})
	}
	return p
}

// panels draws a panel for each figure, with a line for each arm.
func (x *Result) panels() (rows [][]*chart.Panel) {
	last := 0.0
	for _, f := range figures {
		panel := chart.New(f.title)
		panel.Y.Label = f.unit
		for _, c := range x.Curves {
			if c.Figure == f.name && len(c.Points) > 0 {
				panel.X.Label = axisText(c.Axis)
				addCurve(panel, &c, x.ink(c.Arm))
			}
		}
		if panel.Empty() {
			continue
		}
		panel.X.Min = 0
		if f.unit == "Elo" { // ratings rise and losses fall: this corner is left free
			panel.Corner = chart.BottomRight
		}
		last = max(last, panel.X.Max)
		rows = append(rows, []*chart.Panel{panel})
	}
	for _, row := range rows {
		row[0].X.Max = last
	}
	return rows
}

// ink returns the colour of an arm. Several arms share one where there are more than colours.
func (x *Result) ink(arm string) string {
	for i, a := range x.Arms {
		if a.Name == arm {
			return chart.Colors[i%len(chart.Colors)]
		}
	}
	return chart.Colors[0]
}

func axisText(axis string) string {
	if axis == unitEvaluations {
		return "network evaluations asked for"
	}
	return axis
}

// addCurve adds a line with its band to a panel.
func addCurve(p *chart.Panel, c *Curve, ink string) {
	var line, low, high []chart.Point
	for _, q := range c.Points {
		line = append(line, chart.Point{X: q.X, Y: q.Mean})
		low = append(low, chart.Point{X: q.X, Y: q.Low})
		high = append(high, chart.Point{X: q.X, Y: q.High})
	}
	if c.Runs > 1 && len(line) > 1 {
		p.Band(low, high, ink)
	}
	p.Line(c.Arm, line, chart.Style{Color: ink, Mark: chart.Dot})
}
