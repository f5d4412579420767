package multigo

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"tengen/checkpoints"
	"tengen/game"
	"tengen/internal/chart"
	"tengen/player"
	"tengen/research"
	"tengen/run"
	"tengen/trainer"
)

// Table3 is the paper's Table 3: UCT in all seats.
type Table3 struct {
	research.Made `json:"made"`
	Points        []Cell `json:"points"` // by seat, UCT on points, the paper's scale
	Unit          []Cell `json:"unit"`   // by seat, UCT on utilities
}

// paperTable3 are the paper's figures by seat.
var paperTable3 = []string{"11.5 ± 1.0", "7.1 ± 0.9", "6.3 ± 0.9"}

// Table3 plays the games. If it is interrupted, it returns the cells so far and an error.
func (m *Matches) Table3(ctx context.Context, made research.Made) (*Table3, error) {
	t := &Table3{Made: made}
	for _, scale := range []struct {
		utility string
		cells   *[]Cell
	}{{player.Points, &t.Points}, {player.Unit, &t.Unit}} {
		var err error
		if *scale.cells,
			err = m.alone(ctx, scale.utility, uct(scale.utility), 0, &t.Made); err != nil {
			return t, err
		}
	}
	return t, nil
}

// uct is the paper's UCT.
func uct(utility string) contestant {
	return contestant{Player: player.UCT{Simulations: 180, C: 0.8, Utility: utility}}
}

// Table4 is the paper's Table 4, Black against White and Red, repeated in every seat.
type Table4 struct {
	research.Made `json:"made"`
	Rows          []Table4Row `json:"rows"`
}

// Table4Row is one player in each seat against two of another.
type Table4Row struct {
	Player  string `json:"player"`
	Against string `json:"against"`
	Paper   string `json:"paper"` // as Black
	Seats   []Cell `json:"seats"`
}

// Table4 plays the players of AlphaZero and Descent against UCT, each other and themselves. If it
// is interrupted, it returns the rows so far and an error.
func (m *Matches) Table4(
	ctx context.Context, alphaZero, descent string, made research.Made,
) (*Table4, error) {
	g := game.Must(game.New(PaperGame))
	az, err := m.parse(g, alphaZero)
	if err != nil {
		return nil, err
	}
	d, err := m.parse(g, descent)
	if err != nil {
		return nil, err
	}
	t := &Table4{Made: made}
	t.Opening = opening
	for _, row := range []struct {
		folder  string
		a, b    contestant
		paper   string
		opening int
	}{
		{"alphazero-uct", az, uct(player.Points), "16.2 ± 0.3", 0},
		{"alphazero-alphazero", az, az, "13.3 ± 0.4", opening},
		{"alphazero-descent", az, d, "11 ± 0.2", opening},
		{"descent-uct", d, uct(player.Points), "12.7 ± 0.5", 0},
		{"descent-alphazero", d, az, "12.1 ± 0.6", opening},
		{"descent-descent", d, d, "11.9 ± 0.3", opening},
	} {
		r := Table4Row{Player: row.a.Name(), Against: row.b.Name(), Paper: row.paper}
		if row.a == row.b {
			r.Seats, err = m.alone(ctx, row.folder, row.a, row.opening, &t.Made)
		} else {
			r.Seats, err = m.versus(ctx, row.folder, row.a, row.b, row.opening, &t.Made)
		}
		if r.Seats != nil {
			t.Rows = append(t.Rows, r)
		}
		if err != nil {
			return t, fmt.Errorf("%s against %s: %w", r.Player, r.Against, err)
		}
	}
	return t, nil
}

// parse reads a player, with the digest of its network.
func (m *Matches) parse(g game.Game, text string) (c contestant, err error) {
	if c.Player, err = m.Device.Parse(g, text); err != nil {
		return c, err
	}
	c.network, err = player.NetworkDigest(text)
	return c, err
}

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

// paperFigure3 are the points by seat at which the paper's curves end, read by eye, after 120 hours
// on two RTX 2080 Ti.
var paperFigure3 = map[string][]float64{
	"alphazero": {16, 10, 11},
	"descent":   {12, 12, 11},
}

// Figure3 measures every checkpoint that a run has kept with so many
// simulations a move (iterations for Descent's player). If it is interrupted, it returns the points
// so far and an error.
func (m *Matches) Figure3(
	ctx context.Context, folder run.Folder, simulations int, made research.Made,
) (*Figure3, error) {
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
		c,
			err := checkpoints.Load(filepath.Join(folder.Checkpoints(),
			fmt.Sprintf("%06d", entry.Iteration)))
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
		if p.Seats, err = m.versus(ctx, fmt.Sprintf("%06d", entry.Iteration), network,
			uct(player.Points), 0, &f.Made); p.Seats != nil {
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
	p := chart.New("points in each seat against two UCT(180, points)")
	p.X.Label, p.Y.Label = "hours of training on this machine", "points, 95 % band"
	p.X.Min, p.Y.Min, p.Y.Max = 0, 0, 25
	last := f.Points[len(f.Points)-1].Hours
	for seat, ink := range chart.Colors[:len(seatNames)] {
		var mean, high, low []chart.Point
		for _, q := range f.Points {
			s := q.Seats[seat]
			mean = append(mean, chart.Point{X: q.Hours, Y: s.Mean})
			high = append(high, chart.Point{X: q.Hours, Y: min(25, s.Mean+s.CI)})
			low = append(low, chart.Point{X: q.Hours, Y: max(0, s.Mean-s.CI)})
		}
		p.Band(low, high, ink)
		p.Line(seatNames[seat], mean, chart.Style{Color: ink})
		theirs := paperFigure3[f.Algorithm][seat]
		p.Line(seatNames[seat]+", the paper after 120 hours",
			[]chart.Point{{X: 0, Y: theirs}, {X: last, Y: theirs}}, chart.Style{
				Color: ink, Dash: "4 4",
			})
	}
	p.Corner = chart.BottomRight
	return research.WritePicture(&chart.Sheet{
		Width: 600, RowHeight: 410, Rows: [][]*chart.Panel{{p}},
	}, base)
}
