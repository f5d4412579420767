package experiments

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rmCurve is one line of the plot.
type rmCurve struct {
	name   string
	color  color.RGBA
	dashed bool
	points plotter.XYs
}

// Colors of the plot: representative moves, all cards.
var (
	rmColor   = color.RGBA{0x1f, 0x77, 0xb4, 0xff}
	fullColor = color.RGBA{0xd6, 0x27, 0x28, 0xff}
	grayColor = color.RGBA{0x70, 0x70, 0x70, 0xff}
)

// curves are the leaf nodes by depth, ours and the paper's.
func (p *RMPage) curves() []rmCurve {
	point := func(depth int, leaves int64) plotter.XY {
		return plotter.XY{X: float64(depth), Y: float64(max(1, leaves))}
	}
	var list []rmCurve
	if p.Table2 != nil {
		plain := rmCurve{name: "representative moves", color: rmColor}
		pruned := rmCurve{name: "representative moves, pruned", color: rmColor, dashed: true}
		for _, r := range p.Table2.Rows {
			if r.Plain != nil {
				plain.points = append(plain.points, point(r.Depth, r.Plain.Leaves))
			}
			pruned.points = append(pruned.points, point(r.Depth, r.Pruned.Leaves))
		}
		list = append(list, plain, pruned)
	}
	if p.Table3 != nil {
		for _, rule := range p.Table3.Rules {
			if !strings.Contains(rule.Game, "draw=always") {
				continue
			}
			plain := rmCurve{name: "all cards, a draw in every turn", color: fullColor}
			pruned := rmCurve{name: "all cards, pruned", color: fullColor, dashed: true}
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
		rmCurve{name: "the paper, representative moves", color: grayColor, points: plotter.XYs{{X: 3, Y: 3100}, {X: 4, Y: 62400}, {X: 5, Y: 238100}}},
		rmCurve{name: "the paper, all cards", color: grayColor, points: plotter.XYs{{X: 3, Y: 263836900}}},
	)
}

// draw writes leaf nodes by depth as base.svg and base.png.
func (p *RMPage) draw(base string) error {
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
	for _, c := range p.curves() {
		if len(c.points) == 0 {
			continue
		}
		line, points, err := plotter.NewLinePoints(c.points)
		if err != nil {
			return refuse(err)
		}
		line.Color, line.Width = c.color, vg.Points(1.5)
		points.Color, points.Shape = c.color, draw.CircleGlyph{}
		if c.color == grayColor {
			points.Shape, points.Radius = draw.CrossGlyph{}, vg.Points(4)
		}
		if c.dashed {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
			points.Shape = draw.RingGlyph{}
		}
		fig.Add(line, points)
		fig.Legend.Add(c.name, line, points)
	}
	fig.Legend.Top, fig.Legend.Left = true, true
	fig.Y.Min, fig.Y.Max = 1, 1e12 // room for the legend
	fig.X.Min = 0.8
	return writePictures(drawPlot(fig), 18*vg.Centimeter, 12*vg.Centimeter, base)
}
