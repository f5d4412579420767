package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster"
	"tengen/replay/record"
	"tengen/selfplay"
)

// arrival is a batch that can count.
type arrival struct {
	m     jetstream.Msg
	batch *cluster.Batch
	games []*record.Game
}

// enter checks batches, makes their games durable, and hands them in.
func (h *Hub) enter(ctx context.Context, list []jetstream.Msg) error {
	var arrivals []arrival
	var fresh []*record.Game
	seen := map[uint64]bool{}
	for _, m := range list {
		worker := strings.TrimPrefix(m.Subject(), h.o.Names.GamesSubject(""))
		if meta, err := m.Metadata(); err == nil && meta.NumDelivered > 1 {
			h.o.Metrics.ClusterRedelivered.Inc()
			h.mu.Lock()
			h.totals.Redelivered++
			h.mu.Unlock()
		}
		if worker == probe {
			h.acknowledge(m)
			continue
		}
		if cluster.KindOf(m.Data()) == cluster.KindResults {
			h.enterResults(worker, m)
			continue
		}
		batch, games, err := h.check(worker, m.Data())
		if err != nil {
			h.refuse(worker, batch, err)
			if err := m.Term(); err != nil {
				h.o.Log.Debug("a refused batch is not removed; it comes again", "reason", err)
			}
			continue
		}
		a := arrival{m: m, batch: batch}
		for _, g := range games {
			if !seen[g.Number] && h.wants(batch, g) {
				seen[g.Number] = true
				a.games = append(a.games, g)
			}
		}
		if len(a.games) == 0 && !h.mayBeVain(worker) {
			h.refuse(worker, batch,
				&refusal{refusedFlood, errors.New("it sends the same games again and again")})
			if err := m.Term(); err != nil {
				h.o.Log.Debug("a refused batch is not removed; it comes again", "reason", err)
			}
			continue
		}
		h.countLate(worker, len(games)-len(a.games))
		arrivals = append(arrivals, a)
		fresh = append(fresh, a.games...)
	}
	if !h.endOrder {
		if err := h.record(ctx, fresh); err != nil {
			return err
		}
	}
	for i := range arrivals {
		h.handIn(&arrivals[i])
	}
	h.wake()
	return nil
}

// countLate counts games that others had finished before.
func (h *Hub) countLate(worker string, n int) {
	if n == 0 {
		return
	}
	h.o.Metrics.ClusterLate.Add(float64(n))
	h.mu.Lock()
	defer h.mu.Unlock()
	h.totals.Late += uint64(n)
	if w := h.workers[worker]; w != nil {
		w.late += uint64(n)
	}
}

// mayBeVain reports whether a worker may send one more batch of which no game counts.
func (h *Hub) mayBeVain(worker string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.workers[worker]
	if w == nil { // gone, or it has not said hello to this process yet
		return h.conductOf(worker).vain.take(vainLimit, h.o.Now())
	}
	return w.vain.take(vainLimit, h.o.Now())
}

// wants reports whether a game is missing: it has been given out and is not finished, or an earlier
// process has given it out and this one will. A game of an earlier process begins as was drawn
// then, which may be otherwise than now: a resumed run may have another configuration, and its
// schedules may follow the clock. Then it is not wanted, and is no lie.
func (h *Hub) wants(batch *cluster.Batch, g *record.Game) bool {
	now := batch.Block.Session == h.session
	h.using.RLock()
	wanted := h.queue != nil && h.queue.Wanted(g.Number) && (now || h.begins(g) == nil)
	h.using.RUnlock()
	if h.endOrder {
		return wanted && now
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return wanted || g.Number >= h.given && h.early[g.Number] == nil && len(h.early) < maxEarly
}

// maxEarly bounds the games that are kept before they are given out.
const maxEarly = 100_000

// record makes games durable in the journal. While the disk is full it waits.
func (h *Hub) record(ctx context.Context, games []*record.Game) error {
	for len(games) > 0 {
		n := min(len(games), commitGames)
		h.disk.Lock()
		if h.journal.Run == 0 {
			h.journal.Run = h.owner().Run // a new run has got it by now
		}
		err := h.journal.Add(games[:n])
		h.disk.Unlock()
		switch {
		case err == nil:
			h.setFull(false)
			games = games[n:]
		case !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT):
			return fmt.Errorf("cluster: %w", err)
		default:
			h.setFull(true)
			h.o.Log.Warn("the disk is full: waiting for room to write the games of workers",
				"reason", err)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(5 * time.Second):
			}
		}
	}
	return nil
}

