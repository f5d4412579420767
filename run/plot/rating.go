package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tengen/run"
)

// rated is the rating of a network and its place on the axis.
type rated struct {
	games float64 // self-play games played before the network
	run.Elo
}

// readRatings returns the ratings in order of games played: those of the last estimate,
// and for networks missing there, those of their evaluation.
func readRatings(f run.Files, history *outline) ([]rated, error) {
	last, err := f.ReadRatings()
	if err != nil {
		return nil, err
	}
	byIteration := map[int]run.Elo{}
	for _, e := range history.events {
		if e.Strength != nil && e.Strength.Elo != nil {
			byIteration[e.Iteration] = *e.Strength.Elo
		}
	}
	for _, n := range last.Networks {
		byIteration[n.Iteration] = n.Elo
	}
	var list []rated
	for iteration, elo := range byIteration {
		if x, ok := history.gamesAt(iteration); ok {
			list = append(list, rated{x, elo})
		}
	}
	slices.SortFunc(list, func(a, b rated) int { return cmp.Compare(a.games, b.games) })
	return list, nil
}

// newRatingPlot draws ratings with their intervals over the games played. A band without
// a bound ends at the edge of the panel.
func newRatingPlot(title string, list []rated) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = title
	p.Y.Label.Text = "Elo, 95 % band"
	p.X.Label.Text = "games played"
	p.X.Tick.Marker, p.Y.Tick.Marker = Ticks{}, Ticks{}
	least, greatest := ratingRange(list)
	p.X.Min, p.Y.Min, p.Y.Max = 0, least, greatest
	p.Add(plotter.NewGrid())
	var xys, lows, highs plotter.XYs
	for _, r := range list {
		xys = append(xys, plotter.XY{X: r.games, Y: r.Rating})
		low, high := r.Bounds()
		lows = append(lows, plotter.XY{X: r.games, Y: max(low, least)})
		highs = append(highs, plotter.XY{X: r.games, Y: min(high, greatest)})
	}
	ink := SeatColors[3]
	bands, err := Intervals(lows, highs, ink)
	if err != nil {
		return nil, fmt.Errorf("plot: %w", err)
	}
	line, dots, err := plotter.NewLinePoints(xys)
	if err != nil {
		return nil, fmt.Errorf("plot: %w", err)
	}
	line.Color, dots.Color, dots.Shape = ink, ink, draw.CircleGlyph{}
	anchor, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: list[len(list)-1].games, Y: 0}})
	if err != nil {
		return nil, fmt.Errorf("plot: %w", err)
	}
	anchor.Color, anchor.Dashes = SeatColors[0], []vg.Length{4, 4}
	p.Add(append(bands, line, dots, anchor)...)
	p.Legend.Add("network", line) // bottom right, below the rising curve
	p.Legend.Add("UCT", anchor)
	return p, nil
}

// ratingRange returns the range of a panel: all ratings and finite bounds, UCT's 0, and
// a margin for the bands without a bound.
func ratingRange(list []rated) (least, greatest float64) {
	for _, r := range list {
		low, high := r.Bounds()
		for _, x := range []float64{low, r.Rating, high} {
			if !math.IsInf(x, 0) {
				least, greatest = min(least, x), max(greatest, x)
			}
		}
	}
	room := max(50, 0.1*(greatest-least))
	return least - room, greatest + room
}
