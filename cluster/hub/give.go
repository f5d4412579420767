package hub

import (
	"context"
	"fmt"
	"time"

	"tengen/cluster"
	"tengen/selfplay"
)

// The goroutine of Play, in which an iteration's games begin and end, never waits for the broker,
// nor does any other that the trainer waits for. What asks the broker for something is done by the
// goroutine of deal, which may hang. What it has taken from the queue, and what workers have, the
// trainer's own workers play as soon as the broker does not answer.

// Play implements selfplay.RemoteWorkers.
func (h *Hub) Play(ctx context.Context, t *selfplay.WorkQueue) error {
	h.using.Lock()
	h.queue = t
	h.using.Unlock()
	defer h.withdraw()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		h.wake()
		select {
		case <-ctx.Done():
			return nil
		case err := <-h.failed:
			return err
		case <-t.Changed():
		case <-ticker.C:
			h.overdue(t)
		}
	}
}

// wake has the goroutine of deal look at what there is to do.
func (h *Hub) wake() {
	select {
	case h.room <- struct{}{}:
	default:
	}
}

// withdraw ends what is given out: the queue needs no more games.
func (h *Hub) withdraw() {
	h.using.Lock()
	h.queue = nil
	h.using.Unlock()
	h.mu.Lock()
	var over []string
	for token, b := range h.blocks {
		over = append(over, token)
		for _, seq := range b.seq {
			h.chores.purge = max(h.chores.purge, seq)
		}
		h.forget(b)
	}
	h.mu.Unlock()
	h.over(over)
	h.wake()
}

// over tells all workers that blocks are over.
func (h *Hub) over(tokens []string) {
	for len(tokens) > 0 {
		n := min(len(tokens), 256)
		h.tell("", cluster.Done{Session: h.session, Tokens: tokens[:n]})
		tokens = tokens[n:]
	}
}

// deal gives out games, and asks the broker for all else that is to be asked, until ctx ends.
func (h *Hub) deal(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.room:
		case <-ticker.C:
		}
		if !h.link.Connected() || !h.mend(ctx) {
			continue // the trainer's own workers play
		}
		h.clear(ctx)
		if h.giveAgain(ctx) {
			h.fill(ctx)
		}
	}
}

// next returns the job of the next game of the queue, nil if there is none.
func (h *Hub) next() *selfplay.Job {
	h.using.RLock()
	defer h.using.RUnlock()
	if h.queue == nil {
		return nil
	}
	return h.queue.Next()
}

// take takes games of a job from the queue, as a block that withdraw knows. It returns nil if there
// are none.
func (h *Hub) take(job *selfplay.Job, head cluster.Block, n int) *block {
	h.using.RLock()
	defer h.using.RUnlock()
	if h.queue == nil {
		return nil
	}
	b := &block{Block: head, began: h.o.Now()}
	if b.Numbers = h.queue.Take(job, n); len(b.Numbers) == 0 {
		return nil
	}
	b.left = len(b.Numbers)
	b.Token = h.secret.Token(&b.Block)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.blocks[b.Token] = b
	for _, number := range b.Numbers {
		h.byNumber[number] = b
	}
	return b
}

// load returns the games that workers play at a time, those that are given out, and the size of the
// next block.
func (h *Hub) load() (capacity, out, size int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now, alive := h.o.Now(), 0
	for _, w := range h.workers {
		if w.alive(now) {
			capacity += w.Hello.Games
			alive++
		}
	}
	for _, b := range h.blocks {
		out += b.left
	}
	if alive > 0 {
		// Blocks are a part of what a worker plays at a time, so that an iteration's last games are
		// spread over many.
		size = min(max(1, capacity/alive/4), 32)
	}
	return capacity, out, size
}

// fill gives out games until workers have half as many again as they play at a time. A network is
// put where workers find it before games of it are taken: meanwhile the trainer's own workers play
// them.
func (h *Hub) fill(ctx context.Context) {
	swept := false
	capacity, out, size := h.load()
	for capacity > 0 && out < capacity+capacity/2+1 && ctx.Err() == nil {
		job := h.next()
		if job == nil {
			return
		}
		head, err := h.describe(ctx, job)
		if err != nil {
			h.stall(ctx, err)
			return
		}
		b := h.take(job, head, size)
		if b == nil {
			continue // others have taken them
		}
		if !swept && !h.endOrder {
			h.sweep(b.Numbers[0])
		}
		swept = true
		if err := h.give(ctx, b); err != nil {
			h.stallOf(ctx, true, err)
			return
		}
		h.answered()
		out += len(b.Numbers)
	}
}

// give publishes a block. If that takes long, overdue lets the trainer's own workers play its
// games.
func (h *Hub) give(ctx context.Context, b *block) error {
	err := h.publish(ctx, b)
	if err != nil {
		h.mu.Lock()
		h.forget(b)
		h.mu.Unlock()
		h.openGames(b.Numbers)
	}
	return err
}

// openGames lets the trainer's own workers play games too.
func (h *Hub) openGames(numbers []uint64) {
	h.using.RLock()
	defer h.using.RUnlock()
	if h.queue != nil {
		h.queue.Open(numbers)
	}
}

// publish puts a block into WORK.
func (h *Hub) publish(ctx context.Context, b *block) error {
	data, err := cluster.Encode(&b.Block)
	if err != nil {
		return err
	}
	seq, err := h.put(ctx, h.o.Names.Work(), h.o.Names.WorkSubject(), data)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.blocks[b.Token] != b {
		h.chores.drop(&h.chores.work, seq) // it is over already
		return nil
	}
	b.sent = true
	b.seq = append(b.seq, seq)
	return nil
}

// putTime is the longest that the broker may take to answer that it has a message.
const putTime = 5 * time.Second

// put puts a message into a stream, and returns its number there.
func (h *Hub) put(
	ctx context.Context, stream, subject string, data []byte,
) (seq uint64, err error) {
	limited, cancel := context.WithTimeout(ctx, putTime)
	defer cancel()
	limited, release := h.link.During(limited)
	defer release()
	ack, err := h.js.Publish(limited, subject, data)
	if err != nil {
		return 0, &fault{fmt.Errorf("publish to %s: %w", stream, err)}
	}
	return ack.Sequence, nil
}

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