// handIn hands in the games of a batch. They are durable, unless games are numbered as they end.
func (h *Hub) handIn(a *arrival) {
	h.using.RLock()
	defer h.using.RUnlock()
	queue, durable := h.queue, !h.endOrder
	b := a.batch
	waits := 0
	if !durable {
		h.mu.Lock()
		p := &pending{
			worker: b.Worker, token: b.Block.Token, left: len(a.games),
			whole: len(a.games) == len(b.Block.Numbers),
		}
		for _, g := range a.games {
			h.acks[g.Number] = append(h.acks[g.Number], a.m)
		}
		// The same games may wait already, in a batch that came twice.
		for _, n := range b.Block.Numbers {
			if list := h.acks[n]; len(list) > 0 && !slices.Contains(list, a.m) {
				h.acks[n] = append(list, a.m)
				p.left++
			}
		}
		if waits = p.left; waits > 0 {
			h.waiting[a.m] = p
		}
		h.mu.Unlock()
	}
	accepted := 0
	var ended []*block
	defer func() { // after the worker is told
		if len(ended) > 0 {
			h.end(ended)
		}
	}()
	for _, g := range a.games {
		number := g.Number // Finish may lead to another
		if queue != nil && queue.Finish(g) {
			accepted++
			if e := h.finished(number); e != nil && e.opened {
				ended = append(ended, e)
			}
			continue
		}
		h.mu.Lock()
		if durable && number >= h.given {
			h.early[number] = g
			accepted++
		} else if durable {
			h.stale = append(h.stale, number)
		} else if p := h.waiting[a.m]; p != nil {
			p.left-- // somebody else was faster
			p.whole = false
			delete(h.acks, number)
			if waits = p.left; waits == 0 {
				delete(h.waiting, a.m)
			}
		}
		h.mu.Unlock()
	}
	h.mu.Lock()
	if w := h.workers[b.Worker]; w != nil {
		w.games += uint64(accepted)
	}
	h.totals.Counted += uint64(accepted)
	h.mu.Unlock()
	h.o.Metrics.ClusterGames.Add(float64(accepted))
	if !durable && waits > 0 {
		return // Durable acknowledges it
	}
	h.acknowledge(a.m)
	h.mu.Lock()
	open := h.blocks[b.Block.Token]
	over := open == nil
	h.mu.Unlock()
	if over {
		h.tell(b.Worker, cluster.Done{
			Session: h.session, Tokens: []string{b.Block.Token},
			Counted: durable && accepted == len(b.Block.Numbers),
		})
	}
}

// finished notes that a game has been handed in, and returns its block if it was the last one.
func (h *Hub) finished(number uint64) (over *block) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.byNumber[number]
	if b == nil {
		return nil
	}
	delete(h.byNumber, number)
	if b.left--; b.left > 0 {
		return nil
	}
	h.forget(b)
	took := h.o.Now().Sub(b.began).Seconds()
	if h.tookMean == 0 {
		h.tookMean = took
	}
	h.tookMean += 0.05 * (took - h.tookMean)
	return b
}

