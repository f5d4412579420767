package hub

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sort"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster"
	"tengen/run"
)

// worker is a worker that has said Hello.
type worker struct {
	cluster.Hello
	seen    time.Time
	reason  string // why its games do not count; "" if they do
	games   uint64 // that counted
	late    uint64 // that others had finished before
	refused uint64
	hellos  bucket
	vain    bucket
}

func (w *worker) alive(now time.Time) bool {
	return w.reason == "" && w.Session != "" && !w.Leaving && now.Sub(w.seen) < goneAfter
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

// queuesEvery is the time between two looks at what the broker holds.
const queuesEvery = 2 * time.Second

// Workers returns the workers, by id.
func (h *Hub) Workers() []run.Worker {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Now()
	list := make([]run.Worker, 0, len(h.workers))
	for id, w := range h.workers {
		list = append(list, run.Worker{
			ID: id, Host: w.Host, Build: w.Build.Build, Kernels: w.Kernels, Games: w.Hello.Games,
			Counted: w.games, Late: w.late, Rate: w.Rate,
			Refused: w.refused, Reason: w.reason, Seen: w.seen, Alive: w.alive(now),
		})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

// Status returns what is known now.
func (h *Hub) Status() run.Cluster {
	workers := h.Workers()
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.totals
	c.Workers, c.Queues, c.Early, c.Refused = workers, append([]run.Queue{}, h.totals.Queues...),
		len(h.early), maps.Clone(h.totals.Refused)
	for _, b := range h.blocks {
		c.Given += b.left
	}
	return c
}

// countRefused counts a refusal.
func (h *Hub) countRefused(reason string) {
	h.o.Metrics.ClusterRefused(reason).Inc()
	h.mu.Lock()
	h.totals.Refused[reason]++
	h.mu.Unlock()
}

// watch brings the gauges up to date until ctx ends.
func (h *Hub) watch(ctx context.Context) {
	ticker := time.NewTicker(queuesEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		h.observeQueues(ctx)
		h.observe()
	}
}

// observeQueues asks the broker what waits there. While it is away, the last figures stay.
func (h *Hub) observeQueues(ctx context.Context) {
	if !h.link.Connected() {
		return
	}
	limited, cancel := context.WithTimeout(ctx, putTime)
	defer cancel()
	var queues []run.Queue
	for _, q := range []struct {
		name, stream string
	}{{"work", h.o.Names.Work()}, {"matches", h.o.Names.Matches()}, {"games", h.o.Names.Games()}} {
		s, err := h.js.Stream(limited, q.stream)
		if err != nil {
			return
		}
		var info *jetstream.StreamInfo
		if info, err = s.Info(limited); err != nil {
			return
		}
		queues = append(queues, run.Queue{
			Name: q.name, Messages: info.State.Msgs, Bytes: info.State.Bytes,
		})
		h.o.Metrics.ClusterQueue(q.name, info.State.Msgs, info.State.Bytes)
	}
	h.mu.Lock()
	h.totals.Queues = queues
	h.mu.Unlock()
}

// observe brings the gauges of workers and games up to date.
func (h *Hub) observe() {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Now()
	alive, refused, rate, out := 0, 0, 0.0, 0
	for _, w := range h.workers {
		switch {
		case w.alive(now):
			alive++
			rate += w.Rate
		case w.reason != "" && now.Sub(w.seen) < goneAfter:
			refused++
		}
	}
	for _, b := range h.blocks {
		out += b.left
	}
	m := h.o.Metrics
	m.ClusterWorkers("playing").Set(float64(alive))
	m.ClusterWorkers("refused").Set(float64(refused))
	m.ClusterRate.Set(rate)
	m.ClusterGiven.Set(float64(out))
	m.ClusterEarly.Set(float64(len(h.early)))
	m.ClusterStalled.Set(stalledValue(h.takesNothing()))
}

// observeStall brings the gauge of a stall up to date.
func (h *Hub) observeStall() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.o.Metrics.ClusterStalled.Set(stalledValue(h.takesNothing()))
}

func stalledValue(stalled bool) float64 {
	if stalled {
		return 1
	}
	return 0
}
