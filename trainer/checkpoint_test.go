package trainer

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/checkpoints"
	"tengen/vfs"
)

// kept returns what a policy selects of a run's iterations.
func kept(p checkpoints.Policy, newest int) (list []int) {
	for i := 1; i <= newest; i++ {
		if p.Keeps(i, newest) {
			list = append(list, i)
		}
	}
	return list
}

// stopper is a log that stops a run after some iterations.
type stopper struct {
	slog.Handler
	left int
	stop func()
}

// Enabled and Handle make it a run's log.
func (*stopper) Enabled(context.Context, slog.Level) bool { return true }

func (s *stopper) Handle(_ context.Context, r slog.Record) error {
	if r.Message != "iteration" {
		return nil
	}
	if s.left--; s.left == 0 {
		s.stop()
	}
	return nil
}

// TestKeepsASeries: after any iteration at which a run is interrupted its folder holds what follows
// from the iteration's number, and so does a run that goes back to an older checkpoint because the
// newest are damaged, once it has come as far.
func TestKeepsASeries(t *testing.T) {
	o := options(t, faultPlan(t, "training.iterations=40", "checkpoints.keep_last=3"),
		filepath.Join(t.TempDir(), "run"))
	o.Plan.PerOctave = 1
	policy := checkpoints.Policy{KeepLast: 3, PerOctave: 1}
	newest := 0
	for process, at := range []int{3, 11, 12, 29, 40} {
		o.Resume = process > 0
		o.Monitor = new(Monitor)
		ctx, cancel := context.WithCancel(context.Background())
		o.Log = slog.New(&stopper{Handler: slog.DiscardHandler, left: at - newest, stop: cancel})
		if err := Run(ctx, o); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		got := list(t, o)
		newest = got[len(got)-1]
		if newest < at || !slices.Equal(got, kept(policy, newest)) {
			t.Fatalf("after %d iterations %v are kept, want %v", newest, got, kept(policy, newest))
		}
	}
	whole := list(t, o)
	store := o.Folder.On(nil).Store()
	last, err := store.Load(o.Folder.Checkpoint(40))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{39, 40} {
		if err := vfs.WriteBytes(vfs.OS{},
			filepath.Join(o.Folder.Checkpoint(i), "state.json"), nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Load(o.Folder.Checkpoint(35)); err == nil ||
		!strings.Contains(err.Error(), "the nearest are of 32 and 36") {
		t.Errorf("one that is thinned out: %v", err)
	}
	o.Monitor = new(Monitor)
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if got := list(t, o); !slices.Equal(got, whole) {
		t.Errorf("after damage %v are kept, before %v", got, whole)
	}
	again, err := store.Load(o.Folder.Checkpoint(40))
	if err != nil || !reflect.DeepEqual(again.Params.Tensors, last.Params.Tensors) {
		t.Errorf("the last network is not made again: %v", err)
	}
}
