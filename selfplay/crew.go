package selfplay

import (
	"context"

	"tengen/replay/record"
)

// Crew plays games of a Pool beside its workers, such as on other machines.
type Crew interface {
	// Play takes games from t and hands in finished ones, until ctx ends: then the Pool needs no
	// more games. It returns nil then. An error ends the play of the Pool.
	Play(ctx context.Context, t *Table) error
	// Early returns a finished game that the Pool is about to begin, nil if there is none: one that
	// was played for an earlier process of the run. It is called with the Pool's lock held.
	Early(number uint64, job *Job) *record.Game
	// Durable tells that games which Pool.Play has emitted are on disk. Games that others have
	// played are among them.
	Durable(games []*record.Game)
	// Games is the number of games that the crew plays at a time. It is safe for concurrent use.
	Games() int
}

// Table hands the games of a Pool to its Crew. It is safe for concurrent use. It must not be used
// after Crew.Play has returned.
type Table struct{ pool *Pool }

// loan is a game that a Crew has taken and not handed in.
type loan struct {
	order uint64
	job   *Job
	open  bool // the Pool's workers may play it too
	begun bool // one of them does
}

// loans are the games of a Pool that its Crew has taken.
type loans struct {
	byNumber map[uint64]*loan
	open     []uint64 // numbers of loans that workers may play too
	changed  chan struct{}
}

func newLoans() loans {
	return loans{byNumber: map[uint64]*loan{}, changed: make(chan struct{}, 1)}
}

// Ordered reports whether the Pool emits games in the order in which it gave them, so that a game
// may wait for others that were given earlier.
func (t *Table) Ordered() bool { return t.pool.Ordered }

// Changed receives a value when there may be more games to take.
func (t *Table) Changed() <-chan struct{} { return t.pool.loans.changed }

// Next returns the job of the next game, nil if there is none now. The game stays there: a worker
// of the Pool may take it.
func (t *Table) Next() *Job {
	t.pool.taking.Lock()
	defer t.pool.taking.Unlock()
	if t.pool.next() == nil {
		return nil
	}
	return t.pool.ahead.job
}

// Take returns the numbers of at most n games to play, the next ones as far as they belong to a
// job.
func (t *Table) Take(job *Job, n int) (numbers []uint64) {
	p := t.pool
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
		if g := p.Crew.Early(x.number, job); g != nil {
			early = append(early, finished{order, g})
			continue
		}
		p.loans.byNumber[x.number] = &loan{order: order, job: job}
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
func (t *Table) Wanted(number uint64) bool {
	t.pool.taking.Lock()
	defer t.pool.taking.Unlock()
	return t.pool.loans.byNumber[number] != nil
}

// Job returns the job of a game that was taken and is not finished, else nil.
func (t *Table) Job(number uint64) *Job {
	t.pool.taking.Lock()
	defer t.pool.taking.Unlock()
	if l := t.pool.loans.byNumber[number]; l != nil {
		return l.job
	}
	return nil
}

// Finish hands in a game. If it is not wanted (any more), Finish returns false.
func (t *Table) Finish(g *record.Game) bool {
	p := t.pool
	p.taking.Lock()
	l := p.loans.byNumber[g.Number]
	delete(p.loans.byNumber, g.Number)
	none := len(p.loans.byNumber) == 0
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
func (t *Table) Open(numbers []uint64) {
	p := t.pool
	p.taking.Lock()
	some := false
	for _, n := range numbers {
		if l := p.loans.byNumber[n]; l != nil && !l.open {
			l.open, some = true, true
			p.loans.open = append(p.loans.open, n)
		}
	}
	p.taking.Unlock()
	if some {
		p.Wake()
	}
}

// takeOpen returns a game that the Crew has, and that a worker may begin too; ok is false if there
// is none. The caller holds p.taking.
func (p *Pool) takeOpen() (n next, ok bool) {
	for len(p.loans.open) > 0 {
		number := p.loans.open[0]
		p.loans.open = p.loans.open[1:]
		if l := p.loans.byNumber[number]; l != nil {
			l.begun = true
			return next{order: l.order, number: number, job: l.job, contested: true}, true
		}
	}
	return next{}, false
}

// contest reports whether a game that both the Crew and a worker play is still wanted. claim says
// that the worker has finished it: then it is not wanted any more.
func (p *Pool) contest(number uint64, claim bool) bool {
	p.taking.Lock()
	wanted := p.loans.byNumber[number] != nil
	if claim {
		delete(p.loans.byNumber, number)
	}
	last := claim && len(p.loans.byNumber) == 0
	p.taking.Unlock()
	if last {
		p.Wake() // others may wait for it
	}
	return wanted
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
