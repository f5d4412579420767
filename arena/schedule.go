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

// scheduledGame is a game that is to be played.
type scheduledGame struct {
	index   int // of its result
	number  int // the streams of agents and of chance are this number's
	seating int // index in schedule.seatings
	opening int // the number of the game whose opening this one has
}

// schedule is the games of a match: what they have in common, and how they are played.
type schedule struct {
	game     game.Game
	players  []player.Player
	seatings [][]int // as Match.Seatings
	seed     uint64
	opening  int // decisions drawn at the start of each game
	// rounds: games share openings. Outcomes of chance before the end of the opening
	// are then a part of it.
	rounds                  bool
	keep                    bool // results list the actions
	workers, gamesPerWorker int
	games                   int // at most; bounds workers and gamesPerWorker
	// next returns the next game to play, and false after the last. It is called by
	// several goroutines.
	next func() (scheduledGame, bool)
}

// waiting is the number of finished games that may wait to be received, so that workers
// go on while games are saved.
const waiting = 256

// play plays the games on several goroutines. It calls finished, on the calling
// goroutine, with one game that has ended, or with all that have ended during the last
// call; the slice is reused. It returns once all goroutines have ended, with the error
// of an evaluator that failed. It returns nil where ctx ended.
func (s *schedule) play(ctx context.Context, finished func([]Result)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := max(1, min(s.workers, s.games))
	games := max(1, min(s.gamesPerWorker, (s.games+workers-1)/workers))
	if slices.ContainsFunc(s.players, player.IsTimed) {
		workers, games = 1, 1
	}
	// Games without evaluations are not interrupted: no more begin.
	var stopped atomic.Bool
	defer context.AfterFunc(ctx, func() { stopped.Store(true) })()
	next := s.next
	s.next = func() (scheduledGame, bool) {
		if stopped.Load() {
			return scheduledGame{}, false
		}
		return next()
	}
	results := make(chan Result, waiting)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			evaluators := make([]search.Evaluator, len(s.players))
			for i, p := range s.players {
				if evaluators[i] = p.NewEvaluator(s.game, games); evaluators[i] == nil {
					evaluators[i] = none{}
				}
				if c, ok := evaluators[i].(interface{ Close() }); ok {
					defer c.Close() // what it holds on a device
				}
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

// failure is the end of a context whose evaluators failed.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }

// none stands for the evaluator of a player that needs none.
type none struct{}

func (none) Add(game.State)                        { panic("arena: a player without an evaluator asked for an evaluation") }
func (none) Evaluate() (search.Evaluations, error) { return search.Evaluations{}, nil }
