package arena

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"tengen/game"
	"tengen/internal/random"
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
				tasks[i] = newGameTask(s, results)
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

// gameTask plays games of the schedule one after another. It implements search.Task.
type gameTask struct {
	schedule *schedule
	finished chan<- Result

	game    *player.Game
	agents  [][]player.Agent // [player][copy]: made on first use
	taken   []int            // [player]: copies that have a seat in the current game
	seats   []player.Seat
	playing bool
	result  Result
	line    maphash.Hash
	actions []game.Action // of the current game, if the schedule keeps them
}

func newGameTask(s *schedule, finished chan<- Result) *gameTask {
	x := &gameTask{
		schedule: s, finished: finished, game: player.NewGame(s.game),
		agents: make([][]player.Agent, len(s.players)), taken: make([]int, len(s.players)),
		seats: make([]player.Seat, s.game.Players()),
	}
	x.game.OnMove, x.game.Stop = x.made, s.stopped.Load
	x.line.SetSeed(lines)
	return x
}

// begin starts the next game, if there is one.
func (x *gameTask) begin() bool {
	s := x.schedule
	next, ok := s.next()
	if !ok {
		return false
	}
	clear(x.taken)
	number := uint64(next.number)
	for seat, p := range s.seatings[next.seating] {
		if x.taken[p] == len(x.agents[p]) {
			agent := s.players[p].NewAgent(s.game)
			if i, ok := agent.(player.Interruptible); ok {
				i.StopIf(s.stopped.Load)
			}
			x.agents[p] = append(x.agents[p], agent)
		}
		x.seats[seat] = player.Seat{
			Agent: x.agents[p][x.taken[p]],
			Rand:  random.New(s.seed, random.Arena, number, uint64(seat)+1), Evaluator: p,
		}
		x.taken[p]++
	}
	x.result = Result{Number: next.index, Seating: next.seating}
	x.actions = x.actions[:0]
	x.line.Reset()
	x.playing = true
	x.game.Start(player.Setup{
		Seed: s.seed, Purpose: random.Arena, Number: number, Seats: x.seats,
		Chance: random.New(s.seed, random.Arena, number, 0),
		Opening: player.Opening{
			Rand: random.New(s.seed, random.Arena, uint64(next.opening),
				uint64(len(x.seats))+1),
			Decisions: s.opening, Chance: s.rounds,
		},
	})
	return true
}

// Advance implements search.Task.
func (x *gameTask) Advance(requests []search.Requests) int {
	for {
		if !x.playing && (x.schedule.stopped.Load() || !x.begin()) {
			return search.Done
		}
		switch evaluator := x.game.Advance(requests); {
		case x.schedule.stopped.Load() && !x.game.Over():
			return search.Done // a search may have been interrupted
		case evaluator != search.Done:
			return evaluator
		case !x.game.Over():
			return search.Done // stopped
		}
		x.end()
	}
}

// Deliver implements search.Task.
func (x *gameTask) Deliver(evaluations search.Evaluations) { x.game.Deliver(evaluations) }

// made records a move.
func (x *gameTask) made(m player.Move) {
	maphash.WriteComparable(&x.line, m.Action)
	if x.schedule.keep {
		x.actions = append(x.actions, m.Action)
	}
	if t, ok := x.game.State().(game.Turned); ok {
		x.result.Turns = t.Turn() + 1
	}
	x.result.Plies++
}

// end returns the result of the finished game.
func (x *gameTask) end() {
	players := x.schedule.game.Players()
	x.result.Scores, x.result.Returns = make([]float32, players), make([]float32, players)
	x.result.Line = x.line.Sum64()
	game.Scores(x.game.State(), x.result.Scores)
	x.game.State().Returns(x.result.Returns)
	x.result.actions = slices.Clone(x.actions)
	x.playing = false
	x.finished <- x.result
}

// script is a player of all seats, and its agent: it decides as a record says.
type script struct {
	number  int
	actions []game.Action
	ply     int // of the game
	legal   []game.Action
	err     error // why the record is not one of the game
}

func (s *script) Name() string                                 { return "a record" }
func (s *script) NewAgent(game.Game) player.Agent              { return s }
func (s *script) NewEvaluator(game.Game, int) search.Evaluator { return nil }
func (s *script) Begin(*rand.Rand)                             {}
func (s *script) Deliver(search.Evaluations)                   {}
func (s *script) SeesAll() bool                                { return true }
func (s *script) Played(game.Action)                           { s.ply++ }
func (s *script) Think(state game.State, _ search.Requests) (game.Action, bool) {
	s.legal = state.LegalActions(s.legal[:0])
	switch a, ok := s.next(); {
	case !ok:
	case !slices.Contains(s.legal, a):
		s.err = fmt.Errorf("game %d: action %d at place %d can't be played there",
			s.number, a, s.ply+1)
	default:
		return a, true
	}
	return s.legal[0], true // the game is stopped after it
}

// next returns the action that the record has now.
func (s *script) next() (game.Action, bool) {
	if s.ply >= len(s.actions) {
		s.err = fmt.Errorf("game %d: after its %d actions it is not over", s.number, len(s.actions))
		return 0, false
	}
	return s.actions[s.ply], true
}

// made checks a move that the game has drawn or forced.
func (s *script) made(m player.Move) {
	if m.By == player.ByAgent || s.err != nil {
		return
	}
	what := map[player.By]string{
		player.ByChance: "chance", player.ByForce: "the rules", player.ByOpening: "the opening",
	}[m.By]
	if a, ok := s.next(); ok && a != m.Action {
		s.err = fmt.Errorf("game %d: action %d at place %d, where %s has %d",
			s.number, a, s.ply+1, what, m.Action)
	}
}

// resultOf plays a game of the match by its actions, and returns its result. It returns an error if
// they are not those of a finished game that begins as the one of this number does, with outcomes
// of chance as that one draws them.
func (m *Match) resultOf(number int, actions []game.Action) (Result, error) {
	r := &script{number: number, actions: actions}
	s := m.schedule(func() (scheduledGame, bool) { return m.scheduled(number), true })
	s.keep = true
	s.players = slices.Repeat([]player.Player{r}, len(m.Players))
	finished := make(chan Result, 1)
	x := newGameTask(&s, finished)
	x.game.OnMove = func(move player.Move) {
		r.made(move)
		x.made(move)
	}
	x.game.Stop = func() bool { return r.err != nil }
	x.begin()
	x.game.Advance(nil)
	switch {
	case r.err != nil:
		return Result{}, r.err
	case len(actions) > r.ply:
		return Result{},
			fmt.Errorf("game %d: it is over after %d actions, but %d are recorded",
				number, r.ply, len(actions))
	}
	x.end()
	return <-finished, nil
}
