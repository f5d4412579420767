package plot

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
	"tengen/internal/chart"
	"tengen/run"
	"tengen/vfs"
)

// Learning draws a run as eval/learning.svg: from its event log the points by
// seat against UCT with 95 % bands, the ratings over time if networks were rated, and
// the losses.
func Learning(f run.Files, g game.Game) error {
	history, err := readOutline(f)
	if err != nil {
		return err
	}
	ratings, err := readRatings(f, history)
	if err != nil {
		return err
	}
	if err := vfs.WriteBytes(f.FS, f.Picture(), learning(history, ratings, g)); err != nil {
		return fmt.Errorf("plot %s: %w", f.Folder, err)
	}
	return nil
}

// learning draws what Learning has read.
func learning(history *outline, ratings []rated, g game.Game) []byte {
	strength := chart.New(g.Name() + ": " + game.ScoreUnit(g) +
		" in each seat against UCT in the others")
	strength.Y.Label = game.ScoreUnit(g) + ", 95 % band"
	losses := chart.New("losses (dashed: on held-out games)")
	losses.Y.Label = "nats"
	for _, p := range []*chart.Panel{strength, losses} {
		p.X.Label = "games played"
		p.X.Min, p.Y.Min = 0, 0
	}
	plotStrength(strength, history, g)
	plotLosses(losses, history)
	rows := [][]*chart.Panel{{strength}, {losses}}
	if len(ratings) > 0 {
		rows = slices.Insert(rows, 1,
			[]*chart.Panel{newRatingPlot(g.Name()+": rating over time", ratings)})
	}
	last := 0.0
	for _, row := range rows {
		last = max(last, row[0].X.Max)
	}
	for _, row := range rows {
		row[0].X.Max = last
	}
	return (&chart.Sheet{Width: 600, RowHeight: 330, Rows: rows}).SVG()
}

// plotStrength draws the points of each seat over the games played.
func plotStrength(p *chart.Panel, history *outline, g game.Game) {
	points := make([][]chart.Point, g.Players())
	low, high := make([][]chart.Point, g.Players()), make([][]chart.Point, g.Players())
	floor := 0.0 // of points; chips can be lost
	for _, e := range history.events {
		if e.Strength != nil &&
			slices.ContainsFunc(e.Strength.Points, func(x float64) bool { return x < 0 }) {
			floor = math.Inf(-1)
		}
	}
	var baseline []float64
	for _, e := range history.events {
		if e.Strength == nil || len(e.Strength.Points) != g.Players() ||
			len(e.Strength.CI) != g.Players() {
			continue
		}
		baseline = e.Strength.Baseline
		for seat, y := range e.Strength.Points {
			x, _ := history.gamesAt(e.Iteration)
			ci := float64(e.Strength.CI[seat]) // infinite for a single game
			points[seat] = append(points[seat], chart.Point{X: x, Y: y})
			low[seat] = append(low[seat], chart.Point{X: x, Y: max(y-ci, floor)})
			high[seat] = append(high[seat], chart.Point{X: x, Y: y + ci})
		}
	}
	for seat, list := range points {
		if len(list) == 0 {
			continue
		}
		ink := chart.Colors[seat]
		p.Band(low[seat], high[seat], ink)
		p.Line(game.SeatName(g, game.Player(seat)), list, chart.Style{Color: ink, Mark: chart.Dot})
		if seat < len(baseline) {
			name := ""
			if seat == len(points)-1 {
				name = "UCT in all seats"
			}
			alone := []chart.Point{
				{X: list[0].X, Y: baseline[seat]}, {X: list[len(list)-1].X, Y: baseline[seat]},
			}
			p.Line(name, alone, chart.Style{Color: ink, Dash: "4 4"})
		}
	}
	p.Corner = chart.TopLeft
}

// plotLosses draws the losses over the games played.
func plotLosses(p *chart.Panel, history *outline) {
	for _, c := range []struct {
		name, color, dash string
		y                 func(*run.Progress) (float64, bool)
	}{
		{"policy", chart.Colors[3], "", func(p *run.Progress) (float64, bool) {
			return p.Losses.Policy, p.Losses.Policy != 0
		}},
		{"policy, held out", chart.Colors[3], "4 4", func(p *run.Progress) (float64, bool) {
			if p.HeldOut == nil {
				return 0, false
			}
			return p.HeldOut.Policy, p.HeldOut.Policy != 0
		}},
		{"value", chart.Colors[2], "", func(p *run.Progress) (float64, bool) {
			return p.Losses.Value, true
		}},
		{"value, held out", chart.Colors[2], "4 4", func(p *run.Progress) (float64, bool) {
			if p.HeldOut == nil {
				return 0, false
			}
			return p.HeldOut.Value, true
		}},
	} {
		var list []chart.Point
		for _, e := range history.events {
			if e.Progress == nil || e.Progress.Dropped != "" {
				continue
			}
			if y, ok := c.y(e.Progress); ok {
				list = append(list, chart.Point{X: float64(e.Progress.Games), Y: y})
			}
		}
		if len(list) > 0 {
			p.Line(c.name, list, chart.Style{Color: c.color, Dash: c.dash})
		}
	}
	p.Corner = chart.BottomLeft // below the curves, since losses stay well above zero
}
