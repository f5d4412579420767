package hub

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"tengen/cluster"
	"tengen/configs"
	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/player"
	"tengen/replay/record"
	"tengen/selfplay"
)

// oneGame is a source of one game, for the remote workers that open it.
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

// remote calls its function while the games of a queue are played.
type remote struct{ play func(t *selfplay.WorkQueue) }

func (remote) Durable([]*record.Game)                   {}
func (remote) Games() int                               { return 1 }
func (remote) Early(uint64, *selfplay.Job) *record.Game { return nil }
func (r remote) Play(_ context.Context, t *selfplay.WorkQueue) error {
	r.play(t)
	return context.Canceled
}

// TestStartOfAnEarlierProcess: a game that begins otherwise than its number draws is refused. If an
// earlier process has given it out, its worker is honest: the run was resumed with another
// configuration, or by the clock, or the number was given out again. It is not wanted then.
func TestStartOfAnEarlierProcess(t *testing.T) {
	const number = 5
	s := &selfplay.Settings{
		Game: game.Must(game.New("tictactoe")), Seed: 7,
		UCT: player.UCT{Simulations: 4, C: 0.8, Utility: player.Points},
	}
	// UCT has all seats
	source := &oneGame{
		asked: make(chan struct{}), job: &selfplay.Job{
			Iteration: 3, Epsilon: 1, Games: []uint64{number},
		},
	}
	s.Remote = remote{func(queue *selfplay.WorkQueue) {
		<-source.asked
		source.open.Store(true)
		if len(queue.Take(queue.Next(), 1)) == 0 {
			t.Error("no game is given out")
		}
		game := func(kind record.SeatKind, step uint64) *record.Game {
			seat := record.SeatRecord{Kind: kind, Step: step}
			g := &record.Game{
				Number: number, Name: s.Game.Name(), Seed: s.Seed, Iteration: 3,
				Seats:  []record.SeatRecord{seat, seat},
				Scores: []float32{1, 0}, Returns: []float32{1, 0},
			}
			for i, a := range []game.Action{0, 3, 1, 4, 2} {
				g.Moves = append(g.Moves, record.Move{
					Mover: game.Player(i % 2), Action: a, Choice: true,
				})
			}
			return g
		}
		right, other := game(record.UCT, 0), game(record.Network, 2)
		for _, c := range []struct {
			cycle   configs.Cycle
			session string
			g       *record.Game
			refused bool
			wanted  bool
		}{
			{configs.CycleSynchronous, "now", right, false, true},
			{configs.CycleSynchronous, "now", other, true, true},
			{configs.CycleSynchronous, "earlier", right, false, true},
			{configs.CycleSynchronous, "earlier", other, false, false},
			{configs.CycleAsynchronous, "now", right, false, true},
			{configs.CycleAsynchronous, "now", other, true, true},
			{configs.CycleAsynchronous, "earlier", right, false, false},
			{configs.CycleAsynchronous, "earlier", other, false, false},
		} {
			config := configs.Default()
			config.Training.Cycle = c.cycle
			h := &Hub{
				o:        Options{Config: &config, Play: s},
				endOrder: c.cycle == configs.CycleAsynchronous, session: "now", queue: queue,
				given: number + 1, checker: record.NewChecker(s.Game),
			}
			b := &cluster.Batch{
				Block: cluster.Block{
					Session: c.session, Iteration: 3, Step: 2, Epsilon: 0.5,
					Numbers: []uint64{number},
				},
			}
			if err := h.checkGame(&b.Block, c.g); (err != nil) != c.refused {
				t.Errorf("%s, %s, %v: %v", c.cycle, c.session, c.g.Seats, err)
			}
			if got := h.wants(b, c.g); got != c.wanted {
				t.Errorf("%s, %s, %v: wanted %v", c.cycle, c.session, c.g.Seats, got)
			}
		}
	}}
	err := selfplay.NewPool(s, source, 1, 1, new(selfplay.Counters)).Play(t.Context(), source.job,
		func(*record.Game) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
