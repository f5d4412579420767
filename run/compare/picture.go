package compare

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tengen/run/history"
	runplot "tengen/run/plot"
)

// palette has the colors of the runs, distinguishable for color-blind readers (Okabe and Ito
// 2008). Black is the anchor's.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{86, 180, 233, 255}, {230, 159, 0, 255}, {120, 94, 60, 255}, {128, 128, 128, 255},
}

// glyphs distinguish runs of the same color.
var glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}

// style returns the style of run i, different for each of MaxRuns.
func style(i int) (color.RGBA, draw.GlyphDrawer) {
	n := len(palette)
	return palette[i%n], glyphs[(i/n+i%n)%len(glyphs)]
}

const (
	width       = 22 * vg.Centimeter
	panelHeight = 7 * vg.Centimeter
	titleHeight = 16 // points
	margin      = 8
)

// Draw draws the runs' curves as one picture, as SVG and PNG. It has rows of panels for
// each game and opponent (points summed over the seats, points by seat, ratings) and a row
// for each kind of losses.
func (c *Comparison) Draw(by history.Axis) (svg, png []byte, err error) {
	rows, err := c.rows(by)
	if err != nil {
		return nil, nil, fmt.Errorf("draw the comparison: %w", err)
	}
	legend := c.legend()
	height := legend.height + vg.Length(len(rows))*panelHeight + margin
	titles := plot.New().Title.TextStyle
	titles.Font.Size, titles.XAlign, titles.YAlign = 10, draw.XCenter, draw.YBottom
	svg, png, err = runplot.Render(width, height, 110, func(all draw.Canvas) {
		all.SetColor(color.White)
		all.Fill(all.Rectangle.Path())
		legend.draw(draw.Crop(all, margin, -margin, height-legend.height, -margin))
		top := height - legend.height
		for _, row := range rows {
			strip := draw.Crop(all, 0, 0, top-panelHeight, top-height-titleHeight)
			tiles := draw.Tiles{Rows: 1, Cols: len(row), PadTop: 2, PadBottom: margin, PadLeft: margin, PadRight: 12, PadX: 14}
			for i, tile := range plot.Align([][]*plot.Plot{plots(row)}, tiles, strip)[0] {
				row[i].Draw(tile)
				// Drawn here because the plot would move its axis for letters below the line.
				tile.FillText(titles, vg.Point{X: tile.Min.X + (tile.Max.X-tile.Min.X)/2, Y: tile.Max.Y + 4}, row[i].title)
			}
			top -= panelHeight
		}
	})
	if err != nil {
		return nil, nil, fmt.Errorf("draw the comparison: %w", err)
	}
	return svg, png, nil
}

// plots returns the panels' plots.
func plots(row []*panel) []*plot.Plot {
	list := make([]*plot.Plot, len(row))
	for i, p := range row {
		list[i] = p.Plot
	}
	return list
}

