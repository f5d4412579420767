package experiments

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"tengen/arena"
	"tengen/game"
	"tengen/player"
)

// TurtleGames is how the experiments of the Great Turtle Race are made.
type TurtleGames struct {
	Games int // a cell, or a match, rounded up so that everybody sits everywhere equally often
	// Parallel is the number of games side by side, each on a core of its own; 0: as many
	// as there are cores.
	Parallel    int
	Seed        uint64
	Simulations int // a move, of MCTS
	// What follows is for what goes beyond the paper. ISMCTS are players of information-set
	// search; none: TurtleISMCTS.
	ISMCTS        []string
	AlphaZero     []string      // runs, checkpoints or model files
	AZSimulations int           // a move
	Time          time.Duration // a move, where it is equal
	// Progress, if not nil, is told how far something has come, in some unit, by one
	// goroutine at a time.
	Progress func(what, unit string, finished, all int)
}

func (m *TurtleGames) progress(what, unit string, finished, all int) {
	if m.Progress != nil {
		m.Progress(what, unit, finished, all)
	}
}

// TurtleMatch is a match in which one player sits in each seat in turn, and another in all
// others.
type TurtleMatch struct {
	Players  int        `json:"players"` // of the game
	First    TurtleSide `json:"first"`
	Second   TurtleSide `json:"second"`
	Games    int        `json:"games"`
	Distinct int        `json:"distinct_games"`
	Rate                // of the first player: 1/k of a win where k share it
	Turns    float64    `json:"turns"` // mean of a game, everybody's counted
}

// TurtleSide is one of the players.
type TurtleSide struct {
	Name string `json:"player"`
	// Milliseconds is the mean time a decision; 0 where it says nothing, since a network
	// serves many games at once.
	Milliseconds float64 `json:"milliseconds,omitempty"`
}

// equal is what a player gets, in %, if all are equal.
func (r *TurtleMatch) equal() float64 { return 100 / float64(r.Players) }

// turtleSlate is the number of games side by side on a core whose network is asked for all
// at once.
const turtleSlate = 32

// match plays games of g.
func (m *TurtleGames) match(ctx context.Context, g game.Game, first, second string, games int, seed uint64, progress func(finished, all int)) (*TurtleMatch, error) {
	match := arena.Match{Game: g, Seed: seed, Workers: m.Parallel, GamesPerWorker: 1}
	if match.Workers == 0 {
		match.Workers = runtime.NumCPU()
	}
	var sides [2]watched
	networks := false
	for i, text := range [2]string{first, second} {
		p, err := player.Parse(g, text)
		if err != nil {
			return nil, err
		}
		networks = networks || p.NewEvaluator(g, 1) != nil
		sides[i] = watch(p)
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
	timed := sides[0].Timed() || sides[1].Timed()
	if networks && !timed {
		match.GamesPerWorker = turtleSlate
	}
	tell := func(finished int) { progress(finished, match.Games) }
	var results []arena.Result
	var err error
	if timed {
		results, err = inRows(ctx, match, match.Workers, tell)
	} else {
		results, err = match.Play(ctx, tell)
	}
	if err != nil {
		return nil, err
	}
	r := &TurtleMatch{Players: g.Players(), Games: len(results), Distinct: arena.Distinct(results), Turns: meanTurns(results)}
	share := 0.0
	for i := range results {
		share += float64(results[i].Returns[results[i].Seating])
	}
	r.Rate = rateOf(min(1, share/float64(len(results))), len(results)) // shares of a third sum up to a little more than one
	for i, side := range []*TurtleSide{&r.First, &r.Second} {
		seen := sides[i].seen
		side.Name = sides[i].Name()
		if !networks || timed {
			side.Milliseconds = 1000 * seen.spent.Seconds() / float64(max(1, seen.decisions))
		}
	}
	return r, nil
}

// turtle is the game for so many players.
func turtle(players int, open bool) (game.Game, error) {
	name := fmt.Sprintf("turtle:players=%d", players)
	if open {
		name += ",hands=open"
	}
	return game.New(name)
}

// add counts the games of a match.
func (made *Made) add(r *TurtleMatch) {
	made.Games += r.Games
	made.Distinct += r.Distinct
}
