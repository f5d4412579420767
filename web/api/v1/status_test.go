package v1

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/nntest"
	"tengen/run"
	"tengen/run/runtest"
)

// TestNetworksOnADevice: the networks that play and analyze are evaluated where Options.Load puts
// them, and hold nothing there once their games have ended, in whatever way.
func TestNetworksOnADevice(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tictactoe", Iterations: 2, Games: 1, Network: true,
	})
	var devices []*nntest.Device
	clock := runtest.NewClock(0)
	p := newAPI(t, Options{
		Folder: string(dir), Now: clock.Now,
		Load: func(p *nn.Params) (nn.Network, error) {
			d := &nntest.Device{Network: nn.Fold(p)}
			devices = append(devices, d)
			return d, nil
		},
	})
	open := func() (n int64) {
		p.sessions.ending.Wait()
		for _, d := range devices {
			n += d.Open()
		}
		return n
	}
	o := setup{Seats: []string{byNetwork, byNetwork}, Simulations: 8}
	begin := func() *session {
		s, err := p.sessions.begin(o)
		runtest.Must(t, err)
		runtest.Must(t, p.sessions.step(t.Context(), s))
		return s
	}
	playWhole(t, p.Handler(), []string{byPerson, byNetwork})
	if all, _ := devices[0].Batches(); len(devices) != 1 || all == 0 || open() != 1 {
		t.Fatalf("%d networks, %d batches, %d evaluators", len(devices), all, open())
	}
	clock.Pass(2 * sessionIdle)
	s := begin() // sweeps the first
	if open() != 2 {
		t.Errorf("%d evaluators of a game that two networks play", open())
	}
	if w := runtest.Request(p.Handler(), "GET",
		fmt.Sprintf("/api/v1/play/%s/analysis", s.id), ""); w.Code != 200 || open() != 2 {
		t.Errorf("an analysis: %d %s, %d evaluators", w.Code, w.Body, open())
	}
	for range maxSessions {
		begin() // drops s at last
	}
	if open() != 2 {
		t.Errorf("%d evaluators of %d games, of which one is awake", open(), maxSessions)
	}

	// A game that is dropped during a search is closed after it.
	s = begin()
	s.mu.Lock()
	p.sessions.end(s.id)
	runtest.Must(t, s.step(t.Context()))
	s.mu.Unlock()
	if open() != 0 {
		t.Errorf("%d evaluators after the end of a game", open())
	}
	// A request that found it before is told so.
	p.sessions.open[s.id] = s
	if w := runtest.Request(p.Handler(), "POST", "/api/v1/play/"+s.id+"/step",
		"{}"); w.Code != 404 {
		t.Errorf("a step of a game that has ended: %d", w.Code)
	}
	// Nor does a game that is refused leave anything.
	if _, err := p.sessions.begin(setup{
		Seats: []string{byNetwork, "nobody"}, Simulations: 8,
	}); err == nil || open() != 0 {
		t.Errorf("%v, %d evaluators after a request that is refused", err, open())
	}
	p.Close()
	if open() != 0 {
		t.Errorf("%d evaluators after Close", open())
	}
	if _, err := p.sessions.begin(o); !errors.Is(err, errNoSession) || open() != 0 {
		t.Errorf("a game after Close: %v", err)
	}
}

// TestNoNetworkToLoad: an error of Options.Load answers the request and changes nothing.
func TestNoNetworkToLoad(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tictactoe", Iterations: 1, Games: 1, Network: true,
	})
	full := true
	p := newAPI(t, Options{Folder: string(dir), Load: func(p *nn.Params) (nn.Network, error) {
		if full {
			return nil, errors.New("out of memory")
		}
		return nn.Fold(p), nil
	}})
	body := seated([]string{byPerson, byNetwork}, 8)
	if w := runtest.Request(p.Handler(), "POST", "/api/v1/play", body); w.Code != 500 {
		t.Errorf("without memory: %d", w.Code)
	}
	full = false
	post(t, p.Handler(), "/api/v1/play", body)
}

// TestCloseWaits: Close waits for a search, which ends with its request.
func TestCloseWaits(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tictactoe", Iterations: 1, Games: 1, Network: true,
	})
	p := newAPI(t, Options{Folder: string(dir)})
	s, err := p.sessions.begin(setup{Seats: []string{byNetwork, byNetwork}, Simulations: 8})
	runtest.Must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	s.mu.Lock()
	runtest.Must(t, p.sessions.wake(s))
	ended := make(chan error)
	go func() {
		<-ctx.Done()
		err := s.step(ctx) // with the agents that it had
		s.mu.Unlock()
		ended <- err
	}()
	time.AfterFunc(10*time.Millisecond, cancel)
	p.Close()
	if !s.ended {
		t.Error("the game goes on after Close")
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the search ended with %v", err)
	}
}

// TestCluster: workers are summed up over all of them, and those that are refused are listed first.
func TestCluster(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})
	ask := func(o Options) (v clusterView) {
		t.Helper()
		o.Folder = string(dir)
		w := runtest.Request(newAPI(t, o).Handler(), "GET", "/api/v1/cluster", "")
		if w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		runtest.Must(t, json.Unmarshal(w.Body.Bytes(), &v))
		return v
	}
	if v := ask(Options{}); v.Known || len(v.Workers) > 0 {
		t.Errorf("without workers: %+v", v)
	}
	c := run.Cluster{
		Given: 7, Queues: []run.Queue{{Name: "games", Messages: 3, Bytes: 900}},
		Refused: map[string]uint64{"record": 5},
	}
	for i := range 300 {
		c.Workers = append(c.Workers, run.Worker{
			ID: fmt.Sprint("w", i), Build: "v1", Kernels: "avx2", Rate: float64(i), Alive: i != 250,
		})
	}
	c.Workers[20].Alive, c.Workers[20].Reason = false, "another build"
	v := ask(Options{Cluster: func() run.Cluster { return c }})
	if !v.Known || v.All != 300 || v.Playing != 298 || v.Rate != 299*300/2-20-250 ||
		v.Paths["avx2"] != 298 || v.Builds["v1"] != 298 {
		t.Errorf("%+v", v)
	}
	if len(v.Workers) != maxWorkers || v.Workers[0].Reason == "" || v.Workers[1].ID != "w299" ||
		v.Given != 7 || v.Queues[0].Bytes != 900 || v.Refused["record"] != 5 {
		t.Errorf("%d workers, the first are %+v, %+v", len(v.Workers), v.Workers[0], v.Workers[1])
	}
}
