package player

import (
	"tengen/game"
	"tengen/nn"
	"tengen/replay/record"
	"tengen/search"
	"tengen/search/nneval"
)

// Actor is a Player that plays the games of self-play, with one network after another. Its agents
// are ActorAgents.
type Actor interface {
	Player
	// Check returns an error if it can't play g.
	Check(g game.Game) error
	// MaxBatchSize is the greatest number of evaluations that an agent requests at once in g.
	MaxBatchSize(g game.Game) int
	// EvaluatorOn makes the evaluator of up to capacity agents whose network is w, called name, on
	// e. It also returns the part that holds the network, and the number of its rows.
	EvaluatorOn(
		g game.Game, w nn.Network, e nn.Evaluator, capacity int, name string,
	) (s search.Evaluator, network *nneval.Evaluator, rows int)
}

// Targeter is an Agent whose searches give training targets.
type Targeter interface {
	Agent
	Searching
	// Target adds to m, the move that the agent decided last, what updates learn from its search:
	// the value, and, if the search was a full one, the policy.
	Target(m *record.Move) (full bool)
}

// ActorAgent is an agent of an Actor.
type ActorAgent interface {
	Targeter
	// Prepare sets the conditions of the game that begins next.
	Prepare(c Conditions)
	// Finish adds the targets that are not of one move to r, the record of a game that has just
	// ended in the state final.
	Finish(r *record.Game, final game.State)
}

// Conditions are what changes from one game of self-play to the next.
type Conditions struct {
	// Believer draws what is hidden (SelfPlay.Worlds); nil: it is drawn uniformly.
	Believer *Believer
	// Greed is that of the ordinal law, from 0 (uniform) to 1 (greedy): see DescentSelfPlay.
	Greed float64
	// Opening is the number of plies of the game's opening. AlphaZero.Plies are counted from there,
	// so that games from the same position differ.
	Opening int
}

// visits returns the children that were visited, with the visits that are not pruned.
func visits(children []search.Child) []record.Visit {
	n := 0
	for i := range children {
		if c := &children[i]; c.Visits > c.Pruned {
			n++
		}
	}
	v := make([]record.Visit, 0, n)
	for i := range children {
		if c := &children[i]; c.Visits > c.Pruned {
			v = append(v, record.Visit{Action: c.Action, N: uint32(c.Visits - c.Pruned)})
		}
	}
	return v
}

// leastPolicy is the least probability that is recorded for an action without visits.
const leastPolicy = 1e-5

// improved returns the children that were visited or that the improved policy may choose, with
// their visits and probabilities.
func improved(children []search.Child) (visits []record.Visit, policy []float32) {
	listed := func(c *search.Child) bool { return c.Visits > 0 || c.Improved >= leastPolicy }
	n := 0
	for i := range children {
		if listed(&children[i]) {
			n++
		}
	}
	visits, policy = make([]record.Visit, 0, n), make([]float32, 0, n)
	for i := range children {
		if c := &children[i]; listed(c) {
			visits = append(visits, record.Visit{Action: c.Action, N: uint32(c.Visits)})
			policy = append(policy, c.Improved)
		}
	}
	return visits, policy
}
