package player

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"tengen/clock"
	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/internal/random"
	"tengen/mcts"
)

// maxTime is the longest time that users may set.
const maxTime = 24 * time.Hour

// timedNodes is the greatest number of nodes of a tree that time alone limits.
const timedNodes = 1 << 17

// budget returns a search's budget as Parse reads it. key is the name of the simulations.
func budget(key string, simulations int, limit time.Duration, c *GameClock) string {
	var parts []string
	if simulations > 0 || limit == 0 && c == nil {
		parts = append(parts, fmt.Sprintf("%s=%d", key, simulations))
	}
	if limit > 0 {
		parts = append(parts, fmt.Sprintf("time=%v", limit))
	}
	if c != nil {
		parts = append(parts, "clock="+c.String())
	}
	return strings.Join(parts, ",")
}

// ByClock returns p without its limit of simulations or iterations, for searches whose deadlines a
// clock sets: they end by these alone. It returns nil for a player without such a limit, or one
// that knows no deadlines. The memory of networks is shared.
func ByClock(p Player) Player {
	switch p := p.(type) {
	case UCT:
		if p.Simulations > 0 {
			p.Simulations, p.Time = 0, cmp.Or(p.Time, maxTime)
			return p
		}
	case *AlphaZero:
		if p.PUCT.Simulations > 0 {
			n := *p
			n.PUCT.Simulations, n.Time = 0, cmp.Or(p.Time, maxTime)
			return &n
		}
	case *Descent:
		if p.Options.Iterations > 0 {
			d := &Descent{
				Label: p.Label, Weights: p.Weights, Params: p.Params, PassedOver: p.PassedOver,
				Options: p.Options, Clock: p.Clock, Safe: p.Safe, Canonical: p.Canonical,
			}
			d.Options.Iterations, d.Options.Time = 0, cmp.Or(p.Options.Time, maxTime)
			return d
		}
	}
	return nil
}

// Limit returns the number of simulations or iterations that a player makes a move, and the key
// that sets it; 0 and "" if it has no such limit.
func Limit(p Player) (n int, key string) {
	if n = Simulations(p); n > 0 {
		return n, "simulations"
	}
	if d, ok := as[*Descent](p); ok && d.Options.Iterations > 0 {
		return d.Options.Iterations, "iterations"
	}
	return 0, ""
}

// readBudget reads key and time, of which one or both may be given. If only time or clock is
// given, simulations is 0: no limit.
func readBudget(v *notation.Values, key string) (simulations int, limit time.Duration) {
	if v.Given("time") {
		var err error
		limit, err = time.ParseDuration(v.String("time"))
		if err != nil || limit <= 0 || limit > maxTime {
			v.Fail("time", "a duration such as 1s or 250ms is wanted, up to 24h")
		}
	}
	if !v.Given(key) && (v.Given("time") || v.Given("clock")) {
		return 0, limit
	}
	return v.Int(key, 1, configs.MaxSimulations), limit
}

// room returns the options for package mcts: the simulations and, if only time limits them,
// MaxNodes.
func room(simulations int, timed bool) (most, nodes int) {
	if timed && simulations == 0 {
		return configs.MaxSimulations, timedNodes
	}
	return simulations, 0
}

// EarlyStop says whether a search ends before its budget is spent, once no other action can be
// chosen any more. The zero value is EarlyByClock.
type EarlyStop uint8

const (
	// EarlyByClock ends searches early where a clock limits the game, so that the time is left to
	// later moves. A limit in time for each move, or in simulations, is used up: what more is found
	// may serve the next move.
	EarlyByClock EarlyStop = iota
	EarlyAlways
	EarlyNever
)

// earlyStopper is a search that can stop early.
type earlyStopper interface{ SetEarlyStop(on bool) }

// earlyParam is the key of EarlyStop.
var earlyParam = notation.Param{Key: "early_stop", Help: "true: end a search once no other action can be chosen; false: use up what it may; default: true if a clock limits the game, else false"}

