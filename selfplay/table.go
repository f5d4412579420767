package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/player"
	"tengen/replay"
	"tengen/search"
)

// table is one place of a slate: it plays one game after another.
type table struct {
	w       *worker
	state   game.State
	views   []*player.Observer // [seat]: who decides is handed what these show
	learner learner            // nil without a network

	rng      *rand.Rand
	record   *replay.Game // nil between games
	thinking bool         // a network seat's search is under way
	legal    []game.Action
}

func newTable(w *worker) *table {
	t := &table{w: w, state: w.settings.Game.NewState()}
	for range w.settings.Game.Players() {
		t.views = append(t.views, player.NewObserver(w.settings.Game))
	}
	if w.job.Weights != nil {
		t.learner = newLearner(w)
	}
	return t
}

// Advance implements search.Task.
func (t *table) Advance(requests []search.Requests) int {
	for {
		if t.record == nil && !t.begin() {
			return search.Done
		}
		switch mover := t.state.CurrentPlayer(); mover {
		case game.Nobody:
			t.end()
			continue
		case game.Chance:
			t.play(replay.Move{Mover: mover, Action: t.state.(game.Chancer).Sample(t.rng)})
			continue
		default:
			if !t.thinking {
				t.legal = t.state.LegalActions(t.legal[:0])
				if len(t.legal) == 1 {
					t.play(replay.Move{Mover: mover, Action: t.legal[0]})
					continue
				}
				if t.record.Seats[mover].Kind == replay.UCT {
					t.play(t.w.uct.decide(t.seen(mover), mover, t.rng))
					continue
				}
				t.learner.think(t.seen(mover))
				t.thinking = true
			}
			if !t.learner.advance(requests[0]) {
				return 0
			}
			t.thinking = false
			m := replay.Move{Mover: mover, Value: make([]float32, t.w.settings.Game.Players())}
			t.learner.decide(&m)
			t.w.counters.Decisions.Add(1)
			t.play(m)
		}
	}
}

// Deliver implements search.Task.
func (t *table) Deliver(evaluations search.Evaluations) { t.learner.deliver(evaluations) }

// begin sets up the next game, if there is one.
func (t *table) begin() bool {
	number, ok := t.w.take()
	if !ok {
		return false
	}
	s, job := t.w.settings, t.w.job
	t.rng = stream.New(s.Seed, stream.SelfPlay, number)
	t.state.CopyFrom(s.Game.NewState())
	t.record = &replay.Game{
		Number: number, Name: s.Game.Name(), Seed: s.Seed, Iteration: job.Iteration,
		Seats: make([]replay.SeatRecord, s.Game.Players()),
	}
	for i := range t.record.Seats {
		// The draw is made even where its outcome is certain, so that the
		// stream goes on alike.
		if t.rng.Float64() < job.Epsilon || t.learner == nil {
			t.record.Seats[i] = replay.SeatRecord{Kind: replay.UCT}
		} else {
			t.record.Seats[i] = replay.SeatRecord{Kind: replay.Network, Step: job.Step}
		}
	}
	for seat, v := range t.views {
		v.Begin(s.Seed, stream.SelfPlay, number, game.Player(seat))
	}
	t.thinking = false
	if t.learner != nil {
		t.learner.begin(t.state, t.rng)
	}
	if f := t.w.counters.OnBegin; f != nil {
		f()
	}
	return true
}

// seen is what a seat may be shown of the position.
func (t *table) seen(seat game.Player) game.State {
	return t.views[seat].Observe(t.state, len(t.record.Moves))
}

// play records an action and applies it.
func (t *table) play(m replay.Move) {
	if t.learner != nil {
		t.learner.played(m.Action)
	}
	t.record.Moves = append(t.record.Moves, m)
	t.state.Apply(m.Action)
}

// end completes the record and hands it out.
func (t *table) end() {
	players := t.w.settings.Game.Players()
	r := t.record
	r.Returns = make([]float32, players)
	r.Scores = make([]float32, players)
	t.state.Returns(r.Returns)
	game.Scores(t.state, r.Scores)
	if t.learner != nil {
		t.learner.end(r, t.state)
	}

	c := t.w.counters
	c.Games.Add(1)
	c.Plies.Add(uint64(len(r.Moves)))
	for _, m := range r.Moves {
		if len(m.Value) > 0 {
			c.Positions.Add(1)
		}
	}
	for _, seat := range r.Seats {
		if seat.Kind == replay.UCT {
			c.UCTSeats.Add(1)
		}
	}
	if c.OnEnd != nil {
		c.OnEnd()
	}
	t.w.countLookups()
	t.record = nil
	t.w.finished <- r
}

// visits are the children that were visited.
func visits(children []search.Child) []replay.Visit {
	n := 0
	for i := range children {
		if children[i].Visits > 0 {
			n++
		}
	}
	v := make([]replay.Visit, 0, n)
	for i := range children {
		if children[i].Visits > 0 {
			v = append(v, replay.Visit{Action: children[i].Action, N: uint32(children[i].Visits)})
		}
	}
	return v
}
