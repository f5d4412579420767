package arena

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"tengen/game"
	"tengen/player"
	"tengen/search"
)

// scheduledGame describes one game to play.
type scheduledGame struct {
	index   int // of its result
	number  int // identifies the streams of agents and of chance
	seating int // index in schedule.seatings
	opening int // the number of the game that has the same opening, or its own
}

// schedule plays the games of a match. It holds what they have in common.
type schedule struct {
	game     game.Game
	players  []player.Player
	seatings [][]int // as Match.Seatings
	seed     uint64
	opening  int // decisions drawn at the start of each game
	// rounds means that games share openings. Outcomes of chance before the end of the opening
	// are then a part of it.
	rounds                  bool
	keep                    bool // results list the actions
	workers, gamesPerWorker int
	games                   int // at most; bounds workers and gamesPerWorker
	// next returns the next game to play, and false after the last. It is called by
	// several goroutines.
	next func() (scheduledGame, bool)

	stopped atomic.Bool // no more moves are made
}

// waiting is the number of finished games that may wait to be received, so that workers
// continue while games are saved.
const waiting = 256

// play plays the games on several goroutines. It calls finished on the calling goroutine with
// all games that have ended since the last call; the slice is reused. It returns once all
// goroutines have ended, with the error of an evaluator that failed. It returns nil if ctx
// ended. Games in progress are then given up, after the decisions in progress.
func (s *schedule) play(ctx context.Context, finished func([]Result)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := max(1, min(s.workers, s.games))
	games := max(1, min(s.gamesPerWorker, (s.games+workers-1)/workers))
	if slices.ContainsFunc(s.players, player.IsTimed) {
		workers, games = 1, 1
	}
	// Where no evaluations are needed, Drive does not look at the context.
	defer context.AfterFunc(ctx, func() { s.stopped.Store(true) })()
	results := make(chan Result, waiting)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			evaluators := make([]search.Evaluator, len(s.players))
			for i, p := range s.players {
				if evaluators[i] = p.NewEvaluator(s.game, games); evaluators[i] == nil {
					evaluators[i] = none{}
				}
				defer search.Close(evaluators[i])
			}
			tasks := make([]search.Task, games)
			for i := range tasks {
				tasks[i] = newSlot(s, results)
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

// failure is the cause with which a failed evaluator ends the context.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }

// none is the evaluator of a player that needs none.
type none struct{}

func (none) Add(game.State) {
	panic("arena: a player without an evaluator asked for an evaluation")
}
func (none) Evaluate() (search.Evaluations, error) { return search.Evaluations{}, nil }
