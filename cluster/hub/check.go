package hub

import (
	"errors"
	"fmt"
	"slices"
	"time"

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
	if h.queue == nil {
		return nil
	}
	job := h.queue.Job(g.Number)
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

// What a worker may send. A key stands for all workers that use it, so it may say hello for many.
const (
	// maxLies is the number of refused batches from which on nothing of a worker counts any more.
	maxLies = 5
	// maxFlood is the number of messages beyond the limits below from which on nothing of a worker
	// counts any more.
	maxFlood = 1000
	// maxWorkers bounds the workers that are remembered, and the accounts.
	maxWorkers = 10_000
)

// limit is a rate with a burst.
type limit struct{ rate, burst float64 }

var (
	// A worker says hello every HelloEvery, and each second while nobody answers.
	helloLimit    = limit{20, 100}
	helloLimitKey = limit{400, 4000}
	// Batches of which no game counts. Blocks that are given out twice give some; a worker that
	// finds a new trainer sends up to 256 blocks again, each of one batch or a few.
	vainLimit = limit{50, 4096}
)

// bucket is what is left of a limit.
type bucket struct {
	used float64 // of the burst
	at   time.Time
}

// take reports whether one more fits the limit, and counts it then.
func (b *bucket) take(l limit, now time.Time) bool {
	if !b.at.IsZero() {
		b.used = max(0, b.used-l.rate*max(0, now.Sub(b.at).Seconds()))
	}
	b.at = now
	if b.used+1 > l.burst {
		return false
	}
	b.used++
	return true
}

// conduct is what is remembered of an account: a key, or a worker without one.
type conduct struct {
	refused uint64 // batches
	floods  uint64 // messages beyond a limit
	banned  string // why nothing of it counts any more; "" if it does
	hellos  bucket
	vain    bucket // of workers that have not said hello
}

// conductOf returns the conduct of a worker's account. If too many are remembered it returns one
// that is not. The caller holds h.mu.
func (h *Hub) conductOf(worker string) *conduct {
	account := cluster.Account(worker)
	c := h.conduct[account]
	if c == nil {
		c = new(conduct)
		if len(h.conduct) < maxWorkers {
			h.conduct[account] = c
		}
	}
	return c
}

// bannedFor returns why nothing of a worker counts any more, "" if it does. The caller holds h.mu.
func (h *Hub) bannedFor(worker string) string {
	if c := h.conduct[cluster.Account(worker)]; c != nil {
		return c.banned
	}
	return ""
}

// flooded counts a message beyond a limit, and bans the worker that sends too many of them.
func (h *Hub) flooded(worker, what string) {
	h.countRefused(refusedFlood)
	h.mu.Lock()
	c := h.conductOf(worker)
	c.floods++
	first, banned := c.floods == 1, false
	if c.floods == maxFlood && c.banned == "" {
		c.banned, banned = fmt.Sprintf("it sent too many messages: %s", what), true
		h.applyBan(worker, c.banned)
	}
	h.mu.Unlock()
	if first {
		h.o.Log.Warn("a worker sends too many messages, some are passed over", "worker",
			worker, "what", what)
	}
	if banned {
		h.ban(worker)
	}
}

// applyBan marks the workers of an account as banned. The caller holds h.mu.
func (h *Hub) applyBan(worker, reason string) {
	account := cluster.Account(worker)
	for id, w := range h.workers {
		if cluster.Account(id) == account {
			w.reason = reason
		}
	}
}

// ban tells that nothing of a worker counts any more.
func (h *Hub) ban(worker string) {
	h.o.Log.Warn("nothing of this worker counts any more", "worker", worker)
	if h.o.Ban != nil {
		h.o.Ban(cluster.Account(worker))
	}
}
