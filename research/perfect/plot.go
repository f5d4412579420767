package perfect

import (
	"fmt"

	"tengen/internal/chart"
	"tengen/research"
)

// draw writes the shares of moves that keep the result by hours of training as base.svg: of
// the network alone as dashed lines, and with the fewest simulations.
func (t *Table) draw(base string) error {
	p := chart.New("moves that keep the result of perfect play")
	p.X.Label, p.Y.Label = "hours of training", "%, 95 % band"
	p.X.Min, p.Y.Max = 0, 100
	least := 0 // simulations
	for _, r := range t.Rows {
		if r.Simulations > 0 && (least == 0 || r.Simulations < least) {
			least = r.Simulations
		}
	}
	for k, stage := range t.Stages {
		ink := chart.Colors[k%len(chart.Colors)]
		for _, simulations := range []int{0, least} {
			var mean, high, low []chart.Point
			for _, r := range t.Rows {
				if r.Simulations != simulations || k >= len(r.Cells) {
					continue
				}
				c := r.Cells[k].Outcome
				mean = append(mean, chart.Point{X: r.Hours, Y: c.Percent})
				high = append(high, chart.Point{X: r.Hours, Y: c.High})
				low = append(low, chart.Point{X: r.Hours, Y: c.Low})
			}
			if len(mean) == 0 {
				continue
			}
			s := chart.Style{Color: ink}
			name := fmt.Sprintf("%s, %d simulations", stage.Name, simulations)
			if simulations == 0 {
				name = stage.Name + ", network alone"
				s.Dash = "4 4"
			} else {
				p.Band(low, high, ink)
			}
			p.Line(name, mean, s)
		}
	}
	lowest := 90.0
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			lowest = min(lowest, c.Outcome.Low)
		}
	}
	p.Y.Min = lowest - 0.5*(100-lowest) // room for the legend
	p.Corner = chart.BottomRight
	return research.WritePicture(&chart.Sheet{
		Width: 600, RowHeight: 410, Rows: [][]*chart.Panel{{p}},
	}, base)
}