// readEarly reads earlyParam.
func readEarly(v *notation.Values) EarlyStop {
	switch {
	case !v.Given("early_stop"):
		return EarlyByClock
	case v.Bool("early_stop"):
		return EarlyAlways
	}
	return EarlyNever
}

// key returns ",early_stop=…" for a player's name, "" for the default.
func (e EarlyStop) key() string {
	switch e {
	case EarlyAlways:
		return ",early_stop=true"
	case EarlyNever:
		return ",early_stop=false"
	}
	return ""
}

// on reports whether a search ends early, by the clock of a game or not.
func (e EarlyStop) on(byClock bool) bool {
	return e == EarlyAlways || e == EarlyByClock && byClock
}

var (
	leavesParam = notation.Param{
		Key: "leaves", Help: "evaluations that a search awaits at once, 1 to 256, or auto: what suits the budget and, with time, what is fastest here; default: auto with time or clock, else 1",
	}
	virtualLossParam = notation.Param{
		Key: "virtual_loss", Default: "0",
		Help: "with leaves: weight with which a simulation under way counts as lost",
	}
)

// readLeaves reads leavesParam: 0 if it is not given.
func readLeaves(v *notation.Values) int {
	switch {
	case !v.Given("leaves"):
		return 0
	case v.String("leaves") == "auto":
		return mcts.AutoBatchSize
	}
	c := configs.Default()
	if err := c.SetKey("search.leaves", v.String("leaves")); err != nil {
		v.Fail("leaves", strings.Replace(err.Error(), " is wanted", " or auto is wanted", 1))
	}
	return c.Search.Leaves
}

// leavesKey returns ",leaves=…" and ",virtual_loss=…" for a player's name, "" for the defaults.
func leavesKey(o mcts.PUCT) (text string) {
	switch o.BatchSize {
	case 0:
	case mcts.AutoBatchSize:
		text = ",leaves=auto"
	default:
		text = ",leaves=" + strconv.Itoa(o.BatchSize)
	}
	if o.VirtualLoss > 0 {
		text += ",virtual_loss=" + strconv.FormatFloat(o.VirtualLoss, 'g', -1, 64)
	}
	return text
}

// Alone lets the search of a network's player that thinks about one position at a time await
// several evaluations at once, as leaves=auto does, unless the player was parsed with a number of
// leaves. It changes p, which must not be in use.
func Alone(p Player) {
	if n, ok := as[*AlphaZero](p); ok && n.PUCT.BatchSize == 0 {
		n.PUCT.BatchSize = mcts.AutoBatchSize
	}
}

// GameClock is the clock of a player: its agents play each game within the settings, in each
// seat that they hold. It counts what all of them overstep.
type GameClock struct {
	clock.Settings
	fallen atomic.Int64
}

// Fallen returns the number of games so far, of all agents, in which a clock was overstepped. An
// agent then plays on without time.
func (c *GameClock) Fallen() int { return int(c.fallen.Load()) }

// Clocked is a Player that may have a clock, nil for none.
type Clocked interface{ GameClock() *GameClock }

// ClockOf returns the clock of a player, nil if it has none.
func ClockOf(p Player) *GameClock {
	if c, ok := as[Clocked](p); ok {
		return c.GameClock()
	}
	return nil
}

// Deadlined is an Agent whose decisions can have a deadline. SetDeadline sets that of the
// decisions that begin later, in place of the player's own clock; the zero value removes it.
type Deadlined interface{ SetDeadline(d clock.Deadline) }

// setDeadline is SetDeadline of an agent that may have it.
func setDeadline(a Agent, d clock.Deadline) {
	if x, ok := a.(Deadlined); ok {
		x.SetDeadline(d)
	}
}

// timekeeper plays by the clock of a player: it sets the deadline of the search for each
// decision. The zero value has no clock.
type timekeeper struct {
	search  Deadlined
	player  *GameClock    // nil: none
	clocks  []clock.Clock // [players]; nil: none
	horizon *Horizon
	outer   clock.Deadline // from outside
	early   EarlyStop
	// drawn means that the next decision is drawn from the visits, of which there are to be as
	// many as the budget allows.
	drawn bool

	now   func() time.Time
	mover game.Player // whose clock runs
	began time.Time
}

