package search

import "context"

// Task is work that needs evaluations from time to time: one game after another
// whose players search. It is used by one goroutine.
type Task interface {
	// Advance works until it needs evaluations, has to wait for something else, or has
	// nothing left to do. In the first case it has added at least one state to one of
	// requests and returns its index; otherwise it has added nothing and returns Waiting
	// or Done. After Waiting, Advance is called again and Deliver is not.
	Advance(requests []Requests) int
	// Deliver takes the evaluations of the states that the last Advance added.
	Deliver(evaluations Evaluations)
}

// What the Advance of a Task returns if it needs no evaluations.
const (
	Done    = -1 // it has nothing left to do
	Waiting = -2 // it can't go on now, and is asked again in the next turn; see Group.Wake
)

// Recaller is an Evaluator that may know rows without evaluating, as with a cache.
type Recaller interface {
	Evaluator
	// Recall removes the last k states added and returns their rows, valid until
	// the next Add, if it knows all of them. Otherwise it returns false and
	// changes nothing.
	Recall(k int) (evaluations Evaluations, ok bool)
}

// Starter is an Evaluator that can work concurrently with its caller.
type Starter interface {
	Evaluator
	// Start begins to evaluate the states added since the last Evaluate. The next
	// Evaluate waits for them; no state is added in between.
	Start()
}

// Foreseer is a Search that can look ahead.
type Foreseer interface {
	// Foresee goes one step ahead along what the next Advance will do: it finds out which memory
	// that will read, asks the processor to load it, and does not wait. It returns false if it
	// can go no further. Results are the same however often it is called, at any time.
	Foresee() (more bool)
}

// Foresighted is a Task whose search may be a Foreseer.
type Foresighted interface {
	Task
	// Foreseer returns the search under way, nil if there is none or it is no Foreseer.
	Foreseer() Foreseer
}

// abreast is the number of tasks whose searches look ahead in turn, each while the others' memory
// is loaded.
const abreast = 8

// A Group is a set of concurrent tasks and the evaluators serving them. The
// evaluators must have room for what all tasks may add before one batch.
type Group struct {
	Tasks      []Task
	Evaluators []Evaluator
	// Wake receives a value when a task that is Waiting may go on. Its buffer has room for one
	// value, and a sender that finds it full need not wait. It is only needed if tasks return
	// Waiting; groups that are driven together have the same.
	Wake <-chan struct{}
}

// Drive advances the tasks concurrently until all are done, and has each
// evaluator evaluate the requests of all tasks in one batch. A task whose
// states a Recaller knows gets their rows at once and continues, so that
// batches hold only what has to be evaluated. Drive returns the error of an
// evaluator that fails, and the context's error, between two batches, when ctx ends.
func Drive(ctx context.Context, tasks []Task, evaluators []Evaluator) error {
	return DriveGroups(ctx, Group{Tasks: tasks, Evaluators: evaluators})
}

