package cards

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	gdraw "gonum.org/v1/plot/vg/draw"

	"tengen/research"
)

// curve is one line of the plot.
type curve struct {
	name   string
	color  color.RGBA
	dashed bool
	points plotter.XYs
}

// Colors of the plot: representative moves, all cards.
var (
	representativeColor = color.RGBA{0x1f, 0x77, 0xb4, 0xff}
	fullColor           = color.RGBA{0xd6, 0x27, 0x28, 0xff}
	grayColor           = color.RGBA{0x70, 0x70, 0x70, 0xff}
)

// curves returns the leaf nodes by depth, ours and the paper's.
func curves(p *research.Page) []curve {
	point := func(depth int, leaves int64) plotter.XY {
		return plotter.XY{X: float64(depth), Y: float64(max(1, leaves))}
	}
	var list []curve
	if t, ok := p.Part("table2").(*Table2); ok {
		plain := curve{name: "representative moves", color: representativeColor}
		pruned := curve{name: "representative moves, pruned", color: representativeColor, dashed: true}
		for _, r := range t.Rows {
			if r.Plain != nil {
				plain.points = append(plain.points, point(r.Depth, r.Plain.Leaves))
			}
			pruned.points = append(pruned.points, point(r.Depth, r.Pruned.Leaves))
		}
		list = append(list, plain, pruned)
	}
	if t, ok := p.Part("table3").(*Table3); ok {
		for _, rule := range t.Rules {
			if !strings.Contains(rule.Game, "draw=always") {
				continue
			}
			plain := curve{name: "all cards, a draw in every turn", color: fullColor}
			pruned := curve{name: "all cards, pruned", color: fullColor, dashed: true}
			for _, r := range rule.Rows {
				plain.points = append(plain.points, point(r.Depth, r.Leaves))
				pruned.points = append(pruned.points, point(r.Depth, r.Pruned.Leaves))
			}
			if d := rule.Deep; d != nil && d.Done == d.Outcomes {
				pruned.points = append(pruned.points, point(d.Depth, d.Pruned.Leaves))
			}
			list = append(list, plain, pruned)
		}
	}
	return append(list,
		curve{name: "the paper, representative moves", color: grayColor, points: plotter.XYs{{X: 3, Y: 3100}, {X: 4, Y: 62400}, {X: 5, Y: 238100}}},
		curve{name: "the paper, all cards", color: grayColor, points: plotter.XYs{{X: 3, Y: 263836900}}},
	)
}

// draw writes the plot of leaf nodes by depth.
func draw(p *research.Page) error {
	refuse := func(err error) error { return fmt.Errorf("draw leaf nodes by depth: %w", err) }
	fig := plot.New()
	fig.Title.Text = "leaf nodes from the paper's starting hand"
	fig.X.Label.Text, fig.Y.Label.Text = "depth in turns", "leaf nodes"
	fig.Y.Scale = plot.LogScale{}
	fig.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	fig.X.Tick.Marker = plot.TickerFunc(func(low, high float64) (ticks []plot.Tick) {
		for x := int(low); float64(x) <= high; x++ {
			ticks = append(ticks, plot.Tick{Value: float64(x), Label: fmt.Sprint(x)})
		}
		return ticks
	})
	fig.Add(plotter.NewGrid())
	for _, c := range curves(p) {
		if len(c.points) == 0 {
			continue
		}
		line, points, err := plotter.NewLinePoints(c.points)
		if err != nil {
			return refuse(err)
		}
		line.Color, line.Width = c.color, vg.Points(1.5)
		points.Color, points.Shape = c.color, gdraw.CircleGlyph{}
		if c.color == grayColor {
			points.Shape, points.Radius = gdraw.CrossGlyph{}, vg.Points(4)
		}
		if c.dashed {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
			points.Shape = gdraw.RingGlyph{}
		}
		fig.Add(line, points)
		fig.Legend.Add(c.name, line, points)
	}
	fig.Legend.Top, fig.Legend.Left = true, true
	fig.Y.Min, fig.Y.Max = 1, 1e12 // room for the legend
	fig.X.Min = 0.8
	return research.WritePictures(research.DrawPlot(fig), 18*vg.Centimeter, 12*vg.Centimeter, p.Picture("leaves"))
}
