package lab

import (
	"slices"

	"tengen/internal/chart"
	"tengen/research"
)

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