// DriveGroups drives several groups, each with evaluators of its own, in turn:
// while the Starters of one evaluate, the tasks of the others advance. The order
// of turns is fixed and does not depend on how long evaluations take. If all tasks that are not
// done are Waiting, DriveGroups sleeps until a value comes from Wake, or ctx ends.
func DriveGroups(ctx context.Context, groups ...Group) (err error) {
	drives := make([]*drive, len(groups))
	for i, g := range groups {
		drives[i] = newDrive(g)
	}
	turn := 0
	defer func() {
		// In the order in which they were started: evaluators of one device are waited for so.
		for i := range drives {
			drives[(turn+i)%len(drives)].drain()
		}
	}()
	for under := len(drives); under > 0; {
		under = 0
		idle := true
		for i, d := range drives {
			turn = i
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
			under += len(d.active)
			idle = idle && len(d.waiting) == 0
		}
		if under > 0 && idle {
			select {
			case <-groups[0].Wake:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// drive is the state of one group.
type drive struct {
	tasks       []Task
	evaluators  []Evaluator
	counters    []counter
	requests    []Requests
	recallers   []Recaller // nil if the evaluator is no Recaller
	starters    []Starter  // nil if the evaluator is no Starter
	rows        []Evaluations
	foresighted []Foresighted // nil if the task is not
	active      []int         // tasks that are not done
	waiting     []wait
	started     bool // evaluators are working
}

// wait is the evaluator, and the rows of its batch, that a task waits for.
type wait struct{ task, evaluator, from, to int }

func newDrive(g Group) *drive {
	n := len(g.Evaluators)
	d := &drive{
		tasks: g.Tasks, evaluators: g.Evaluators,
		counters: make([]counter, n), requests: make([]Requests, n), rows: make([]Evaluations, n),
		recallers: make([]Recaller, n), starters: make([]Starter, n),
		active: make([]int, len(g.Tasks)), waiting: make([]wait, 0, len(g.Tasks)),
	}
	for i, e := range g.Evaluators {
		d.counters[i].requests = e
		d.requests[i] = &d.counters[i]
		d.recallers[i], _ = e.(Recaller)
		d.starters[i], _ = e.(Starter)
	}
	d.foresighted = make([]Foresighted, len(g.Tasks))
	for i := range d.active {
		d.active[i] = i
		d.foresighted[i], _ = g.Tasks[i].(Foresighted)
	}
	return d
}

// advance advances every task until it waits for an evaluator or is done.
func (d *drive) advance(ctx context.Context) error {
	still := d.active[:0]
	for i, t := range d.active {
		if i%abreast == 0 {
			d.lookAhead(d.active[i:min(i+abreast, len(d.active))])
		}
		e, err := d.step(ctx, d.tasks[t])
		if err != nil {
			return err
		}
		if e == Done {
			continue
		}
		still = append(still, t)
		if e == Waiting {
			continue
		}
		d.waiting = append(d.waiting, wait{t, e, d.counters[e].before, d.counters[e].n})
	}
	d.active = still
	return nil
}

// lookAhead has the searches of up to abreast tasks look ahead as far as they can, one step of each
// in turn.
func (d *drive) lookAhead(tasks []int) {
	var all [abreast]Foreseer
	ahead := all[:0]
	for _, t := range tasks {
		if f := d.foresighted[t]; f != nil {
			if s := f.Foreseer(); s != nil {
				ahead = append(ahead, s)
			}
		}
	}
	for len(ahead) > 0 {
		still := ahead[:0]
		for _, s := range ahead {
			if s.Foresee() {
				still = append(still, s)
			}
		}
		ahead = still
	}
}

// step advances a task until it waits for an evaluator, whose index it returns, or returns Waiting
// or Done.
func (d *drive) step(ctx context.Context, t Task) (e int, err error) {
	for {
		for i := range d.counters {
			d.counters[i].before = d.counters[i].n
		}
		if e = t.Advance(d.requests); e == Done || e == Waiting || d.recallers[e] == nil {
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

// start starts the evaluators that can work concurrently.
func (d *drive) start() {
	d.started = true
	for i, s := range d.starters {
		if s != nil && d.counters[i].n > 0 {
			s.Start()
		}
	}
}

// finish evaluates what was added and delivers the rows to the waiting tasks.
func (d *drive) finish() error {
	for i := range d.counters {
		if d.counters[i].n == 0 {
			continue
		}
		d.counters[i].n = 0
		var err error
		if d.rows[i], err = d.evaluators[i].Evaluate(); err != nil {
			return err // others of this group may be at work
		}
	}
	d.started = false
	for _, w := range d.waiting {
		d.tasks[w.task].Deliver(d.rows[w.evaluator].Slice(w.from, w.to))
	}
	d.waiting = d.waiting[:0]
	return nil
}

// drain waits for evaluations that were started but are no longer needed, so
// that no evaluator works on memory that is released.
func (d *drive) drain() {
	if !d.started {
		return
	}
	for i, s := range d.starters {
		if s != nil && d.counters[i].n > 0 {
			_, _ = s.Evaluate() // the error that ended Drive is returned already
		}
	}
}
