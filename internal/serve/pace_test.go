package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestPace: requests take what is saved up, then their share; none waits longer than a second, and
// a client that leaves is not answered.
func TestPace(t *testing.T) {
	now := time.Unix(1000, 0)
	p := &Pace{
		share: 0.1, most: time.Second, saved: time.Second, now: func() time.Time {
			return now
		}, at: now,
	}
	if d := p.take(time.Second); d != 0 {
		t.Errorf("what is saved up has to wait %v", d)
	}
	for i, want := range []time.Duration{
		10 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond,
	} {
		if d := p.take(time.Millisecond); d != want {
			t.Errorf("request %d waits %v, want %v", i, d, want)
		}
	}
	if d := p.take(time.Hour); d != longestWait {
		t.Errorf("after a request that takes much, the next waits %v", d)
	}
	if now = now.Add(longestWait); p.take(0) != 0 {
		t.Error("what is owed is not forgotten")
	}
	if now = now.Add(time.Hour); p.take(0) != 0 || p.saved != p.most {
		t.Errorf("%v are saved", p.saved)
	}
	now = now.Add(-time.Hour) // a clock that is set back
	if p.take(0); p.saved != p.most {
		t.Errorf("%v are saved after the clock was set back", p.saved)
	}

	asked := 0
	h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked++
		now = now.Add(time.Hour)
	})
	serve := func(p *Pace, ctx context.Context) {
		p.Serve(h, httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	}
	serve(nil, t.Context())
	before := p.saved
	if serve(p, t.Context()); asked != 2 || before-p.saved > requestCost+handlerCost ||
		p.saved >= before {
		t.Errorf("%d requests were answered, %v are saved", asked, p.saved)
	}
	p.saved, p.most = time.Second, time.Second
	large := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", smallBody+1)))
	if p.Serve(http.NotFoundHandler(), httptest.NewRecorder(), large); p.saved > time.Second-
		requestCost-bodyCost {
		t.Errorf("after a large body %v are saved", p.saved)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	p.saved, p.share = 0, 1e-3
	if serve(p, gone); asked != 2 {
		t.Error("a client that has left is answered")
	}
	p.saved, p.share = 0, 100
	if serve(p, t.Context()); asked != 3 {
		t.Error("a client that waits is not answered")
	}
}
