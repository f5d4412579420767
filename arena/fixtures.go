package arena

import (
	"context"
	"errors"
	"slices"
	"sync"

	"tengen/game"
	"tengen/player"
	"tengen/search"
)

// fixture is a game that is to be played.
type fixture struct {
	number  int // the streams of seats and of chance are this number's
	seating int // index in fixtures.seatings
	// opening is the number of the game whose opening this one has: its own
	// number, or that of the first game of its round.
	opening int
}

// fixtures are games that are played side by side, with what they have in common.
type fixtures struct {
	game     game.Game
	players  []player.Player
	seatings [][]int // as Match.Seatings
	seed     uint64
	opening  int // decisions drawn at the start of each game
	// rounds: games share openings. Chance that comes before the end of the
	// opening is then a part of it.
	rounds         bool
	keep           bool // results list the actions
	workers, slate int
	games          int // at most: more workers or places than games are of no use
	// next is the next game to be played, false where there is none. It is
	// called by several goroutines.
	next func() (fixture, bool)
}

// waiting is how many finished games may wait for whom they are handed to:
// saving them takes a moment, in which workers need not stand still.
const waiting = 256

// play plays the games, on several goroutines, and hands those that have ended
// to finished, on the calling goroutine: one, or all that have ended while it was
// busy. The slice is play's own. It returns once all goroutines have ended, with the
// error of an evaluator that failed (search.Failing): that ctx ended is the caller's to notice.
func (f *fixtures) play(ctx context.Context, finished func([]Result)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := max(1, min(f.workers, f.games))
	slate := max(1, min(f.slate, (f.games+workers-1)/workers))
	if slices.ContainsFunc(f.players, player.IsTimed) {
		workers, slate = 1, 1
	}
	results := make(chan Result, waiting)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			evaluators := make([]search.Evaluator, len(f.players))
			for i, p := range f.players {
				if evaluators[i] = p.NewEvaluator(f.game, slate); evaluators[i] == nil {
					evaluators[i] = none{}
				}
				if c, ok := evaluators[i].(interface{ Close() }); ok {
					defer c.Close() // what it holds on a device
				}
			}
			tasks := make([]search.Task, slate)
			for i := range tasks {
				tasks[i] = newTable(ctx, f, results)
			}
			if err := search.Drive(ctx, tasks, evaluators); err != nil && ctx.Err() == nil {
				cancel(&failure{err})
			}
		})
	}
	go func() {
		group.Wait()
		close(results)
	}()
	var batch []Result
	for r := range results {
		batch = append(batch[:0], r)
		for more := true; more && len(batch) < waiting; {
			select {
			case r, more = <-results:
				if more {
					batch = append(batch, r)
				}
			default:
				more = false
			}
		}
		finished(batch)
	}
	var failed *failure
	errors.As(context.Cause(ctx), &failed)
	if failed == nil {
		return nil
	}
	return failed.err
}

// failure is the end of a context whose evaluators failed.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }

// none stands for the evaluator of a player that needs none.
type none struct{}

func (none) Add(game.State)               { panic("arena: a player without an evaluator asked for an evaluation") }
func (none) Evaluate() search.Evaluations { return search.Evaluations{} }
