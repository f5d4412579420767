package hub

import (
	"errors"
	"fmt"
	"slices"

	"tengen/cluster"
	"tengen/replay/record"
)

// Why a batch or a worker is refused: the labels of the metric.
const (
	refusedWorker   = "worker"  // it was not welcome, and sends games
	refusedMessage  = "message" // it breaks the protocol
	refusedNotGiven = "not given"
	refusedRecord   = "record" // it breaks the rules, or is of another run
	refusedPlay     = "play"   // a game of a match that was played again here has other moves
	refusedFlood    = "flood"  // too many messages
)

// refusal is the error about a batch that does not count.
type refusal struct {
	kind string
	err  error
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// check decodes a batch and checks everything that can be checked: that the block was given out,
// and that the games are of that block and keep the rules.
func (h *Hub) check(worker string, data []byte) (*cluster.Batch, []*record.Game, error) {
	if reason := h.unwelcome(worker); reason != "" {
		return nil, nil, &refusal{refusedWorker, errors.New(reason)}
	}
	batch, games, err := cluster.DecodeBatch(data)
	switch {
	case err != nil:
		return batch, nil, &refusal{refusedMessage, err}
	case batch.Worker != worker:
		return batch, nil,
			&refusal{
				refusedMessage, fmt.Errorf("a batch of worker %s came on the subject of %s",
					batch.Worker, worker),
			}
	case h.o.Past[batch.Block.Run]:
		return batch, nil, nil
	case batch.Block.Run != h.name || !h.secret.Given(&batch.Block):
		return batch, nil,
			&refusal{refusedNotGiven, errors.New("its block of work was not given out by this run")}
	}
	for _, g := range games {
		if err := h.checkGame(&batch.Block, g); err != nil {
			return batch, nil, &refusal{refusedRecord, err}
		}
	}
	return batch, games, nil
}

// unwelcome returns why nothing of a worker counts, "" if it does.
func (h *Hub) unwelcome(worker string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	reason := h.bannedFor(worker)
	if w := h.workers[worker]; w != nil && reason == "" {
		reason = w.reason
	}
	return reason
}

// checkGame checks a game against its block and the rules. What depends on this process is checked
// if it has given out the block; of others only games that would be the same now are wanted
// (wants).
func (h *Hub) checkGame(b *cluster.Block, g *record.Game) error {
	if _, ok := slices.BinarySearch(b.Numbers, g.Number); !ok {
		return fmt.Errorf("game %d is not of its block", g.Number)
	}
	now := b.Session == h.session
	switch {
	case g.Seed != h.o.Play.Seed:
		return fmt.Errorf("game %d has the seed %d, the run has %d",
			g.Number, g.Seed, h.o.Play.Seed)
	case g.Iteration != b.Iteration:
		return fmt.Errorf("game %d is of iteration %d, its block of %d",
			g.Number, g.Iteration, b.Iteration)
	case g.EndOrder:
		return fmt.Errorf("game %d says that it was played in another way than its block", g.Number)
	}
	for i, s := range g.Seats {
		if !seated(b, s) {
			return fmt.Errorf("game %d, seat %d: %v does not play in its block", g.Number, i, s)
		}
	}
	if now {
		h.using.RLock()
		err := h.begins(g)
		h.using.RUnlock()
		if err != nil {
			return err
		}
	}
	return h.checker.Check(g)
}

// begins returns an error if a game that workers have begins otherwise than its number draws: its
// players, its opening, and the utility below which players resign. One that nobody has is not
// wanted, or it is checked when this process gives it out (Early). The caller holds h.using.
func (h *Hub) begins(g *record.Game) error {
	if h.table == nil {
		return nil
	}
	job := h.table.Job(g.Number)
	if job == nil {
		return nil
	}
	return job.Check(h.o.Play, g)
}

// seated reports whether a player may have a seat in the games of a block.
func seated(b *cluster.Block, s record.SeatRecord) bool {
	switch s.Kind {
	case record.Network:
		return s.Step == b.Step
	case record.UCT:
		return b.Epsilon > 0
	}
	return false
}
