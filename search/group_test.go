package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/internal/random"
	"tengen/search"
)

// knower returns each state's hash as its value, and recalls states that it has evaluated
// before.
type knower struct {
	known    map[uint64]bool
	forget   bool // knows nothing
	states   []uint64
	batches  []int
	recalled int
}

func (k *knower) Add(s game.State) { k.states = append(k.states, s.Hash()) }

func (k *knower) row(list []uint64) search.Evaluations {
	r := search.Evaluations{Actions: 1, Players: 1}
	for _, h := range list {
		r.Values = append(r.Values, float32(h%1000))
	}
	return r
}

func (k *knower) Evaluate() (search.Evaluations, error) {
	k.batches = append(k.batches, len(k.states))
	for _, h := range k.states {
		k.known[h] = true
	}
	r := k.row(k.states)
	k.states = nil
	return r, nil
}

func (k *knower) Recall(n int) (search.Evaluations, bool) {
	last := k.states[len(k.states)-n:]
	if k.forget || slices.ContainsFunc(last, func(h uint64) bool { return !k.known[h] }) {
		return search.Evaluations{}, false
	}
	k.states = k.states[:len(k.states)-n]
	k.recalled += n
	return k.row(last), true
}

// walker requests evaluations of the positions of a random game, one or two at a time, and
// checks the results.
type walker struct {
	t     *testing.T
	s     game.State
	seed  uint64
	left  int
	asked []uint64
	got   []float32
}

func (w *walker) Advance(requests []search.Requests) int {
	if w.left == 0 {
		return search.Done
	}
	rng := random.New(w.seed, random.Test, uint64(w.left))
	w.left--
	for range 1 + w.left%2 {
		legal := w.s.LegalActions(nil)
		if w.s.Apply(legal[rng.IntN(min(2, len(legal)))]); w.s.CurrentPlayer() == game.Nobody {
			w.s = game.Must(game.New("tictactoe")).NewState()
		}
		requests[0].Add(w.s)
		w.asked = append(w.asked, w.s.Hash())
	}
	return 0
}

func (w *walker) Deliver(evaluations search.Evaluations) {
	w.got = append(w.got, evaluations.Values...)
	if len(w.got) != len(w.asked) {
		w.t.Fatalf("%d rows delivered of %d", len(w.got), len(w.asked))
	}
	for i, h := range w.asked {
		if w.got[i] != float32(h%1000) {
			w.t.Fatalf("state %d gets the row of another", i)
		}
	}
}

// TestDriveRecalls: tasks get the same rows whether or not some are known, and batches are
// fuller if known rows do not wait.
func TestDriveRecalls(t *testing.T) {
	var batches [2]int
	for i, forget := range []bool{false, true} {
		e := &knower{known: map[uint64]bool{}, forget: forget}
		var tasks []search.Task
		for seed := range uint64(8) {
			tasks = append(tasks, &walker{
				t: t, s: game.Must(game.New("tictactoe")).NewState(), seed: seed % 4, left: 30,
			})
		}
		if err := search.Drive(t.Context(), tasks, []search.Evaluator{e}); err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			if w := task.(*walker); w.left != 0 || len(w.got) != 45 {
				t.Errorf("a task ends with %d questions left and %d of 45 rows", w.left, len(w.got))
			}
		}
		if (e.recalled > 0) == forget {
			t.Errorf("%d rows were known", e.recalled)
		}
		batches[i] = len(e.batches)
	}
	if batches[0] >= batches[1] {
		t.Errorf("%d batches where rows are known, %d where none is", batches[0], batches[1])
	}
}

// seer is a task whose search looks ahead by a number of steps, and logs it.
type seer struct {
	s     game.State
	id    int
	steps int // ahead
	taken int
	turns int
	log   *[]string
}

func (x *seer) Foreseer() search.Foreseer {
	if x.steps == 0 {
		return nil
	}
	return x
}

func (x *seer) Foresee() bool {
	*x.log = append(*x.log, fmt.Sprintf("%d foresees", x.id))
	x.taken++
	return x.taken < x.steps
}

