package selfplay

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"tengen/game"
	"tengen/player"
	"tengen/replay/record"
	"tengen/search"
)

// uctSearch is the search of UCT agents. It keeps nothing from one decision to the next.
type uctSearch struct {
	agent        player.Agent
	result       search.Result
	policyTarget bool
	children     []search.Child
}

// newUCTSearch returns a search that ends without a decision when stop returns true.
func newUCTSearch(s *Settings, stop func() bool) *uctSearch {
	agent := s.UCT.NewAgent(s.Game)
	agent.(player.Interruptible).StopIf(stop)
	return &uctSearch{
		agent: agent, result: agent.(player.Searching).Result(), policyTarget: s.UCTPolicyTarget,
	}
}

// think searches a position with the random source of its game.
func (u *uctSearch) think(s game.State, rng *rand.Rand) (a game.Action, decided bool) {
	u.agent.Begin(rng)
	return u.agent.Think(s, nil)
}

func (u *uctSearch) record(m *record.Move) {
	u.result.Value(m.Value)
	if u.policyTarget {
		u.children = u.result.Children(u.children[:0])
		m.Visits = visits(u.children)
	}
}

// uctAgent plays for the UCT players of one game. It is a searchAgent.
type uctAgent struct {
	uct    *uctSearch // of the worker
	rng    *rand.Rand // the game's
	beside *uctThread // if not nil, it thinks in place of uct
}

func (u *uctAgent) Begin(rng *rand.Rand) { u.rng = rng }

func (u *uctAgent) Think(s game.State, _ search.Requests) (game.Action, bool) {
	if u.beside != nil {
		return u.beside.think(s, u.rng)
	}
	return u.uct.think(s, u.rng)
}

func (*uctAgent) Deliver(search.Evaluations) {}
func (*uctAgent) Played(game.Action)         {}

func (u *uctAgent) record(m *record.Move) {
	if u.beside != nil {
		u.beside.record(m)
		return
	}
	u.uct.record(m)
}

// thinking reports whether a search is under way in a goroutine of its own.
func (u *uctAgent) thinking() bool {
	return u.beside != nil && u.beside.started && !u.beside.done.Load()
}

// decided reports whether the result of a search waits to be taken.
func (u *uctAgent) decided() bool { return u.beside != nil && u.beside.started }

// uctThreads are the goroutines in which UCT thinks where evaluators are asynchronous, so that it
// does not hold up the goroutines that feed a device. It runs as many searches at a time as there
// are processors for the program.
type uctThreads struct {
	pool   *Pool
	tokens chan struct{}
	group  sync.WaitGroup

	mu   sync.Mutex
	idle []*uctSearch
}

func newUCTThreads(p *Pool) *uctThreads {
	return &uctThreads{pool: p, tokens: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// wait waits until all searches have ended.
func (t *uctThreads) wait() { t.group.Wait() }

func (t *uctThreads) get() *uctSearch {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.idle); n > 0 {
		u := t.idle[n-1]
		t.idle = t.idle[:n-1]
		return u
	}
	return newUCTSearch(t.pool.settings, t.pool.stopped.Load)
}

func (t *uctThreads) put(u *uctSearch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle = append(t.idle, u)
}

// uctThread is the search of one game. Its game is not advanced while it is under way.
type uctThread struct {
	threads *uctThreads
	wake    chan struct{} // of the worker
	state   game.State    // a copy of the position searched
	started bool
	done    atomic.Bool
	search  *uctSearch // holds the result until it is recorded
	action  game.Action
}

// think starts a search, or returns its result.
func (t *uctThread) think(s game.State, rng *rand.Rand) (game.Action, bool) {
	if t.started {
		t.started = false
		return t.action, true
	}
	t.started = true
	t.done.Store(false)
	t.state.CopyFrom(s)
	t.threads.group.Go(func() {
		t.threads.tokens <- struct{}{}
		defer func() { <-t.threads.tokens }()
		if t.threads.pool.stopped.Load() {
			return // the game is dropped
		}
		t.search = t.threads.get()
		var decided bool
		if t.action, decided = t.search.think(t.state, rng); !decided {
			return
		}
		t.done.Store(true)
		wake(t.wake)
	})
	return game.NoAction, false
}

// record adds the result of the last search to its move.
func (t *uctThread) record(m *record.Move) {
	t.search.record(m)
	t.threads.put(t.search)
	t.search = nil
}
