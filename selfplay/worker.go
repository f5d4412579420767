package selfplay

import (
	"fmt"
	"time"

	"tengen/internal/machine"
	"tengen/nn"
	"tengen/player"
	"tengen/replay/record"
	"tengen/search"
	"tengen/search/nneval"
)

// maxNetworks is the number of jobs whose games a worker plays at a time. With a cycle that plays
// ahead there are at most three: the games of the first iteration are two jobs.
const maxNetworks = 4

// worker is one goroutine's groups of concurrent games.
type worker struct {
	pool     *Pool
	settings *Settings
	counters *Counters
	groups   []search.Group
	size     int  // games of a group
	descends bool // the network's searches are Descent's
	networks [maxNetworks]evaluators
	newest   *evaluators     // opened last
	uct      player.Targeter // of UCT; games share it
	marker   *record.Checker
	wake     chan struct{}
	held     *next // a game that was taken, and waits for free evaluators
}

// newWorker makes a worker's groups of at most Pool.gamesPerWorker games: two if one can search
// while the other is evaluated.
func newWorker(p *Pool, first *Job, wake chan struct{}) *worker {
	w := &worker{
		pool: p, settings: p.settings, counters: p.counters,
		uct: newUCT(p.settings, p.stopped.Load), wake: wake,
		marker: record.NewChecker(p.settings.Game),
	}
	_, w.descends = p.settings.Network.(*player.Descent)
	n := 1
	var evaluator nn.Evaluator
	if first.Weights != nil {
		evaluator = first.newEvaluator()
		if _, ok := evaluator.(nn.Async); ok {
			n = 2
		}
		if e, ok := evaluator.(nn.Placed); ok {
			if cores := e.Cores(); p.places.Take(cores) {
				_ = machine.Bind(cores) // before memory is taken; games are the same on other cores
			}
		}
	}
	w.size = p.gamesPerWorker
	if p.share > 0 {
		w.size = min(w.size, (p.share+n-1)/n)
	}
	w.size = max(1, w.size)
	for i := range w.networks {
		w.networks[i] = evaluators{w: w, index: i}
	}
	for range n {
		g := search.Group{Wake: wake}
		if evaluator != nil {
			for range maxNetworks {
				g.Evaluators = append(g.Evaluators, new(replaceable))
			}
		}
		for range w.size {
			g.Tasks = append(g.Tasks, newGameTask(w, first, n == 2))
		}
		w.groups = append(w.groups, g)
	}
	w.networks[0].open(first, evaluator)
	w.newest = &w.networks[0]
	return w
}

// networkOf returns the evaluators of a job's network, which it opens if need be; nil if all are
// used by games of other jobs.
func (w *worker) networkOf(job *Job) *evaluators {
	var free *evaluators
	for i := range w.networks {
		e := &w.networks[i]
		if e.job == job {
			return e
		}
		if free == nil && e.games == 0 && (e.job == nil || e != w.newest) {
			free = e
		}
	}
	if free == nil && w.newest.games == 0 {
		free = w.newest
	}
	if free == nil {
		return nil
	}
	free.close()
	free.open(job, nil)
	before := w.newest
	if w.newest = free; before != free && before.games == 0 {
		before.close() // its network is not needed any more
	}
	return free
}

// leave takes a game from evaluators, and closes them if it was the last game with an old network.
func (w *worker) leave(e *evaluators) {
	if e.games--; e.games == 0 && e != w.newest {
		e.close()
	}
}

// take returns the next game to play and the evaluators of its job. If there is none, e is nil, and
// more says whether there may be one later.
func (w *worker) take() (n next, e *evaluators, more bool) {
	if w.held != nil {
		n = *w.held
	} else if n, more = w.pool.take(); n.job == nil {
		return n, nil, more
	}
	if e = w.networkOf(n.job); e == nil && w.pool.Newest {
		e, n.job = w.newest, w.newest.job
	}
	if e == nil {
		w.held = &n
		return n, nil, !w.pool.stopped.Load()
	}
	w.held = nil
	return n, e, true
}

// close releases what the evaluators hold.
func (w *worker) close() {
	for i := range w.networks {
		w.networks[i].close()
	}
}

