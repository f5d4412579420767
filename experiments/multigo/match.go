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

// fewest is the number of games in a seat without which an interrupted match has no results: fewer
// have no interval.
const fewest = 2

// versus plays one player in each seat against another in all other seats. If the match is
// interrupted, it returns what it has found, nil without enough games, and the error.
func (m *Matches) versus(ctx context.Context, a, b player.Player, opening int, made *experiments.Made) ([]Cell, error) {
	g := game.Must(game.New(PaperGame))
	v := arena.Versus{
		Game: g, Player: a, Baseline: b, Games: m.Games, BaselineGames: -1,
		Opening: opening, Seed: m.Seed, Workers: runtime.NumCPU(), GamesPerWorker: m.GamesPerWorker,
	}
	what := a.Name() + " against " + b.Name()
	report, err := v.Play(ctx, func(finished, all int) {
		if m.Progress != nil {
			m.Progress(what, finished, all)
		}
	})
	if err = made.Interrupt(what, err); err != nil && (report == nil || report.Seats[0].Points.N < fewest) {
		return nil, err
	}
	made.Count(report.Games, report.Distinct)
	cells := make([]Cell, len(report.Seats))
	for i, s := range report.Seats {
		cells[i] = cellOf(s.Points)
	}
	return cells, err
}

// alone plays one player in all seats. An interruption is as in versus.
func (m *Matches) alone(ctx context.Context, a player.Player, opening int, made *experiments.Made) ([]Cell, error) {
	g := game.Must(game.New(PaperGame))
	match := arena.Match{
		Game: g, Players: []player.Player{a}, Seatings: [][]int{make([]int, g.Players())}, Games: m.Games,
		Opening: opening, Seed: m.Seed, Workers: runtime.NumCPU(), GamesPerWorker: m.GamesPerWorker,
	}
	what := a.Name() + " in all seats"
	results, err := match.Play(ctx, func(finished int) {
		if m.Progress != nil {
			m.Progress(what, finished, m.Games)
		}
	})
	if err = made.Interrupt(what, err); err != nil && len(results) < fewest {
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
	return cells, err
}
