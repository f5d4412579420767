package player

import (
	"math/rand/v2"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
)

// Tree is a Monte Carlo tree search: of states (mcts.Tree), or of information
// sets (ismcts.Tree) in games with imperfect information.
type Tree interface {
	search.Search
	search.Result
	SetRand(rng *rand.Rand)
	SetSimulations(n int)
	SetTime(d time.Duration)
	SetDeadline(d clock.Deadline)
	SetNoise(on bool)
	Choose(temperature float64, rng *rand.Rand) game.Action
}

// follower returns what makes a position the root of a tree of information sets that is kept from one
// decision to the next; nil for a tree that is not.
func follower(tree Tree, reuse bool) func(s game.State) {
	sets, ok := tree.(interface {
		Keep() bool
		Follow(s game.State) (kept bool)
	})
	if !ok || !reuse || !sets.Keep() {
		return nil
	}
	return func(s game.State) { sets.Follow(s) }
}

// NewUCT makes a tree that is searched by UCT. observers are for games with
// imperfect information. The tree draws from no source until SetRand.
func NewUCT(g game.Game, o mcts.UCT, observers ismcts.Observers) Tree {
	if hides(g) {
		return ismcts.NewUCT(g, o, observers, nil)
	}
	return mcts.NewUCT(g, o, nil)
}

// NewPUCT makes a tree that is searched by PUCT, as NewUCT does.
func NewPUCT(g game.Game, o mcts.PUCT, observers ismcts.Observers) Tree {
	if hides(g) {
		return ismcts.NewPUCT(g, o, observers, nil)
	}
	return mcts.NewPUCT(g, o, nil)
}

// hides reports whether g has imperfect information.
func hides(g game.Game) bool {
	_, hidden := g.NewState().(game.ImperfectInformation)
	return hidden
}

// observersParam selects the players whose information sets are the nodes of a search.
var observersParam = notation.Param{
	Key: "observers", Default: ismcts.SingleObserver.String(),
	Help: "if information is hidden: single, nodes are the searching player's information sets; multiple, each player has a tree of its own",
}

// azObserversParam is the same for PUCT.
var azObserversParam = notation.Param{
	Key:  "observers",
	Help: "if information is hidden: single, nodes are the searching player's information sets; multiple, each player has a tree of its own; default as for c, or single",
}

// inferenceParam is the number of worlds of Infer.
var inferenceParam = notation.Param{
	Key:  "inference",
	Help: "if information is hidden and states tell their history: worlds in which the network is asked how likely others would have done what they did; determinizations are drawn accordingly; default as for c, or 0",
}

// readObservers reads the key observers, by default usual.
func readObservers(g game.Game, v *notation.Values, usual ismcts.Observers) ismcts.Observers {
	if !v.Given("observers") {
		return usual
	}
	o, _ := ismcts.ParseObservers(v.Choice("observers", ismcts.SingleObserver.String(), ismcts.MultipleObservers.String()))
	if o != ismcts.SingleObserver && !hides(g) {
		v.Fail("observers", "nothing is hidden in "+g.Name()+": single is wanted")
	}
	return o
}

// reuseParam keeps the tree of UCT, azReuseParam that of PUCT.
var (
	reuseParam = notation.Param{
		Key: "reuse", Default: "false",
		Help: "true: keep what was searched below what was played; false: begin a new tree at every decision, as the paper does",
	}
	azReuseParam = notation.Param{
		Key:  "reuse",
		Help: "true: keep what was searched below what was played; false: begin a new tree at every decision; default: true if nothing is hidden, else false",
	}
)

// readReuse reads the key reuse, by default usual.
func readReuse(g game.Game, v *notation.Values, o ismcts.Observers, usual bool) bool {
	if v.Given("reuse") {
		usual = v.Bool("reuse")
	}
	if usual && o != ismcts.SingleObserver {
		v.Fail("reuse", "the trees of multiple observers are not kept: false is wanted")
	}
	return usual
}

// observersKey returns ",observers=…" for a player's name, "" for the default.
func observersKey(o ismcts.Observers) string {
	if o == ismcts.SingleObserver {
		return ""
	}
	return ",observers=" + o.String()
}
