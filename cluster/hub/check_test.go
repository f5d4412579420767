package hub

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"tengen/cluster"
	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/player"
	"tengen/replay"
	"tengen/selfplay"
)

// oneGame is a source of one game, for the crew that opens it.
type oneGame struct {
	job   *selfplay.Job
	open  atomic.Bool
	asked chan struct{} // closed when the pool's own worker has asked, and waits since
	once  sync.Once
}

func (s *oneGame) Next() (uint64, *selfplay.Job, bool) {
	defer s.once.Do(func() { close(s.asked) })
	if s.open.CompareAndSwap(true, false) {
		return s.job.Games[0], s.job, true
	}
	return 0, nil, true
}

// crew calls its function while the games of a table are played.
type crew struct{ play func(t *selfplay.Table) }

func (crew) Durable([]*replay.Game)                            {}
func (crew) Games() int                                        { return 1 }
func (crew) Early(uint64, *selfplay.Job) *replay.Game          { return nil }
func (c crew) Play(_ context.Context, t *selfplay.Table) error { c.play(t); return context.Canceled }

// TestStartOfAnEarlierProcess: a game that was given out with other players than now is refused, but not in a continuous cycle if an earlier
// process has given it out: its worker is honest, and the number was given out again.
func TestStartOfAnEarlierProcess(t *testing.T) {
	const number = 5
	s := &selfplay.Settings{Game: game.Must(game.New("tictactoe")), Seed: 7, UCT: player.UCT{Simulations: 4, C: 0.8, Utility: player.Points}}
	source := &oneGame{asked: make(chan struct{}), job: &selfplay.Job{Iteration: 3, Epsilon: 1, Games: []uint64{number}}} // UCT has all seats
	s.Crew = crew{func(table *selfplay.Table) {
		<-source.asked
		source.open.Store(true)
		if job, _ := table.Take(1); job == nil {
			t.Error("no game is given out")
		}
		network := replay.SeatRecord{Kind: replay.Network, Step: 2}
		g := &replay.Game{Number: number, Seed: s.Seed, Iteration: 3, Seats: []replay.SeatRecord{network, network}}
		for _, c := range []struct {
			endOrder bool
			session  string
			refused  bool
		}{{false, "now", true}, {false, "earlier", true}, {true, "now", true}, {true, "earlier", false}} {
			h := &Hub{o: Options{Seed: s.Seed, EndOrder: c.endOrder}, session: "now", table: table}
			if err := h.checkStart(&cluster.Block{Session: c.session}, g); (err != nil) != c.refused {
				t.Errorf("%+v: %v", c, err)
			}
		}
	}}
	err := selfplay.NewPool(s, source, 1, 1, new(selfplay.Counters)).Play(t.Context(), source.job, func(*replay.Game) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
