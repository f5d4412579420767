package plot

import (
	"cmp"
	"math"
	"slices"

	"tengen/internal/chart"
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
func newRatingPlot(title string, list []rated) *chart.Panel {
	p := chart.New(title)
	p.Y.Label, p.X.Label = "Elo, 95 % band", "games played"
	least, greatest := ratingRange(list)
	p.X.Min, p.Y.Min, p.Y.Max = 0, least, greatest
	var curve, lows, highs []chart.Point
	for _, r := range list {
		curve = append(curve, chart.Point{X: r.games, Y: r.Rating})
		low, high := r.Bounds()
		lows = append(lows, chart.Point{X: r.games, Y: max(low, least)})
		highs = append(highs, chart.Point{X: r.games, Y: min(high, greatest)})
	}
	p.Band(lows, highs, chart.Colors[3])
	p.Line("network", curve, chart.Style{Color: chart.Colors[3], Mark: chart.Dot})
	p.Line("UCT", []chart.Point{{}, {X: list[len(list)-1].games}}, chart.Style{Dash: "4 4"})
	p.Corner = chart.BottomRight // below the rising curve
	return p
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
