package selfplay

import (
	"math"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player/play"
	"tengen/replay/record"
	"tengen/search"
)

// slot is one of the concurrent games of a group: it plays one game after another. It
// implements search.Task.
type slot struct {
	w       *worker
	engine  *engine // of the game at hand
	order   uint64  // of the game at hand
	shared  bool    // the Crew plays the game at hand too
	game    *play.Game
	network networkAgent // nil before there is a job with weights
	uct     *uctAgent
	seats   []play.Seat
	record  *record.Game // nil between games
	hopes   record.Resigning
	left    game.Player // who has won if all others have resigned; game.Nobody: they have not
	asked   []asking    // the requests passed to Advance, counted; empty if they are not
	counted []search.Requests
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

// newSlot returns a slot of a worker whose first games are of a job. beside says that UCT thinks in
// goroutines of its own.
func newSlot(w *worker, first *Job, beside bool) *slot {
	x := &slot{
		w: w, game: play.New(w.settings.Game), uct: &uctAgent{
			uct: w.uct,
		}, seats: make([]play.Seat, w.settings.Game.Players()),
	}
	if beside {
		x.uct.beside = &uctThread{
			threads: w.pool.uct, wake: w.wake, state: w.settings.Game.NewState(),
		}
	}
	x.game.OnMove = x.made
	x.game.Stop = func() bool { return x.left != game.Nobody }
	if first.Weights != nil {
		x.network = newNetworkAgent(w)
	}
	return x
}

// Advance implements search.Task.
func (x *slot) Advance(requests []search.Requests) int {
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
func (x *slot) count(requests []search.Requests) []search.Requests {
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

// Deliver implements search.Task.
func (x *slot) Deliver(evaluations search.Evaluations) { x.game.Deliver(evaluations) }

// begin starts the next game, if there is one. more says whether there may be one later.
func (x *slot) begin() (begun, more bool) {
	next, engine, more := x.w.take()
	if engine == nil {
		return false, more
	}
	engine.games++
	s, job, number := x.w.settings, next.job, next.number
	x.engine, x.order, x.shared = engine, next.order, next.contested
	if job.Weights != nil {
		if x.network == nil {
			x.network = newNetworkAgent(x.w)
		}
		x.network.follow(job)
		x.network.believe(engine.believer)
	}
	rng := random.New(s.Seed, random.SelfPlay, number)
	x.record = &record.Game{
		Number: number, Name: s.Game.Name(), Seed: s.Seed, Iteration: job.Iteration,
		Seats:  make([]record.SeatRecord, len(x.seats)),
		Resign: job.resignBelow(s.Seed, number, s.PlayedOut),
	}
	x.hopes.Start(len(x.seats))
	x.left = game.Nobody
	for i := range x.seats {
		x.record.Seats[i] = job.drawSeat(rng)
		if x.record.Seats[i].Kind == record.UCT {
			x.seats[i] = play.Seat{Agent: x.uct, Rand: rng, Evaluator: noEvaluator}
		} else {
			x.seats[i] = play.Seat{Agent: x.network, Rand: rng, Evaluator: engine.index}
		}
	}
	opening := s.Openings().draw(rng)
	x.game.Start(play.Setup{
		Seed: s.Seed, Purpose: random.SelfPlay, Number: number, Seats: x.seats, Chance: rng,
	})
	if len(opening) > 0 {
		x.open(opening)
	}
	if f := x.w.counters.OnBegin; f != nil {
		f()
	}
	return true, true
}

// made records a move.
func (x *slot) made(m play.Move) {
	x.record.Moves = append(x.record.Moves, record.Move{Mover: m.Player, Action: m.Action})
	if m.By != play.ByAgent {
		return
	}
	r := &x.record.Moves[len(x.record.Moves)-1]
	r.Value = make([]float32, len(x.seats))
	m.Agent.(searchAgent).record(r)
	if _, ok := m.Agent.(networkAgent); ok {
		x.w.counters.Decisions.Add(1)
		x.resign(m.Player, r.Value[m.Player])
	}
}

// resign notes what a search of the network has found for its player. If all players but one have
// no hope then, the game ends after the move.
func (x *slot) resign(p game.Player, utility float32) {
	if x.record.Resign == 0 {
		return
	}
	if level, left := x.hopes.Decided(p, utility); level < x.record.Resign {
		x.left = left
	}
}

// end completes the record and returns it.
func (x *slot) end() {
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
	if x.engine.job.Weights != nil {
		if d := x.w.settings.Descent; d != nil {
			r.Outcome = d.outcome(x.w.settings.Game, state, len(r.Moves))
		}
		for _, seat := range r.Seats {
			if seat.Kind == record.Network {
				x.network.finish(r)
				break
			}
		}
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
	x.w.leave(x.engine)
	x.record, x.engine = nil, nil
	x.w.pool.finished <- finished{x.order, r}
}

// unwanted reports whether the game at hand is to be dropped.
func (x *slot) unwanted() bool {
	p := x.w.pool
	return x.shared && !p.contest(x.record.Number, false) ||
		p.Unwanted != nil && p.Unwanted(x.record.Number)
}

// drop ends the game at hand, which somebody else has finished.
func (x *slot) drop() {
	for i := range x.asked {
		x.asked[i].n = 0
	}
	if f := x.w.counters.OnEnd; f != nil {
		f()
	}
	x.w.leave(x.engine)
	x.record, x.engine = nil, nil
}

// visits returns the children that were visited, with the visits that are not pruned.
func visits(children []search.Child) []record.Visit {
	n := 0
	for i := range children {
		if c := &children[i]; c.Visits > c.Pruned {
			n++
		}
	}
	v := make([]record.Visit, 0, n)
	for i := range children {
		if c := &children[i]; c.Visits > c.Pruned {
			v = append(v, record.Visit{Action: c.Action, N: uint32(c.Visits - c.Pruned)})
		}
	}
	return v
}
