package research

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/interval"
	"tengen/player"
	"tengen/search"
)

// Rows plays a match of players that think for a measured time. It divides the games among at most
// n rows, which run side by side, and plays the games of a row one after another; each row needs a
// core of its own. The number of games must be a multiple of the number of seatings. Rows calls
// progress with the number of games finished, from one goroutine at a time. If ctx ends or an
// evaluator fails it returns the results that count, and an *arena.Interrupted, as arena.Match
// does.
func Rows(
	ctx context.Context, match arena.Match, n int, progress func(finished int),
) ([]arena.Result, error) {
	round := len(match.Seatings)
	rounds := match.Games / round
	n = max(1, min(n, rounds))
	var mu sync.Mutex
	finished := make([]int, n)
	found, errs := make([][]arena.Result, n), make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		row := match // its part of the games
		row.Games = round * (rounds*(i+1)/n - rounds*i/n)
		row.Seed += uint64(i) << 32
		group.Go(func() {
			found[i], errs[i] = row.Play(ctx, func(games int) {
				mu.Lock()
				defer mu.Unlock()
				finished[i] = games
				sum := 0
				for _, n := range finished {
					sum += n
				}
				progress(sum)
			})
		})
	}
	group.Wait()
	results := slices.Concat(found...)
	var whole *arena.Interrupted
	for i, err := range errs {
		ended := arena.InterruptedBy(err)
		switch {
		case err != nil && ended == nil:
			return nil, err
		case ended != nil && whole == nil:
			whole = ended.And(len(results)-len(found[i]), match.Games)
		case ended != nil:
			whole.LeftOut += ended.LeftOut
		}
	}
	if whole != nil {
		return results, whole
	}
	return results, nil
}

// Turns returns the mean number of turns of a game.
func Turns(results []arena.Result) float64 {
	sum := 0
	for i := range results {
		sum += results[i].Turns
	}
	return float64(sum) / float64(max(1, len(results)))
}

// Won returns what the first player of a match of two won in a game: 1, or 1/2 for a draw, or 0.
// The seatings are {0, 1} and {1, 0}.
func Won(r *arena.Result) float64 {
	seat := r.Seating
	switch own, other := r.Returns[seat], r.Returns[1-seat]; {
	case own > other:
		return 1
	case own < other:
		return 0
	}
	return 0.5
}

// Rate is a share of wins in % with its 95 % interval (interval.Rate) for independent games. Where
// a win can be shared the interval is a little wide.
type Rate struct {
	Percent float64 `json:"percent"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// NewRate returns the rate of a share of n games; of one game it may be any.
func NewRate(share float64, n int) Rate {
	i := interval.Rate(share, n)
	return Rate{100 * share, 100 * max(0, i.Low), 100 * min(1, i.High)}
}

// Other returns the rate of the other player of two.
func (r Rate) Other() Rate { return Rate{100 - r.Percent, 100 - r.High, 100 - r.Low} }

// String is "51.2 (48.1–54.3)".
func (r Rate) String() string { return fmt.Sprintf("%.1f (%.1f–%.1f)", r.Percent, r.Low, r.High) }

// Seconds writes a time to three digits with a unit that suits it.
func Seconds(s float64) string {
	switch {
	case s >= 99.95:
		return fmt.Sprintf("%.0f s", s)
	case s >= 0.9995:
		return fmt.Sprintf("%.3g s", s)
	case s >= 0.0009995:
		return fmt.Sprintf("%.3g ms", 1000*s)
	}
	return fmt.Sprintf("%.3g µs", 1e6*s)
}

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

// Interruption says where an experiment was interrupted.
type Interruption struct {
	During string `json:"during"` // the match or search in progress
	// Interrupted says which games of a match count; nil for a search.
	*arena.Interrupted
}

// Interrupt notes that err ended a match or a search, if it says that its context has ended or that
// an evaluator has failed, and returns err. What has been found until then is to be returned with
// it.
func (m *Made) Interrupt(during string, err error) error {
	i := arena.InterruptedBy(err)
	if i != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		m.Interrupted = &Interruption{during, i}
	}
	return err
}

// note says where the experiment was interrupted, below what it found.
func (i *Interruption) note() string {
	if i.Interrupted == nil {
		return "\nInterrupted during " + i.During + ".\n"
	}
	return "\n" + i.During + ": " + i.Note() + ".\n"
}
