package multigo

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"tengen/checkpoints"
	"tengen/player"
	"tengen/research"
	"tengen/run"
	runplot "tengen/run/plot"
	"tengen/trainer"
)

// Figure3 is the paper's Figure 3: points in each seat against UCT in the
// others during training.
type Figure3 struct {
	research.Made `json:"made"`
	Run           string  `json:"run"`
	Algorithm     string  `json:"algorithm"`
	Points        []Point `json:"points"`
}

// Point is one checkpoint.
type Point struct {
	Iteration int     `json:"iteration"`
	Games     int     `json:"games"` // of self-play so far
	Hours     float64 `json:"hours"` // of training so far
	Seats     []Cell  `json:"seats"` // against UCT on points
}

// paperFigure3 are the points by seat at which the paper's curves end, read by eye, after 120 hours on two
// RTX 2080 Ti.
var paperFigure3 = map[string][]float64{
	"alphazero": {16, 10, 11},
	"descent":   {12, 12, 11},
}

// Figure3 measures every checkpoint that a run has kept with so many
// simulations a move (iterations for Descent's player). If it is interrupted, it returns the points so
// far and an error.
func (m *Matches) Figure3(ctx context.Context, folder run.Folder, simulations int, made research.Made) (*Figure3, error) {
	config, err := folder.ReadConfig()
	if err != nil {
		return nil, err
	}
	plan, err := trainer.NewPlan(config)
	if err != nil {
		return nil, err
	}
	if plan.Game.Name() != PaperGame {
		return nil, fmt.Errorf("%s is a run of %s, not of %s", folder, plan.Game.Name(), PaperGame)
	}
	history, err := folder.History()
	if err != nil {
		return nil, err
	}
	kept, err := checkpoints.List(folder.Checkpoints())
	if err != nil {
		return nil, err
	}
	f := &Figure3{Made: made, Run: string(folder), Algorithm: string(config.Algorithm)}
	for _, entry := range kept {
		c, err := checkpoints.Load(filepath.Join(folder.Checkpoints(), fmt.Sprintf("%06d", entry.Iteration)))
		if err != nil {
			return nil, err
		}
		params := c.Params
		if c.Average != nil {
			params = c.Average
		}
		p := Point{Iteration: entry.Iteration}
		for _, e := range history {
			if e.Progress != nil && e.Iteration == entry.Iteration {
				p.Games, p.Hours = e.Games, e.Elapsed/3600
			}
		}
		weights, err := m.Device.Load(params)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s@%d", folder, entry.Iteration)
		network := contestant{plan.NetworkPlayer(name, weights, simulations), params.Digest()}
		if p.Seats, err = m.versus(ctx, fmt.Sprintf("%06d", entry.Iteration), network, uct(player.Points), 0, &f.Made); p.Seats != nil {
			f.Points = append(f.Points, p)
		}
		if err != nil {
			return f, err
		}
	}
	if len(f.Points) == 0 {
		return nil, fmt.Errorf("%s holds no checkpoint", folder)
	}
	slices.SortFunc(f.Points, func(a, b Point) int { return a.Iteration - b.Iteration })
	return f, nil
}

// draw writes the figure as base.svg and base.png. Dashed lines are the values at which the paper's
// curves end.
func (f *Figure3) draw(base string) error {
	p := plot.New()
	p.Title.Text = "points in each seat against two UCT(180, points)"
	p.X.Label.Text, p.Y.Label.Text = "hours of training on this machine", "points, 95 % band"
	p.X.Min, p.Y.Min, p.Y.Max = 0, 0, 25
	p.Add(plotter.NewGrid())
	last := f.Points[len(f.Points)-1].Hours
	for seat, c := range runplot.SeatColors[:len(seatNames)] {
		var mean, high, low plotter.XYs
		for _, q := range f.Points {
			s := q.Seats[seat]
			mean = append(mean, plotter.XY{X: q.Hours, Y: s.Mean})
			high = append(high, plotter.XY{X: q.Hours, Y: min(25, s.Mean+s.CI)})
			low = append(low, plotter.XY{X: q.Hours, Y: max(0, s.Mean-s.CI)})
		}
		area, err := runplot.Band(high, low, c)
		if err != nil {
			return fmt.Errorf("draw figure 3: %w", err)
		}
		line, err := plotter.NewLine(mean)
		if err != nil {
			return fmt.Errorf("draw figure 3: %w", err)
		}
		line.Color, line.Width = c, vg.Points(1.5)
		theirs, err := plotter.NewLine(plotter.XYs{{X: 0, Y: paperFigure3[f.Algorithm][seat]}, {X: last, Y: paperFigure3[f.Algorithm][seat]}})
		if err != nil {
			return fmt.Errorf("draw figure 3: %w", err)
		}
		theirs.Color, theirs.Dashes = c, []vg.Length{vg.Points(4), vg.Points(4)}
		p.Add(area, line, theirs)
		name := seatNames[seat]
		p.Legend.Add(name, line)
		p.Legend.Add(name+", the paper after 120 hours", theirs)
	}
	p.Legend.Top, p.Legend.Left = false, false
	return research.WritePictures(research.DrawPlot(p), 16*vg.Centimeter, 11*vg.Centimeter, base)
}
