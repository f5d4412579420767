package trainer

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"tengen/run"
)

// TestEnding: a run that is asked to stop says so while it stops, and then where it stands; nothing
// is left to wait for.
func TestEnding(t *testing.T) {
	o := options(t, tiny(t, "evaluation.every=0"), filepath.Join(t.TempDir(), "run"))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var during run.Status
	lines := 0
	o.Log = slog.New(told(func(message string) {
		if message != "iteration" {
			return
		}
		if lines++; lines == 2 {
			cancel()
			awaits(t, "the run says that it stops", func() bool {
				during = o.Monitor.Status()
				return during.State == run.Stopping
			})
		}
	}))
	if err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if during.State != run.Stopping || during.Share != 0.25 {
		t.Errorf("while it stops: %s, %g of it done", during.State, during.Share)
	}
	s := o.Monitor.Status()
	if want := "stopped after iteration 2 of 4"; s.State != run.Stopped || s.Message != want ||
		s.Left != 0 || s.Stage != "" {
		t.Errorf("at its end: %s, %q, %v left, stage %q", s.State, s.Message, s.Left, s.Stage)
	}
	history, err := o.Folder.History()
	if err != nil {
		t.Fatal(err)
	}
	if e := history[len(history)-1]; e.Kind != run.EventStop || e.Message != s.Message {
		t.Errorf("the last event is %+v", e)
	}
}

// told is called with the message of each line of a log.
type told func(message string)

func (told) Enabled(context.Context, slog.Level) bool { return true }

func (f told) Handle(_ context.Context, r slog.Record) error {
	f(r.Message)
	return nil
}

func (f told) WithAttrs([]slog.Attr) slog.Handler { return f }
func (f told) WithGroup(string) slog.Handler      { return f }
