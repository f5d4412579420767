package research

import (
	"math/rand/v2"
	"sync"
	"time"

	"tengen/game"
	"tengen/player"
	"tengen/search"
)

// MostDepth is the depth from which on depths are counted together: towards the end of a
// game a search may go very deep.
const MostDepth = 20

// Usage is how long the agents of a player thought in a match, and how deep they searched.
type Usage struct {
	Decisions int
	Spent     time.Duration // on all decisions
	// [depth completed]: decisions of agents that search to a depth; the last for MostDepth and
	// more
	Depths []int

	mu sync.Mutex
}

// Depth returns the median of the depths completed, 0 for players that do not search to a depth.
func (u *Usage) Depth() int {
	all := 0
	for _, n := range u.Depths {
		all += n
	}
	below := 0
	for depth, n := range u.Depths {
		if below += n; 2*below > all {
			return depth
		}
	}
	return 0
}

// Milliseconds returns the mean time of a decision.
func (u *Usage) Milliseconds() float64 {
	return 1000 * u.Spent.Seconds() / float64(max(1, u.Decisions))
}

// Measured is a player whose agents' usage is measured.
type Measured struct {
	player.Player
	Usage *Usage // complete when no agent is thinking
}

// Measure returns p with its usage measured.
func Measure(p player.Player) Measured { return Measured{p, &Usage{}} }

// Within implements player.Wrapper.
func (m Measured) Within() player.Player { return m.Player }

// NewAgent makes an agent that is measured.
func (m Measured) NewAgent(g game.Game) player.Agent {
	return &measuredAgent{Agent: m.Player.NewAgent(g), usage: m.Usage}
}

type measuredAgent struct {
	player.Agent
	usage    *Usage
	began    time.Time // of the decision in progress
	thinking bool
}

func (a *measuredAgent) Begin(rng *rand.Rand) {
	a.thinking = false
	a.Agent.Begin(rng)
}

// Think measures a decision from its first call to its last, the time of network evaluations
// included.
func (a *measuredAgent) Think(s game.State, requests search.Requests) (game.Action, bool) {
	if !a.thinking {
		a.began, a.thinking = time.Now(), true
	}
	action, decided := a.Agent.Think(s, requests)
	if !decided {
		return action, false
	}
	a.thinking = false
	spent := time.Since(a.began)
	a.usage.mu.Lock()
	defer a.usage.mu.Unlock()
	a.usage.Decisions++
	a.usage.Spent += spent
	if turns := turnsOf(a.Agent); turns > 0 {
		depth := min(turns, MostDepth)
		for len(a.usage.Depths) <= depth {
			a.usage.Depths = append(a.usage.Depths, 0)
		}
		a.usage.Depths[depth]++
	}
	return action, true
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
func (a *measuredAgent) SeesAll() bool {
	seer, ok := a.Agent.(player.Seer)
	return ok && seer.SeesAll()
}
