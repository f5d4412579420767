package search

import "context"

// Task is something that goes on until it needs evaluations: a game whose
// players search, one game after another. It is used by one goroutine.
type Task interface {
	// Advance works until it needs evaluations or has nothing left to do. In
	// the first case it has added at least one state to one of the leaves and
	// returns that one's index; in the second it has added nothing and
	// returns Done.
	Advance(requests []Requests) int
	// Deliver takes the evaluations of the states that the last Advance added.
	Deliver(evaluations Evaluations)
}

// Done is what a Task's Advance returns when it has nothing left to do.
const Done = -1

// Recaller is an Evaluator that may know rows without evaluating (a cache).
type Recaller interface {
	Evaluator
	// Recall takes the last k states added back, as if they had not been,
	// where it knows the rows of all of them, and returns these rows. They
	// hold until the next Add. Where it does not know them all, it returns
	// false and changes nothing.
	Recall(k int) (evaluations Evaluations, ok bool)
}

// Starter is an Evaluator that can work beside its caller.
type Starter interface {
	Evaluator
	// Start begins to evaluate the states added since the last Evaluate, which
	// the next Evaluate then waits for; none is added in between.
	Start()
}

// Failing is an Evaluator that may come to an end, as one on a device that is lost.
type Failing interface {
	Evaluator
	// Err is why rows of the last Evaluate, and of all later ones, are of no worth; nil where
	// they are sound.
	Err() error
}

// Slate is tasks that advance side by side, and the evaluators of their leaves.
// Every task adds at most what the evaluators can hold together with the others' leaves.
type Group struct {
	Tasks      []Task
	Evaluators []Evaluator
}

// Drive advances the tasks side by side until all are done, and has each
// evaluator evaluate the leaves of all tasks in one batch. Every task adds at
// most what the evaluators can hold together with the others' leaves. A task
// whose leaves a Recaller knows gets its rows at once and goes on, so that
// batches are full of what has to be evaluated. Drive returns the context's
// error, between two batches, when ctx ends, and that of a Failing evaluator.
func Drive(ctx context.Context, tasks []Task, evaluators []Evaluator) error {
	return DriveGroups(ctx, Group{tasks, evaluators})
}

// DriveGroups drives several slates, each with evaluators of its own, in turn:
// while Starters evaluate the leaves of one, the tasks of the others advance. Slates take
// their turns in order, whatever evaluations take.
func DriveGroups(ctx context.Context, slates ...Group) (err error) {
	drives := make([]*drive, len(slates))
	for i, s := range slates {
		drives[i] = newDrive(s)
	}
	defer func() {
		for _, d := range drives {
			d.drain()
		}
	}()
	for under := len(drives); under > 0; {
		under = 0
		for _, d := range drives {
			if err := d.finish(); err != nil {
				return err
			}
			if len(d.active) == 0 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := d.advance(ctx); err != nil {
				return err
			}
			d.start()
			under++
		}
	}
	return nil
}

// drive is one slate under way.
type drive struct {
	tasks      []Task
	evaluators []Evaluator
	counters   []counter
	requests   []Requests
	recallers  []Recaller // nil where an evaluator is none
	starters   []Starter  // likewise
	failing    []Failing  // likewise
	rows       []Evaluations
	active     []int // tasks that are not done
	waiting    []wait
	started    bool // evaluators work
}

// wait is a task that waits for rows of an evaluator.
type wait struct{ task, evaluator, from, to int }

func newDrive(s Group) *drive {
	n := len(s.Evaluators)
	d := &drive{
		tasks: s.Tasks, evaluators: s.Evaluators,
		counters: make([]counter, n), requests: make([]Requests, n), rows: make([]Evaluations, n),
		recallers: make([]Recaller, n), starters: make([]Starter, n), failing: make([]Failing, n),
		active: make([]int, len(s.Tasks)), waiting: make([]wait, 0, len(s.Tasks)),
	}
	for i, e := range s.Evaluators {
		d.counters[i].requests = e
		d.requests[i] = &d.counters[i]
		d.recallers[i], _ = e.(Recaller)
		d.starters[i], _ = e.(Starter)
		d.failing[i], _ = e.(Failing)
	}
	for i := range d.active {
		d.active[i] = i
	}
	return d
}

// advance has every task go on until it waits for an evaluator or is done.
func (d *drive) advance(ctx context.Context) error {
	still := d.active[:0]
	for _, t := range d.active {
		e, err := d.step(ctx, d.tasks[t])
		if err != nil {
			return err
		}
		if e == Done {
			continue
		}
		still = append(still, t)
		d.waiting = append(d.waiting, wait{t, e, d.counters[e].before, d.counters[e].n})
	}
	d.active = still
	return nil
}

// step has a task go on until it waits for an evaluator, which it returns, or is done.
func (d *drive) step(ctx context.Context, t Task) (e int, err error) {
	for {
		for i := range d.counters {
			d.counters[i].before = d.counters[i].n
		}
		if e = t.Advance(d.requests); e == Done || d.recallers[e] == nil {
			return e, nil
		}
		k := d.counters[e].n - d.counters[e].before
		known, ok := d.recallers[e].Recall(k)
		if !ok {
			return e, nil
		}
		d.counters[e].n -= k
		t.Deliver(known)
		if err := ctx.Err(); err != nil {
			return Done, err
		}
	}
}

// start has the evaluators begin that work beside their caller.
func (d *drive) start() {
	d.started = true
	for i, s := range d.starters {
		if s != nil && d.counters[i].n > 0 {
			s.Start()
		}
	}
}

// finish has what was added evaluated, and hands the rows to those who wait.
func (d *drive) finish() error {
	d.started = false
	for i := range d.counters {
		if d.counters[i].n == 0 {
			continue
		}
		d.counters[i].n = 0
		d.rows[i] = d.evaluators[i].Evaluate()
		if f := d.failing[i]; f != nil && f.Err() != nil {
			d.started = i+1 < len(d.counters) // others of this slate may be at work
			return f.Err()
		}
	}
	for _, w := range d.waiting {
		d.tasks[w.task].Deliver(d.rows[w.evaluator].Slice(w.from, w.to))
	}
	d.waiting = d.waiting[:0]
	return nil
}

// drain waits for what was started and is of no more use: evaluators must not
// be at work on memory that is given up.
func (d *drive) drain() {
	if !d.started {
		return
	}
	for i, s := range d.starters {
		if s != nil && d.counters[i].n > 0 {
			s.Evaluate()
		}
	}
}
