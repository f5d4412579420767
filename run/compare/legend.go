package compare

import "tengen/internal/chart"

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
