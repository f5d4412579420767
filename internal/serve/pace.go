package serve

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"
)

// Pace bounds the processor time that the requests of some clients take together, in a process that
// has something better to do. Requests that would take more than the share wait, in the order in
// which they come, and none longer than 0.8 s: since the number of connections is bounded, so is
// what they take then. It is safe for concurrent use. A nil Pace bounds nothing.
type Pace struct {
	share float64       // of one core's time
	most  time.Duration // that is saved up while nobody asks

	now func() time.Time

	mu    sync.Mutex
	saved time.Duration // less than 0: owed
	at    time.Time     // when saved was right
}

// What a request is taken to cost: the server's part of it, and what its handler took, waiting for
// a client or for a turn included, up to a bound.
const (
	requestCost = 200 * time.Microsecond
	// of a body that is not small, of which the server reads 256 KiB whoever wants it
	bodyCost    = 2 * time.Millisecond
	smallBody   = 8 << 10
	handlerCost = 20 * time.Millisecond
	longestWait = 800 * time.Millisecond
)

// NewPace returns a Pace that gives requests a share of the time of all cores, after most at once.
func NewPace(share float64, most time.Duration) *Pace {
	return &Pace{
		share: share * float64(runtime.GOMAXPROCS(0)), most: most, saved: most, at: time.Now(),
		now: time.Now,
	}
}

// Serve answers a request by h when it is its turn. A request that is given up meanwhile is not
// answered.
func (p *Pace) Serve(h http.Handler, w http.ResponseWriter, r *http.Request) {
	if p == nil {
		h.ServeHTTP(w, r)
		return
	}
	cost := requestCost
	if r.ContentLength < 0 || r.ContentLength > smallBody {
		cost += bodyCost
	}
	if !pause(r.Context(), p.take(cost)) {
		return
	}
	began := p.now()
	h.ServeHTTP(w, r)
	p.take(min(handlerCost, p.now().Sub(began)))
}

// take counts a cost, and returns how long the request that has it is to wait.
func (p *Pace) take(cost time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.saved = min(p.most, p.saved+time.Duration(p.share*float64(max(0, now.Sub(p.at)))))
	p.at = now
	p.saved = max(p.saved-cost, -time.Duration(p.share*float64(longestWait)))
	return time.Duration(float64(max(0, -p.saved)) / p.share)
}

// pause waits, and reports whether the context has not ended meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// New connections, of which each costs time whatever it is for: as many at once, and as many a
// second for each core after that. More of them wait in the system's queue.
const (
	connectionsAtOnce = 1000
	connectionsPerSec = 200
)

// paced is a listener that accepts connections at a bounded rate.
type paced struct {
	net.Listener
	pace *Pace
	ctx  context.Context
}

// pacedListener returns a listener that stops waiting when ctx ends.
func pacedListener(ctx context.Context, l net.Listener) net.Listener {
	const cost = time.Millisecond
	share := connectionsPerSec * cost.Seconds()
	return &paced{l, NewPace(share, connectionsAtOnce*cost), ctx}
}

// Accept implements net.Listener.
func (l *paced) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		pause(l.ctx, l.pace.take(time.Millisecond))
	}
	return conn, err
}
