package selfplay

import (
	"fmt"
	"math"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/replay/record"
	"tengen/search"
)

// gameTask is one of the concurrent games of a group: it plays one game after another. It
// implements search.Task.
type gameTask struct {
	w          *worker
	evaluators *evaluators // of the game at hand
	order      uint64      // of the game at hand
	shared     bool        // RemoteWorkers play the game at hand too
	game       *player.Game
	network    player.ActorAgent // nil before there is a job with weights
	// simulations of the search under way that are counted already
	simulations int
	uct         *uctAgent
	seats       []player.Seat
	record      *record.Game // nil between games
	hopes       record.Resigning
	left        game.Player // who has won if all others have resigned; game.Nobody: they have not
	asked       []asking    // the requests passed to Advance, counted; empty if they are not
	counted     []search.Requests
}

// asking passes requests on and counts them.
type asking struct {
	requests search.Requests
	n        uint64
}

// Add implements search.Requests.
func (a *asking) Add(s game.State) {
	a.n++
	a.requests.Add(s)
}

// newGameTask returns a gameTask of a worker whose first games are of a job. beside says that UCT
// thinks in goroutines of its own.
func newGameTask(w *worker, first *Job, beside bool) *gameTask {
	s := w.settings
	x := &gameTask{
		w: w, game: player.NewGame(s.Game), uct: &uctAgent{Targeter: w.uct},
		seats: make([]player.Seat, s.Game.Players()),
	}
	if beside {
		x.uct.beside = &uctThread{threads: w.pool.uct, wake: w.wake, state: s.Game.NewState()}
	}
	x.game.OnMove = x.made
	x.game.Stop = func() bool { return x.left != game.Nobody }
	if first.Weights != nil {
		x.network = s.newNetworkAgent()
	}
	return x
}

// Advance implements search.Task.
func (x *gameTask) Advance(requests []search.Requests) int {
	if x.uct.thinking() {
		return search.Waiting
	}
	if x.record != nil && !x.uct.decided() && x.unwanted() {
		x.drop()
	}
	if x.w.settings.CountEvaluations {
		requests = x.count(requests)
	}
	for {
		if x.record == nil {
			if begun, more := x.begin(); !begun && more {
				return search.Waiting
			} else if !begun {
				return search.Done
			}
		}
		switch evaluator := x.game.Advance(requests); evaluator {
		case search.Done:
			x.end()
		case noEvaluator:
			return search.Waiting
		default:
			if x.w.descends {
				x.simulated()
			}
			if x.w.pool.stopped.Load() {
				// a search may have been interrupted: it expects no evaluations
				return search.Waiting
			}
			return evaluator
		}
	}
}

// noEvaluator is the evaluator of seats that need none. A game that waits for it waits for UCT,
// which thinks in a goroutine of its own.
const noEvaluator = math.MaxInt

// count returns requests that are counted and passed on.
func (x *gameTask) count(requests []search.Requests) []search.Requests {
	if len(x.asked) != len(requests) {
		x.asked, x.counted = make([]asking, len(requests)), make([]search.Requests, len(requests))
		for i := range x.asked {
			x.counted[i] = &x.asked[i]
		}
	}
	for i, r := range requests {
		x.asked[i].requests = r
	}
	return x.counted
}

// Foreseer implements search.Foresighted.
func (x *gameTask) Foreseer() search.Foreseer {
	if x.network == nil {
		return nil
	}
	return x.network.Foreseer()
}

// Deliver implements search.Task.
func (x *gameTask) Deliver(evaluations search.Evaluations) { x.game.Deliver(evaluations) }

