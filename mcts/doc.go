// Package mcts is Monte Carlo tree search for any number of players: UCT with
// an evaluator such as random playouts, and PUCT as in AlphaZero, on the same
// tree.
//
// A [Tree] is made by [NewUCT] or [NewPUCT] and implements search.Search and search.Result. It
// backs up vectors with the utility of each player, and each node selects the best action for
// its own player (max^n): turns need not alternate, and utilities need not have a constant sum.
// Outcomes at chance nodes are sampled from the state's own distribution, with the tree's
// random source.
//
//	tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 180, C: 0.8, Reuse: true}, rng)
//	tree.Start(state)
//	search.Run(tree, evaluator)
//	action := tree.Best()
//	state.Apply(action)
//	tree.Play(action) // the subtree below action is kept
//
// # Gumbel
//
// With [PUCT].Gumbel the root is played by sampled actions and sequential halving (package
// internal/planning has the formulas), which makes more of few simulations:
//
//	o := mcts.PUCT{Simulations: 16, C: 0.8, Gumbel: mcts.PublishedGumbel()}
//	tree := mcts.NewPUCT(g, o, rng)
//	tree.SetNoise(false) // in play; in self-play the noise is the exploration
//
// A Tree treats the state it is given as the truth. Package ismcts is for games
// with imperfect information.
//
// # What counts
//
// A search makes as many new simulations as its budget says, even if a subtree was kept from
// the search before. A simulation ends at a state to evaluate, or at the end of the game, which
// needs no evaluator. PUCT evaluates the root before its first simulation, so from a fresh
// start it asks for at most one evaluation more than it makes simulations; UCT does not
// evaluate the root. A node's number of visits N(s) counts the simulations that passed through
// it or ended in it, its own evaluation included.
//
// States with a sole legal action are nodes, but a simulation that reaches one
// continues, so that the evaluator sees only states in which a player has a
// choice. Among edges with equal scores, the one visited first is selected.
//
// # Memory
//
// Nodes and edges are in arrays without pointers, reserved when the tree is made; a search
// allocates nothing, or little if the tree grows (UCT.Growing). When there is no room for another
// node the tree is full: simulations continue among the existing nodes, leaves are evaluated again,
// and search.Stats.Full is true.
//
// A Tree is used by one goroutine.
package mcts
