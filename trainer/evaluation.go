package trainer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/runid"
	"tengen/metrics"
	"tengen/player"
	"tengen/run"
)

// concurrentFrom is the number of processors that the process may use from which evaluations are
// concurrent with the run. With fewer, they would slow the run down considerably.
const concurrentFrom = 5

// besideWorkers returns the number of goroutines of a concurrent evaluation.
func besideWorkers() int { return max(1, runtime.GOMAXPROCS(0)/8) }

// earlierGames returns the number of games a seating against the network that was evaluated before.
func (e *evaluations) earlierGames() int { return min(5, e.plan.Config.Evaluation.Games) }

// evaluations measures the networks of a run against UCT and earlier networks, one at a
// time, concurrently with the run or between its iterations. It has files of its own, and
// its results do not affect the run.
type evaluations struct {
	plan    *Plan
	folder  run.Files
	monitor *Monitor
	metrics *metrics.Metrics
	log     *slog.Logger
	elapsed func() time.Duration
	tell    func(run.Event) // appends to the event log
	draw    func()
	init    string              // as State.Init
	ladder  *arena.AnchorLadder // of the game; nil: it has none, or no games are played against it
	write   func(context.Context, piece, func() error) error

	// The concurrent evaluation; both are nil if there was none. They belong to the
	// run's goroutine.
	done   chan struct{} // closed when it has ended
	cancel context.CancelFunc

	// These belong to the evaluation in progress.
	base    []float64 // UCT's points in all seats; nil until measured
	games   *run.GameLog
	ratings *run.Ratings
	earlier *network // evaluated last; its weights are loaded when needed; nil: none

	budget evaluationBudget // of evaluations between iterations; belongs to the run's goroutine

	mu   sync.Mutex
	kept []int // iterations whose checkpoints evaluations will need
}

// open reads what earlier processes have measured. iteration is that of the run.
func (e *evaluations) open(iteration int) error {
	var err error
	if e.games, err = e.folder.OpenGameLog(e.plan.Game.Players(), maxRatedGames); err != nil {
		return err
	}
	if n := e.games.Skipped(); n > 0 {
		e.log.Warn(
			"lines of the evaluations' games that are damaged or of another run are passed over",
			"lines", n, "file", e.games.Path())
	}
	if e.ratings, err = e.folder.ReadRatings(); err != nil {
		e.log.Warn("the ratings of earlier evaluations can't be read", "reason", err)
	}
	for _, n := range e.games.Evaluated() {
		if n <= iteration && e.measured(n) {
			e.earlier = &network{iteration: n}
		}
	}
	if history, err := e.folder.History(); err == nil {
		for _, event := range history {
			if s := event.Strength; s != nil && s.Against == baseline.Name() &&
				len(s.Baseline) == e.plan.Game.Players() {
				e.base = s.Baseline
			}
		}
	}
	e.keep()
	return nil
}

// due evaluates a network. If evaluations are concurrent, it starts one and returns, unless
// the previous one is still in progress: then it skips this one. If they are not, and their share
// of the time is used up, it puts this one off, and returns true.
func (e *evaluations) due(
	ctx context.Context, n network, enter func(run.Stage, int),
) (putOff bool) {
	if e.measured(n.iteration) {
		return false
	}
	if !e.plan.Beside {
		if expected := e.expected(n); !e.budget.allows(expected) {
			switch {
			case n.iteration == 0: // later networks are what people wait for
				e.metrics.SkippedEvaluations.Inc()
				e.log.Info("evaluation of the random network left out: evaluations take at most a tenth of the time", "takes_about", expected.Round(time.Second))
			case e.budget.putOff():
				e.metrics.SkippedEvaluations.Inc()
				e.log.Info("evaluation put off: evaluations take at most a tenth of the time",
					"iteration", n.iteration, "takes_about", expected.Round(time.Second))
			}
			return true
		}
		e.foreground(ctx, n, enter)
		return false
	}
	if e.done != nil {
		select {
		case <-e.done:
		default:
			e.metrics.SkippedEvaluations.Inc()
			e.log.Info("evaluation left out: the one before is still under way", "iteration",
				n.iteration)
			return false
		}
	}
	var inner context.Context
	done := make(chan struct{})
	inner, e.cancel = context.WithCancel(ctx)
	e.done = done
	e.keep(n.iteration)
	go func() {
		defer close(done)
		defer e.metrics.Enter(run.StageEvaluation)()
		e.measure(inner, n, besideWorkers(), func(done, all int) {
			e.monitor.update(func(s *run.Status) {
				s.Concurrent = &run.Evaluating{Iteration: n.iteration, Done: done, All: all}
			})
		})
		e.monitor.update(func(s *run.Status) { s.Concurrent = nil })
	}()
	return false
}