// newTimekeeper makes the timekeeper of an agent in games of g that decides by search.
func newTimekeeper(g game.Game, c *GameClock, early EarlyStop, search Deadlined) timekeeper {
	k := timekeeper{search: search, player: c, early: early, now: time.Now, mover: game.Nobody}
	if c != nil {
		k.horizon = NewHorizon(g)
		for range g.Players() {
			k.clocks = append(k.clocks, clock.New(c.Settings))
		}
	}
	return k
}

// SetDeadline implements Deadlined.
func (k *timekeeper) SetDeadline(d clock.Deadline) {
	k.outer = d
	k.search.SetDeadline(d)
}

// begin begins a game.
func (k *timekeeper) begin() {
	k.mover = game.Nobody
	for i := range k.clocks {
		k.clocks[i].Restart()
	}
}

// startClock starts the clock of the player to move in s, before the search.
func (k *timekeeper) startClock(s game.State) {
	if x, ok := k.search.(earlyStopper); ok {
		x.SetEarlyStop(!k.drawn && k.early.on(k.clocks != nil || k.outer != (clock.Deadline{})))
	}
	if k.clocks == nil || k.outer != (clock.Deadline{}) {
		return
	}
	k.began, k.mover = k.now(), s.CurrentPlayer()
	k.search.SetDeadline(k.clocks[k.mover].Allot(k.horizon.Pace(s, k.mover)).From(k.began))
}

// stopClock stops the clock that runs, after the decision.
func (k *timekeeper) stopClock() {
	if k.mover == game.Nobody {
		return
	}
	c := &k.clocks[k.mover]
	k.mover = game.Nobody
	fallen := c.Fallen()
	if !c.Spend(k.now().Sub(k.began)) && !fallen {
		k.player.fallen.Add(1)
	}
}

// clockParam is the key of the clock.
var clockParam = notation.Param{
	Key: "clock", Help: "time for each seat in a game, allotted to its moves: " + clock.Notation +
		"; default: no limit",
}

// readClock reads clockParam.
func readClock(v *notation.Values) *GameClock {
	if !v.Given("clock") {
		return nil
	}
	s, err := clock.Parse(v.String("clock"))
	if err != nil {
		v.Fail("clock", err.Error())
		return nil
	}
	return &GameClock{Settings: s}
}

// Horizon estimates how many decisions a player still has to make: as the game does
// (game.Paced), or else by random play. It is used by one goroutine.
type Horizon struct {
	state game.State
	rng   *rand.Rand
	buf   []game.Action
}

// NewHorizon makes a Horizon for games of g.
func NewHorizon(g game.Game) *Horizon {
	return &Horizon{state: g.NewState(), rng: random.New(1, random.Playout)}
}

// The random games of an estimate, and the actions after which one is cut short.
const (
	horizonGames = 4
	horizonPlies = 2000
)

// Pace returns the estimate for p, who is to move in s.
func (h *Horizon) Pace(s game.State, p game.Player) clock.Pace {
	if x, ok := s.(game.Paced); ok {
		expected, most := x.DecisionsLeft(p)
		return clock.Pace{Moves: expected, Most: most}
	}
	sum, most := 0, 0
	for range horizonGames {
		n := h.play(s, p)
		sum += n
		most = max(most, n)
	}
	return clock.Pace{Moves: float64(sum) / horizonGames, Most: 2 * float64(most)}
}

// play returns the number of decisions that p makes in a random game from s.
func (h *Horizon) play(s game.State, p game.Player) (decisions int) {
	h.state.CopyFrom(s)
	for range horizonPlies {
		mover := h.state.CurrentPlayer()
		if mover == game.Nobody {
			break
		}
		if mover == game.Chance {
			h.state.Apply(h.state.(game.Chancer).Sample(h.rng))
			continue
		}
		h.buf = h.state.LegalActions(h.buf[:0])
		if mover == p && len(h.buf) > 1 {
			decisions++
		}
		h.state.Apply(h.buf[h.rng.IntN(len(h.buf))])
	}
	return decisions
}
