package hub

import (
	"fmt"
	"time"

	"tengen/cluster"
)

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
