package experiments

import (
	"context"
	"fmt"
	"runtime"

	"tengen/arena"
	"tengen/game"
	"tengen/player"
)

// PaperGame is the game of Driss, Arjonilla, Wang, Saffidine and Cazenave, "Deep
// Reinforcement Learning for 5×5 Multiplayer Go".
const PaperGame = "go:size=5,players=3"

// Cell is a mean of independent games.
type Cell struct {
	N    int     `json:"games"`
	Mean float64 `json:"points"`
	SD   float64 `json:"sd"`
	CI   float64 `json:"ci95"` // half the width of the 95 % interval
}

func cellOf(s arena.Stat) Cell { return Cell{s.N, s.Mean, s.SD(), s.CI()} }

// String is "11.0 ± 0.3 (s 11.4)".
func (c Cell) String() string { return fmt.Sprintf("%.1f ± %.1f (s %.1f)", c.Mean, c.CI, c.SD) }

// Made says how a result came about.
type Made struct {
	Version  int     `json:"version"` // of the file: resultsVersion
	Command  string  `json:"command"`
	Machine  string  `json:"machine"`
	Seed     uint64  `json:"seed"`
	Seconds  float64 `json:"seconds"`
	Games    int     `json:"games"`
	Distinct int     `json:"distinct_games"`
	Opening  int     `json:"opening"` // decisions drawn at random at the start of each game
}

// resultsVersion is that of the files of results.
const resultsVersion = 1

// GoMatches is how the tables' games are played.
type GoMatches struct {
	Games          int // a cell
	Opening        int // decisions drawn at the start of each game where no player draws
	Seed           uint64
	GamesPerWorker int
	// Progress, if not nil, is told of games.
	Progress func(what string, finished, all int)
}

// versus plays one player in each seat against another in all the others.
func (m *GoMatches) versus(ctx context.Context, a, b player.Player, opening int, made *Made) ([]Cell, error) {
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
	made.Games += report.Games
	made.Distinct += report.Distinct
	cells := make([]Cell, len(report.Seats))
	for i, s := range report.Seats {
		cells[i] = cellOf(s.Points)
	}
	return cells, nil
}

// alone plays one player in all seats.
func (m *GoMatches) alone(ctx context.Context, a player.Player, opening int, made *Made) ([]Cell, error) {
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
	made.Games += len(results)
	made.Distinct += arena.Distinct(results)
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
