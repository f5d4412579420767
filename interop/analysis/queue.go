package analysis

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// job is the analysis of one position of a query.
type job struct {
	*query
	position
	order   uint64      // of its arrival
	stopped atomic.Bool // it is to end with what it has found
}

// queue holds the jobs that have not ended. Its methods are safe for concurrent use.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	waiting waiting
	running map[*job]bool
	arrived uint64
	closed  bool // no more jobs come
}

// mostWaiting is the number of waiting jobs above which no more are read.
const mostWaiting = 1 << 16

func newQueue() *queue {
	q := &queue{running: map[*job]bool{}}
	q.changed.L = &q.mu
	return q
}

// Add adds the jobs of a query, once there is room. After Close it drops them.
func (q *queue) Add(x *query) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) >= mostWaiting && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return
	}
	for _, p := range x.turns {
		heap.Push(&q.waiting, &job{query: x, position: p, order: q.arrived})
		q.arrived++
	}
	q.changed.Broadcast()
}

// Next returns the waiting job that comes first, once there is one, and nil after Close when
// there are none. Done tells that it has ended.
func (q *queue) Next() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 {
		if q.closed {
			return nil
		}
		q.changed.Wait()
	}
	j := heap.Pop(&q.waiting).(*job)
	q.running[j] = true
	q.changed.Broadcast()
	return j
}

func (q *queue) Done(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.running, j)
}

// Stop ends the jobs that match: it removes and returns those that wait, in their order, and tells
// those that run.
func (q *queue) Stop(match func(*job) bool) (removed []*job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	kept := q.waiting[:0]
	for _, j := range q.waiting {
		if match(j) {
			removed = append(removed, j)
		} else {
			kept = append(kept, j)
		}
	}
	clear(q.waiting[len(kept):])
	q.waiting = kept
	heap.Init(&q.waiting)
	for j := range q.running {
		if match(j) {
			j.stopped.Store(true)
		}
	}
	q.changed.Broadcast()
	slices.SortFunc(removed, func(a, b *job) int { return cmp.Compare(a.order, b.order) })
	return removed
}

// Close tells that no more jobs come. If at once is set those that wait are dropped, and those
// that run are told to end.
func (q *queue) Close(atOnce bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if atOnce {
		q.waiting = nil
		for j := range q.running {
			j.stopped.Store(true)
		}
	}
	q.changed.Broadcast()
}

// waiting is a heap of jobs: first the highest priority, then the earliest.
type waiting []*job

func (w waiting) Len() int      { return len(w) }
func (w waiting) Swap(i, j int) { w[i], w[j] = w[j], w[i] }
func (w waiting) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(w[j].priority, w[i].priority),
		cmp.Compare(w[i].order, w[j].order)) < 0
}
func (w *waiting) Push(x any) { *w = append(*w, x.(*job)) }
func (w *waiting) Pop() any {
	n := len(*w) - 1
	j := (*w)[n]
	(*w)[n] = nil
	*w = (*w)[:n]
	return j
}

// worker analyses positions, one at a time.
type worker struct {
	config    *Config
	out       *writer
	name      string // of the game that evaluator and forecast are for
	evaluator search.Evaluator
	forecast  *Forecast
}

// work does jobs until there are no more or ctx ends.
func (w *worker) work(ctx context.Context, q *queue) {
	defer func() { search.Close(w.evaluator) }()
	for j := q.Next(); j != nil; j = q.Next() {
		if err := w.analyse(ctx, j); err != nil {
			w.out.Write(failure{Error: err.Error(), ID: &j.id})
		}
		q.Done(j)
	}
}

// prepare makes what evaluates positions of a game.
func (w *worker) prepare(g game.Game) {
	if w.name == g.Name() {
		return
	}
	search.Close(w.evaluator)
	w.name, w.evaluator = g.Name(), w.config.Player.NewEvaluator(g, 1)
	w.forecast = NewForecast(w.config.Player, g, w.config.Seed)
}

