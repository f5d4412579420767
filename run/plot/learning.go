package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"tengen/game"
	"tengen/run"
	"tengen/vfs"
)

// SeatColors are the colors of the seats, distinguishable for color-blind readers (Okabe
// and Ito 2008).
var SeatColors = []color.RGBA{
	{0, 0, 0, 255}, {230, 159, 0, 255}, {213, 94, 0, 255}, {0, 114, 178, 255},
	{0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {128, 128, 128, 255},
}

// Band returns the light area between two curves over the same X, drawn along the first
// curve and back along the second. It has no edge.
func Band(there, back plotter.XYs, ink color.RGBA) (*plotter.Polygon, error) {
	around := slices.Clone(there)
	for _, xy := range slices.Backward(back) {
		around = append(around, xy)
	}
	area, err := plotter.NewPolygon(around)
	if err != nil {
		return nil, err
	}
	area.Color, area.LineStyle.Width = color.NRGBA{ink.R, ink.G, ink.B, 40}, 0
	return area, nil
}

// Intervals returns the areas between bounds of intervals over the same X, and a line for an interval that stands alone. Intervals without a
// finite bound are gaps.
func Intervals(low, high plotter.XYs, ink color.RGBA) (list []plot.Plotter, err error) {
	finite := func(i int) bool {
		return !math.IsNaN(low[i].Y-high[i].Y) && !math.IsInf(low[i].Y, 0) && !math.IsInf(high[i].Y, 0)
	}
	for from := 0; from < len(low); from++ {
		to := from
		for to < len(low) && finite(to) {
			to++
		}
		switch to - from {
		case 0:
			continue
		case 1:
			line, err := plotter.NewLine(plotter.XYs{low[from], high[from]})
			if err != nil {
				return nil, err
			}
			line.Color = ink
			list = append(list, line)
		default:
			area, err := Band(low[from:to], high[from:to], ink)
			if err != nil {
				return nil, err
			}
			list = append(list, area)
		}
		from = to
	}
	return list, nil
}

// Learning draws a run as eval/learning.svg and .png: from its event log the points by
// seat against UCT with 95 % bands, the ratings over time if networks were rated, and
// the losses.
func Learning(f run.Files, g game.Game) error {
	history, err := readOutline(f)
	if err != nil {
		return err
	}
	strength, losses := plot.New(), plot.New()
	strength.Title.Text = g.Name() + ": " + game.ScoreUnit(g) + " in each seat against UCT in the others"
	strength.Y.Label.Text = game.ScoreUnit(g) + ", 95 % band"
	losses.Title.Text = "losses (dashed: on held-out games)"
	losses.Y.Label.Text = "nats"
	for _, p := range []*plot.Plot{strength, losses} {
		p.X.Label.Text = "games played"
		p.X.Tick.Marker, p.Y.Tick.Marker = Ticks{}, Ticks{}
		p.X.Min, p.Y.Min = 0, 0
		p.Add(plotter.NewGrid())
	}
	if err := plotStrength(strength, history, g); err != nil {
		return err
	}
	if err := plotLosses(losses, history); err != nil {
		return err
	}
	panels := [][]*plot.Plot{{strength}, {losses}}
	ratings, err := readRatings(f, history)
	if err != nil {
		return err
	}
	if len(ratings) > 0 {
		rating, err := newRatingPlot(g.Name()+": rating over time", ratings)
		if err != nil {
			return err
		}
		panels = slices.Insert(panels, 1, []*plot.Plot{rating})
	}
	last := math.Inf(-1)
	for _, p := range panels {
		last = max(last, p[0].X.Max)
	}
	if last <= 0 {
		last = 1 // nothing but the first network was measured
	}
	for _, p := range panels {
		p[0].X.Max = last
		if p[0].Y.Max <= p[0].Y.Min {
			p[0].Y.Max = p[0].Y.Min + 1
		}
	}
	width, height := 16*vg.Centimeter, vg.Length(9*len(panels))*vg.Centimeter
	svg, png, err := Render(width, height, vgimg.DefaultDPI, func(c draw.Canvas) {
		tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 12, PadY: 12}
		for row, canvases := range plot.Align(panels, tiles, c) {
			panels[row][0].Draw(canvases[0])
		}
	})
	if err != nil {
		return fmt.Errorf("plot %s: %w", f.Folder, err)
	}
	for extension, data := range map[string][]byte{".png": png, ".svg": svg} {
		if err := vfs.WriteBytes(f.FS, f.Picture(extension), data); err != nil {
			return fmt.Errorf("plot %s: %w", f.Folder, err)
		}
	}
	return nil
}

// Render draws a picture as SVG, and as PNG with a number of dots per inch.
func Render(width, height vg.Length, dpi int, paint func(draw.Canvas)) (svg, png []byte, err error) {
	vector, image := vgsvg.New(width, height), vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
	var text, pixels bytes.Buffer
	paint(draw.New(image))
	paint(draw.New(vector))
	if _, err := vector.WriteTo(&text); err != nil {
		return nil, nil, err
	}
	if _, err := (vgimg.PngCanvas{Canvas: image}).WriteTo(&pixels); err != nil {
		return nil, nil, err
	}
	return text.Bytes(), pixels.Bytes(), nil
}

