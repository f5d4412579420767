package evaluation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"tengen/arena"
	"tengen/configs"
	"tengen/game"
	"tengen/internal/runid"
	"tengen/metrics"
	"tengen/nn"
	"tengen/player"
	"tengen/run"
)

// Concurrent reports whether evaluations are concurrent with the run unless it says otherwise: with
// fewer than 5 processors that the process may use they would slow it down considerably.
func Concurrent() bool { return runtime.GOMAXPROCS(0) >= 5 }

// concurrentWorkers returns the number of goroutines of a concurrent evaluation.
func concurrentWorkers() int { return max(1, runtime.GOMAXPROCS(0)/8) }

// Network is the network after an iteration, 0 being the initial weights.
type Network struct {
	Iteration int
	Weights   nn.Network
}

// name returns the network's name in files: 000042.
func (n Network) name() string { return run.IterationName(n.Iteration) }

// Options are what a Series takes of its run.
type Options struct {
	configs.Evaluation
	Game game.Game
	Seed uint64 // of the run
	// Baseline is the UCT that all networks play against, and the anchor of their ratings.
	Baseline player.Player
	Ladder   *arena.AnchorLadder // of the game; nil: it has none, or no games are played against it
	Folder   run.Files

	Workers, GamesPerWorker int
	// Concurrent says that evaluations are concurrent with the run.
	Concurrent bool
	// Floor is the time that evaluations between iterations may take however short the run is.
	Floor time.Duration

	// Player returns a network as a player, with the simulations of evaluations.
	Player func(label string, w nn.Network) player.Player
	// Saved loads the network of an iteration.
	Saved func(iteration int) (nn.Network, error)
	// Contestant describes the player that Player returns to those who play elsewhere.
	Contestant func(nn.Network) arena.Contestant
	// Remote returns who plays games of a match among some players beside this process, nil if
	// nobody does.
	Remote func(players ...arena.Contestant) arena.RemoteWorkers

	Metrics *metrics.Metrics
	Log     *slog.Logger
	Tell    func(run.Event)         // appends to the event log
	Update  func(func(*run.Status)) // changes the run's status
	Enter   func(run.Stage, int)    // the run enters a stage
	Finish  func()                  // called when the run has only its last evaluation to make
	Elapsed func() time.Duration    // of the run
	Draw    func()                  // draws the run's curves
	// Write calls f, which writes what is named to a path, until the disk has space for it.
	Write func(ctx context.Context, name, path string, f func() error) error
}

// Series is the evaluations of a run, one at a time. Its methods are called by the goroutine of
// the run.
type Series struct {
	o Options

	// The concurrent evaluation; both are nil if there was none.
	done   chan struct{} // closed when it has ended
	cancel context.CancelFunc

	// These belong to the evaluation in progress.
	base    []float64 // UCT's points in all seats; nil until measured
	games   *run.GameLog
	ratings *run.Ratings
	earlier *Network // evaluated last; its weights are loaded when needed; nil: none

	last *run.Event // the last evaluation of earlier processes; nil: none

	budget budget // of evaluations between iterations

	mu   sync.Mutex
	kept []int // iterations whose checkpoints evaluations will need
}

// Open returns the evaluations of a run, with what earlier processes have measured. iteration is
// that of the run.
func Open(o Options, iteration int) (*Series, error) {
	// No result of the run depends on the time.
	e := &Series{o: o, budget: newBudget(time.Now, o.Floor)}
	var err error
	if e.games, err = e.o.Folder.OpenGameLog(e.o.Game.Players(), maxRatedGames); err != nil {
		return nil, err
	}
	if n := e.games.Skipped(); n > 0 {
		e.o.Log.Warn(
			"lines of the evaluations' games that are damaged or of another run are passed over",
			"lines", n, "file", e.games.Path())
	}
	if e.ratings, err = e.o.Folder.ReadRatings(); err != nil {
		e.o.Log.Warn("the ratings of earlier evaluations can't be read", "reason", err)
	}
	for _, n := range e.games.Evaluated() {
		if n <= iteration && e.measured(n) {
			e.earlier = &Network{Iteration: n}
		}
	}
	if len(e.games.Evaluated()) > 0 {
		e.remember()
	}
	e.keep()
	return e, nil
}

