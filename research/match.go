package research

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tengen/arena"
	"tengen/internal/interval"
)

// Rows plays a match of players that think for a measured time. It divides the games among at most
// n rows, which run side by side, and plays the games of a row one after another; each row needs a
// core of its own. The number of games must be a multiple of the number of seatings. Rows calls
// progress with the number of games finished, from one goroutine at a time. If ctx ends or an
// evaluator fails it returns the results that count, and an *arena.Interrupted, as arena.Match
// does.
func Rows(
	ctx context.Context, match arena.Match, n int, progress func(finished int),
) ([]arena.Result, error) {
	round := len(match.Seatings)
	rounds := match.Games / round
	n = max(1, min(n, rounds))
	var mu sync.Mutex
	finished := make([]int, n)
	found, errs := make([][]arena.Result, n), make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		row := match // its part of the games
		row.Games = round * (rounds*(i+1)/n - rounds*i/n)
		row.Seed += uint64(i) << 32
		group.Go(func() {
			found[i], errs[i] = row.Play(ctx, func(games int) {
				mu.Lock()
				defer mu.Unlock()
				finished[i] = games
				sum := 0
				for _, n := range finished {
					sum += n
				}
				progress(sum)
			})
		})
	}
	group.Wait()
	results := slices.Concat(found...)
	var whole *arena.Interrupted
	for i, err := range errs {
		ended := arena.InterruptedBy(err)
		switch {
		case err != nil && ended == nil:
			return nil, err
		case ended != nil && whole == nil:
			whole = ended.And(len(results)-len(found[i]), match.Games)
		case ended != nil:
			whole.LeftOut += ended.LeftOut
		}
	}
	if whole != nil {
		return results, whole
	}
	return results, nil
}

// Turns returns the mean number of turns of a game.
func Turns(results []arena.Result) float64 {
	sum := 0
	for i := range results {
		sum += results[i].Turns
	}
	return float64(sum) / float64(max(1, len(results)))
}

// Won returns what the first player of a match of two won in a game: 1, or 1/2 for a draw, or 0.
// The seatings are {0, 1} and {1, 0}.
func Won(r *arena.Result) float64 {
	seat := r.Seating
	switch own, other := r.Returns[seat], r.Returns[1-seat]; {
	case own > other:
		return 1
	case own < other:
		return 0
	}
	return 0.5
}

// Rate is a share of wins in % with its 95 % interval (interval.Rate) for independent games. Where
// a win can be shared the interval is a little wide.
type Rate struct {
	Percent float64 `json:"percent"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// NewRate returns the rate of a share of n games; of one game it may be any.
func NewRate(share float64, n int) Rate {
	i := interval.Rate(share, n)
	return Rate{100 * share, 100 * max(0, i.Low), 100 * min(1, i.High)}
}

// Other returns the rate of the other player of two.
func (r Rate) Other() Rate { return Rate{100 - r.Percent, 100 - r.High, 100 - r.Low} }

// String is "51.2 (48.1–54.3)".
func (r Rate) String() string { return fmt.Sprintf("%.1f (%.1f–%.1f)", r.Percent, r.Low, r.High) }

// Seconds writes a time to three digits with a unit that suits it.
func Seconds(s float64) string {
	switch {
	case s >= 99.95:
		return fmt.Sprintf("%.0f s", s)
	case s >= 0.9995:
		return fmt.Sprintf("%.3g s", s)
	case s >= 0.0009995:
		return fmt.Sprintf("%.3g ms", 1000*s)
	}
	return fmt.Sprintf("%.3g µs", 1e6*s)
}
