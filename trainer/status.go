package trainer

import (
	"encoding/json"
	"math"
	"sync"
	"time"

	"tengen/metrics"
	"tengen/nn"
	"tengen/selfplay"
)

// Progress is what one finished iteration brought.
type Progress struct {
	Epsilon     float64    `json:"epsilon"`      // probability of a UCT seat
	Games       int        `json:"games"`        // games so far
	Window      int        `json:"window_games"` // games in the replay window
	Positions   int        `json:"window_positions"`
	Evaluations uint64     `json:"evaluations"`        // so far, of this process
	CacheHits   *float64   `json:"cache_hits"`         // share of the iteration's lookups in the cache, 0 to 1; null where there was none
	Plies       float64    `json:"plies"`              // mean length of the iteration's games
	States      float64    `json:"states,omitempty"`   // Descent: mean number of states of a game's trees
	Resolved    float64    `json:"resolved,omitempty"` // Descent: share of searches that resolved their root
	Scores      []float64  `json:"scores"`             // mean score by seat of the iteration's games
	Steps       uint64     `json:"steps"`              // training steps so far
	Losses      nn.Losses  `json:"losses"`             // mean over the iteration's steps; zero of an update that was dropped
	Dropped     string     `json:"dropped,omitempty"`  // why the update was dropped; "": it was not
	HeldOut     *nn.Losses `json:"held_out"`           // on games that are never learned from; null with none
	PlaySeconds float64    `json:"play_seconds"`
	Seconds     float64    `json:"update_seconds"`
	Elapsed     float64    `json:"elapsed_seconds"` // of the run, all its sittings
}

// Strength is what an evaluation found about a network: small matches during
// training against UCT and earlier networks.
type Strength struct {
	Points   []float64 `json:"points"` // mean score by seat, against UCT in all the others
	CI       []Width   `json:"ci95"`
	Baseline []float64 `json:"baseline"` // UCT's own, in all seats
	Sum      float64   `json:"sum"`
	SumCI    Width     `json:"sum_ci95"`
	Games    int       `json:"games"` // for each seat
	Against  string    `json:"against"`
	Earlier  []Earlier `json:"earlier,omitempty"` // matches against earlier networks
	*Elo               // over UCT, from all evaluations so far; nil where there is none
	Elapsed  float64   `json:"elapsed_seconds"` // of the run when it was over
}

// Earlier is a match against an earlier network.
type Earlier struct {
	Iteration  int     `json:"iteration"`  // that left that one
	Difference float64 `json:"difference"` // mean utility less that one's, over the rounds that count
	CI         Width   `json:"ci95"`
	Games      int     `json:"games"`
	Rounds     int     `json:"rounds"`          // of all seatings with one opening
	Distinct   int     `json:"distinct_rounds"` // those that count
	Opening    int     `json:"opening"`         // decisions drawn at the start of each game
}

// Width is half the width of an interval. Where it is infinite, since there
// were too few games, JSON has null.
type Width float64

// MarshalJSON writes a number or null.
func (w Width) MarshalJSON() ([]byte, error) { return json.Marshal(finite(float64(w))) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (w *Width) UnmarshalJSON(text []byte) error {
	x := math.Inf(1)
	err := json.Unmarshal(text, &x) // null leaves it as it is
	*w = Width(x)
	return err
}

// Evaluating is an evaluation beside the run.
type Evaluating struct {
	Iteration int // whose network is measured
	Done, All int // games
}

// Status is a run at one moment.
type Status struct {
	Iteration  int // finished
	Iterations int
	Stage      metrics.Stage // "" between stages and at the end
	Done, All  int           // games, steps or evaluation games of the stage
	Waiting    string        // why the run stands still, as on a full disk; "": it does not

	GamesPerSecond       float64     // self-play, over the present stage or the last one
	EvaluationsPerSecond float64     // by the network
	CacheHits            float64     // share of lookups in the cache, likewise; 0 without one
	Last                 *Progress   // of the last finished iteration
	Strength             *Strength   // the last measured
	Beside               *Evaluating // the evaluation that goes on beside the stage; nil without one
	Gate                 *GateResult // the last; nil before the first
	Elapsed              time.Duration
	Left                 time.Duration // estimated; 0 while unknown
}

// Monitor lets others watch a run. It is safe for concurrent use.
type Monitor struct {
	Counters selfplay.Counters

	mu     sync.Mutex
	status Status
	play   *playing // nil outside self-play
}

// playing is where the counters stood when self-play began.
type playing struct {
	began              time.Time
	now                func() time.Time
	done               int // games that were there already
	games, evaluations uint64
	lookups            lookups
}

// Status is the run's present status.
func (m *Monitor) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.play != nil {
		m.live()
	}
	return m.status
}

// live brings what self-play counts up to date.
func (m *Monitor) live() {
	p := m.play
	seconds := max(p.now().Sub(p.began).Seconds(), 1e-3)
	games := m.Counters.Games.Load() - p.games
	m.status.Done = p.done + int(games)
	m.status.GamesPerSecond = float64(games) / seconds
	m.status.EvaluationsPerSecond = float64(m.Counters.Evaluations.Load()-p.evaluations) / seconds
	m.status.CacheHits = 0
	if hits := lookupsOf(&m.Counters).since(p.lookups).rate(); hits != nil {
		m.status.CacheHits = *hits
	}
}

// beginPlay follows the counters until endPlay.
func (m *Monitor) beginPlay(done int, now func() time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.play = &playing{now(), now, done, m.Counters.Games.Load(), m.Counters.Evaluations.Load(), lookupsOf(&m.Counters)}
}

func (m *Monitor) endPlay() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live()
	m.play = nil
}

func (m *Monitor) update(f func(*Status)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.status)
}
