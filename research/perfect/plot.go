package perfect

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"tengen/research"
	runplot "tengen/run/plot"
)

// draw writes the shares of moves that keep the result by hours of training as base.svg and base.png: of
// the network alone as dashed lines, and with the fewest simulations.
func (t *Table) draw(base string) error {
	p := plot.New()
	p.Title.Text = "moves that keep the result of perfect play"
	p.X.Label.Text, p.Y.Label.Text = "hours of training", "%, 95 % band"
	p.X.Min, p.Y.Max = 0, 100
	p.Add(plotter.NewGrid())
	least := 0 // simulations
	for _, r := range t.Rows {
		if r.Simulations > 0 && (least == 0 || r.Simulations < least) {
			least = r.Simulations
		}
	}
	for k, stage := range t.Stages {
		ink := runplot.SeatColors[k%len(runplot.SeatColors)]
		for _, simulations := range []int{0, least} {
			var mean, high, low plotter.XYs
			for _, r := range t.Rows {
				if r.Simulations != simulations || k >= len(r.Cells) {
					continue
				}
				c := r.Cells[k].Outcome
				mean = append(mean, plotter.XY{X: r.Hours, Y: c.Percent})
				high = append(high, plotter.XY{X: r.Hours, Y: c.High})
				low = append(low, plotter.XY{X: r.Hours, Y: c.Low})
			}
			if len(mean) == 0 {
				continue
			}
			line, err := plotter.NewLine(mean)
			if err != nil {
				return fmt.Errorf("draw %s: %w", base, err)
			}
			line.Color, line.Width = ink, vg.Points(1.5)
			name := fmt.Sprintf("%s, %d simulations", stage.Name, simulations)
			if simulations == 0 {
				name = stage.Name + ", network alone"
				line.Dashes = []vg.Length{vg.Points(4), vg.Points(4)}
			} else {
				area, err := runplot.Band(high, low, ink)
				if err != nil {
					return fmt.Errorf("draw %s: %w", base, err)
				}
				p.Add(area)
			}
			p.Add(line)
			p.Legend.Add(name, line)
		}
	}
	lowest := 90.0
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			lowest = min(lowest, c.Outcome.Low)
		}
	}
	p.Y.Min = lowest - 0.5*(100-lowest) // room for the legend
	p.Legend.Top = false
	return research.WritePictures(research.DrawPlot(p), 16*vg.Centimeter, 11*vg.Centimeter, base)
}
