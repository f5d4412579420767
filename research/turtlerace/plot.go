package turtlerace

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tengen/research"
)

// heats are the colours of the heat maps for rows that win no game, half of the games, and all games.
var heats = [3]color.RGBA{{33, 102, 172, 255}, {247, 247, 247, 255}, {178, 24, 43, 255}}

// heat returns the colour of a share of wins in %.
func heat(percent float64) color.RGBA {
	x := min(1, max(-1, (percent-50)/50))
	end := heats[2]
	if x < 0 {
		end = heats[0]
	}
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + math.Abs(x)*(float64(b)-float64(a)))) }
	return color.RGBA{mix(heats[1].R, end.R), mix(heats[1].G, end.G), mix(heats[1].B, end.B), 255}
}

// heatMap returns a picture of the share of wins in each place of a table. percent returns false where
// nothing is played.
func (t *Table) heatMap(title string, percent func(row, column int) (float64, bool), form string) (*plot.Plot, error) {
	fig := plot.New()
	fig.Title.Text = title
	fig.X.Label.Text, fig.Y.Label.Text = "against "+t.Column+" with", t.Row+" with"
	n := len(letters)
	var columns, rows []plot.Tick
	for i, letter := range letters {
		columns = append(columns, plot.Tick{Value: float64(i), Label: letter})
		rows = append(rows, plot.Tick{Value: float64(n - 1 - i), Label: letter})
	}
	fig.X.Tick.Marker, fig.Y.Tick.Marker = plot.ConstantTicks(columns), plot.ConstantTicks(rows)
	fig.X.Tick.Length, fig.Y.Tick.Length = 0, 0
	fig.X.LineStyle.Width, fig.Y.LineStyle.Width = 0, 0
	fig.X.Min, fig.X.Max, fig.Y.Min, fig.Y.Max = -0.5, float64(n)-0.5, -0.5, float64(n)-0.5
	for i := range n {
		for j := range n {
			x, y := float64(j), float64(n-1-i)
			square, err := plotter.NewPolygon(plotter.XYs{{X: x - 0.5, Y: y - 0.5}, {X: x + 0.5, Y: y - 0.5}, {X: x + 0.5, Y: y + 0.5}, {X: x - 0.5, Y: y + 0.5}})
			if err != nil {
				return nil, err
			}
			square.Color, square.LineStyle.Color = color.Gray{210}, color.White
			square.LineStyle.Width = vg.Points(1.5)
			fig.Add(square)
			share, ok := percent(i, j)
			if !ok {
				continue
			}
			square.Color = heat(share)
			text, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{fmt.Sprintf(form, share)}})
			if err != nil {
				return nil, err
			}
			style := &text.TextStyle[0]
			style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
			if math.Abs(share-50) > 30 {
				style.Color = color.White
			}
			fig.Add(text)
		}
	}
	return fig, nil
}

// draw writes the paper's table and ours side by side as base.svg and base.png.
func (t *Table) draw(base string) error {
	theirs, err := t.heatMap("the paper, % won by the row", func(i, j int) (float64, bool) {
		e, ok := t.entry(i, j)
		return e.theirs, ok
	}, "%.0f")
	if err != nil {
		return fmt.Errorf("draw %s: %w", base, err)
	}
	ours, err := t.heatMap("ours", func(i, j int) (float64, bool) {
		e, ok := t.entry(i, j)
		return e.ours.Percent, ok
	}, "%.1f")
	if err != nil {
		return fmt.Errorf("draw %s: %w", base, err)
	}
	return research.WritePictures(func(width, height vg.Length, format string) (io.WriterTo, error) {
		canvas, err := draw.NewFormattedCanvas(width, height, format)
		if err != nil {
			return nil, err
		}
		all := draw.New(canvas)
		all.SetColor(color.White)
		all.Fill(all.Rectangle.Path())
		tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Points(18), PadTop: vg.Points(6), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(6)}
		figures := []*plot.Plot{theirs, ours}
		for i, tile := range plot.Align([][]*plot.Plot{figures}, tiles, all)[0] {
			figures[i].Draw(tile)
		}
		return canvas, nil
	}, 20*vg.Centimeter, 10*vg.Centimeter, base)
}
