package turtlerace

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/internal/chart"
	"tengen/research"
)

// The parts in their order on the page.
var (
	tableParts = []string{
		"table1", "table2", "table2-open", "table3", "table3-open", "table4", "table5", "table6",
	}
	beyondParts = []string{
		"beyond-theirs", "beyond-players", "beyond-ceiling", "beyond-time", "beyond-opponents",
		"beyond-weak",
	}
)

// tablePart returns the part of a table, 1 to 6.
func tablePart(number int) string { return fmt.Sprintf("table%d", number) }

// TableOf returns the table of a part, 1 to 6, and whether it is the variant with open hands; ok is
// false if the part is no table.
func TableOf(part string) (number int, open, ok bool) {
	_, _ = fmt.Sscanf(part, "table%d", &number)
	return number, strings.HasSuffix(part, "-open"), slices.Contains(tableParts, part)
}

// BeyondPart returns the part of one of Sections.
func BeyondPart(section string) string { return "beyond-" + section }

// Layout is the page of the Great Turtle Race.
var Layout = &research.Layout{
	Parts: slices.Concat(tableParts, beyondParts),
	New: func(name string) research.Part {
		if slices.Contains(tableParts, name) {
			return &Table{}
		}
		return &Beyond{}
	},
	Markdown: func(p *research.Page) string {
		text := head
		for _, part := range tableParts {
			text += p.Section(part)
		}
		text += differences(p)
		beyond := ""
		for _, part := range beyondParts {
			beyond += p.Section(part)
		}
		if beyond != "" {
			text += beyondHead + beyond
		}
		return text
	},
	Draw: func(p *research.Page, part string) error {
		if t, ok := p.Part(part).(*Table); ok {
			return t.draw(p.Picture(part))
		}
		return nil
	},
}

// heats are the colours of the heat maps for rows that win no game, half of the games, and all
// games.
var heats = [3][3]float64{{33, 102, 172}, {247, 247, 247}, {178, 24, 43}}

// heat returns the colour of a share of wins in %.
func heat(percent float64) string {
	x := min(1, max(-1, (percent-50)/50))
	end := heats[2]
	if x < 0 {
		end = heats[0]
	}
	text := "#"
	for i, middle := range heats[1] {
		text += fmt.Sprintf("%02x", int(math.Round(middle+math.Abs(x)*(end[i]-middle))))
	}
	return text
}

// heatMap returns a picture of the share of wins in each place of a table. percent returns false
// where nothing is played.
func (t *Table) heatMap(
	title string, percent func(row, column int) (float64, bool), form string,
) *chart.Panel {
	fig := chart.New(title)
	fig.Bare = true
	fig.X.Label, fig.Y.Label = "against "+t.Column+" with", t.Row+" with"
	n := len(letters)
	for i, letter := range letters {
		fig.X.Ticks = append(fig.X.Ticks, chart.Tick{Value: float64(i), Label: letter})
		fig.Y.Ticks = append(fig.Y.Ticks, chart.Tick{Value: float64(n - 1 - i), Label: letter})
	}
	for i := range n {
		for j := range n {
			x, y := float64(j), float64(n-1-i)
			color, text, ink := "#d2d2d2", "", "black"
			if share, ok := percent(i, j); ok {
				color, text = heat(share), fmt.Sprintf(form, share)
				if math.Abs(share-50) > 30 {
					ink = "white"
				}
			}
			fig.Cell(chart.Point{X: x - 0.5, Y: y - 0.5}, chart.Point{X: x + 0.5, Y: y + 0.5},
				color, text, ink)
		}
	}
	return fig
}

// draw draws both shares of a table beside each other, as base.svg.
func (t *Table) draw(base string) error {
	theirs := t.heatMap("the paper, % won by the row", func(i, j int) (float64, bool) {
		e, ok := t.entry(i, j)
		return e.theirs, ok
	}, "%.0f")
	ours := t.heatMap("ours", func(i, j int) (float64, bool) {
		e, ok := t.entry(i, j)
		return e.ours.Percent, ok
	}, "%.1f")
	return research.WritePicture(&chart.Sheet{
		Width: 760, RowHeight: 380, Rows: [][]*chart.Panel{{theirs, ours}},
	}, base)
}