// expected returns the time that the evaluation of a network will take.
func (e *evaluations) expected(n network) time.Duration {
	c := e.plan.Config.Evaluation
	games := c.Games * e.plan.Game.Players()
	if e.base == nil {
		games += 2 * c.Games
	}
	rounds := e.anchorRounds()
	if e.earlier != nil && e.earlier.iteration < n.iteration {
		rounds += e.earlierGames()
	}
	return e.budget.expected(games + rounds*len((&pairedMatch{game: e.plan.Game}).seatings()))
}

// last waits for the concurrent evaluation and evaluates the run's last network on all
// workers, unless it has been evaluated.
func (e *evaluations) last(ctx context.Context, n network, enter func(run.Stage, int)) {
	if e.done != nil {
		enter(run.StageEvaluation, 0)
		<-e.done
	}
	if !e.measured(n.iteration) {
		e.monitor.finish()
		e.foreground(ctx, n, enter)
	}
}

func (e *evaluations) foreground(ctx context.Context, n network, enter func(run.Stage, int)) {
	enter(run.StageEvaluation, 0)
	e.keep(n.iteration)
	defer e.budget.measure()()
	e.measure(ctx, n, e.plan.Workers, func(done, all int) {
		e.monitor.update(func(s *run.Status) { s.Done, s.All = done, all })
	})
}

// close cancels the concurrent evaluation, if there is one, and waits until it has ended.
func (e *evaluations) close() {
	if e.done != nil {
		e.cancel()
		<-e.done
	}
}

// measured reports whether a network was evaluated, by this process or an earlier one.
func (e *evaluations) measured(iteration int) bool {
	_, err := e.folder.FS.Stat(e.folder.Evaluation(iteration))
	return err == nil
}

// keep sets the checkpoints that must be kept: those of the opponent in the next
// evaluation, of the network with the best rating, and of the given iterations.
func (e *evaluations) keep(iterations ...int) {
	if e.earlier != nil {
		iterations = append(iterations, e.earlier.iteration)
	}
	if best, ok := e.ratings.Best(); ok {
		iterations = append(iterations, best)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept = iterations
}

// wanted returns the iterations whose checkpoints must be kept. It may be called during an
// evaluation.
func (e *evaluations) wanted() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.kept)
}

// opponent returns the network that was evaluated before a network; nil if there is none, or its
// checkpoint can't be read.
func (e *evaluations) opponent(n network) *network {
	x := e.earlier
	if x == nil || x.iteration >= n.iteration {
		return nil
	}
	if x.weights == nil {
		found, err := e.plan.savedNetwork(e.folder, x.iteration, e.init)
		if err != nil {
			e.log.Warn("an earlier network can't be played against", "iteration",
				x.iteration, "reason", err)
			return nil
		}
		*x = found
	}
	return x
}

