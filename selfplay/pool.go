package selfplay

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tengen/internal/machine"
	"tengen/replay/record"
	"tengen/search"
)

// Source says which games to play. It is safe for concurrent use.
type Source interface {
	// Next returns the number of the next game, and the job that it belongs to; job.Games is not
	// used. If there is none now, job is nil, and more says whether there may be one later: then
	// Pool.Wake is called when there is.
	Next() (number uint64, job *Job, more bool)
}

// Pool plays games for as long as a Source has some. Games of several jobs, with different
// networks, are played at the same time, so that no worker waits for the last games of a job.
type Pool struct {
	// Ordered emits games in the order in which the Source gave them; otherwise they are emitted
	// as they end.
	Ordered bool
	// Newest lets a game begin with the worker's newest network if there is no room for another
	// one; otherwise it waits for room.
	Newest bool
	// Tick, if not nil, is received from in the goroutine that calls emit, which then calls OnTick.
	Tick   <-chan time.Time
	OnTick func() error
	// Remote, if not nil, plays games beside the workers.
	Remote RemoteWorkers
	// Unwanted, if not nil, says that a game in progress is to be dropped. It is called before each
	// evaluation, by several goroutines.
	Unwanted func(number uint64) bool

	workers        int
	gamesPerWorker int

	settings *Settings
	source   Source
	counters *Counters
	share    int // the most games that a worker will play; 0: no limit
	uct      *uctThreads
	wakers   []chan struct{}
	places   *machine.Places
	stopped  atomic.Bool // no more games are begun, and UCT's searches end
	taking   sync.Mutex
	taken    uint64 // games that the Source has given; guarded by taking
	// a game that the Source has given, and that nobody has begun; guarded by taking
	ahead    *next
	leases   leases // guarded by taking
	finished chan finished
}

// finished is a finished game, and its place in the order of the Source.
type finished struct {
	order uint64
	game  *record.Game
}

// NewPool returns a Pool of at least one worker, each with a group of gamesPerWorker concurrent
// games, or two such groups if evaluators are asynchronous (nn.Async).
func NewPool(s *Settings, source Source, workers, gamesPerWorker int, counters *Counters) *Pool {
	p := &Pool{
		settings: s, source: source, counters: counters, workers: max(1, workers),
		gamesPerWorker: gamesPerWorker, Remote: s.Remote, leases: newLeases(),
	}
	for range p.workers {
		p.wakers = append(p.wakers, make(chan struct{}, 1))
	}
	return p
}

// Play plays until the Source has no more games. first is the job whose network workers load at the
// start. Play calls emit with each finished game, from one goroutine; an error of emit ends Play
// and is returned. When ctx ends, Play stops between two batches, drops the games that are not
// emitted yet, and returns the context's error. If an evaluator fails, it drops such games too, and
// returns that error.
func (p *Pool) Play(ctx context.Context, first *Job, emit func(*record.Game) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.finished = make(chan finished, p.workers)
	p.uct, p.places = newUCTThreads(p), new(machine.Places)
	// Searches that need no evaluations ask for it, and no more games are begun.
	defer context.AfterFunc(ctx, func() { p.stopped.Store(true) })()
	var group sync.WaitGroup
	for i := range p.workers {
		group.Go(func() {
			w := newWorker(p, first, p.wakers[i])
			defer w.close()
			if err := search.DriveGroups(ctx, w.groups...); err != nil {
				cancel(err)
			}
		})
	}
	remote, dismiss := context.WithCancel(ctx)
	var beside sync.WaitGroup
	if p.Remote != nil {
		beside.Go(func() {
			if err := p.Remote.Play(remote, &WorkQueue{p}); err != nil {
				cancel(err)
			}
		})
	}
	go func() {
		group.Wait()
		p.uct.wait()
		dismiss()
		beside.Wait()
		close(p.finished)
	}()
	early := map[uint64]*record.Game{} // finished before an earlier one
	given := uint64(0)
	give := func(g *record.Game) {
		if ctx.Err() != nil {
			return
		}
		if err := emit(g); err != nil {
			cancel(err)
		}
	}
	for {
		select {
		case f, open := <-p.finished:
			switch {
			case !open:
				return context.Cause(ctx)
			case !p.Ordered:
				give(f.game)
				continue
			}
			early[f.order] = f.game
			for g := early[given]; g != nil; g = early[given] {
				delete(early, given)
				given++
				give(g)
			}
		case <-p.Tick:
			if ctx.Err() == nil {
				if err := p.OnTick(); err != nil {
					cancel(err)
				}
			}
		}
	}
}

// Wake tells the workers that the Source has games, or will have none any more.
func (p *Pool) Wake() {
	for _, c := range p.wakers {
		wake(c)
	}
	wake(p.leases.changed)
}

// wake puts a value into a channel with room for one.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// next is a game that a Source has given.
type next struct {
	order     uint64
	number    uint64
	job       *Job
	contested bool // RemoteWorkers play it too
}

// take returns the next game of the Source, or one that RemoteWorkers have not finished, and
// whether there may be more if it is none.
func (p *Pool) take() (n next, more bool) {
	for {
		if p.stopped.Load() {
			return next{}, false
		}
		n, early, more := p.takeOne()
		if early == nil {
			return n, more
		}
		p.finished <- finished{n.order, early}
	}
}