// refuse counts a batch that does not count, tells it, and tells the worker.
func (h *Hub) refuse(worker string, batch *cluster.Batch, err error) {
	kind := refusedMessage
	var r *refusal
	if errors.As(err, &r) {
		kind = r.kind
	}
	h.countRefused(kind)
	h.mu.Lock()
	n, banned := uint64(0), false
	// What NATS delivers on a subject is of who may publish there.
	if kind != refusedWorker && cluster.ValidWorker(worker) {
		c := h.conductOf(worker)
		c.refused++
		switch n = c.refused; {
		case c.banned != "":
		case kind == refusedPlay: // one is proof
			c.banned, banned = err.Error(), true
		case n >= maxLies:
			c.banned, banned = fmt.Sprintf("%d of its batches were refused, the last one since %v",
				n, err), true
		}
		if banned {
			h.applyBan(worker, c.banned)
		}
		if w := h.workers[worker]; w != nil {
			w.refused++
		}
	}
	h.mu.Unlock()
	if n <= maxLies && kind != refusedWorker {
		h.o.Log.Warn("games of a worker are refused", "worker", worker, "reason", err)
	}
	if banned {
		h.ban(worker)
	}
	if batch != nil && cluster.ValidWorker(worker) && cluster.ValidToken(batch.Block.Token) {
		reason := err.Error()
		h.tell(worker, cluster.Done{
			Session: h.session, Tokens: []string{batch.Block.Token},
			Refused: reason[:min(len(reason), 500)],
		})
	}
}

// Early implements selfplay.RemoteWorkers.
func (h *Hub) Early(number uint64, job *selfplay.Job) *record.Game {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.given = max(h.given, number+1)
	g := h.early[number]
	delete(h.early, number)
	if g == nil {
		return nil
	}
	if h.endOrder || g.Iteration != job.Iteration || job.Check(h.o.Play, g) != nil {
		h.stale = append(h.stale, number)
		return nil
	}
	return g
}

// sweep removes games from the journal that will not be wanted: those of a number below first, and
// those that did not fit.
func (h *Hub) sweep(first uint64) {
	h.mu.Lock()
	list := h.stale
	h.stale = nil
	for n := range h.early {
		if n < first {
			list = append(list, n)
			delete(h.early, n)
		}
	}
	h.mu.Unlock()
	h.disk.Lock()
	defer h.disk.Unlock()
	for _, n := range list {
		h.remove(n)
	}
}

// remove removes a game from the journal. The caller holds h.disk.
func (h *Hub) remove(number uint64) {
	if err := h.journal.Remove(number); err != nil {
		h.o.Log.Warn("a file of the cluster's journal can't be removed", "reason", err)
	}
}

// Durable implements selfplay.RemoteWorkers.
func (h *Hub) Durable(games []*record.Game) {
	h.mu.Lock()
	var done []jetstream.Msg
	var over []pending
	for _, g := range games {
		if !g.EndOrder {
			continue
		}
		for _, m := range h.acks[g.Stream] {
			if p := h.waiting[m]; p != nil {
				if p.left--; p.left == 0 {
					done, over = append(done, m), append(over, *p)
					delete(h.waiting, m)
				}
			}
		}
		delete(h.acks, g.Stream)
	}
	h.mu.Unlock()
	h.disk.Lock()
	for _, g := range games {
		if g.EndOrder {
			continue
		}
		h.remove(g.Number)
	}
	h.disk.Unlock()
	for i, m := range done {
		h.acknowledge(m)
		h.tell(over[i].worker, cluster.Done{
			Session: h.session, Tokens: []string{over[i].token}, Counted: over[i].whole,
		})
	}
}

func (h *Hub) acknowledge(m jetstream.Msg) { h.later(notice{ack: m}) }

// tell sends a notice to a worker, or to all if worker is "". A notice that is lost costs time at
// most.
func (h *Hub) tell(worker string, d cluster.Done) {
	subject := h.o.Names.OverSubject()
	if worker != "" {
		subject = h.o.Names.DoneSubject(worker)
	}
	data, err := cluster.Encode(&d)
	if err != nil {
		h.o.Log.Debug("a worker is not told which blocks are over", "reason", err)
		return
	}
	h.later(notice{subject: subject, data: data})
}
