package evaluation

import (
	"context"
	"encoding/binary"
	"slices"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/interval"
	"tengen/player"
	"tengen/run"
)

// pairedMatch is a match of two players in rounds. A round has one game for each seating,
// all with the same opening, the same chance and the same random streams. So the effect
// of openings and seats cancels out in the difference of a round, and rounds are
// independent of each other, which games are not.
type pairedMatch struct {
	game                    game.Game
	players                 [2]player.Player
	rounds                  int
	seed                    uint64
	workers, gamesPerWorker int
	remote                  arena.RemoteWorkers // of the players; nil: none
}

// seatings returns the player by seat for each game of a round. With two seats these are
// both seatings. With more, the first player has each seat in turn with the second player
// in all others, and then the reverse.
func (m *pairedMatch) seatings() [][]int {
	var list [][]int
	n := m.game.Players()
	for alone := range 2 {
		for p := range n {
			seating := make([]int, n)
			for seat := range seating {
				seating[seat] = 1 - alone
			}
			seating[p] = alone
			list = append(list, seating)
		}
		if n == 2 {
			break
		}
	}
	return list
}

// opening returns the number of random decisions at the start of each game: none if chance
// or the players make games differ, otherwise one more than there are players. That many
// hardly ever repeat an opening, symmetric ones included, and no seat gets twice as many
// as another.
func (m *pairedMatch) opening() int {
	if arena.DefaultOpening(m.game, m.players[:]) == 0 {
		return 0
	}
	return m.game.Players() + 1
}

// pairedResult is the result of a pairedMatch.
type pairedResult struct {
	seatings [][]int
	opening  int
	rounds   [][]arena.Result // [round][seating]
	// first[r] is the first round with the same games as round r. It is r itself if the
	// games are new, or if players or chance draw, so that equal games are independent.
	first []int
}

// play plays the match. It calls progress after each game, from one goroutine at a time. If ctx
// ends, it returns its error. The result does not depend on the number of workers.
func (m *pairedMatch) play(ctx context.Context, progress func()) (*pairedResult, error) {
	r := &pairedResult{seatings: m.seatings(), opening: m.opening()}
	n := len(r.seatings)
	match := arena.Match{
		Game: m.game, Players: m.players[:], Seatings: r.seatings, Paired: true,
		Games: m.rounds * n,
		Seed:  m.seed, Opening: r.opening, Workers: m.workers, GamesPerWorker: m.gamesPerWorker,
		Remote: m.remote,
	}
	results, err := match.Play(ctx, func(int) { progress() })
	if err != nil {
		return nil, err
	}
	for i := range m.rounds {
		r.rounds = append(r.rounds, results[i*n:][:n])
	}
	r.findRepeats()
	return r, nil
}

func (r *pairedResult) findRepeats() {
	seen := map[string]int{}
	var key []byte
	for i, round := range r.rounds {
		key = key[:0]
		for _, g := range round {
			key = binary.LittleEndian.AppendUint64(key, g.Line)
		}
		first, known := seen[string(key)]
		if !known || r.opening == 0 {
			first = i
			seen[string(key)] = i
		}
		r.first = append(r.first, first)
	}
}

// games returns the number of games.
func (r *pairedResult) games() int { return len(r.rounds) * len(r.seatings) }

// differences returns, for each round that repeats no other, the first player's mean
// utility over its seats minus the second player's.
func (r *pairedResult) differences() []float64 {
	var list []float64
	for i, round := range r.rounds {
		if r.first[i] != i {
			continue
		}
		var sum [2]float64
		var seats [2]int
		for s, g := range round {
			for seat, p := range r.seatings[s] {
				sum[p] += float64(g.Returns[seat])
				seats[p]++
			}
		}
		list = append(list, sum[0]/float64(seats[0])-sum[1]/float64(seats[1]))
	}
	return list
}

// meanDifference returns the mean of differences of utilities, each of an independent round, and
// the wider half of its 95 % interval, infinite with fewer than two.
func meanDifference(rounds []float64) (mean, half float64) {
	mean, squares := interval.Moments(rounds)
	return mean, interval.Bounded(len(rounds), mean, squares, -1, 1).Half(mean)
}

// logReport returns the games of a report against UCT for the game log. name is the
// player's name in it.
func logReport(r *arena.Report, name string) []run.EvaluationGame {
	names := []string{name, run.UCTName}
	alone := make([]int, len(r.Seats))
	for seat := range alone {
		alone[seat] = 1
	}
	var list []run.EvaluationGame
	for _, g := range r.Results {
		seating := slices.Clone(alone)
		seating[g.Seating] = 0
		list = append(list, logGame(g, seating, names, len(list)))
	}
	for _, g := range r.BaseResults {
		list = append(list, logGame(g, alone, names, len(list)))
	}
	return list
}

func logGame(r arena.Result, seating []int, names []string, number int) run.EvaluationGame {
	g := run.EvaluationGame{Number: number, Scores: r.Scores}
	for _, p := range seating {
		g.Players = append(g.Players, names[p])
	}
	return g
}