func (x *seer) Advance(requests []search.Requests) int {
	*x.log = append(*x.log, fmt.Sprintf("%d advances", x.id))
	if x.taken = 0; x.turns == 0 {
		return search.Done
	}
	x.turns--
	requests[0].Add(x.s)
	return 0
}

func (*seer) Deliver(search.Evaluations) {}

// TestTasksForeseeInTurn: in each turn eight tasks look ahead, one step each in turn, before the
// first of them advances.
func TestTasksForeseeInTurn(t *testing.T) {
	var got, want []string
	var tasks []search.Task
	steps := []int{2, 0, 1, 3, 1, 1, 1, 1, 2}
	for i, n := range steps {
		tasks = append(tasks, &seer{
			s: game.Must(game.New("tictactoe")).NewState(), id: i, steps: n, turns: i % 2,
			log: &got,
		})
	}
	tasks = append(tasks, &endless{}) // no Foresighted
	e := &knower{known: map[uint64]bool{}, forget: true}
	ctx, cancel := context.WithCancel(t.Context())
	last := tasks[len(tasks)-1].(*endless)
	last.s, last.n, last.cancel = game.Must(game.New("tictactoe")).NewState(), 8, cancel
	if err := search.Drive(ctx, tasks, []search.Evaluator{e}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	turn := func(ids ...int) {
		for len(ids) > 0 {
			n := min(8, len(ids))
			for step := range 3 {
				for _, i := range ids[:n] {
					if step < steps[i] {
						want = append(want, fmt.Sprintf("%d foresees", i))
					}
				}
			}
			for _, i := range ids[:n] {
				want = append(want, fmt.Sprintf("%d advances", i))
			}
			ids = ids[n:]
		}
	}
	turn(0, 1, 2, 3, 4, 5, 6, 7, 8)
	turn(1, 3, 5, 7) // those not done, and the endless one
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDriveStopsAmongKnownRows: tasks that never wait can be stopped.
func TestDriveStopsAmongKnownRows(t *testing.T) {
	s := game.Must(game.New("tictactoe")).NewState()
	ctx, cancel := context.WithCancel(t.Context())
	task := &endless{s: s, cancel: cancel}
	e := &knower{known: map[uint64]bool{s.Hash(): true}}
	if err := search.Drive(ctx, []search.Task{task}, []search.Evaluator{
		e,
	}); err != context.Canceled || task.n != 10 {
		t.Errorf("%v after %d rows", err, task.n)
	}
}

type endless struct {
	s      game.State
	n      int
	cancel func()
}

func (e *endless) Advance(requests []search.Requests) int {
	requests[0].Add(e.s)
	return 0
}

func (e *endless) Deliver(search.Evaluations) {
	if e.n++; e.n == 10 {
		e.cancel()
	}
}

// concurrent is a knower that implements search.Starter, for one batch at a time, and
// logs the order of events.
type concurrent struct {
	*knower
	name    string
	log     *[]string
	under   bool
	broken  int // batches after which it fails; 0: never
	started int
	idle    int // calls of Evaluate without a Start
}

func (c *concurrent) Start() {
	if c.under {
		panic("started twice")
	}
	c.under = true
	c.started++
	*c.log = append(*c.log, "start "+c.name)
}

func (c *concurrent) Add(s game.State) {
	if c.under {
		panic("a state is added to a batch in progress")
	}
	c.knower.Add(s)
}

func (c *concurrent) Evaluate() (search.Evaluations, error) {
	if c.under {
		*c.log = append(*c.log, "wait "+c.name)
	} else {
		c.idle++
	}
	c.under = false
	if c.broken > 0 && c.started > c.broken {
		return search.Evaluations{}, errBroken
	}
	return c.knower.Evaluate()
}

var errBroken = errors.New("broken")

// newConcurrent returns two groups of walkers.
func newConcurrent(
	t *testing.T, forget bool, left int,
) (groups []search.Group, evaluators []*concurrent, log *[]string) {
	log = new([]string)
	for i, name := range []string{"a", "b"} {
		e := &concurrent{
			knower: &knower{known: map[uint64]bool{}, forget: forget}, name: name, log: log,
		}
		s := search.Group{Evaluators: []search.Evaluator{e}}
		for seed := range uint64(3) {
			s.Tasks = append(s.Tasks, &walker{
				t: t, s: game.Must(game.New("tictactoe")).NewState(),
				seed: 10*uint64(i) + seed, left: left,
			})
		}
		groups, evaluators = append(groups, s), append(evaluators, e)
	}
	return groups, evaluators, log
}

// TestGroupsTakeTurns: while the requests of one group are evaluated, the tasks of the
// other advance; each task gets its own rows.
func TestGroupsTakeTurns(t *testing.T) {
	for _, forget := range []bool{true, false} {
		groups, _, log := newConcurrent(t, forget, 30)
		if err := search.DriveGroups(t.Context(), groups...); err != nil {
			t.Fatal(err)
		}
		for _, s := range groups {
			for _, task := range s.Tasks {
				if w := task.(*walker); w.left != 0 || len(w.got) != 45 {
					t.Errorf("a task ends with %d questions left and %d of 45 rows",
						w.left, len(w.got))
				}
			}
		}
		got := strings.Join((*log)[:6], ", ")
		if want := "start a, start b, wait a, start a, wait b, start b"; got != want {
			t.Errorf("it begins with %s, want %s", got, want)
		}
	}
}

// TestGroupsEnd: when the context ends, or an evaluator fails, no evaluation is left
// running, and rows of a failed evaluator are not delivered.
func TestGroupsEnd(t *testing.T) {
	groups, evaluators, _ := newConcurrent(t, true, 1000)
	evaluators[1].broken = 3
	if err := search.DriveGroups(t.Context(), groups...); !errors.Is(err, errBroken) {
		t.Errorf("an evaluator fails: %v", err)
	}
	for _, e := range evaluators {
		if e.under || e.started < 3 {
			t.Errorf("%s: %d batches, one under way: %v", e.name, e.started, e.under)
		}
	}
	for _, task := range groups[1].Tasks {
		if w := task.(*walker); len(w.got) == len(w.asked) {
			t.Error("rows are delivered after the failure")
		}
	}

	groups, evaluators, _ = newConcurrent(t, true, 1_000_000)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := search.DriveGroups(ctx, groups...); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the context ends: %v", err)
	}
	for _, e := range evaluators {
		if e.under {
			t.Errorf("%s is left running", e.name)
		}
	}
}

// other is a walker that asks the second evaluator.
type other struct{ walker }

func (o *other) Advance(requests []search.Requests) int {
	if r := o.walker.Advance(requests[1:]); r != 0 {
		return r
	}
	return 1
}

// TestGroupEndsAtTheFirstFailure: where one evaluator of a group fails, those still at work are
// waited for, and no others.
func TestGroupEndsAtTheFirstFailure(t *testing.T) {
	groups, evaluators, log := newConcurrent(t, true, 1000)
	second := &concurrent{
		knower: &knower{known: map[uint64]bool{}, forget: true}, name: "a2", log: log,
	}
	groups[0].Evaluators = append(groups[0].Evaluators, second)
	groups[0].Tasks = append(groups[0].Tasks, &other{walker{
		t: t, s: game.Must(game.New("tictactoe")).NewState(), seed: 99, left: 1000,
	}})
	evaluators[0].broken = 3
	if err := search.DriveGroups(t.Context(), groups...); !errors.Is(err, errBroken) {
		t.Errorf("an evaluator fails: %v", err)
	}
	for _, e := range append(evaluators, second) {
		if e.under || e.idle != 0 || e.started < 3 {
			t.Errorf("%s: %d batches, one under way: %v; %d calls of Evaluate without Start",
				e.name, e.started, e.under, e.idle)
		}
	}
}

// TestGroupsAreDrainedInOrder: what is under way when an evaluator of the second group fails is
// waited for in the order in which it was started, as evaluators of one device want it.
func TestGroupsAreDrainedInOrder(t *testing.T) {
	groups, evaluators, log := newConcurrent(t, true, 1000)
	second := &concurrent{
		knower: &knower{known: map[uint64]bool{}, forget: true}, name: "b2", log: log,
	}
	groups[1].Evaluators = append(groups[1].Evaluators, second)
	groups[1].Tasks = append(groups[1].Tasks, &other{walker{
		t: t, s: game.Must(game.New("tictactoe")).NewState(), seed: 99, left: 1000,
	}})
	evaluators[1].broken = 3
	if err := search.DriveGroups(t.Context(), groups...); !errors.Is(err, errBroken) {
		t.Errorf("an evaluator fails: %v", err)
	}
	var under []string // started, and not waited for
	for _, line := range *log {
		what, name, _ := strings.Cut(line, " ")
		if what == "start" {
			under = append(under, name)
		} else if under[0] != name {
			t.Fatalf("%s, while %v are under way", line, under)
		} else {
			under = under[1:]
		}
	}
	if len(under) > 0 {
		t.Errorf("%v are left running", under)
	}
}

// TestIdleEvaluatorIsNotStarted: an evaluator is started only where a task has asked it.
func TestIdleEvaluatorIsNotStarted(t *testing.T) {
	groups, evaluators, log := newConcurrent(t, true, 30)
	second := &concurrent{
		knower: &knower{known: map[uint64]bool{}, forget: true}, name: "a2", log: log,
	}
	groups[0].Evaluators = append(groups[0].Evaluators, second)
	groups[0].Tasks = append(groups[0].Tasks, &other{walker{
		t: t, s: game.Must(game.New("tictactoe")).NewState(), seed: 99, left: 2,
	}})
	if err := search.DriveGroups(t.Context(), groups...); err != nil {
		t.Fatal(err)
	}
	if evaluators[0].started != 30 || second.started != 2 {
		t.Errorf("%d and %d batches, want 30 and 2", evaluators[0].started, second.started)
	}
	for _, e := range append(evaluators, second) {
		if e.under || e.idle != 0 {
			t.Errorf("%s: under way: %v; %d calls of Evaluate without Start", e.name, e.under, e.idle)
		}
	}
}

// waiter waits for a number of values before it asks for an evaluation.
type waiter struct {
	walker
	gate chan struct{}
	wait bool
}

func (w *waiter) Advance(requests []search.Requests) int {
	if w.wait {
		select {
		case <-w.gate:
			w.wait = false
		default:
			return search.Waiting
		}
	}
	w.wait = true
	return w.walker.Advance(requests)
}

// TestGroupsWait: tasks that wait do not hold up others, are asked again when they are woken, and
// do not keep a driver busy.
func TestGroupsWait(t *testing.T) {
	tic := game.Must(game.New("tictactoe"))
	wake, gate := make(chan struct{}, 1), make(chan struct{}, 6)
	e := &knower{known: map[uint64]bool{}, forget: true}
	w := &waiter{walker: walker{t: t, s: tic.NewState(), seed: 1, left: 5}, gate: gate, wait: true}
	free := &walker{t: t, s: tic.NewState(), seed: 2, left: 20}
	done := make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		done <- search.DriveGroups(ctx, search.Group{
			Tasks: []search.Task{w, free}, Evaluators: []search.Evaluator{e}, Wake: wake,
		})
	}()
	for range 6 { // one for each question, and one to find that there is none
		gate <- struct{}{}
		select {
		case wake <- struct{}{}:
		default: // full: the driver has yet to see the last one, and sees this gate with it
		}
		time.Sleep(time.Millisecond)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if w.left != 0 || free.left != 0 {
		t.Errorf("%d and %d questions are left", w.left, free.left)
	}
	w = &waiter{walker: walker{t: t, s: tic.NewState(), seed: 1, left: 5}, gate: gate, wait: true}
	go func() {
		done <- search.DriveGroups(ctx, search.Group{
			Tasks: []search.Task{w}, Evaluators: []search.Evaluator{e}, Wake: wake,
		})
	}()
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("a driver whose only task waits ends with %v", err)
	}
}
