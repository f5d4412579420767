package search_test

import (
	"context"
	"slices"
	"testing"

	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/internal/stream"
	"tengen/search"
)

// knower gives each state its hash as value, and knows states that it has
// evaluated before.
type knower struct {
	known    map[uint64]bool
	forget   bool // knows nothing
	states   []uint64
	batches  []int
	recalled int
}

func (k *knower) Add(s game.State) { k.states = append(k.states, s.Hash()) }

func (k *knower) row(list []uint64) search.Rows {
	r := search.Rows{Actions: 1, Players: 1}
	for _, h := range list {
		r.Values = append(r.Values, float32(h%1000))
	}
	return r
}

func (k *knower) Evaluate() search.Rows {
	k.batches = append(k.batches, len(k.states))
	for _, h := range k.states {
		k.known[h] = true
	}
	r := k.row(k.states)
	k.states = nil
	return r
}

func (k *knower) Recall(n int) (search.Rows, bool) {
	last := k.states[len(k.states)-n:]
	if k.forget || slices.ContainsFunc(last, func(h uint64) bool { return !k.known[h] }) {
		return search.Rows{}, false
	}
	k.states = k.states[:len(k.states)-n]
	k.recalled += n
	return k.row(last), true
}

// walker asks for the positions of a random game, one or two at a time, and
// checks what it gets.
type walker struct {
	t     *testing.T
	s     game.State
	seed  uint64
	left  int
	asked []uint64
	got   []float32
}

func (w *walker) Advance(leaves []search.Leaves) int {
	if w.left == 0 {
		return search.Done
	}
	rng := stream.New(w.seed, stream.Test, uint64(w.left))
	w.left--
	for range 1 + w.left%2 {
		legal := w.s.Legal(nil)
		if w.s.Apply(legal[rng.IntN(min(2, len(legal)))]); w.s.Mover() == game.Nobody {
			w.s = game.Must(game.New("tictactoe")).NewState()
		}
		leaves[0].Add(w.s)
		w.asked = append(w.asked, w.s.Hash())
	}
	return 0
}

func (w *walker) Deliver(rows search.Rows) {
	w.got = append(w.got, rows.Values...)
	if len(w.got) != len(w.asked) {
		w.t.Fatalf("%d rows delivered of %d", len(w.got), len(w.asked))
	}
	for i, h := range w.asked {
		if w.got[i] != float32(h%1000) {
			w.t.Fatalf("state %d gets the row of another", i)
		}
	}
}

// TestDriveRecalls: tasks get the same rows whether or not some are known, and
// batches are fuller where those that are known do not wait.
func TestDriveRecalls(t *testing.T) {
	var batches [2]int
	for i, forget := range []bool{false, true} {
		e := &knower{known: map[uint64]bool{}, forget: forget}
		var tasks []search.Task
		for seed := range uint64(8) {
			tasks = append(tasks, &walker{t: t, s: game.Must(game.New("tictactoe")).NewState(), seed: seed % 4, left: 30})
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

// TestDriveStopsAmongKnownRows: tasks that never wait can be stopped.
func TestDriveStopsAmongKnownRows(t *testing.T) {
	s := game.Must(game.New("tictactoe")).NewState()
	ctx, cancel := context.WithCancel(t.Context())
	task := &endless{s: s, cancel: cancel}
	e := &knower{known: map[uint64]bool{s.Hash(): true}}
	if err := search.Drive(ctx, []search.Task{task}, []search.Evaluator{e}); err != context.Canceled || task.n != 10 {
		t.Errorf("%v after %d rows", err, task.n)
	}
}

type endless struct {
	s      game.State
	n      int
	cancel func()
}

func (e *endless) Advance(leaves []search.Leaves) int {
	leaves[0].Add(e.s)
	return 0
}

func (e *endless) Deliver(search.Rows) {
	if e.n++; e.n == 10 {
		e.cancel()
	}
}
