package lab

import (
	"fmt"
	"image/color"
	"os"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"tengen/research"
	runplot "tengen/run/plot"
	"tengen/vfs"
)

// Names of the pictures.
const (
	curvesPicture    = "curves"
	intervalsPicture = "differences"
)

// drawPictures draws the pictures of a page's lab, as SVG and PNG.
func drawPictures(p *research.Page, name string) error {
	x := p.Part(name).(*Result)
	if list := x.intervals(); len(list) > 0 {
		fig, err := plotIntervals(list)
		if err != nil {
			return fmt.Errorf("draw the differences: %w", err)
		}
		height := vg.Length(2+len(list)) * vg.Centimeter
		if err := research.WritePictures(research.DrawPlot(fig), 16*vg.Centimeter, height, p.Picture(intervalsPicture)); err != nil {
			return err
		}
	}
	if len(x.Curves) == 0 {
		return nil
	}
	svg, png, err := x.draw()
	if err != nil {
		return fmt.Errorf("draw the curves: %w", err)
	}
	if err := os.MkdirAll(p.Dir(), 0o755); err != nil {
		return fmt.Errorf("draw the curves: %w", err)
	}
	for extension, data := range map[string][]byte{".svg": svg, ".png": png} {
		if err := vfs.WriteBytes(vfs.OS{}, p.Picture(curvesPicture)+extension, data); err != nil {
			return err
		}
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
func plotIntervals(list []comparison) (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text = "Elo to the first arm, 95 % interval"
	p.X.Tick.Marker = runplot.Ticks{}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Width = color.Gray{225}, 0
	p.Add(grid)
	var points plotter.XYs
	var names []string
	bars := plotter.XErrors{}
	for i, d := range slices.Backward(list) {
		points = append(points, plotter.XY{X: d.elo, Y: float64(len(list) - 1 - i)})
		bars = append(bars, struct{ Low, High float64 }{d.elo - d.low, d.high - d.elo})
		names = append(names, d.arm)
	}
	zero, err := plotter.NewLine(plotter.XYs{{X: 0, Y: -0.5}, {X: 0, Y: float64(len(list)) - 0.5}})
	if err != nil {
		return nil, err
	}
	zero.Dashes, zero.Color = []vg.Length{4, 4}, color.Gray{128}
	lines, err := plotter.NewXErrorBars(struct {
		plotter.XYer
		plotter.XErrorer
	}{points, bars})
	if err != nil {
		return nil, err
	}
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	dots.Shape, dots.Radius = draw.CircleGlyph{}, vg.Points(3)
	p.Add(zero, lines, dots)
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.5, float64(len(list))-0.5
	return p, nil
}

// draw draws a panel for each figure, with a line for each arm.
func (x *Result) draw() (svg, png []byte, err error) {
	var panels [][]*plot.Plot
	for _, f := range figures {
		panel := plot.New()
		panel.Title.Text, panel.Y.Label.Text = f.title, f.unit
		panel.X.Tick.Marker, panel.Y.Tick.Marker = runplot.Ticks{}, runplot.Ticks{}
		grid := plotter.NewGrid()
		grid.Vertical.Color, grid.Horizontal.Color = color.Gray{225}, color.Gray{225}
		panel.Add(grid)
		drawn := false
		for _, c := range x.Curves {
			if c.Figure != f.name || len(c.Points) == 0 {
				continue
			}
			panel.X.Label.Text = axisText(c.Axis)
			if err := addCurve(panel, &c, x.ink(c.Arm)); err != nil {
				return nil, nil, err
			}
			drawn = true
		}
		if drawn {
			// Ratings rise and losses fall: the corner that is left free is at the right.
			panel.X.Min, panel.Legend.Top = 0, f.unit != "Elo"
			panels = append(panels, []*plot.Plot{panel})
		}
	}
	if len(panels) == 0 {
		return nil, nil, nil
	}
	last := 0.0
	for _, p := range panels {
		last = max(last, p[0].X.Max)
	}
	for _, p := range panels {
		p[0].X.Max = last
	}
	width, height := 16*vg.Centimeter, vg.Length(8*len(panels))*vg.Centimeter
	return runplot.Render(width, height, vgimg.DefaultDPI, func(c draw.Canvas) {
		tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 12, PadY: 12}
		for row, canvases := range plot.Align(panels, tiles, c) {
			panels[row][0].Draw(canvases[0])
		}
	})
}

// ink returns the colour of an arm. Several arms share one where there are more than colours.
func (x *Result) ink(arm string) color.RGBA {
	for i, a := range x.Arms {
		if a.Name == arm {
			return runplot.SeatColors[i%len(runplot.SeatColors)]
		}
	}
	return runplot.SeatColors[0]
}

func axisText(axis string) string {
	if axis == unitEvaluations {
		return "network evaluations asked for"
	}
	return axis
}

// addCurve adds a line with its band to a panel.
func addCurve(p *plot.Plot, c *Curve, ink color.RGBA) error {
	var line, low, high plotter.XYs
	for _, q := range c.Points {
		line = append(line, plotter.XY{X: q.X, Y: q.Mean})
		low = append(low, plotter.XY{X: q.X, Y: q.Low})
		high = append(high, plotter.XY{X: q.X, Y: q.High})
	}
	if c.Runs > 1 && len(line) > 1 {
		band, err := runplot.Band(low, high, ink)
		if err != nil {
			return err
		}
		p.Add(band)
	}
	l, points, err := plotter.NewLinePoints(line)
	if err != nil {
		return err
	}
	l.Color, points.Color, points.Shape, points.Radius = ink, ink, draw.CircleGlyph{}, vg.Points(1.5)
	p.Add(l, points)
	p.Legend.Add(c.Arm, l)
	return nil
}
