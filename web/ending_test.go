package web

import (
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tengen/run"
	"tengen/run/runtest"
)

// cable is a connection between a browser and a server that can be cut, as when the server is
// killed.
type cable struct {
	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn
	cut      bool
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	runtest.Must(t, err)
	c := &cable{listener: l}
	t.Cleanup(func() { c.set(true); l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			c.mu.Lock()
			far, err := net.Dial("tcp", to)
			if err != nil || c.cut {
				from.Close()
			} else {
				go func() { _, _ = io.Copy(far, from); far.Close() }()
				go func() { _, _ = io.Copy(from, far); from.Close() }()
				c.conns = append(c.conns, from, far)
			}
			c.mu.Unlock()
		}
	}()
	return c
}

// set cuts the cable, or mends it.
func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

// head is what the page says of the run.
const head = "document.getElementById('head').innerText"

// TestBrowserEnds: a page says that its run stops, how it has ended and what opens the page again;
// of a server that is gone without a word it says that the connection is lost, until it is back.
func TestBrowserEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 4, All: 9, Games: 2})
	var state atomic.Value
	state.Store(run.Status{
		State: run.Training, Iteration: 4, Iterations: 9, Stage: run.StageSelfPlay, Done: 1, All: 2,
		Left: 2 * time.Minute,
	})
	options := Options{
		Folder: string(dir), Status: func() run.Status { return state.Load().(run.Status) },
	}
	server, err := Serve(t.Context(), "127.0.0.1:0", options)
	runtest.Must(t, err)
	c := newCable(t, server.Address())
	b := openBrowser(t, c.listener.Addr().String())
	b.size(1280, 700, "light", false)
	b.open("/")
	b.until(head + ".includes('training')")
	// The iteration is that under way, as in the terminal.
	for _, want := range []string{"iteration 5 of 9", "about 2 min left"} {
		b.until(head + ".includes('" + want + "')")
	}
	c.set(true)
	b.until("document.querySelector('#head .state').textContent === 'connection lost'")
	const command = "document.querySelector('#head .notice:not([hidden]) code')?.textContent.startsWith('tengen serve ')"
	b.until(command)
	if text := eval[string](b, head); strings.Contains(text, "training") ||
		strings.Contains(text, " left") || !strings.Contains(text, "iteration 5 of 9") {
		t.Errorf("without a connection the page says %q", text)
	}
	b.accessible()
	c.set(false)
	b.until(head + ".includes('training') && " + head +
		".includes('about 2 min left') && document.querySelector('#head .notice').hidden")
	state.Store(run.Status{State: run.Stopping, Iteration: 4, Iterations: 9})
	b.until("document.querySelector('#head .state').textContent === 'stopping'")
	// The server ends with the run; the page has its last status first.
	state.Store(run.Status{
		State: run.Stopped, Message: "stopped after iteration 4 of 9", Iteration: 4, Iterations: 9,
	})
	runtest.Must(t, server.Close())
	b.until("document.querySelector('#head .state').textContent === 'stopped' && " + command)
	b.until(head + ".includes('stopped after iteration 4 of 9') && " + head +
		".includes('iteration 4 of 9')")
	b.until("document.getElementById('link').textContent === ''")
	// What can no longer be asked for is said, and not tried.
	eval[bool](b, "location.hash = 'games', true")
	b.until("document.getElementById('games').innerText.includes('server has ended')")
	b.accessible()
	b.size(390, 844, "light", true)
	b.fits()

	// A run that is limited by its time has a bar of its time.
	timed := runtest.MakeRun(t, runtest.Run{
		Game: "tictactoe", Iterations: 4, All: 1000, Games: 2, Minutes: 4,
	})
	at := runtest.Began.Add(4*time.Minute + 36*time.Second)
	var moved atomic.Int64
	options = Options{
		Folder: string(timed), Status: options.Status,
		Now: func() time.Time { return at.Add(time.Duration(moved.Load())) },
	}
	state.Store(run.Status{State: run.Training, Iteration: 4, Iterations: 1000, Left: time.Minute})
	server, err = Serve(t.Context(), "127.0.0.1:0", options)
	runtest.Must(t, err)
	b.visit(server)
	b.open("/")
	b.until(head + ".includes('iteration 5') && !" + head +
		".includes('of 1') && / of 4 min/.test(" + head + ")")
	share := eval[float64](b, "document.querySelector('#head .course progress').value")
	if share < 0.6 || share >= 1 {
		t.Errorf("the bar is at %v after 3 of 4 minutes", share)
	}
	// By then the page has its stream: a server that ends before tells it nothing.
	state.Store(run.Status{State: run.Stopping, Iteration: 5, Iterations: 1000})
	moved.Store(int64(time.Second)) // a stream looks for news once a second of this clock
	b.until("document.querySelector('#head .state').textContent === 'stopping'")
	state.Store(run.Status{State: run.Complete, Iteration: 6, Iterations: 1000})
	runtest.Must(t, server.Close())
	b.until("document.querySelector('#head .state').textContent === 'complete' && " +
		"document.querySelector('#head .course progress').value === 1 && " + command)
}
