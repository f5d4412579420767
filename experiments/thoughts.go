package experiments

import (
	"math/rand/v2"
	"sync"
	"time"

	"tengen/game"
	"tengen/player"
	"tengen/search"
)

// thoughts say what the seats of a player did in a match: how long they thought, how
// deep they searched.
type thoughts struct {
	mu        sync.Mutex
	decisions int
	spent     time.Duration
	depths    []int // [depth completed, mostDepth for more]: decisions of seats that search to a depth
}

// mostDepth is from where on depths are not told apart: towards the end of a
// game a search may go very deep.
const mostDepth = 20

// depth is the median depth completed, 0 for players that don't search to one.
func (t *thoughts) depth() int {
	all := 0
	for _, n := range t.depths {
		all += n
	}
	below := 0
	for depth, n := range t.depths {
		if below += n; 2*below > all {
			return depth
		}
	}
	return 0
}

// watched is a player whose seats are watched.
type watched struct {
	player.Player
	seen *thoughts
}

// watch makes a player watched.
func watch(p player.Player) watched {
	return watched{p, &thoughts{}}
}

// Timed implements player.Timed.
func (w watched) Timed() bool { return player.IsTimed(w.Player) }

// NewSeat makes a seat that is watched.
func (w watched) NewAgent(g game.Game) player.Agent {
	return &watchedSeat{Agent: w.Player.NewAgent(g), seen: w.seen}
}

type watchedSeat struct {
	player.Agent
	seen     *thoughts
	began    time.Time // when it began to think of the decision in progress
	thinking bool
}

func (w *watchedSeat) Begin(rng *rand.Rand) {
	w.thinking = false
	w.Agent.Begin(rng)
}

// Think measures a decision from its beginning to its end: what the network of a seat
// takes is part of it.
func (w *watchedSeat) Think(s game.State, requests search.Requests) (game.Action, bool) {
	if !w.thinking {
		w.began, w.thinking = time.Now(), true
	}
	a, decided := w.Agent.Think(s, requests)
	if !decided {
		return a, false
	}
	w.thinking = false
	spent := time.Since(w.began)
	w.seen.mu.Lock()
	defer w.seen.mu.Unlock()
	w.seen.decisions++
	w.seen.spent += spent
	if turns := turnsOf(w.Agent); turns > 0 {
		depth := min(turns, mostDepth)
		for len(w.seen.depths) <= depth {
			w.seen.depths = append(w.seen.depths, 0)
		}
		w.seen.depths[depth]++
	}
	return a, true
}

// turnsOf returns the turns that an agent's last search to a depth has completed, 0
// for other agents.
func turnsOf(a player.Agent) int {
	if s, ok := a.(player.Searching); ok {
		return s.Result().Stats().Turns
	}
	return 0
}

// SeesAll implements player.Seer.
func (w *watchedSeat) SeesAll() bool {
	seer, ok := w.Agent.(player.Seer)
	return ok && seer.SeesAll()
}