// measure evaluates a network and reports the result. A failure is logged and does not end
// the run. If ctx ends, measure leaves nothing behind.
func (e *evaluations) measure(
	ctx context.Context, n network, workers int, progress func(done, all int),
) {
	found, err := e.play(ctx, n, e.opponent(n), workers, progress)
	if err == nil {
		err = e.save(ctx, found)
	}
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return
	case err != nil:
		e.log.Warn("the evaluation failed", "iteration", n.iteration, "reason", err)
		e.tell(run.Event{
			Kind: run.EventWarning, Iteration: n.iteration,
			Message: "the evaluation failed: " + err.Error(),
		})
		return
	}
	e.earlier = &n
	e.keep()
	s := found.strength
	observeStrength(e.metrics, game.SeatNames(e.plan.Game), n.iteration, s)
	e.monitor.update(func(m *run.Status) { m.Strength = s })
	e.log.Info("evaluation", logStrength(n.iteration, s, game.ScoreUnit(e.plan.Game))...)
	e.draw()
}

// found is the result of an evaluation.
type found struct {
	iteration int
	report    *arena.Report // against UCT
	strength  *run.Strength
	games     []run.EvaluationGame
}

// play plays the games of an evaluation: the network in each seat against UCT in all
// others, UCT against itself (once per run), and the network against the one before.
func (e *evaluations) play(
	ctx context.Context, n network, opponent *network, workers int, progress func(done, all int),
) (*found, error) {
	c := e.plan.Config.Evaluation
	self := e.plan.contestant(n.weights, c.Simulations)
	v := arena.Versus{
		Remote: e.plan.remote(self, arena.Contestant{Player: baseline.Name()}),
		Game:   e.plan.Game, Player: e.networkPlayer(n), Baseline: baseline, Games: c.Games,
		BaselineGames: -1,
		Seed:          e.plan.Config.Seed + uint64(n.iteration), Workers: workers,
		GamesPerWorker: e.plan.GamesPerWorker(),
	}
	against := c.Games * e.plan.Game.Players()
	if e.base == nil {
		v.BaselineGames = 2 * c.Games // once per run
		against += v.BaselineGames
	}
	d := pairedMatch{
		game: e.plan.Game, rounds: e.earlierGames(), workers: workers,
		gamesPerWorker: v.GamesPerWorker,
	}
	paired := e.anchorRounds()
	if opponent != nil {
		paired += d.rounds
	}
	done, all := 0, against+paired*len(d.seatings())
	count := func() {
		done++
		e.metrics.EvaluationGames.Inc()
		progress(done, all)
	}
	progress(0, all)
	report, err := v.Play(ctx, func(int, int) { count() })
	if err != nil {
		return nil, err
	}
	f := &found{iteration: n.iteration, report: report, games: logReport(report, n.name())}
	f.strength = &run.Strength{
		Sum: report.Sum.Mean, SumCI: run.Width(report.Sum.CI()), Games: c.Games,
		Against: report.Baseline,
	}
	if e.base == nil {
		for _, seat := range report.Seats {
			e.base = append(e.base, seat.Base.Mean)
		}
	}
	f.strength.Baseline = e.base
	for _, seat := range report.Seats {
		f.strength.Points = append(f.strength.Points, seat.Points.Mean)
		f.strength.CI = append(f.strength.CI, run.Width(seat.Points.CI()))
	}
	rounds := 0
	if opponent != nil {
		d.players = [2]player.Player{e.networkPlayer(n), e.networkPlayer(*opponent)}
		d.remote = e.plan.remote(self, e.plan.contestant(opponent.weights, c.Simulations))
		d.seed = e.plan.matchSeed(earlierMatch, n.iteration, opponent.iteration)
		played, err := d.play(ctx, count)
		if err != nil {
			return nil, err
		}
		mean, half := meanDifference(played.differences())
		f.strength.Earlier = append(f.strength.Earlier, run.Earlier{
			Iteration: opponent.iteration, Difference: mean, CI: run.Width(half),
			Games:  played.games(),
			Rounds: len(played.rounds), Distinct: len(played.differences()),
			Opening: played.opening,
		})
		f.games = append(f.games,
			played.log([]string{n.name(), opponent.name()}, len(f.games), rounds)...)
		rounds += len(played.rounds)
	}
	if e.ladder != nil {
		anchor, opponent, err := e.anchor()
		if err != nil {
			return nil, err
		}
		d.players, d.rounds = [2]player.Player{e.networkPlayer(n), opponent}, e.anchorRounds()
		d.remote = e.plan.remote(self, arena.Contestant{Player: anchor.Player})
		d.seed = e.plan.matchSeed(anchorMatch, n.iteration, anchor.Simulations)
		played, err := d.play(ctx, count)
		if err != nil {
			return nil, err
		}
		mean, half := meanDifference(played.differences())
		f.strength.Anchor = &run.Anchor{
			Player: anchor.Player, Elo: anchor.Elo, Difference: mean, CI: run.Width(half),
			Games: played.games(), Rounds: len(played.rounds),
		}
		f.games = append(f.games,
			played.log([]string{n.name(), anchor.Player}, len(f.games), rounds)...)
	}
	f.strength.Elapsed = e.elapsed().Seconds()
	return f, nil
}

