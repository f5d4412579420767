package hub

import (
	"context"
	"time"

	"tengen/selfplay"
)

// forget removes a block. The caller holds h.mu.
func (h *Hub) forget(b *block) {
	delete(h.blocks, b.Token)
	for _, n := range b.Numbers {
		if h.byNumber[n] == b {
			delete(h.byNumber, n)
		}
	}
}

// The trainer's own workers, and others a second time, get games of a block that takes much longer
// than blocks take. They get those of one that the broker has not taken after patience.
const (
	leastLate = 3 * time.Second
	lateAfter = 3 // times the mean
	patience  = 500 * time.Millisecond
)

// overdue looks after blocks that take long: as long as games are left they only wait for AckWait,
// after which the broker gives them to another worker.
func (h *Hub) overdue(t *selfplay.WorkQueue) {
	h.mu.Lock()
	now := h.o.Now()
	alive := 0
	for _, w := range h.workers {
		if w.alive(now) {
			alive++
		}
	}
	if h.takesNothing() {
		alive = 0 // what workers finish now may come, or not
	}
	late := 10 * time.Second
	if h.tookMean > 0 {
		late = max(leastLate, time.Duration(lateAfter*h.tookMean*float64(time.Second)))
	}
	var open, opened []*block
	for _, b := range h.blocks {
		took := now.Sub(b.began)
		switch {
		case b.opened:
			opened = append(opened, b)
		case alive == 0 || took > late || !b.sent && took > patience:
			b.opened = true
			open, opened = append(open, b), append(opened, b)
			if alive > 0 && b.sent {
				h.again = append(h.again, b)
			}
		}
	}
	h.mu.Unlock()
	for _, b := range open {
		t.Open(b.Numbers)
	}
	// The trainer's own workers may have finished some.
	var over []*block
	for _, b := range opened {
		left := 0
		for _, n := range b.Numbers {
			if t.Wanted(n) {
				left++
			}
		}
		h.mu.Lock()
		if h.blocks[b.Token] == b {
			if b.left = left; left == 0 {
				over = append(over, b)
				h.forget(b)
			}
		}
		h.mu.Unlock()
	}
	h.end(over)
}

// giveAgain gives out blocks a second time that take long. It reports whether the broker takes
// them.
func (h *Hub) giveAgain(ctx context.Context) bool {
	h.mu.Lock()
	list := h.again
	h.again = nil
	h.mu.Unlock()
	for _, b := range list {
		h.mu.Lock()
		wanted := h.blocks[b.Token] == b
		h.mu.Unlock()
		if !wanted {
			continue
		}
		// Perhaps workers can't send their games.
		err := h.probeGames(ctx)
		if err == nil {
			err = h.publish(ctx, b)
		}
		if err != nil {
			h.stallOf(ctx, true, err)
			return false
		}
		h.o.Metrics.ClusterAgain.Inc()
		h.mu.Lock()
		h.totals.Again++
		h.mu.Unlock()
	}
	return true
}

// end withdraws blocks that are over, and that several may play.
func (h *Hub) end(over []*block) {
	var tokens []string
	h.mu.Lock()
	for _, b := range over {
		tokens = append(tokens, b.Token)
		for _, seq := range b.seq {
			h.chores.drop(&h.chores.work, seq)
		}
	}
	h.mu.Unlock()
	h.over(tokens)
}
