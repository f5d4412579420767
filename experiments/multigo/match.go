package multigo

import (
	"context"
	"fmt"
	"runtime"

	"tengen/arena"
	"tengen/experiments"
	"tengen/game"
	"tengen/player"
)

// PaperGame is the game of the paper.
const PaperGame = "go:size=5,players=3"

// Cell is a mean over independent games.
type Cell struct {
	N    int     `json:"games"`
	Mean float64 `json:"points"`
	SD   float64 `json:"sd"`
	CI   float64 `json:"ci95"` // half the width of the 95 % interval
}

func cellOf(s arena.Stat) Cell { return Cell{s.N, s.Mean, s.SD(), s.CI()} }

// String is "11.0 ± 0.3 (s 11.4)".
func (c Cell) String() string { return fmt.Sprintf("%.1f ± %.1f (s %.1f)", c.Mean, c.CI, c.SD) }

// Matches says how the games of the tables are played.
type Matches struct {
	Games          int // a cell
	Opening        int // decisions drawn at random at the start of each game between players that draw nothing
	Seed           uint64
	GamesPerWorker int
	Device         experiments.Device // evaluates, and trains
	// Progress, if not nil, is called as games finish.
	Progress func(what string, finished, all int)
}

// versus plays one player in each seat against another in all other seats.
func (m *Matches) versus(ctx context.Context, a, b player.Player, opening int, made *experiments.Made) ([]Cell, error) {
	g := game.Must(game.New(PaperGame))
	v := arena.Versus{
		Game: g, Player: a, Baseline: b, Games: m.Games, BaselineGames: -1,
		Opening: opening, Seed: m.Seed, Workers: runtime.NumCPU(), GamesPerWorker: m.GamesPerWorker,
	}
	report, err := v.Play(ctx, func(finished, all int) {
		if m.Progress != nil {
			m.Progress(a.Name()+" against "+b.Name(), finished, all)
		}
	})
	if err != nil {
		return nil, err
	}
	made.Count(report.Games, report.Distinct)
	cells := make([]Cell, len(report.Seats))
	for i, s := range report.Seats {
		cells[i] = cellOf(s.Points)
	}
	return cells, nil
}

// alone plays one player in all seats.
func (m *Matches) alone(ctx context.Context, a player.Player, opening int, made *experiments.Made) ([]Cell, error) {
	g := game.Must(game.New(PaperGame))
	match := arena.Match{
		Game: g, Players: []player.Player{a}, Seatings: [][]int{make([]int, g.Players())}, Games: m.Games,
		Opening: opening, Seed: m.Seed, Workers: runtime.NumCPU(), GamesPerWorker: m.GamesPerWorker,
	}
	results, err := match.Play(ctx, func(finished int) {
		if m.Progress != nil {
			m.Progress(a.Name()+" in all seats", finished, m.Games)
		}
	})
	if err != nil {
		return nil, err
	}
	made.Count(len(results), arena.Distinct(results))
	cells := make([]Cell, g.Players())
	for p := range cells {
		var s arena.Stat
		for _, r := range results {
			s.Add(float64(r.Scores[p]))
		}
		cells[p] = cellOf(s)
	}
	return cells, nil
}