// begin starts the next game, if there is one. more says whether there may be one later.
func (x *gameTask) begin() (begun, more bool) {
	next, evaluators, more := x.w.take()
	if evaluators == nil {
		return false, more
	}
	evaluators.games++
	s, job, number := x.w.settings, next.job, next.number
	x.evaluators, x.order, x.shared = evaluators, next.order, next.contested
	if job.Weights != nil && x.network == nil {
		x.network = s.newNetworkAgent()
	}
	rng := random.New(s.Seed, random.SelfPlay, number)
	x.record = &record.Game{
		Number: number, Name: s.Game.Name(), Seed: s.Seed, Iteration: job.Iteration,
		Seats:  make([]record.SeatRecord, len(x.seats)),
		Resign: job.resignBelow(s.Seed, number, s.PlayedOut),
	}
	x.hopes.Start(len(x.seats))
	x.left, x.simulations = game.Nobody, 0
	for i := range x.seats {
		x.record.Seats[i] = job.drawSeat(rng)
		if x.record.Seats[i].Kind == record.UCT {
			x.seats[i] = player.Seat{Agent: x.uct, Rand: rng, Evaluator: noEvaluator}
		} else {
			x.seats[i] = player.Seat{Agent: x.network, Rand: rng, Evaluator: evaluators.index}
		}
	}
	opening := s.drawOpening(rng)
	x.record.Prefix = len(opening)
	if job.Weights != nil {
		x.network.Prepare(player.Conditions{
			Believer: evaluators.believer, Greed: job.Exploration, Opening: len(opening),
		})
	}
	x.game.Start(player.Setup{
		Seed: s.Seed, Purpose: random.SelfPlay, Number: number, Seats: x.seats, Chance: rng,
	})
	for _, a := range opening { // agents are told of its moves as of any
		if err := x.game.Play(a); err != nil {
			panic(fmt.Sprintf("selfplay: game %d: its opening is not legal: %v", number, err))
		}
	}
	if f := x.w.counters.OnBegin; f != nil {
		f()
	}
	return true, true
}

// made records a move.
func (x *gameTask) made(m player.Move) {
	x.record.Moves = append(x.record.Moves, record.Move{Mover: m.Player, Action: m.Action})
	if m.By != player.ByAgent {
		return
	}
	r := &x.record.Moves[len(x.record.Moves)-1]
	r.Value = make([]float32, len(x.seats))
	if m.Agent != player.Agent(x.network) {
		x.uct.Target(r)
		if !x.w.settings.UCTPolicyTarget {
			r.Visits = nil
		}
		return
	}
	x.decided(x.network.Target(r))
	x.resign(m.Player, r.Value[m.Player])
}

// decided counts a search of the network that has ended, a full one or a fast one.
func (x *gameTask) decided(full bool) {
	stats := x.network.Result().Stats()
	x.w.counters.simulated(stats.Simulations - x.simulations)
	x.simulations = 0
	x.w.counters.searched(SearchStats{
		Depth: stats.MaxDepth, Fast: !full, Resolved: x.w.descends && stats.Exact,
		Full: stats.Full,
	}, x.w.descends)
}

// simulated counts the iterations of Descent's search under way, which may be many and take long.
func (x *gameTask) simulated() {
	n := x.network.Result().Stats().Simulations
	x.w.counters.simulated(n - x.simulations)
	x.simulations = n
}

// resign notes what a search of the network has found for its player. If all players but one have
// no hope then, the game ends after the move.
func (x *gameTask) resign(p game.Player, utility float32) {
	if x.record.Resign == 0 {
		return
	}
	if level, left := x.hopes.Decided(p, utility); level < x.record.Resign {
		x.left = left
	}
}

// end completes the record and returns it.
func (x *gameTask) end() {
	r, state := x.record, x.game.State()
	for i := range x.asked {
		r.Evaluations += x.asked[i].n
		x.asked[i].n = 0
	}
	r.Returns = make([]float32, len(x.seats))
	r.Scores = make([]float32, len(x.seats))
	if x.game.Over() {
		state.Returns(r.Returns)
		game.Scores(state, r.Scores)
	} else {
		r.Resigned, r.Returns[x.left] = true, 1
	}
	if x.evaluators.job.Weights != nil {
		x.network.Finish(r, state)
	}
	if err := x.w.marker.Mark(r); err != nil {
		panic(fmt.Sprintf("selfplay: %v", err)) // what was played and searched is legal
	}

	if x.shared && !x.w.pool.contest(r.Number, true) {
		x.drop()
		return
	}
	c := x.w.counters
	c.count(r)
	if c.OnEnd != nil {
		c.OnEnd()
	}
	x.w.countLookups()
	x.w.leave(x.evaluators)
	x.record, x.evaluators = nil, nil
	x.w.pool.finished <- finished{x.order, r}
}

// unwanted reports whether the game at hand is to be dropped.
func (x *gameTask) unwanted() bool {
	p := x.w.pool
	return x.shared && !p.contest(x.record.Number, false) ||
		p.Unwanted != nil && p.Unwanted(x.record.Number)
}

// drop ends the game at hand, which somebody else has finished.
func (x *gameTask) drop() {
	for i := range x.asked {
		x.asked[i].n = 0
	}
	if f := x.w.counters.OnEnd; f != nil {
		f()
	}
	x.w.leave(x.evaluators)
	x.record, x.evaluators = nil, nil
}
