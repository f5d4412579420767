package search

import (
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// Requests collects the states that a search wants evaluated.
//
// Add is called by the goroutine that drives the search. It must not keep s,
// which the search changes afterwards. The current player of s has more than
// one legal action, unless the search says otherwise.
type Requests interface {
	Add(s game.State)
}

// Evaluations holds one row per state, in the order in which the states were
// added. The slices belong to the evaluator; a search reads them during
// Deliver only.
type Evaluations struct {
	Policy  []float32 // [N, Actions] logits, unmasked; empty if the search needs none
	Values  []float32 // [N, Players] utilities in [0, 1]
	Actions int
	Players int
}

// Logits returns row i of the policy.
func (r Evaluations) Logits(i int) []float32 { return r.Policy[i*r.Actions : (i+1)*r.Actions] }

// Utilities returns row i of the values.
func (r Evaluations) Utilities(i int) []float32 { return r.Values[i*r.Players : (i+1)*r.Players] }

// Slice returns rows i to j-1, as when several searches share a batch.
func (r Evaluations) Slice(i, j int) Evaluations {
	s := r
	if len(r.Policy) > 0 {
		s.Policy = r.Policy[i*r.Actions : j*r.Actions]
	}
	s.Values = r.Values[i*r.Players : j*r.Players]
	return s
}

// Search searches one position for a good action. It is used by one goroutine.
type Search interface {
	// Start discards the tree and sets the position to search to a copy of s,
	// in which a player is to move.
	Start(s game.State)
	// Play applies one action (or outcome of chance) to the position and keeps
	// what is known about the positions below it. The budget starts afresh.
	Play(a game.Action)
	// Advance searches until it needs evaluations or the budget is spent. It
	// returns true, and has added nothing, when the budget is spent. If it
	// returns false it has added at least one state, and Deliver comes next.
	Advance(requests Requests) (done bool)
	// Deliver takes the evaluations of the states that the last Advance added.
	Deliver(evaluations Evaluations)
}

// Evaluator collects states and evaluates them. It is used by one goroutine.
type Evaluator interface {
	Requests
	// Evaluate returns the evaluations of the states added since the last call. They are valid
	// until the next Add. After an error, such as the loss of a device, it returns that error
	// in all later calls.
	Evaluate() (Evaluations, error)
}

// Close releases what an evaluator holds on a device (see nn.Async), nothing if it holds nothing
// there. e may be nil. The evaluator is not used afterwards.
func Close(e Evaluator) {
	if c, ok := e.(interface{ Close() }); ok {
		c.Close()
	}
}

// Run drives one search until its budget is spent or the evaluator fails. It returns
// the evaluator's error.
func Run(s Search, e Evaluator) error {
	for !s.Advance(e) {
		evaluations, err := e.Evaluate()
		if err != nil {
			return err
		}
		s.Deliver(evaluations)
	}
	return nil
}

// Dealer draws the determinizations of a search of a game with imperfect information in place of
// the game's own Determinize, which draws them uniformly.
type Dealer interface {
	// Deal redraws everything that seat can't see in s, a state of game.ImperfectInformation,
	// consistently with what seat has seen. What is drawn depends on nothing that seat can't see.
	Deal(s game.State, seat game.Player, rng *rand.Rand)
}

// Result is the result of a search of a position, the root. All searches implement it. Methods
// may also be called between Advance and Deliver, and return what is known so far.
type Result interface {
	// Value writes the utility that each player can expect at the root to
	// dst[0:Players], 0 where nothing is known yet.
	Value(dst []float32)
	// Children appends what is known about each legal action at the root, in
	// ascending order of the actions: nothing before the root is expanded.
	Children(dst []Child) []Child
	// Best returns the action that the search considers best, game.NoAction while Children
	// returns nothing.
	Best() game.Action
	// PrincipalVariation appends the actions that the search considers best,
	// from the root on, as far as it has looked ahead. It ends at chance nodes.
	PrincipalVariation(dst []game.Action) []game.Action
	// Stats describes the search since the last Start or Play.
	Stats() Stats
}

// Variations is a Result that knows how the search would go on after every action.
type Variations interface {
	// Variation appends the root's action a and those that the search considers best after it,
	// as far as it has looked ahead, and nothing if it has not looked at a. It ends at chance
	// nodes.
	Variation(dst []Step, a game.Action) []Step
}

// Step is one action of a variation.
type Step struct {
	Action game.Action
	Visits int // as in Child
}

// Child is the result of a search for one action at the root.
type Child struct {
	Action game.Action
	// Visits counts the simulations that took the action; in minimax, the nodes
	// below it.
	Visits int
	// Pruned counts the visits among Visits that are not to count in a policy target: those of
	// actions that are proven to be worse than another.
	Pruned int
	// Prior is PUCT's, without noise; 0 in other searches.
	Prior float32
	// Improved is the improved policy of Gumbel root search, whose sum is 1: a better policy than
	// the visits, and the target of training; 0 in other searches.
	Improved float32
	// Value is the utility of each player: the mean in Monte Carlo tree search,
	// and 0 without visits; else the minimax value.
	Value [game.MaxPlayers]float32
	// Exact means that Value is final: deeper search would not change it.
	Exact bool
	// Plies is the number of actions until the game is over, this one included, if a solver knows
	// it; 0 in other searches.
	Plies int
}

// Stats describes one search. A field that has no meaning for a search is 0.
type Stats struct {
	Simulations int     // completed; iterations in Descent
	Evaluations int     // states evaluated for the search
	Expanded    int     // states that Descent expanded
	Nodes       int     // in the tree now; in minimax, actions and outcomes made
	Kept        int     // of these, kept from the search before
	Forgotten   uint64  // states that Descent dropped since Start to make room
	MaxDepth    int     // of a simulation below the root, in actions; in decisions in Descent
	MeanDepth   float64 // of the simulations
	Turns       int     // depth completed by a search to a depth, at least 1
	Full        bool    // the tree had no room for another node
	Exact       bool    // the root's value is final
	Bytes       int     // of memory reserved for the tree
}

// Constant evaluates every state with zero logits, and the same utility for every
// player. It is for tests and benchmarks of searches.
type Constant struct {
	row         Evaluations // of a state
	evaluations Evaluations
}

// NewConstant makes a Constant in which each player has the given utility.
func NewConstant(g game.Game, utility float32) *Constant {
	c := &Constant{evaluations: Evaluations{Actions: g.Actions(), Players: g.Players()}}
	c.row.Policy = make([]float32, g.Actions())
	c.row.Values = slices.Repeat([]float32{utility}, g.Players())
	return c
}

// Add adds an equal row for each state.
func (c *Constant) Add(game.State) {
	c.evaluations.Policy = append(c.evaluations.Policy, c.row.Policy...)
	c.evaluations.Values = append(c.evaluations.Values, c.row.Values...)
}

// Evaluate returns the rows of the states added. It never fails.
func (c *Constant) Evaluate() (Evaluations, error) {
	evaluations := c.evaluations
	c.evaluations.Policy, c.evaluations.Values = c.evaluations.Policy[:0], c.evaluations.Values[:0]
	return evaluations, nil
}

// Playouts evaluates a state by the result of one random playout from it
// (game.Playout), and gives no policy.
type Playouts struct {
	state       game.State
	rng         *rand.Rand
	buf         []game.Action
	evaluations Evaluations
	strategy    *game.Strategy // nil: game.Playout
	epsilon     float64
}

// NewPlayouts makes a Playouts that draws from rng.
func NewPlayouts(g game.Game, rng *rand.Rand) *Playouts {
	return &Playouts{
		state:       g.NewState(),
		rng:         rng,
		buf:         make([]game.Action, 0, g.Actions()+1),
		evaluations: Evaluations{Actions: g.Actions(), Players: g.Players()},
	}
}

// NewRollouts makes a Playouts in which all players play by a strategy. A fraction
// epsilon of their actions is drawn uniformly (game.Rollout).
func NewRollouts(g game.Game, q *game.Strategy, epsilon float64, rng *rand.Rand) *Playouts {
	p := NewPlayouts(g, rng)
	p.strategy, p.epsilon = q, epsilon
	return p
}

// Add plays a copy of s to its end.
func (p *Playouts) Add(s game.State) {
	p.state.CopyFrom(s)
	if p.strategy != nil {
		game.Rollout(p.state, p.strategy, p.epsilon, p.rng)
	} else {
		p.buf = game.Playout(p.state, p.rng, p.buf)
	}
	n := len(p.evaluations.Values)
	for range p.evaluations.Players {
		p.evaluations.Values = append(p.evaluations.Values, 0)
	}
	p.state.Returns(p.evaluations.Values[n:])
}

// Evaluate returns the results of the playouts since the last call. It never fails.
func (p *Playouts) Evaluate() (Evaluations, error) {
	evaluations := p.evaluations
	p.evaluations.Values = p.evaluations.Values[:0]
	return evaluations, nil
}

// SetRand makes later playouts draw from rng.
func (p *Playouts) SetRand(rng *rand.Rand) { p.rng = rng }

// counter forwards requests and counts them.
type counter struct {
	requests  Requests
	n, before int
}

func (c *counter) Add(s game.State) {
	c.requests.Add(s)
	c.n++
}
