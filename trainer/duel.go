package trainer

import (
	"context"
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/stat"

	"tengen/arena"
	"tengen/game"
	"tengen/player"
)

// duel is a match of two players in rounds: in each, every seating has one game,
// and all of these games have the same opening, the same chance and the same
// streams. So what an opening or a seat is worth falls out of a round's
// difference, and rounds are independent of each other where games are not.
type duel struct {
	game           game.Game
	players        [2]player.Player
	rounds         int
	seed           uint64
	workers, slate int
}

// seatings are, for two players, both; for more, the first in each seat in turn
// with the second in all the others, and the reverse. An element is the player by seat.
func (d *duel) seatings() [][]int {
	var list [][]int
	n := d.game.Players()
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

// opening is the number of decisions drawn at the start of each game: none where
// chance or the players make games differ; else one a player and one more.
// With so many, openings hardly repeat, symmetric ones included, and no seat is drawn for twice
// as often as another.
func (d *duel) opening() int {
	if arena.DefaultOpening(d.game, d.players[:]) == 0 {
		return 0
	}
	return d.game.Players() + 1
}

// rounds that games games make, rounded up.
func roundsOf(games, seatings int) int { return (games + seatings - 1) / seatings }

// duelResult is a finished duel.
type duelResult struct {
	seatings [][]int
	opening  int
	rounds   [][]arena.Result // [round][seating]
	// first[r] is the first round of the same games as round r: r itself where
	// it is new, or where players draw, so that alike games are independent.
	first []int
}

// play plays the duel. progress, if not nil, is called after each game, by one
// goroutine at a time. When ctx ends, play returns its error. Results are the same on
// any number of workers.
func (d *duel) play(ctx context.Context, progress func()) (*duelResult, error) {
	r := &duelResult{seatings: d.seatings(), opening: d.opening()}
	n := len(r.seatings)
	m := arena.Match{
		Game: d.game, Players: d.players[:], Seatings: r.seatings, Paired: true, Games: d.rounds * n,
		Seed: d.seed, Opening: r.opening, Workers: d.workers, GamesPerWorker: d.slate,
	}
	results, err := m.Play(ctx, func(int) {
		if progress != nil {
			progress()
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range d.rounds {
		r.rounds = append(r.rounds, results[i*n:][:n])
	}
	r.findRepeats()
	return r, nil
}

func (r *duelResult) findRepeats() {
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

// games is the number of games.
func (r *duelResult) games() int { return len(r.rounds) * len(r.seatings) }

// differences are, for each round that repeats no other, the first player's mean
// utility less the second's, each over all seats that it held.
func (r *duelResult) differences() []float64 {
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

// interval is the mean of independent numbers and half the width of its 95 %
// interval, by Student's t (1908): infinite for fewer than two.
func interval(xs []float64) (mean, half float64) {
	mean, sd := stat.MeanStdDev(xs, nil)
	n := float64(len(xs))
	if n < 2 {
		return mean, math.Inf(1)
	}
	return mean, arena.Student(len(xs)-1) * sd / math.Sqrt(n)
}
