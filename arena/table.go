package arena

import (
	"context"
	"hash/maphash"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/player"
	"tengen/search"
)

// table plays one of the fixtures after another. It implements search.Task.
type table struct {
	ctx      context.Context
	fixtures *fixtures
	finished chan<- Result

	state   game.State
	seats   [][]*player.ObservingAgent // [player][copy]: made when first needed
	seating []int                      // [seat] of the present game: the player
	seated  []*player.ObservingAgent   // [seat]
	chance  *rand.Rand
	opening *rand.Rand
	drawn   int                    // decisions of the opening that were drawn so far
	waiting *player.ObservingAgent // whose evaluations are under way
	playing bool
	result  Result
	line    maphash.Hash
	actions []game.Action // of the present game, where the fixtures keep them
	legal   []game.Action
}

func newTable(ctx context.Context, f *fixtures, finished chan<- Result) *table {
	t := &table{
		ctx: ctx, fixtures: f, finished: finished,
		state: f.game.NewState(), seats: make([][]*player.ObservingAgent, len(f.players)),
		seated: make([]*player.ObservingAgent, f.game.Players()),
	}
	t.line.SetSeed(lines)
	return t
}

// begin sits the players of the next game down, if there is one.
func (t *table) begin() bool {
	if t.ctx.Err() != nil {
		return false
	}
	f := t.fixtures
	next, ok := f.next()
	if !ok {
		return false
	}
	t.seating = f.seatings[next.seating]
	number := uint64(next.number)
	taken := make([]int, len(f.players))
	for seat, p := range t.seating {
		if taken[p] == len(t.seats[p]) {
			t.seats[p] = append(t.seats[p], player.NewObservingAgent(f.players[p].NewAgent(f.game), f.game))
		}
		t.seated[seat] = t.seats[p][taken[p]]
		taken[p]++
		t.seated[seat].Begin(f.seed, number, game.Player(seat))
	}
	t.chance = stream.New(f.seed, stream.Arena, number, 0)
	t.opening, t.drawn = stream.New(f.seed, stream.Arena, uint64(next.opening), uint64(len(t.seating))+1), 0
	t.state.CopyFrom(f.game.NewState())
	t.result = Result{Number: next.number, Seating: next.seating}
	t.actions = t.actions[:0]
	t.line.Reset()
	t.playing = true
	return true
}

// Advance implements search.Task.
func (t *table) Advance(requests []search.Requests) int {
	for {
		if !t.playing && !t.begin() {
			return search.Done
		}
		mover := t.state.CurrentPlayer()
		switch mover {
		case game.Nobody:
			t.end()
			continue
		case game.Chance:
			rng := t.chance
			if t.fixtures.rounds && t.drawn < t.fixtures.opening {
				rng = t.opening
			}
			t.play(t.state.(game.Chancer).Sample(rng))
			continue
		}
		if t.waiting == nil {
			if t.legal = t.state.LegalActions(t.legal[:0]); len(t.legal) == 1 {
				t.play(t.legal[0])
				continue
			}
			if t.drawn < t.fixtures.opening {
				t.drawn++
				t.play(t.legal[t.opening.IntN(len(t.legal))])
				continue
			}
		}
		p := t.seating[mover]
		action, decided := t.seated[mover].Think(t.state, requests[p])
		if !decided {
			t.waiting = t.seated[mover]
			return p
		}
		t.waiting = nil
		t.play(action)
	}
}

// Deliver implements search.Task.
func (t *table) Deliver(evaluations search.Evaluations) { t.waiting.Deliver(evaluations) }

func (t *table) play(a game.Action) {
	for _, seat := range t.seated {
		seat.Played(t.state, a)
	}
	maphash.WriteComparable(&t.line, a)
	if t.fixtures.keep {
		t.actions = append(t.actions, a)
	}
	t.state.Apply(a)
	t.result.Plies++
}

func (t *table) end() {
	t.result.Scores = make([]float32, t.fixtures.game.Players())
	t.result.Returns = make([]float32, t.fixtures.game.Players())
	t.result.Line = t.line.Sum64()
	game.Scores(t.state, t.result.Scores)
	t.state.Returns(t.result.Returns)
	t.result.actions = slices.Clone(t.actions)
	t.playing = false
	t.finished <- t.result
}