// analyse searches the position of a job, and writes what is found: at intervals, and at last. All
// that it draws follows from the seed alone, so that equal queries have equal answers.
func (w *worker) analyse(ctx context.Context, j *job) error {
	s, err := j.at(j.number)
	if err != nil {
		return err
	}
	w.prepare(j.game)
	g, from := j.game, s
	if len(j.limits) > 0 {
		l := &Limited{Game: g, Limits: j.limits}
		g = l
		from, _ = l.From(s)
	}
	agent := w.agent(g)
	r := &reporter{job: j, finder: Finder{
		Result: agent.(player.Searching).Result(), Outlook: w.forecast.Of(s, 0, j.number),
		Color: s.CurrentPlayer(),
	}}
	if j.policy {
		if r.priors, err = w.priors(j.game, s); err != nil {
			return err
		}
	}
	began := w.config.Now()
	next := began.Add(j.after)
	for done, more := 0, true; more && done < j.visits; {
		if ctx.Err() != nil {
			return nil // nobody waits for the answer
		}
		if j.stopped.Load() {
			break
		}
		n := min(step(done), j.visits-done)
		if more, err = agent.(player.Ponderer).Ponder(from, w.evaluator, n); err != nil {
			return err
		}
		done += n
		now := w.config.Now()
		if j.time > 0 && now.Sub(began) >= j.time {
			break
		}
		if j.every > 0 && more && done < j.visits && !now.Before(next) {
			w.out.Write(r.Answer(true))
			if next = next.Add(j.every); next.Before(now) {
				next = now.Add(j.every)
			}
		}
	}
	w.out.Write(r.Answer(false))
	return nil
}

// step is the number of simulations after which the search looks whether it has to end. It follows
// from what was done alone: a search that awaits several evaluations at once depends on it.
func step(done int) int { return min(max(16, done/16), 128) }

func (w *worker) agent(g game.Game) player.Agent {
	agent := w.config.Player.NewAgent(g)
	agent.Begin(random.New(w.config.Seed, random.Arena, 0, 0))
	return agent
}

// priors returns the network's policy in position s: for each action, -1 if it is illegal; nil
// for players without one. Limits do not hold.
func (w *worker) priors(g game.Game, s game.State) ([]float32, error) {
	agent := w.agent(g)
	if _, err := agent.(player.Ponderer).Ponder(s, w.evaluator, 1); err != nil {
		return nil, err
	}
	list, known := make([]float32, len(empty(g))+1), false
	for i := range list {
		list[i] = -1
	}
	for _, c := range agent.(player.Searching).Result().Children(nil) {
		list[c.Action] = c.Prior
		known = known || c.Prior > 0
	}
	if !known {
		return nil, nil
	}
	return list, nil
}

// reporter makes the answers of a job.
type reporter struct {
	job    *job
	finder Finder
	priors []float32
}

// Answer returns what is known so far.
func (r *reporter) Answer(during bool) any {
	simulations := r.finder.Result.Stats().Simulations
	if simulations == 0 {
		return noResults{ID: r.job.id, NoResults: true, Turn: r.job.number}
	}
	color := r.finder.Color
	other := r.job.perspective.other(color)
	a := answer{
		ID: r.job.id, During: during, Moves: []moveInfo{}, Policy: r.priors, Turn: r.job.number,
		RootInfo: rootInfo{[]string{"B", "W"}[color], seen(r.finder.Root(), other), simulations},
	}
	for i, m := range r.finder.Moves() {
		x := moveInfo{
			LCB: m.LCB, Move: Vertex(r.job.game, m.Action), Order: i,
			values: seen(m.Expectation, other), Visits: m.Visits,
		}
		if other {
			x.LCB = 1 - x.LCB
		}
		if m.Prior > 0 {
			x.Prior = &m.Prior
		}
		steps := r.finder.Variation(m)
		for _, s := range steps[:min(len(steps), r.job.lengthOfPV)] {
			x.PV = append(x.PV, Vertex(r.job.game, s.Action))
			if r.job.visitsOfPV {
				x.PVVisits = append(x.PVVisits, s.Visits)
			}
		}
		a.Moves = append(a.Moves, x)
	}
	return a
}
