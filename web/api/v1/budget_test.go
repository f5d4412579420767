package v1

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestBudget: whoever searches all the time gets what is saved up, and then the share; a search
// waits no longer than its request.
func TestBudget(t *testing.T) {
	now := time.Unix(1000, 0)
	b := newBudget(0.2, 10*time.Second)
	b.now, b.at = func() time.Time { return now }, now
	b.sleep = func(ctx context.Context, d time.Duration) error {
		now = now.Add(d)
		return ctx.Err()
	}
	began, searched := now, time.Duration(0)
	for range 1000 {
		used, err := b.wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(300 * time.Millisecond)
		searched += 300 * time.Millisecond
		used()
	}
	all := now.Sub(began)
	if want := 10 + 0.2*all.Seconds(); searched.Seconds() > want+1 ||
		searched.Seconds() < 0.9*want {
		t.Errorf("it searched for %v of %v, want about %.0f s", searched, all, want)
	}
	now = now.Add(time.Hour) // no more is saved than may be
	b.refill()
	if b.saved != 10*time.Second {
		t.Errorf("%v are saved", b.saved)
	}
	b.saved = -time.Second
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that is given up: %v", err)
	}
	if used, err := (*budget)(nil).wait(ctx); err != nil {
		t.Error(err)
	} else {
		used()
	}
	if err := newBudget(1, 0).sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("by the real clock: %v", err)
	}
}
