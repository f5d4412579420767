package arena

import (
	"context"
	"hash/maphash"
	"math/rand/v2"
	"sync/atomic"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/player"
	"tengen/search"
)

// table plays one game of a match after another. It implements search.Task.
type table struct {
	ctx      context.Context
	match    *Match
	next     *atomic.Int64
	finished chan<- Result

	state   game.State
	seats   [][]player.Seat // [player][copy]: made when first needed
	seated  []player.Seat   // [seat] of the present game
	chance  *rand.Rand
	opening *rand.Rand
	drawn   int         // decisions of the opening that were drawn so far
	waiting player.Seat // whose evaluations are under way
	playing bool
	result  Result
	line    maphash.Hash
	legal   []game.Action
}

func newTable(ctx context.Context, m *Match, next *atomic.Int64, finished chan<- Result) *table {
	t := &table{
		ctx: ctx, match: m, next: next, finished: finished,
		state: m.Game.NewState(), seats: make([][]player.Seat, len(m.Players)),
		seated: make([]player.Seat, m.Game.Players()),
	}
	t.line.SetSeed(lines)
	return t
}

// begin sits the players of the next game down, if there is one.
func (t *table) begin() bool {
	m := t.match
	number := int(t.next.Add(1) - 1)
	if number >= m.Games || t.ctx.Err() != nil {
		return false
	}
	seating := m.Seatings[number%len(m.Seatings)]
	taken := make([]int, len(m.Players))
	for seat, p := range seating {
		if taken[p] == len(t.seats[p]) {
			t.seats[p] = append(t.seats[p], m.Players[p].NewSeat(m.Game))
		}
		t.seated[seat] = t.seats[p][taken[p]]
		taken[p]++
		t.seated[seat].Begin(stream.New(m.Seed, stream.Arena, uint64(number), uint64(seat)+1))
	}
	t.chance = stream.New(m.Seed, stream.Arena, uint64(number), 0)
	t.opening, t.drawn = stream.New(m.Seed, stream.Arena, uint64(number), uint64(len(seating))+1), 0
	t.state.CopyFrom(m.Game.NewState())
	t.result = Result{Number: number, Seating: number % len(m.Seatings)}
	t.line.Reset()
	t.playing = true
	return true
}

// Advance implements search.Task.
func (t *table) Advance(leaves []search.Leaves) int {
	for {
		if !t.playing && !t.begin() {
			return search.Done
		}
		mover := t.state.Mover()
		switch mover {
		case game.Nobody:
			t.end()
			continue
		case game.Chance:
			t.play(t.state.(game.Chancer).Sample(t.chance))
			continue
		}
		if t.waiting == nil {
			if t.legal = t.state.Legal(t.legal[:0]); len(t.legal) == 1 {
				t.play(t.legal[0])
				continue
			}
			if t.drawn < t.match.Opening {
				t.drawn++
				t.play(t.legal[t.opening.IntN(len(t.legal))])
				continue
			}
		}
		p := t.match.Seatings[t.result.Seating][mover]
		action, decided := t.seated[mover].Think(t.state, leaves[p])
		if !decided {
			t.waiting = t.seated[mover]
			return p
		}
		t.waiting = nil
		t.play(action)
	}
}

// Deliver implements search.Task.
func (t *table) Deliver(rows search.Rows) { t.waiting.Deliver(rows) }

func (t *table) play(a game.Action) {
	for _, seat := range t.seated {
		seat.Played(t.state, a)
	}
	maphash.WriteComparable(&t.line, a)
	t.state.Apply(a)
	t.result.Plies++
}

func (t *table) end() {
	t.result.Scores = make([]float32, t.match.Game.Players())
	t.result.Returns = make([]float32, t.match.Game.Players())
	t.result.Line = t.line.Sum64()
	game.Scores(t.state, t.result.Scores)
	t.state.Returns(t.result.Returns)
	t.playing = false
	t.finished <- t.result
}
