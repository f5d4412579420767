package hub

import (
	"context"
	"maps"
	"sort"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/run"
)

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
