package hub

import (
	"sort"
	"time"
)

// Worker is what is known of a worker.
type Worker struct {
	ID      string    `json:"id"`
	Host    string    `json:"host"`
	Build   string    `json:"build"`
	Kernels string    `json:"kernels"`
	Games   int       `json:"games_at_a_time"`
	Counted uint64    `json:"games"`   // that counted, since the trainer's start
	Rate    float64   `json:"rate"`    // evaluations a second
	Refused uint64    `json:"refused"` // batches
	Reason  string    `json:"reason,omitempty"`
	Seen    time.Time `json:"seen"`
	Alive   bool      `json:"alive"`
}

// Workers returns the workers, by id.
func (h *Hub) Workers() []Worker {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Now()
	list := make([]Worker, 0, len(h.workers))
	for id, w := range h.workers {
		list = append(list, Worker{
			ID: id, Host: w.Host, Build: w.Build.Build, Kernels: w.Kernels, Games: w.Hello.Games, Counted: w.games, Rate: w.Rate,
			Refused: w.refused, Reason: w.reason, Seen: w.seen, Alive: w.alive(now),
		})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

// observe brings the gauges up to date.
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
}
