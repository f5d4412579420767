package selfplay

import (
	"context"

	"tengen/replay/record"
)

// RemoteWorkers play games of a Pool beside its own workers, such as on other machines.
type RemoteWorkers interface {
	// Play takes games from q and hands in finished ones, until ctx ends: then the Pool needs no
	// more games. It returns nil then. An error ends the play of the Pool.
	Play(ctx context.Context, q *WorkQueue) error
	// Early returns a finished game that the Pool is about to begin, nil if there is none: one that
	// was played for an earlier process of the run. It is called with the Pool's lock held.
	Early(number uint64, job *Job) *record.Game
	// Durable tells that games which Pool.Play has emitted are on disk. Games that others have
	// played are among them.
	Durable(games []*record.Game)
	// Games is the number of games that they play at a time. It is safe for concurrent use.
	Games() int
}

// WorkQueue hands the games of a Pool to RemoteWorkers. It is safe for concurrent use. It must not
// be used after RemoteWorkers.Play has returned.
type WorkQueue struct{ pool *Pool }

// lease is a game that RemoteWorkers have taken and not handed in.
type lease struct {
	order uint64
	job   *Job
	open  bool // the Pool's workers may play it too
	begun bool // one of them does
}

// leases are the games of a Pool that RemoteWorkers have taken.
type leases struct {
	byNumber map[uint64]*lease
	open     []uint64 // numbers of leases that workers may play too
	changed  chan struct{}
}

func newLeases() leases {
	return leases{byNumber: map[uint64]*lease{}, changed: make(chan struct{}, 1)}
}

// Ordered reports whether the Pool emits games in the order in which it gave them, so that a game
// may wait for others that were given earlier.
func (q *WorkQueue) Ordered() bool { return q.pool.Ordered }

// Changed receives a value when there may be more games to take.
func (q *WorkQueue) Changed() <-chan struct{} { return q.pool.leases.changed }

// Next returns the job of the next game, nil if there is none now. The game stays there: a worker
// of the Pool may take it.
func (q *WorkQueue) Next() *Job {
	q.pool.taking.Lock()
	defer q.pool.taking.Unlock()
	if q.pool.next() == nil {
		return nil
	}
	return q.pool.ahead.job
}

// Take returns the numbers of at most n games to play, the next ones as far as they belong to a
// job.
func (q *WorkQueue) Take(job *Job, n int) (numbers []uint64) {
	p := q.pool
	var early []finished
	p.taking.Lock()
	for len(numbers) < n {
		x := p.next()
		if x == nil || x.job != job {
			break
		}
		p.ahead = nil
		order := p.taken
		p.taken++
		if g := p.Remote.Early(x.number, job); g != nil {
			early = append(early, finished{order, g})
			continue
		}
		p.leases.byNumber[x.number] = &lease{order: order, job: job}
		numbers = append(numbers, x.number)
	}
	p.taking.Unlock()
	for _, f := range early {
		p.finished <- f
	}
	return numbers
}

// next returns the next game, nil if there is none now. The caller holds p.taking.
func (p *Pool) next() *next {
	if p.ahead == nil && !p.stopped.Load() {
		if number, job, _ := p.source.Next(); job != nil {
			p.ahead = &next{number: number, job: job}
		}
	}
	if p.stopped.Load() {
		return nil
	}
	return p.ahead
}

// Wanted reports whether a game was taken and is not finished.
func (q *WorkQueue) Wanted(number uint64) bool {
	q.pool.taking.Lock()
	defer q.pool.taking.Unlock()
	return q.pool.leases.byNumber[number] != nil
}

// Job returns the job of a game that was taken and is not finished, else nil.
func (q *WorkQueue) Job(number uint64) *Job {
	q.pool.taking.Lock()
	defer q.pool.taking.Unlock()
	if l := q.pool.leases.byNumber[number]; l != nil {
		return l.job
	}
	return nil
}

// Finish hands in a game. If it is not wanted (any more), Finish returns false.
func (q *WorkQueue) Finish(g *record.Game) bool {
	p := q.pool
	p.taking.Lock()
	l := p.leases.byNumber[g.Number]
	delete(p.leases.byNumber, g.Number)
	none := len(p.leases.byNumber) == 0
	p.taking.Unlock()
	if l == nil {
		return false
	}
	p.counters.count(g)
	p.finished <- finished{l.order, g}
	if none || l.begun {
		p.Wake()
	}
	return true
}

// Open lets the workers of the Pool play games too that were taken and are not finished. Whichever
// ends first counts.
func (q *WorkQueue) Open(numbers []uint64) {
	p := q.pool
	p.taking.Lock()
	some := false
	for _, n := range numbers {
		if l := p.leases.byNumber[n]; l != nil && !l.open {
			l.open, some = true, true
			p.leases.open = append(p.leases.open, n)
		}
	}
	p.taking.Unlock()
	if some {
		p.Wake()
	}
}

// takeOpen returns a game that RemoteWorkers have, and that a worker may begin too; ok is false if
// there is none. The caller holds p.taking.
func (p *Pool) takeOpen() (n next, ok bool) {
	for len(p.leases.open) > 0 {
		number := p.leases.open[0]
		p.leases.open = p.leases.open[1:]
		if l := p.leases.byNumber[number]; l != nil {
			l.begun = true
			return next{order: l.order, number: number, job: l.job, contested: true}, true
		}
	}
	return next{}, false
}

// contest reports whether a game that both RemoteWorkers and a worker play is still wanted. claim
// says that the worker has finished it: then it is not wanted any more.
func (p *Pool) contest(number uint64, claim bool) bool {
	p.taking.Lock()
	wanted := p.leases.byNumber[number] != nil
	if claim {
		delete(p.leases.byNumber, number)
	}
	last := claim && len(p.leases.byNumber) == 0
	p.taking.Unlock()
	if last {
		p.Wake() // others may wait for it
	}
	return wanted
}