// rows returns the panels by row.
func (c *Comparison) rows(by history.Axis) ([][]*panel, error) {
	var rows [][]*panel
	last := c.end(by)
	add := func(panels ...*panel) error {
		var row []*panel
		for _, p := range panels {
			if p.empty {
				continue
			}
			if p.err != nil {
				return p.err
			}
			p.X.Min, p.X.Max = 0, last
			if p.Y.Max <= p.Y.Min {
				p.Y.Max = p.Y.Min + 1
			}
			row = append(row, p)
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
		return nil
	}
	for _, g := range c.groups(c.measured) {
		sum := c.panel(by, g.runs, history.Sum, false)
		sum.title = g.what + ": " + c.unit(g.runs) + " summed over the seats"
		sum.Y.Label.Text = c.unit(g.runs)
		sum.Y.Min = min(0, sum.Y.Min)
		sum.anchor(c.baseline(g.runs, -1), last)
		if err := add(sum); err != nil {
			return nil, err
		}
		var seats []*panel
		for i, seat := range c.runs[g.runs[0]].Seats {
			p := c.panel(by, g.runs, history.Points(seat), false)
			p.title = seat
			if i == 0 {
				p.Y.Label.Text = c.unit(g.runs)
			}
			p.anchor(c.baseline(g.runs, i), last)
			seats = append(seats, p)
		}
		level(seats)
		if err := add(seats...); err != nil {
			return nil, err
		}
	}
	for _, g := range c.groups(c.rated) {
		p := c.panel(by, g.runs, history.Rating, false)
		p.title = g.what + ": rating"
		p.Y.Label.Text = "Elo over UCT"
		p.anchor(0, last)
		if err := add(p); err != nil {
			return nil, err
		}
	}
	for _, g := range c.groups(c.heads) {
		policy, value := c.panel(by, g.runs, "losses/policy", true), c.panel(by, g.runs, "losses/value", true)
		for _, h := range []struct {
			panel *panel
			name  string
		}{{policy, "policy"}, {value, "value"}} {
			h.panel.title = h.name + " loss"
			if len(c.groups(c.heads)) > 1 {
				h.panel.title += ": " + g.what
			}
		}
		policy.Y.Label.Text = "nats"
		if err := add(policy, value); err != nil {
			return nil, err
		}
	}
	if len(rows) == 0 && by == history.Evaluations {
		return nil, fmt.Errorf("no run has counted its evaluations: only those with training.evaluations do")
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no run has finished an iteration or been measured yet")
	}
	for _, p := range rows[len(rows)-1] {
		p.X.Label.Text = axisLabel(by)
	}
	return rows, nil
}

// end returns the greatest position of any run on the axis.
func (c *Comparison) end(by history.Axis) float64 {
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

func axisLabel(by history.Axis) string {
	switch by {
	case history.Games:
		return "games played"
	case history.Hours:
		return "hours of the run"
	case history.Evaluations:
		return "network evaluations asked for"
	}
	return "iterations"
}

// panel is a plot of one quantity.
type panel struct {
	*plot.Plot
	title string
	empty bool
	err   error
}

// panel draws the curve with a name for each of the runs, with its interval as a band if
// it has one. Losses on held-out games are drawn too, dashed.
func (c *Comparison) panel(by history.Axis, runs []int, name string, loss bool) *panel {
	p := &panel{Plot: plot.New(), empty: true}
	p.X.Tick.Marker, p.Y.Tick.Marker = runplot.Ticks{}, runplot.Ticks{}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{225}, color.Gray{225}
	p.Add(grid)
	for _, i := range runs {
		ink, glyph := style(i)
		curve := c.runs[i].Curve(name, by)
		p.band(curve, ink)
		p.line(curve, ink, glyph, false, loss)
		if loss {
			held := "held_out" + name[len("losses"):]
			p.line(c.runs[i].Curve(held, by), ink, glyph, true, loss)
		}
	}
	return p
}

// band fills the intervals of a curve. An interval without a bound leaves a gap.
func (p *panel) band(curve []history.Point, ink color.RGBA) {
	var low, high plotter.XYs
	for _, x := range curve {
		low, high = append(low, plotter.XY{X: x.X, Y: x.Low}), append(high, plotter.XY{X: x.X, Y: x.High})
	}
	bands, err := runplot.Intervals(low, high, ink)
	if err != nil {
		p.err = err
		return
	}
	p.Add(bands...)
}

// line draws a curve. Of a loss, which has many points, only the last one is marked.
func (p *panel) line(curve []history.Point, ink color.RGBA, glyph draw.GlyphDrawer, dashed, loss bool) {
	if len(curve) == 0 {
		return
	}
	var xys plotter.XYs
	zero := true
	for _, x := range curve {
		xys = append(xys, plotter.XY{X: x.X, Y: x.Y})
		zero = zero && x.Y == 0
	}
	if loss && zero {
		return // the network does not have this head
	}
	p.empty = false
	line, dots, err := plotter.NewLinePoints(xys)
	if err != nil {
		p.err = err
		return
	}
	line.Color, line.Width = ink, vg.Points(1.3)
	if dashed {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		line.Width = vg.Points(1)
	}
	if loss {
		dots.XYs = dots.XYs[len(dots.XYs)-1:]
	}
	dots.Color, dots.Shape, dots.Radius = ink, glyph, vg.Points(2.5)
	p.Add(line, dots)
}

// anchor draws UCT's points against itself.
func (p *panel) anchor(y, last float64) {
	if math.IsNaN(y) {
		return
	}
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: y}, {X: last, Y: y}})
	if err != nil {
		p.err = err
		return
	}
	line.Color, line.Dashes = color.Gray{90}, []vg.Length{vg.Points(1), vg.Points(3)}
	p.Add(line)
}

// level gives panels of points the same scale, which includes 0.
func level(panels []*panel) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range panels {
		if !p.empty {
			low, high = min(low, p.Y.Min), max(high, p.Y.Max)
		}
	}
	for _, p := range panels {
		p.Y.Min, p.Y.Max = min(0, low), high
	}
}
