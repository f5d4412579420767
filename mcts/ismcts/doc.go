// Package ismcts is information-set Monte Carlo tree search (Cowling, Powley and
// Whitehouse 2012, "Information Set Monte Carlo Tree Search"), for games with
// imperfect information and any number of players.
//
// A [Tree] is made by [NewUCT] or [NewPUCT], with the options of package mcts:
//
//	tree := ismcts.NewUCT(g, mcts.UCT{Simulations: 1000, C: 0.8}, ismcts.MultipleObservers, rng)
//	tree.Start(state)
//	search.Run(tree, search.NewPlayouts(g, rng))
//	action := tree.Best()
//
// Nodes are information sets, and every simulation determinizes the root anew. [Observers]
// selects whose information sets: those of the player who searches, in one tree, or each
// player's own, in one tree per player.
//
// A simulation ends at the first new node, or at the end of the game. It adds at most one node.
// States with a sole legal action are nodes like others, and may be evaluated: that there is a
// sole action may itself be hidden. When there is no room for another node, simulations
// continue among the existing nodes, and search.Stats.Full is true. Nothing is kept when the
// root moves, unless [Tree.Keep] has been called: see below.
//
// The root may be played as [mcts.Gumbel] describes. Its actions and priors are the same in all
// determinizations, and so are those considered.
//
// # Keeping the tree
//
// With a single observer, a node below the root at which the searching player is to move is one of
// its own information sets. When the game comes there, [Tree.Follow] can go on from it, without
// being told what others did: the key of what the player sees is enough. This is sound in that
//
//   - nothing enters that the player can't see: the tree was made from determinizations of what it
//     saw earlier, and the node is found by what it sees now;
//   - the player's legal actions and what it sees are the same in all simulations that came there.
//
// It changes what is assumed of hands. The simulations that are kept drew hands that agreed with
// what the player saw before, and came to the node as often as others would, by the tree, have
// played that way with such hands: a posterior under the search's own model of others. New
// simulations draw uniformly among the hands that agree with what it sees now. Both enter the same
// means. Where different actions of others look alike, or lead to states with the same key, one of
// several nodes is kept, with the posterior of that way alone.
//
// With multiple observers nothing is kept: in the trees of others the nodes to go on from depend on
// hands that the searching player can't see.
//
// # Caveats
//
// Hands are drawn by the game's Determinize: uniformly among those that agree with what the
// searching player has seen, without inference from what others played before the root, unless a
// search.Dealer draws them (Tree.SetDealer). At
// nodes of others, whose hands the player can't see, UCT has no prior: it tries the actions
// that are legal in the determinization in random order. The prior of PUCT is the softmax, over
// the actions that are legal in the determinization at hand, of the logits of the state with
// which the node was added. A network sees that state as its player does: with multiple
// observers this is the policy for the player's actual hand; with a single observer it is the
// policy for one drawn hand, applied to all hands that the player may hold.
//
// The search is not certain to converge to an equilibrium: the searching
// player's hand is the same in all simulations, and the means at a node include
// what others did there in early simulations.
//
// A search allocates nothing. A Tree is used by one goroutine.
package ismcts