// anchorRounds returns the number of rounds of the match against an anchor of the anchor ladder.
func (e *evaluations) anchorRounds() int {
	if e.ladder == nil {
		return 0
	}
	return e.plan.Config.Evaluation.RulerGames
}

// anchor returns the anchor of the anchor ladder to play against: the weakest that is as strong as
// the last network that was rated, but not the baseline, against which every network plays.
func (e *evaluations) anchor() (*arena.Anchor, player.Player, error) {
	elo := math.Inf(-1)
	if n := len(e.ratings.Networks); n > 0 {
		elo = e.ratings.Networks[n-1].Rating
	}
	anchor := &e.ladder.Anchors[max(1, e.ladder.Above(elo, maxAnchor))]
	p, err := player.Parse(e.plan.Game, anchor.Player)
	return anchor, p, err
}

// networkPlayer returns a network as a player, with the simulations of evaluations.
func (e *evaluations) networkPlayer(n network) player.Player {
	label := fmt.Sprintf("%s@%d", e.folder.Folder, n.iteration)
	return e.plan.NetworkPlayer(label, n.weights, e.plan.Config.Evaluation.Simulations)
}

// save rates the network and writes the games, the ratings and the result, in this order:
// a result marks an evaluation as complete.
func (e *evaluations) save(ctx context.Context, f *found) error {
	for i := range f.games {
		f.games[i].Evaluation, f.games[i].Run = f.iteration, e.folder.Run
		e.games.Remember(f.games[i])
	}
	what := func(path string) piece {
		return piece{name: fmt.Sprintf("the evaluation of iteration %d", f.iteration), where: path}
	}
	if err := e.write(ctx, what(e.games.Path()), func() error {
		return e.games.Append(f.games)
	}); err != nil {
		return fmt.Errorf("write the evaluation's games: %w", err)
	}
	if e.plan.Game.Players() > 1 {
		ratings, err := rate(e.plan.Game, e.ladder, e.games.Games())
		if err != nil {
			return err
		}
		ratings.AddMissing(e.ratings)
		ratings.Run = e.folder.Run
		e.ratings = ratings
		f.strength.Elo = ratings.Of(f.iteration)
		if err := e.writeJSON(ctx, what(e.folder.Ratings()), ratings); err != nil {
			return err
		}
	}
	// An evaluation whose file is missing is repeated, and its event with it.
	e.tell(run.Event{Kind: run.EventEvaluation, Iteration: f.iteration, Strength: f.strength})
	return e.writeJSON(ctx, what(e.folder.Evaluation(f.iteration)), evaluationFile{
		Iteration: f.iteration, Report: f.report,
		Earlier: f.strength.Earlier, Elo: f.strength.Elo, Run: e.folder.Run,
	})
}

func (e *evaluations) writeJSON(ctx context.Context, what piece, v any) error {
	return e.write(ctx, what, func() error { return e.folder.WriteJSON(what.where, v) })
}

// evaluationFile is the content of eval/000042.json.
type evaluationFile struct {
	Iteration int `json:"iteration"`
	*arena.Report
	Earlier []run.Earlier `json:"earlier,omitempty"`
	*run.Elo
	Run runid.ID `json:"run,omitempty"`
}
