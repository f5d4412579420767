package player

import (
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/spec"
	"tengen/mcts"
	"tengen/search"
)

// observersParam says whose information sets a search has as nodes.
var observersParam = spec.Param{
	Key: "observers", Default: mcts.SingleObserver.String(),
	Help: "where something is hidden: single, nodes are what the searching player sees, or multiple, each player has a tree of what it sees itself",
}

// readObservers reads observersParam.
func readObservers(g game.Game, v *spec.Values) mcts.Observers {
	o, _ := mcts.ParseObservers(v.Choice("observers", mcts.SingleObserver.String(), mcts.MultipleObservers.String()))
	if _, hidden := g.NewState().(game.ImperfectInformation); o != mcts.SingleObserver && !hidden {
		v.Fail("observers", "nothing is hidden in "+g.Name()+": single is wanted")
	}
	return o
}

// observersKey is ",observers=…" as a player's name has it, if it is not the default.
func observersKey(o mcts.Observers) string {
	if o == mcts.SingleObserver {
		return ""
	}
	return ",observers=" + o.String()
}

// SearchingInfoSets is a Seat that decides by information sets, as Searching is
// one that does by a tree of states.
type SearchingInfoSets interface{ InfoSets() *mcts.InfoSets }

// infoSetSeat is a seat of UCT in a game with hidden information.
type infoSetSeat struct {
	tree     *mcts.InfoSets
	playouts *search.Playouts
	game     game.Game
}

func (u *infoSetSeat) Begin(rng *rand.Rand) {
	u.tree.SetRand(rng)
	u.playouts.SetRand(rng)
}

func (u *infoSetSeat) Think(s game.State, _ search.Requests) (game.Action, bool) {
	u.tree.Start(s)
	search.Run(u.tree, u.playouts)
	return u.tree.Best(), true
}

func (u *infoSetSeat) Deliver(search.Evaluations)     {}
func (u *infoSetSeat) Played(game.State, game.Action) {}

// InfoSets implements SearchingInfoSets.
func (u *infoSetSeat) InfoSets() *mcts.InfoSets { return u.tree }

// View implements Analyzer.
func (u *infoSetSeat) Analysis() Analysis { return viewOfInfoSets(u.game, u.tree) }

// viewOfInfoSets is the view of an mcts.InfoSets. The line is one action long: what
// follows depends on what is hidden.
func viewOfInfoSets(g game.Game, t *mcts.InfoSets) Analysis {
	v := Analysis{Value: make([]float32, g.Players()), Full: t.Stats().Full}
	t.Value(v.Value)
	for _, c := range t.Children(nil) {
		v.Moves = append(v.Moves, Considered{Action: c.Action, Visits: c.Visits, Value: slices.Clone(c.Value[:g.Players()])})
	}
	if best := t.Best(); best != game.NoAction {
		v.PrincipalVariation = []game.Action{best}
	}
	return v
}

// networkInfoSetSeat is a seat of a Network in a game with hidden information.
type networkInfoSetSeat struct {
	keeper
	player *AlphaZero
	game   game.Game
	tree   *mcts.InfoSets
	rng    *rand.Rand
}

func (n *networkInfoSetSeat) Begin(rng *rand.Rand) {
	n.rng = rng
	n.tree.SetRand(rng)
	n.begin()
}

func (n *networkInfoSetSeat) Think(s game.State, requests search.Requests) (game.Action, bool) {
	switch {
	case !n.think(s, requests):
		return game.NoAction, false
	case n.ply < n.player.Plies:
		return n.tree.Choose(n.player.Temperature, n.rng), true
	}
	return n.tree.Best(), true
}

// View implements Analyzer.
func (n *networkInfoSetSeat) Analysis() Analysis { return viewOfInfoSets(n.game, n.tree) }

// InfoSets implements SearchingInfoSets.
func (n *networkInfoSetSeat) InfoSets() *mcts.InfoSets { return n.tree }