// remember takes what earlier processes have logged of evaluations, from the last ones: the curves
// of a resumed run have no gap, and UCT is measured once. A log that can't be read tells nothing;
// who opens it for writing says so.
func (e *Series) remember() {
	_ = e.o.Folder.LastEvents(func(event run.Event) bool {
		s := event.Strength
		if s == nil {
			return true
		}
		if e.last == nil {
			e.last = &event
		}
		if s.Against != e.o.Baseline.Name() || len(s.Baseline) != e.o.Game.Players() {
			return true
		}
		e.base = s.Baseline
		return false
	})
}

// ObservePast records the last evaluation of earlier processes in the metrics.
func (e *Series) ObservePast() {
	if e.last != nil {
		Observe(e.o.Metrics, game.SeatNames(e.o.Game), e.last.Iteration, e.last.Strength)
	}
}

// Due evaluates a network. If evaluations are concurrent, it starts one and returns, unless
// the previous one is still in progress: then it skips this one. If they are not, and their share
// of the time is used up, it puts this one off, and returns true.
func (e *Series) Due(ctx context.Context, n Network) (putOff bool) {
	if e.measured(n.Iteration) {
		return false
	}
	if !e.o.Concurrent {
		if expected := e.expected(n); !e.budget.allows(expected) {
			switch {
			case n.Iteration == 0: // later networks are what people wait for
				e.o.Metrics.SkippedEvaluations.Inc()
				e.o.Log.Info("evaluation of the random network left out: evaluations take at most a tenth of the time", "takes_about", expected.Round(time.Second))
			case e.budget.putOff():
				e.o.Metrics.SkippedEvaluations.Inc()
				e.o.Log.Info("evaluation put off: evaluations take at most a tenth of the time",
					"iteration", n.Iteration, "takes_about", expected.Round(time.Second))
			}
			return true
		}
		e.betweenIterations(ctx, n)
		return false
	}
	if e.done != nil {
		select {
		case <-e.done:
		default:
			e.o.Metrics.SkippedEvaluations.Inc()
			e.o.Log.Info("evaluation left out: the one before is still under way", "iteration",
				n.Iteration)
			return false
		}
	}
	var inner context.Context
	done := make(chan struct{})
	inner, e.cancel = context.WithCancel(ctx)
	e.done = done
	e.keep(n.Iteration)
	go func() {
		defer close(done)
		defer e.o.Metrics.Enter(run.StageEvaluation)()
		e.measure(inner, n, concurrentWorkers(), func(done, all int) {
			e.o.Update(func(s *run.Status) {
				s.Concurrent = &run.Evaluating{Iteration: n.Iteration, Done: done, All: all}
			})
		})
		e.o.Update(func(s *run.Status) { s.Concurrent = nil })
	}()
	return false
}

// expected returns the time that the evaluation of a network will take.
func (e *Series) expected(n Network) time.Duration {
	c := &e.o.Evaluation
	games := c.Games * e.o.Game.Players()
	if e.base == nil {
		games += 2 * c.Games
	}
	rounds := e.anchorRounds()
	if e.earlier != nil && e.earlier.Iteration < n.Iteration {
		rounds += e.earlierGames()
	}
	return e.budget.expected(games + rounds*len((&pairedMatch{game: e.o.Game}).seatings()))
}

// Last waits for the concurrent evaluation and evaluates the run's last network on all
// workers, unless it has been evaluated.
func (e *Series) Last(ctx context.Context, n Network) {
	if e.done != nil {
		e.o.Enter(run.StageEvaluation, 0)
		<-e.done
	}
	if !e.measured(n.Iteration) {
		e.o.Finish()
		e.betweenIterations(ctx, n)
	}
}

func (e *Series) betweenIterations(ctx context.Context, n Network) {
	e.o.Enter(run.StageEvaluation, 0)
	e.keep(n.Iteration)
	defer e.budget.measure()()
	e.measure(ctx, n, e.o.Workers, func(done, all int) {
		e.o.Update(func(s *run.Status) { s.Done, s.All = done, all })
	})
}

// Close cancels the concurrent evaluation, if there is one, and waits until it has ended.
func (e *Series) Close() {
	if e.done != nil {
		e.cancel()
		<-e.done
	}
}

// measured reports whether a network was evaluated, by this process or an earlier one.
func (e *Series) measured(iteration int) bool {
	_, err := e.o.Folder.FS.Stat(e.o.Folder.Evaluation(iteration))
	return err == nil
}

