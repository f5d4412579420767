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
// deep they searched, and how many turns their games had.
type thoughts struct {
	mu        sync.Mutex
	decisions int
	spent     time.Duration
	depths    []int // [depth completed, mostDepth for more]: decisions of seats that search to a depth
	games     int
	turns     int // of all games, where the game counts turns
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
	mu   *sync.Mutex
	all  *[]*watchedSeat
}

// watch makes a player watched.
func watch(p player.Player) watched {
	return watched{p, &thoughts{}, &sync.Mutex{}, &[]*watchedSeat{}}
}

// finish counts the last games of all seats, and gives what was seen.
func (w watched) finish() *thoughts {
	for _, s := range *w.all {
		s.ended()
	}
	return w.seen
}

// Timed implements player.Timed.
func (w watched) Timed() bool { return player.IsTimed(w.Player) }

// NewSeat makes a seat that is watched.
func (w watched) NewAgent(g game.Game) player.Agent {
	s := &watchedSeat{Agent: w.Player.NewAgent(g), seen: w.seen}
	w.mu.Lock()
	defer w.mu.Unlock()
	*w.all = append(*w.all, s)
	return s
}

type watchedSeat struct {
	player.Agent
	seen     *thoughts
	began    time.Time // when it began to think of the decision in progress
	thinking bool
	turns    int // of the game in progress
}

func (w *watchedSeat) Begin(rng *rand.Rand) {
	w.ended()
	w.Agent.Begin(rng)
}

// ended counts the game before, if there was one.
func (w *watchedSeat) ended() {
	if w.turns > 0 {
		w.seen.mu.Lock()
		w.seen.games++
		w.seen.turns += w.turns
		w.seen.mu.Unlock()
	}
	w.turns, w.thinking = 0, false
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

func (w *watchedSeat) Played(s game.State, a game.Action) {
	if t, ok := s.(game.Turned); ok {
		w.turns = t.Turn() + 1
	}
	w.Agent.Played(s, a)
}
