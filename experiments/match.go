package experiments

import (
	"context"
	"slices"
	"sync"

	"tengen/arena"
	"tengen/arena/rating"
)

// inRows plays a match whose players think for a measured time: its games are played
// one after the other, in so many rows side by side, each of which wants a core of
// its own. The number of games is a multiple of that of the seatings. progress is told
// how many are finished.
func inRows(ctx context.Context, match arena.Match, rows int, progress func(finished int)) ([]arena.Result, error) {
	round := len(match.Seatings)
	rounds := match.Games / round
	rows = max(1, min(rows, rounds))
	var mu sync.Mutex
	finished := make([]int, rows)
	found, errs := make([][]arena.Result, rows), make([]error, rows)
	var group sync.WaitGroup
	for i := range rows {
		row := match // its part of the games
		row.Games = round * (rounds*(i+1)/rows - rounds*i/rows)
		row.Seed += uint64(i) << 32
		group.Go(func() {
			found[i], errs[i] = row.Play(ctx, func(n int) {
				mu.Lock()
				defer mu.Unlock()
				finished[i] = n
				sum := 0
				for _, n := range finished {
					sum += n
				}
				progress(sum)
			})
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(found...), nil
}

// meanTurns is the mean number of turns of a game.
func meanTurns(results []arena.Result) float64 {
	sum := 0
	for i := range results {
		sum += results[i].Turns
	}
	return float64(sum) / float64(max(1, len(results)))
}

// Rate is a share of wins, in %, and its 95 % interval (Wilson 1927), which takes games
// for independent. Where a game may be shared it is a little wide.
type Rate struct {
	Percent float64 `json:"percent"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// rateOf is a share of n games, n at least 1.
func rateOf(share float64, n int) Rate {
	low, high := rating.Wilson(share, n)
	return Rate{100 * share, 100 * low, 100 * high}
}

// other is the rate of the other player, of two.
func (r Rate) other() Rate { return Rate{100 - r.Percent, 100 - r.High, 100 - r.Low} }
