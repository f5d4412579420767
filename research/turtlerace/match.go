package turtlerace

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"tengen/arena"
	"tengen/game"
	"tengen/player"
	"tengen/research"
)

// Experiments says how the experiments are made.
type Experiments struct {
	// Games of a cell or a match; rounded up so that the players have each seat equally often.
	Games       int
	Seed        uint64
	Simulations int // of a move, of MCTS
	// The following are for Beyond.
	AlphaZero []string        // runs, checkpoints or model files
	Time      time.Duration   // of a move, in matches at equal time
	Device    research.Device // evaluates AlphaZero's networks
	// Progress, if not nil, is called with the progress of a table or match in some unit, from one
	// goroutine at a time.
	Progress func(what, unit string, finished, all int)
}

func (e *Experiments) progress(what, unit string, finished, all int) {
	if e.Progress != nil {
		e.Progress(what, unit, finished, all)
	}
}

// Match is a match in which one player has each seat in turn and another player has all
// other seats.
type Match struct {
	Players       int     `json:"players"` // of the game
	First         Side    `json:"first"`
	Second        Side    `json:"second"`
	Games         int     `json:"games"`
	Distinct      int     `json:"distinct_games"`
	research.Rate         // of the first player: 1/k of a win that k players share
	Turns         float64 `json:"turns"` // mean of a game, of all players
}

// Side is one player of a match.
type Side struct {
	Name string `json:"player"`
	// Milliseconds is the mean time of a decision; 0 if it means nothing because a network
	// served many games at once.
	Milliseconds float64 `json:"milliseconds,omitempty"`
}

// gamesPerWorker is the number of concurrent games of a worker whose evaluation requests form
// one batch on the processor.
const gamesPerWorker = 32

// match plays a match of g. If it is interrupted, it returns the match so far, nil without a game
// in each seat, and an error, which it notes in made.
func (e *Experiments) match(
	ctx context.Context, g game.Game, first, second string, games int, seed uint64,
	made *research.Made, progress func(finished, all int),
) (*Match, error) {
	// Each of the concurrent games has a core of its own.
	match := arena.Match{Game: g, Seed: seed, Workers: runtime.GOMAXPROCS(0), GamesPerWorker: 1}
	var sides [2]research.Measured
	networks := false
	for i, text := range [2]string{first, second} {
		p, err := e.Device.Parse(g, text)
		if err != nil {
			return nil, err
		}
		networks = networks || player.HasNetwork(p)
		sides[i] = research.Measure(p)
		match.Players = append(match.Players, sides[i])
	}
	for seat := range g.Players() {
		seating := make([]int, g.Players())
		for p := range seating {
			if p != seat {
				seating[p] = 1
			}
		}
		match.Seatings = append(match.Seatings, seating)
	}
	round := len(match.Seatings)
	match.Games = (games + round - 1) / round * round
	timed := player.IsTimed(sides[0]) || player.IsTimed(sides[1])
	if networks && !timed {
		match.GamesPerWorker = e.Device.GamesPerWorker(gamesPerWorker)
	}
	tell := func(finished int) { progress(finished, match.Games) }
	var results []arena.Result
	var err error
	if timed {
		results, err = research.Rows(ctx, match, match.Workers, tell)
	} else {
		results, err = match.Play(ctx, tell)
	}
	err = made.Interrupt(sides[0].Name()+" against "+sides[1].Name(), err)
	if len(results) == 0 {
		return nil, err
	}
	made.Count(len(results), arena.Distinct(results))
	r := &Match{
		Players: g.Players(), Games: len(results), Distinct: arena.Distinct(results),
		Turns: research.Turns(results),
	}
	share := 0.0
	for i := range results {
		share += float64(results[i].Returns[results[i].Seating])
	}
	// shares of a third sum up to a little more than one
	r.Rate = research.NewRate(min(1, share/float64(len(results))), len(results))
	for i, side := range []*Side{&r.First, &r.Second} {
		usage := sides[i].Usage
		side.Name = sides[i].Name()
		if !networks || timed {
			side.Milliseconds = usage.Milliseconds()
		}
	}
	return r, err
}

// newGame returns the game for a number of players.
func newGame(players int, open bool) (game.Game, error) {
	name := fmt.Sprintf("turtle:players=%d", players)
	if open {
		name += ",hands=open"
	}
	return game.New(name)
}

// check returns an error if the match can't be shown on the page.
func (r *Match) check() error {
	switch {
	case r.Players < 2 || r.Players > 5:
		return fmt.Errorf("a match of %d players", r.Players)
	case r.Games < 1:
		return fmt.Errorf("a match of %d games", r.Games)
	case r.Percent < 0 || r.Percent > 100:
		return fmt.Errorf("a match of which %g %% are won", r.Percent)
	}
	return nil
}