// plotStrength draws the points of each seat over the games played.
func plotStrength(p *plot.Plot, history *outline, g game.Game) error {
	points := make([]plotter.XYs, g.Players())
	low, high := make([]plotter.XYs, g.Players()), make([]plotter.XYs, g.Players())
	floor := 0.0 // of points; chips can be lost
	for _, e := range history.events {
		if e.Strength != nil && slices.ContainsFunc(e.Strength.Points, func(x float64) bool { return x < 0 }) {
			floor = math.Inf(-1)
		}
	}
	var baseline []float64
	for _, e := range history.events {
		if e.Strength == nil || len(e.Strength.Points) != g.Players() || len(e.Strength.CI) != g.Players() {
			continue
		}
		baseline = e.Strength.Baseline
		for seat, y := range e.Strength.Points {
			x, _ := history.gamesAt(e.Iteration)
			ci := float64(e.Strength.CI[seat]) // infinite for a single game
			points[seat] = append(points[seat], plotter.XY{X: x, Y: y})
			low[seat] = append(low[seat], plotter.XY{X: x, Y: max(y-ci, floor)})
			high[seat] = append(high[seat], plotter.XY{X: x, Y: y + ci})
		}
	}
	for seat := range points {
		if len(points[seat]) == 0 {
			continue
		}
		ink := SeatColors[seat]
		bands, err := Intervals(low[seat], high[seat], ink)
		if err != nil {
			return fmt.Errorf("plot: %w", err)
		}
		line, dots, err := plotter.NewLinePoints(points[seat])
		if err != nil {
			return fmt.Errorf("plot: %w", err)
		}
		line.Color, dots.Color, dots.Shape = ink, ink, draw.CircleGlyph{}
		p.Add(append(bands, line, dots)...)
		p.Legend.Add(game.SeatName(g, game.Player(seat)), line)
		if seat < len(baseline) {
			first, last := points[seat][0].X, points[seat][len(points[seat])-1].X
			alone, err := plotter.NewLine(plotter.XYs{{X: first, Y: baseline[seat]}, {X: last, Y: baseline[seat]}})
			if err != nil {
				return fmt.Errorf("plot: %w", err)
			}
			alone.Color, alone.Dashes = ink, []vg.Length{4, 4}
			p.Add(alone)
			if seat == len(points)-1 {
				p.Legend.Add("UCT in all seats", alone)
			}
		}
	}
	p.Legend.Top, p.Legend.Left = true, true
	return nil
}

// plotLosses draws the losses over the games played.
func plotLosses(p *plot.Plot, history *outline) error {
	for _, c := range []struct {
		name   string
		color  color.RGBA
		dashed bool
		y      func(*run.Progress) (float64, bool)
	}{
		{"policy", SeatColors[3], false, func(p *run.Progress) (float64, bool) { return p.Losses.Policy, p.Losses.Policy != 0 }},
		{"policy, held out", SeatColors[3], true, func(p *run.Progress) (float64, bool) {
			if p.HeldOut == nil {
				return 0, false
			}
			return p.HeldOut.Policy, p.HeldOut.Policy != 0
		}},
		{"value", SeatColors[2], false, func(p *run.Progress) (float64, bool) { return p.Losses.Value, true }},
		{"value, held out", SeatColors[2], true, func(p *run.Progress) (float64, bool) {
			if p.HeldOut == nil {
				return 0, false
			}
			return p.HeldOut.Value, true
		}},
	} {
		var xys plotter.XYs
		for _, e := range history.events {
			if e.Progress == nil || e.Progress.Dropped != "" {
				continue
			}
			if y, ok := c.y(e.Progress); ok {
				xys = append(xys, plotter.XY{X: float64(e.Progress.Games), Y: y})
			}
		}
		if len(xys) == 0 {
			continue
		}
		line, err := plotter.NewLine(xys)
		if err != nil {
			return fmt.Errorf("plot: %w", err)
		}
		line.Color = c.color
		if c.dashed {
			line.Dashes = []vg.Length{4, 4}
		}
		p.Add(line)
		p.Legend.Add(c.name, line)
	}
	p.Legend.Left = true // below the curves, since losses stay well above zero
	return nil
}

// Ticks are gonum's default ticks with labels of six significant digits at most, or as many as tell them apart.
type Ticks struct{ plot.DefaultTicks }

// Ticks implements plot.Ticker.
func (t Ticks) Ticks(low, high float64) []plot.Tick {
	ticks := t.DefaultTicks.Ticks(low, high)
	for digits := 6; ; digits++ {
		seen := map[string]bool{}
		again := false
		for i := range ticks {
			if ticks[i].Label != "" {
				text := strconv.FormatFloat(ticks[i].Value, 'g', digits, 64)
				again = again || seen[text]
				seen[text], ticks[i].Label = true, text
			}
		}
		if !again || digits == 17 {
			return ticks
		}
	}
}
