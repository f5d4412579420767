package cards

import (
	"strings"

	"tengen/internal/chart"
	"tengen/research"
)

// curve is one line of the plot.
type curve struct {
	name   string
	color  string
	dashed bool
	points []chart.Point
}

// Colors of the plot: representative moves, all cards.
var (
	representativeColor = "#1f77b4"
	fullColor           = "#d62728"
	grayColor           = "#707070"
)

// curves returns the leaf nodes by depth, ours and the paper's.
func curves(p *research.Page) []curve {
	point := func(depth int, leaves int64) chart.Point {
		return chart.Point{X: float64(depth), Y: float64(max(1, leaves))}
	}
	var list []curve
	if t, ok := p.Part("table2").(*Table2); ok {
		plain := curve{name: "representative moves", color: representativeColor}
		pruned := curve{
			name: "representative moves, pruned", color: representativeColor, dashed: true,
		}
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
		curve{
			name: "the paper, representative moves", color: grayColor,
			points: []chart.Point{{X: 3, Y: 3100}, {X: 4, Y: 62400}, {X: 5, Y: 238100}},
		},
		curve{
			name: "the paper, all cards", color: grayColor,
			points: []chart.Point{{X: 3, Y: 263836900}},
		},
	)
}

// draw writes the plot of leaf nodes by depth.
func draw(p *research.Page) error {
	fig := chart.New("leaf nodes from the paper's starting hand")
	fig.X.Label, fig.Y.Label = "depth in turns", "leaf nodes"
	fig.Y.Log = true
	for _, c := range curves(p) {
		if len(c.points) == 0 {
			continue
		}
		s := chart.Style{Color: c.color, Mark: chart.Dot}
		if c.color == grayColor {
			s.Mark = chart.Cross
		}
		if c.dashed {
			s.Dash, s.Mark = "5 3", chart.Ring
		}
		fig.Line(c.name, c.points, s)
	}
	fig.Corner = chart.TopLeft
	fig.Y.Min, fig.Y.Max = 1, 1e12 // room for the legend
	fig.X.Min = 0.8
	return research.WritePicture(&chart.Sheet{
		Width: 680, RowHeight: 450, Rows: [][]*chart.Panel{{fig}},
	}, p.Picture("leaves"))
}
