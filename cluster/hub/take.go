package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster"
	"tengen/replay/record"
)

// Limits of what is received at a time.
const (
	fetchMessages = 512
	fetchBytes    = 32 << 20
	commitGames   = 2000 // that are made durable together
)

// receive takes batches of games until ctx ends. If an external broker loses its streams it makes
// them again.
func (h *Hub) receive(ctx context.Context, consumer jetstream.Consumer) {
	for ctx.Err() == nil {
		err := h.consume(ctx, consumer)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !errors.Is(err, errLost) {
			h.fail(err)
			return
		}
		h.o.Log.Warn(
			"the broker has lost its streams; they are made again, and nothing is lost but time")
		for {
			if _, _, consumer, err = h.makeStreams(ctx); err == nil || ctx.Err() != nil {
				break
			}
			h.o.Log.Debug("the broker's streams are not made", "reason", err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		h.lost.Store(true)
	}
}

// errLost says that the broker has no stream of games any more.
var errLost = errors.New("the broker has lost its streams")

// lostStreams reports whether the broker answers, and has lost what receive needs.
func (h *Hub) lostStreams(ctx context.Context) bool {
	limited, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := h.js.Consumer(limited, h.o.Names.Games(), cluster.GamesConsumer)
	return errors.Is(err, jetstream.ErrStreamNotFound) ||
		errors.Is(err, jetstream.ErrConsumerNotFound)
}

// consume takes batches of games until ctx ends, which is no error.
func (h *Hub) consume(ctx context.Context, consumer jetstream.Consumer) error {
	in := make(chan jetstream.Msg)
	doubtful := make(chan struct{}, 1)
	connected := h.o.Conn.StatusChanged(nats.CONNECTED)
	defer h.o.Conn.RemoveStatusListener(connected)
	pull, err := consumer.Consume(func(m jetstream.Msg) {
		select {
		case in <- m:
		case <-ctx.Done():
		}
	}, jetstream.PullMaxMessagesWithBytesLimit(fetchMessages,
		fetchBytes), jetstream.ConsumeErrHandler(func(jetstream.ConsumeContext, error) {
		select {
		case doubtful <- struct{}{}:
		default:
		}
	}))
	if err != nil {
		return fmt.Errorf("cluster: receive games: %w", err)
	}
	defer func() {
		pull.Stop()
		<-pull.Closed()
	}()
	for {
		var list []jetstream.Msg
		select {
		case <-ctx.Done():
			return nil
		case <-pull.Closed():
			return errLost
		case <-connected:
			if h.lostStreams(ctx) {
				return errLost
			}
			continue
		case <-doubtful:
			if h.lostStreams(ctx) {
				return errLost
			}
			continue
		case m := <-in:
			list = append(list, m)
		}
		for more := true; more && len(list) < fetchMessages; {
			select {
			case m := <-in:
				list = append(list, m)
			case <-time.After(time.Millisecond):
				more = false
			}
		}
		if err := h.enter(ctx, list); err != nil {
			return err
		}
	}
}

// fail ends the play of the run.
func (h *Hub) fail(err error) {
	select {
	case h.failed <- err:
	default:
	}
}

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
	wanted := h.table != nil && h.table.Wanted(g.Number) && (now || h.begins(g) == nil)
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
	table, durable := h.table, !h.endOrder
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
		if table != nil && table.Finish(g) {
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

// hello answers a Hello.
func (h *Hub) hello(m *nats.Msg) {
	id := strings.TrimPrefix(m.Subject, h.o.Names.HelloSubject(""))
	if !h.mayHello(id) {
		return
	}
	x := new(cluster.Hello)
	w := cluster.Welcome{Run: h.name, Session: h.session, Rules: h.rules}
	err := cluster.Decode(m.Data, x)
	if err == nil && x.Worker != id {
		err = fmt.Errorf("worker %s says hello on the subject of %s", x.Worker, id)
	}
	switch {
	case errors.Is(err, cluster.ErrVersion):
		w.Refused = err.Error()
	case err != nil:
		h.countRefused(refusedMessage)
		return
	default:
		w.Refused = h.meet(x)
		h.mu.Lock()
		w.Finished = h.complete
		h.mu.Unlock()
		if w.Refused == "" && x.Session != h.session {
			w.Config = h.text
		}
	}
	data, err := cluster.Encode(&w)
	if err == nil {
		err = m.Respond(data)
	}
	if err != nil {
		h.o.Log.Debug("a worker is not answered", "worker", id, "reason", err)
	}
}

// mayHello reports whether a worker may say hello now.
func (h *Hub) mayHello(id string) bool {
	h.mu.Lock()
	now := h.o.Now()
	ok := h.conductOf(id).hellos.take(helloLimitKey, now)
	if w := h.workers[id]; w != nil {
		ok = w.hellos.take(helloLimit, now) && ok
	}
	h.mu.Unlock()
	if !ok {
		h.flooded(id, "it says hello too often")
	}
	return ok
}

// meet notes what a worker says and returns why its games do not count, "" if they do.
func (h *Hub) meet(x *cluster.Hello) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Now()
	w := h.workers[x.Worker]
	if w == nil {
		for id, old := range h.workers {
			if now.Sub(old.seen) > time.Hour && old.refused == 0 {
				delete(h.workers, id)
			}
		}
		if len(h.workers) >= maxWorkers {
			return fmt.Sprintf("there are %d workers already", maxWorkers)
		}
		w = &worker{}
		h.workers[x.Worker] = w
	}
	first := !w.alive(now)
	if reason := h.bannedFor(x.Worker); reason != "" {
		w.reason = reason
	} else {
		if reason := h.skew(x); reason != w.reason || w.seen.IsZero() {
			if w.reason = reason; reason != "" {
				h.o.Log.Warn("a worker is refused", "worker", x.Worker, "host",
					x.Host, "reason", reason)
				h.o.Metrics.ClusterRefused(refusedWorker).Inc()
				h.totals.Refused[refusedWorker]++
			}
		}
	}
	w.Hello, w.seen = *x, now
	switch {
	case first && w.alive(now):
		h.o.Log.Info("a worker has joined", "worker", x.Worker, "host", x.Host, "kernels",
			x.Kernels, "games_at_a_time", x.Games)
	case x.Leaving:
		h.o.Log.Info("a worker has left", "worker", x.Worker, "host", x.Host)
		delete(h.workers, x.Worker)
	}
	return w.reason
}

// skew says in what a worker differs, so that its games might not be the run's; "" if in nothing.
func (h *Hub) skew(x *cluster.Hello) string {
	b := h.o.Build
	for _, c := range []struct{ what, worker, trainer string }{
		{"build", x.Build.Build, b.Build},
		{"record format", fmt.Sprint(x.Records), fmt.Sprint(b.Records)},
		{"kernel path", x.Kernels, b.Kernels},
	} {
		if c.worker != c.trainer && (c.worker != "" || x.Session != "") {
			return fmt.Sprintf(
				"its %s is %s, the trainer's is %s: games would not be the same to the bit",
				c.what, c.worker, c.trainer)
		}
	}
	if x.Rules != h.rules && (x.Rules != "" || x.Session != "") {
		return fmt.Sprintf(
			"its rules of %s differ from the trainer's (their digest is %s, the trainer's %s)",
			h.o.Play.Game.Name(), x.Rules, h.rules)
	}
	return ""
}
