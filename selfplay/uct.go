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

// newUCT returns an agent of UCT whose searches end without a decision when stop returns true. UCT
// keeps nothing from one decision to the next, so that games can share it: see uctAgent.
func newUCT(s *Settings, stop func() bool) player.Targeter {
	agent := s.UCT.NewAgent(s.Game)
	agent.(player.Interruptible).StopIf(stop)
	return agent.(player.Targeter)
}

// uctAgent plays for the UCT players of one game, with an agent that games share.
type uctAgent struct {
	player.Targeter            // that decides next, or has decided last
	rng             *rand.Rand // the game's
	beside          *uctThread // if not nil, agents think there, each for one decision
}

// Begin implements player.Agent.
func (u *uctAgent) Begin(rng *rand.Rand) { u.rng = rng }

// Think implements player.Agent.
func (u *uctAgent) Think(s game.State, _ search.Requests) (game.Action, bool) {
	if u.beside == nil {
		u.Targeter.Begin(u.rng)
		return u.Targeter.Think(s, nil)
	}
	return u.beside.think(s, u.rng)
}

// Played implements player.Agent.
func (*uctAgent) Played(game.Action) {}

// Target implements player.Targeter.
func (u *uctAgent) Target(m *record.Move) (full bool) {
	if u.beside == nil {
		return u.Targeter.Target(m)
	}
	full = u.beside.agent.Target(m)
	u.beside.threads.put(u.beside.agent)
	u.beside.agent = nil
	return full
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
	idle []player.Targeter
}

func newUCTThreads(p *Pool) *uctThreads {
	return &uctThreads{pool: p, tokens: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// wait waits until all searches have ended.
func (t *uctThreads) wait() { t.group.Wait() }

func (t *uctThreads) get() player.Targeter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.idle); n > 0 {
		u := t.idle[n-1]
		t.idle = t.idle[:n-1]
		return u
	}
	return newUCT(t.pool.settings, t.pool.stopped.Load)
}

func (t *uctThreads) put(u player.Targeter) {
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
	agent   player.Targeter // holds the result until it is recorded
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
		t.agent = t.threads.get()
		t.agent.Begin(rng)
		var decided bool
		if t.action, decided = t.agent.Think(t.state, nil); !decided {
			return
		}
		t.done.Store(true)
		wake(t.wake)
	})
	return game.NoAction, false
}
