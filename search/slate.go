package search

import "context"

// Task is something that goes on until it needs evaluations: a game whose
// players search, one game after another. It is used by one goroutine.
type Task interface {
	// Advance works until it needs evaluations or has nothing left to do. In
	// the first case it has added at least one state to one of the leaves and
	// returns that one's index; in the second it has added nothing and
	// returns Done.
	Advance(leaves []Leaves) int
	// Deliver takes the evaluations of the states that the last Advance added.
	Deliver(rows Rows)
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
	Recall(k int) (rows Rows, ok bool)
}

// Drive advances the tasks side by side until all are done, and has each
// evaluator evaluate the leaves of all tasks in one batch. Every task adds at
// most what the evaluators can hold together with the others' leaves. A task
// whose leaves a Recaller knows gets its rows at once and goes on, so that
// batches are full of what has to be evaluated. Drive returns the context's
// error, between two batches, when ctx ends.
func Drive(ctx context.Context, tasks []Task, evaluators []Evaluator) error {
	counters := make([]counter, len(evaluators))
	leaves := make([]Leaves, len(evaluators))
	recallers := make([]Recaller, len(evaluators)) // nil where an evaluator is none
	rows := make([]Rows, len(evaluators))
	for i, e := range evaluators {
		counters[i].leaves = e
		leaves[i] = &counters[i]
		recallers[i], _ = e.(Recaller)
	}
	// advance has a task go on until it waits for an evaluator or is done.
	advance := func(t Task) (e int, err error) {
		for {
			for i := range counters {
				counters[i].before = counters[i].n
			}
			if e = t.Advance(leaves); e == Done || recallers[e] == nil {
				return e, nil
			}
			k := counters[e].n - counters[e].before
			known, ok := recallers[e].Recall(k)
			if !ok {
				return e, nil
			}
			counters[e].n -= k
			t.Deliver(known)
			if err := ctx.Err(); err != nil {
				return Done, err
			}
		}
	}
	type wait struct{ task, evaluator, from, to int }
	waiting := make([]wait, 0, len(tasks))
	active := make([]int, len(tasks))
	for i := range active {
		active[i] = i
	}
	for len(active) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		waiting = waiting[:0]
		for i := range counters {
			counters[i].n = 0
		}
		still := active[:0]
		for _, t := range active {
			e, err := advance(tasks[t])
			if err != nil {
				return err
			}
			if e == Done {
				continue
			}
			still = append(still, t)
			waiting = append(waiting, wait{t, e, counters[e].before, counters[e].n})
		}
		active = still
		for i := range counters {
			if counters[i].n > 0 {
				rows[i] = evaluators[i].Evaluate()
			}
		}
		for _, w := range waiting {
			tasks[w.task].Deliver(rows[w.evaluator].Slice(w.from, w.to))
		}
	}
	return nil
}
