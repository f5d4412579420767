package nneval

import (
	"math"

	"tengen/game"
	"tengen/nn"
	"tengen/search"
)

// Turns evaluates the positions of a game with chance by what the player to move can make of its
// turn. It lets a network value all states to which the turn can lead, before the outcome of chance
// that follows (afterstates; Sutton and Barto 2018, section 6.8). The utilities of a position are
// those of the state that is best for the player, and the logit of an action is the best utility to
// which it can lead, divided by PriorTemperature. So the network needs no policy, and knows
// positions without dice alone: what a roll allows is computed, not guessed.
//
// The network may hold fewer rows than a position has afterstates; it is asked again where its
// batch is full.
//
// Turns implements search.Evaluator and search.Starter, and is used by one goroutine.
type Turns struct {
	game     game.Game
	network  *Evaluator
	requests []game.Player // the player to move in each position
	rows     []turnRow     // of the network's batch
	policy   []float32     // [capacity, Actions]
	values   []float32     // [capacity, Players]
	actions  int
	players  int
	states   []game.State    // by depth in the turn
	legal    [][]game.Action // likewise
	returns  []float32
	err      error
}

// PriorTemperature is what utilities are divided by to become logits: 0.4 % of the range from the
// least to the greatest utility make an action e times as probable. It is small, as the luck of
// dice explores enough.
const PriorTemperature = 0.004

// turnRow is an afterstate in the network's batch.
type turnRow struct {
	request int32
	first   game.Action // by which its turn begins
}

// turnRows is how many states the Evaluator of a Turns of up to capacity positions holds. With
// fewer, batches are smaller.
func turnRows(capacity int) int { return min(max(8*capacity, 64), 1024) }

// ForSearch makes the evaluator of searches of g that add up to capacity positions at a time: an
// Evaluator, or with afterstates a Turns. It also returns the Evaluator that holds the network, and
// the number of its rows.
func ForSearch(
	g game.Game, e nn.Evaluator, capacity int, o Options, afterstates bool,
) (s search.Evaluator, network *Evaluator, rows int) {
	if !afterstates {
		network = New(g, e, capacity, o)
		return network, network, capacity
	}
	rows = turnRows(capacity)
	network = New(g, e, rows, o)
	return NewTurns(g, network, capacity), network, rows
}

// NewTurns makes a Turns of up to capacity positions of g at a time. The network evaluates the
// afterstates, which g must observe (game.AfterstateObserver).
func NewTurns(g game.Game, network *Evaluator, capacity int) *Turns {
	return &Turns{
		game: g, network: network, actions: g.Actions(), players: g.Players(),
		requests: make([]game.Player, 0, capacity), rows: make([]turnRow, 0, network.capacity),
		policy:  make([]float32, capacity*g.Actions()),
		values:  make([]float32, capacity*g.Players()),
		returns: make([]float32, g.Players()),
	}
}

// Add evaluates the position with the next call of Evaluate. A player must be to move.
func (t *Turns) Add(s game.State) {
	i := len(t.requests)
	t.requests = append(t.requests, s.CurrentPlayer())
	none := float32(math.Inf(-1))
	for k := range t.players {
		t.values[i*t.players+k] = none
	}
	for k := range t.actions {
		t.policy[i*t.actions+k] = none
	}
	t.walk(s, int32(i), 0, game.NoAction)
}

// walk asks for the afterstates of the turn of position i from state s, which depth actions led to,
// and first before the others.
func (t *Turns) walk(s game.State, i int32, depth int, first game.Action) {
	if len(t.legal) == depth {
		t.legal, t.states = append(t.legal, nil), append(t.states, t.game.NewState())
	}
	t.legal[depth] = s.LegalActions(t.legal[depth][:0])
	next := t.states[depth]
	for k := range t.legal[depth] {
		a := t.legal[depth][k]
		if depth == 0 {
			first = a
		}
		next.CopyFrom(s)
		next.Apply(a)
		switch next.CurrentPlayer() {
		case t.requests[i]:
			t.walk(next, i, depth+1, first)
		case game.Chance:
			if len(t.rows) == cap(t.rows) {
				t.flush()
			}
			t.network.Add(next)
			t.rows = append(t.rows, turnRow{i, first})
		case game.Nobody:
			next.Returns(t.returns)
			t.reach(turnRow{i, first}, t.returns)
		default:
			panic("nneval: a turn ends before another player's decision")
		}
	}
}

// flush evaluates the batch.
func (t *Turns) flush() {
	if len(t.rows) == 0 {
		return
	}
	evaluations, err := t.network.Evaluate()
	if err != nil {
		t.err = err
	} else {
		for k, r := range t.rows {
			t.reach(r, evaluations.Utilities(k))
		}
	}
	t.rows = t.rows[:0]
}

// reach takes the utilities of an end of a turn.
func (t *Turns) reach(r turnRow, utilities []float32) {
	u := utilities[t.requests[r.request]]
	if best := t.values[int(r.request)*t.players:][:t.players]; !(u <=
		best[t.requests[r.request]]) {
		copy(best, utilities)
	}
	if int(r.first) >= t.actions { // a sole action that no policy knows
		return
	}
	if logit := &t.policy[int(r.request)*t.actions+int(r.first)]; !(u/PriorTemperature <= *logit) {
		*logit = u / PriorTemperature
	}
}

// Start implements search.Starter.
func (t *Turns) Start() {
	if len(t.rows) > 0 {
		t.network.Start()
	}
}

// Evaluate implements search.Evaluator. Actions that are not legal have a logit of minus infinity.
func (t *Turns) Evaluate() (search.Evaluations, error) {
	t.flush()
	n := len(t.requests)
	t.requests = t.requests[:0]
	if t.err != nil {
		return search.Evaluations{}, t.err
	}
	return search.Evaluations{
		Policy: t.policy[:n*t.actions], Values: t.values[:n*t.players], Actions: t.actions,
		Players: t.players,
	}, nil
}

// Close releases what the network holds on a device.
func (t *Turns) Close() { t.network.Close() }
