package arena

import (
	"hash/maphash"
	"slices"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// slot plays games of the schedule one after another. It implements search.Task.
type slot struct {
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

func newSlot(s *schedule, finished chan<- Result) *slot {
	x := &slot{
		schedule: s, finished: finished, game: player.NewGame(s.game),
		agents: make([][]player.Agent, len(s.players)), taken: make([]int, len(s.players)),
		seats: make([]player.Seat, s.game.Players()),
	}
	x.game.OnMove, x.game.Stop = x.made, s.stopped.Load
	x.line.SetSeed(lines)
	return x
}

// begin starts the next game, if there is one.
func (x *slot) begin() bool {
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
func (x *slot) Advance(requests []search.Requests) int {
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
func (x *slot) Deliver(evaluations search.Evaluations) { x.game.Deliver(evaluations) }

// made records a move.
func (x *slot) made(m player.Move) {
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
func (x *slot) end() {
	players := x.schedule.game.Players()
	x.result.Scores, x.result.Returns = make([]float32, players), make([]float32, players)
	x.result.Line = x.line.Sum64()
	game.Scores(x.game.State(), x.result.Scores)
	x.game.State().Returns(x.result.Returns)
	x.result.actions = slices.Clone(x.actions)
	x.playing = false
	x.finished <- x.result
}