// countLookups brings the counters up to date with the networks.
func (w *worker) countLookups() {
	for i := range w.networks {
		w.networks[i].countLookups()
	}
}

// counting returns what counts the batches of an evaluator of the given capacity, in rows.
func (w *worker) counting(capacity int) func(rows int, waited time.Duration) {
	counters := w.counters
	return func(rows int, waited time.Duration) {
		counters.Evaluations.Add(uint64(rows))
		counters.Batches.Add(1)
		counters.BatchRows.Add(uint64(capacity))
		counters.Waited.Add(int64(waited))
		if counters.OnBatch != nil {
			counters.OnBatch(rows, capacity, waited)
		}
		w.countLookups()
	}
}

// evaluators are those of a job's network in a worker, one for each of its groups. They are used by
// the games of that job.
type evaluators struct {
	w         *worker
	index     int  // among Group.Evaluators, in each group
	job       *Job // nil: it is closed
	games     int  // that use it
	evaluator nn.Evaluator
	believer  *player.Believer    // of the network; nil: none
	networks  []*nneval.Evaluator // of the groups, all on the evaluator
	counted   []nneval.Stats      // lookups of the networks that are counted already
}

// open makes the evaluators of a job; evaluator is that of its network, if there is one already.
func (e *evaluators) open(job *Job, evaluator nn.Evaluator) {
	e.job = job
	if job.Weights == nil {
		return
	}
	if e.evaluator = evaluator; evaluator == nil {
		e.evaluator = job.newEvaluator()
	}
	s := e.w.settings
	if job.Belief != nil {
		e.believer = job.Belief.NewBeliever(s.Game)
	}
	for _, g := range e.w.groups {
		evaluator, n, rows := s.Network.EvaluatorOn(s.Game, job.Weights, e.evaluator, e.w.size,
			fmt.Sprintf("network of iteration %d", job.Iteration))
		n.OnBatch = e.w.counting(rows)
		e.networks, e.counted = append(e.networks, n), append(e.counted, nneval.Stats{})
		g.Evaluators[e.index].(*replaceable).set(evaluator)
	}
}

// close releases what the evaluators hold. No game uses them any more.
func (e *evaluators) close() {
	if e.job == nil {
		return
	}
	e.countLookups()
	if e.evaluator != nil {
		nn.Close(e.evaluator)
		for _, g := range e.w.groups {
			g.Evaluators[e.index].(*replaceable).set(nil)
		}
	}
	*e = evaluators{w: e.w, index: e.index}
}

// countLookups brings the counters up to date with the networks.
func (e *evaluators) countLookups() {
	c := e.w.counters
	for i, n := range e.networks {
		now := n.Stats()
		if now.Lookups == e.counted[i].Lookups {
			continue // without a cache there are none
		}
		lookups, hits := now.Lookups-e.counted[i].Lookups, now.Hits-e.counted[i].Hits
		e.counted[i] = now
		c.Lookups.Add(lookups)
		c.CacheHits.Add(hits)
		if c.OnLookups != nil {
			c.OnLookups(lookups, hits)
		}
	}
}

// replaceable is an evaluator that stands for one that changes: search.DriveGroups keeps its
// evaluators.
type replaceable struct {
	evaluator search.Evaluator // nil: none
	recaller  search.Recaller
	starter   search.Starter
	search.Requests
}

func (x *replaceable) set(e search.Evaluator) {
	x.evaluator, x.Requests = e, e
	x.recaller, _ = e.(search.Recaller)
	x.starter, _ = e.(search.Starter)
}

// Evaluate implements search.Evaluator.
func (x *replaceable) Evaluate() (search.Evaluations, error) { return x.evaluator.Evaluate() }

// Recall implements search.Recaller.
func (x *replaceable) Recall(k int) (search.Evaluations, bool) {
	if x.recaller == nil {
		return search.Evaluations{}, false
	}
	return x.recaller.Recall(k)
}

// Start implements search.Starter.
func (x *replaceable) Start() {
	if x.starter != nil {
		x.starter.Start()
	}
}
