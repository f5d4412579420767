package v1

import (
	"context"
	"sync"
	"time"
)

// budget bounds the time of all searches of the page together, so that they cost training in the
// same process little, however many games are open and whoever asks. Time is saved up while nobody
// searches. It is safe for concurrent use.
type budget struct {
	share float64       // of time, that searches may take
	most  time.Duration // that is saved up
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error

	mu    sync.Mutex
	saved time.Duration
	at    time.Time // when saved was right
}

// While a run is trained the page searches for a tenth of the time of all cores, after at most two
// seconds at once.
const (
	searchShare = 0.1
	searchSaved = 2 * time.Second
)

func newBudget(share float64, most time.Duration) *budget {
	return &budget{share: share,
		most: most, saved: most, at: time.Now(), now: time.Now, sleep: func(
			ctx context.Context, d time.Duration,
		) error {
			t := time.NewTimer(d)
			defer t.Stop()
			select {
			case <-t.C:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
}

// wait waits until there is time for a search, which used counts. A nil budget has no bound.
func (b *budget) wait(ctx context.Context) (used func(), err error) {
	if b == nil {
		return func() {}, nil
	}
	for {
		b.mu.Lock()
		b.refill()
		missing := -b.saved
		b.mu.Unlock()
		if missing < 0 {
			break
		}
		if err := b.sleep(ctx,
			time.Duration(float64(missing)/b.share)+10*time.Millisecond); err != nil {
			return nil, err
		}
	}
	began := b.now()
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.refill()
		b.saved -= b.now().Sub(began)
	}, nil
}

// refill adds what was saved since the last call.
func (b *budget) refill() {
	now := b.now()
	b.saved = min(b.most, b.saved+time.Duration(b.share*float64(max(0, now.Sub(b.at)))))
	b.at = now
}