// keep sets the checkpoints that must be kept: those of the opponent in the next
// evaluation, of the network with the best rating, and of the given iterations.
func (e *Series) keep(iterations ...int) {
	if e.earlier != nil {
		iterations = append(iterations, e.earlier.Iteration)
	}
	if best, ok := e.ratings.Best(); ok {
		iterations = append(iterations, best)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept = iterations
}

// earlierGames returns the number of games a seating against the network that was evaluated before.
func (e *Series) earlierGames() int { return min(5, e.o.Games) }

// Played notes the games of an iteration, and the time for which the run waited for them.
func (e *Series) Played(games int, took time.Duration) { e.budget.played(games, took) }

// Share returns the share of the time that evaluations between iterations have taken so far, at
// most MaxShare, to which they come back.
func (e *Series) Share() float64 { return e.budget.share() }

// Latest returns the time of the last evaluation between iterations; 0 before the first.
func (e *Series) Latest() time.Duration { return e.budget.last }

// Wanted returns the iterations whose checkpoints must be kept. It may be called during an
// evaluation.
func (e *Series) Wanted() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.kept)
}

// opponent returns the network that was evaluated before a network; nil if there is none, or its
// checkpoint can't be read.
func (e *Series) opponent(n Network) *Network {
	x := e.earlier
	if x == nil || x.Iteration >= n.Iteration {
		return nil
	}
	if x.Weights == nil {
		weights, err := e.o.Saved(x.Iteration)
		if err != nil {
			e.o.Log.Warn("an earlier network can't be played against", "iteration",
				x.Iteration, "reason", err)
			return nil
		}
		x.Weights = weights
	}
	return x
}

// measure evaluates a network and reports the result. A failure is logged and does not end
// the run. If ctx ends, measure leaves nothing behind.
func (e *Series) measure(
	ctx context.Context, n Network, workers int, progress func(done, all int),
) {
	found, err := e.play(ctx, n, e.opponent(n), workers, progress)
	if err == nil {
		err = e.save(ctx, found)
	}
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return
	case err != nil:
		e.o.Log.Warn("the evaluation failed", "iteration", n.Iteration, "reason", err)
		e.o.Tell(run.Event{
			Kind: run.EventWarning, Iteration: n.Iteration,
			Message: "the evaluation failed: " + err.Error(),
		})
		return
	}
	e.earlier = &n
	e.keep()
	s := found.strength
	Observe(e.o.Metrics, game.SeatNames(e.o.Game), n.Iteration, s)
	e.o.Update(func(m *run.Status) { m.Strength = s })
	e.o.Log.Info("evaluation", logStrength(n.Iteration, s, game.ScoreUnit(e.o.Game))...)
	e.o.Draw()
}

// save rates the network and writes the games, the ratings and the result, in this order:
// a result marks an evaluation as complete.
func (e *Series) save(ctx context.Context, f *found) error {
	for i := range f.games {
		f.games[i].Evaluation, f.games[i].Run = f.iteration, e.o.Folder.Run
		e.games.Remember(f.games[i])
	}
	name := fmt.Sprintf("the evaluation of iteration %d", f.iteration)
	if err := e.o.Write(ctx, name, e.games.Path(), func() error {
		return e.games.Append(f.games)
	}); err != nil {
		return fmt.Errorf("write the evaluation's games: %w", err)
	}
	if e.o.Game.Players() > 1 {
		ratings, err := Rate(e.o.Game, e.o.Baseline.Name(), e.o.Ladder, e.games.Games())
		if err != nil {
			return err
		}
		ratings.AddMissing(e.ratings)
		ratings.Run = e.o.Folder.Run
		e.ratings = ratings
		f.strength.Elo = ratings.Of(f.iteration)
		if err := e.writeJSON(ctx, name, e.o.Folder.Ratings(), ratings); err != nil {
			return err
		}
	}
	// An evaluation whose file is missing is repeated, and its event with it.
	e.o.Tell(run.Event{Kind: run.EventEvaluation, Iteration: f.iteration, Strength: f.strength})
	return e.writeJSON(ctx, name, e.o.Folder.Evaluation(f.iteration), evaluationFile{
		Iteration: f.iteration, Report: f.report,
		Earlier: f.strength.Earlier, Elo: f.strength.Elo, Run: e.o.Folder.Run,
	})
}

func (e *Series) writeJSON(ctx context.Context, name, path string, v any) error {
	return e.o.Write(ctx, name, path, func() error { return e.o.Folder.WriteJSON(path, v) })
}

// evaluationFile is the content of eval/000042.json.
type evaluationFile struct {
	Iteration int `json:"iteration"`
	*arena.Report
	Earlier []run.Earlier `json:"earlier,omitempty"`
	*run.Elo
	Run runid.ID `json:"run,omitempty"`
}
