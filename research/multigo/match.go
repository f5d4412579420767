package multigo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"tengen/arena"
	"tengen/game"
	"tengen/player"
	"tengen/research"
	"tengen/vfs"
)

// PaperGame is the game of the paper.
const PaperGame = "go:size=5,players=3"

// Cell is a mean over independent games.
type Cell struct {
	N    int     `json:"games"`
	Mean float64 `json:"points"`
	SD   float64 `json:"sd"`
	CI   float64 `json:"ci95"` // the wider half of the 95 % interval; 0: there is none
}

func cellOf(s arena.Stat) Cell { return Cell{s.N, s.Mean, s.SD(), s.CI()} }

// String is "11.0 ± 0.3 (s 11.4)", "11.0 (s 0.0)" without an interval.
func (c Cell) String() string {
	if c.CI == 0 {
		return fmt.Sprintf("%.1f (s %.1f)", c.Mean, c.SD)
	}
	return fmt.Sprintf("%.1f ± %.1f (s %.1f)", c.Mean, c.CI, c.SD)
}

// Matches says how the games of the tables are played.
type Matches struct {
	Games          int // a cell
	Seed           uint64
	GamesPerWorker int             // 0: as many as suit the device
	Device         research.Device // evaluates, and trains
	// Save, if not "", is a folder in which each match has a folder of its games: those that were
	// played are not played again.
	Save string
	// Progress, if not nil, is called as games finish.
	Progress func(what string, finished, all int)
	// Damaged, if not nil, is called with an error for each saved game that can't be used and is
	// played again.
	Damaged func(error)
}

// opening is the number of decisions drawn at random at the start of each game between players that
// draw nothing.
const opening = 3

// gamesPerWorker returns the number of concurrent games of a worker.
func (m *Matches) gamesPerWorker() int {
	if m.GamesPerWorker > 0 {
		return m.GamesPerWorker
	}
	return m.Device.GamesPerWorker(32)
}

// contestant is a player with a digest of its network, "" if it has none.
type contestant struct {
	player.Player
	network string
}

// keep opens the store of a match in its folder, nil if games are not saved.
func (m *Matches) keep(
	folder string, match *arena.Match, players ...contestant,
) (*arena.Store, error) {
	if m.Save == "" {
		return nil, nil
	}
	var networks []string
	for _, p := range players {
		networks = append(networks, p.network)
	}
	store, err := arena.OpenMatchStore(vfs.OS{}, filepath.Join(m.Save, folder), match, networks)
	if err != nil {
		return nil, err
	}
	store.EachDamaged(m.Damaged)
	return store, nil
}

// count counts the games of a match, of which the store may have held some.
func count(made *research.Made, games, distinct int, store *arena.Store) {
	made.Count(games, distinct)
	if store != nil {
		made.Kept += min(store.Len(), games)
	}
}

// fewest is the number of games in a seat without which an interrupted match has no results: fewer
// have no interval.
const fewest = 2

// versus plays one player in each seat against another in all other seats. Its games are saved in a
// folder of the given name. If the match is interrupted, it returns what it has found, nil without
// enough games, and the error.
func (m *Matches) versus(
	ctx context.Context, folder string, a, b contestant, opening int, made *research.Made,
) (_ []Cell, err error) {
	g := game.Must(game.New(PaperGame))
	v := arena.Versus{
		Game: g, Player: a.Player, Baseline: b.Player, Games: m.Games, BaselineGames: -1,
		Opening: opening, Seed: m.Seed, Workers: runtime.GOMAXPROCS(0),
		GamesPerWorker: m.gamesPerWorker(),
	}
	if v.Store, err = m.keep(folder, v.Match(), a, b); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Store.Close()) }()
	what := a.Name() + " against " + b.Name()
	report, err := v.Play(ctx, func(finished, all int) {
		if m.Progress != nil {
			m.Progress(what, finished, all)
		}
	})
	if err = made.Interrupt(what, err); err != nil &&
		(report == nil || report.Seats[0].Points.N < fewest) {
		return nil, err
	}
	count(made, report.Games, report.Distinct, v.Store)
	cells := make([]Cell, len(report.Seats))
	for i, s := range report.Seats {
		cells[i] = cellOf(s.Points)
	}
	return cells, err
}

// alone plays one player in all seats. Saved games and an interruption are as in versus.
func (m *Matches) alone(
	ctx context.Context, folder string, a contestant, opening int, made *research.Made,
) (_ []Cell, err error) {
	g := game.Must(game.New(PaperGame))
	match := arena.Match{
		Game: g, Players: []player.Player{a.Player}, Seatings: [][]int{make([]int, g.Players())},
		Games:   m.Games,
		Opening: opening, Seed: m.Seed, Workers: runtime.GOMAXPROCS(0),
		GamesPerWorker: m.gamesPerWorker(),
	}
	if match.Store, err = m.keep(folder, &match, a); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, match.Store.Close()) }()
	what := a.Name() + " in all seats"
	results, err := match.Play(ctx, func(finished int) {
		if m.Progress != nil {
			m.Progress(what, finished, m.Games)
		}
	})
	if err = made.Interrupt(what, err); err != nil && len(results) < fewest {
		return nil, err
	}
	count(made, len(results), arena.Distinct(results), match.Store)
	cells := make([]Cell, g.Players())
	for p := range cells {
		var s arena.Stat
		s.Least, s.Most = game.ScoreRange(g)
		for _, r := range results {
			s.Add(float64(r.Scores[p]))
		}
		cells[p] = cellOf(s)
	}
	return cells, err
}