// takeOne is take, but it may return a game that is finished already.
func (p *Pool) takeOne() (n next, early *record.Game, more bool) {
	p.taking.Lock()
	defer p.taking.Unlock()
	if p.ahead != nil {
		n, p.ahead = *p.ahead, nil
	} else if n.number, n.job, more = p.source.Next(); n.job == nil {
		if open, ok := p.takeOpen(); ok {
			return open, nil, true
		}
		return next{}, nil, more || len(p.leases.byNumber) > 0
	}
	n.order = p.taken
	p.taken++
	if p.Remote != nil {
		early = p.Remote.Early(n.number, n.job)
	}
	return n, early, true
}

// Play plays the job's games on the given number of workers, each with a group of
// gamesPerWorker concurrent games, or two such groups if evaluators are asynchronous
// (nn.Async). It calls emit with the finished games in the order in which the job lists them,
// from one goroutine; an error of emit ends Play and is returned. When ctx ends, Play stops
// between two batches, drops the games that can't be emitted in order yet, and returns the
// context's error. If an evaluator fails, it drops such games too, and returns that error.
func Play(
	ctx context.Context, s *Settings, job Job, workers, gamesPerWorker int, counters *Counters,
	emit func(*record.Game) error,
) error {
	if len(job.Games) == 0 {
		return ctx.Err()
	}
	workers = max(1, min(workers, len(job.Games)))
	share := (len(job.Games) + workers - 1) / workers
	p := NewPool(s, &oneJob{job: &job}, workers, gamesPerWorker, counters)
	p.Ordered, p.share = true, share
	return p.Play(ctx, &job, emit)
}

// oneJob is a Source of the games of one job.
type oneJob struct {
	job  *Job
	next atomic.Int64
}

// Next implements Source.
func (s *oneJob) Next() (number uint64, job *Job, more bool) {
	i := s.next.Add(1) - 1
	if i >= int64(len(s.job.Games)) {
		return 0, nil, false
	}
	return s.job.Games[i], s.job, true
}

// Counters are totals of self-play. They only grow.
type Counters struct {
	Games     atomic.Uint64 // finished
	Plies     atomic.Uint64 // actions of finished games, forced ones included
	Positions atomic.Uint64 // decisions of finished games
	UCTSeats  atomic.Uint64 // players of finished games that UCT played for
	Decisions atomic.Uint64 // with the network, in unfinished games too
	// of searches with the network, including those without an evaluation; or iterations of Descent
	Simulations atomic.Uint64
	Resolved    atomic.Uint64 // searches of Descent that ended with their root resolved
	Full        atomic.Uint64 // searches of Descent that ended because the tree was full
	Evaluations atomic.Uint64 // rows evaluated by the network
	Lookups     atomic.Uint64 // in the cache
	CacheHits   atomic.Uint64 // positions answered without the network
	Batches     atomic.Uint64
	BatchRows   atomic.Uint64 // capacity of all batches, in rows
	Waited      atomic.Int64  // nanoseconds that all workers waited for batches

	// OnBatch, if set before Play, is called for each batch with its rows, its capacity in
	// rows, and how long searches waited for it. It and the functions below are called by
	// several goroutines.
	OnBatch func(rows, capacity int, waited time.Duration)
	// OnLookups, if set before Play, is called with numbers of lookups lookups in the cache and
	// of hits among them.
	OnLookups func(lookups, hits uint64)
	// OnSearch, if set before Play, is called after each search with the network.
	OnSearch func(SearchStats)
	// OnSimulations, if set before Play, is called with numbers of simulations of
	// these searches.
	OnSimulations func(n int)
	// OnBegin and OnEnd, if set before Play, are called at the start and at the end of each
	// game.
	OnBegin, OnEnd func()
}

// SearchStats is the outcome of a search with the network.
type SearchStats struct {
	Depth    int  // actions (with Descent, decisions) from the root to the deepest state reached
	Fast     bool // it had SelfPlay.FastSimulations
	Resolved bool // Descent resolved its root
	Full     bool // the tree was full: Descent ended there, PUCT continued among its states
}

// searched counts a search, of Descent or of AlphaZero.
func (c *Counters) searched(s SearchStats, descends bool) {
	c.Decisions.Add(1)
	if s.Resolved {
		c.Resolved.Add(1)
	}
	if s.Full && descends {
		c.Full.Add(1)
	}
	if c.OnSearch != nil {
		c.OnSearch(s)
	}
}

// simulated counts simulations, or iterations of Descent.
func (c *Counters) simulated(n int) {
	if n == 0 {
		return
	}
	c.Simulations.Add(uint64(n))
	if c.OnSimulations != nil {
		c.OnSimulations(n)
	}
}

// count adds a finished game to the totals.
func (c *Counters) count(r *record.Game) {
	c.Games.Add(1)
	c.Plies.Add(uint64(len(r.Moves)))
	for _, m := range r.Moves {
		if len(m.Value) > 0 {
			c.Positions.Add(1)
		}
	}
	for _, seat := range r.Seats {
		if seat.Kind == record.UCT {
			c.UCTSeats.Add(1)
		}
	}
}
