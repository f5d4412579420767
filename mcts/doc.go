// Package mcts is Monte Carlo tree search for any number of players: UCT with
// an evaluator such as random playouts, and PUCT as in AlphaZero, on the same
// tree.
//
// A [Tree] is made by [NewUCT] or [NewPUCT] and implements search.Search. It
// backs up vectors with the utility of each player, and each node chooses what
// is best for its own mover (max^n), so nothing depends on turns alternating or
// on one's gain being another's loss. Chance nodes sample from the state's own
// distribution, with the tree's random source.
//
//	tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 180, C: 0.8, Reuse: true}, rng)
//	tree.Start(state)
//	search.Run(tree, evaluator)
//	action := tree.Best()
//	state.Apply(action)
//	tree.Play(action) // the subtree below action stays
//
// # What counts
//
// A search makes as many new simulations as it is told to, whatever was kept
// from the search before. A simulation ends at a state to evaluate, or at the
// end of the game, which needs no evaluator. PUCT evaluates the root before its
// first simulation, so from a fresh start it asks for at most one evaluation
// more than it makes simulations; UCT opens the root without. A node's number
// of visits N(s) counts the simulations that passed through it or ended in it,
// its own evaluation included.
//
// States with a sole legal action are stepped over: they are nodes of the tree,
// but a simulation that reaches one goes on at once, so that the evaluator sees
// only states in which a player has a choice. Where several edges score alike,
// the one visited first is taken.
//
// # Memory
//
// Nodes and edges live in arrays without pointers, reserved when the tree is
// made; a search allocates nothing. When the arrays are full the tree's shape
// is frozen: simulations go on among the nodes there are, the leaves are
// evaluated anew, and [Stats] says so.
//
// # Hidden information
//
// A Tree takes the state it is given for the truth. [InfoSets] is for games with hidden
// information: each simulation determinizes the root anew, and nodes are
// information sets: of the player who searches (the single observer), or in a tree
// for each player of its own (multiple observers). See [Observers].
//
// Hands are drawn as the game's Determinize draws them: uniformly among what the searching
// player has seen, without inference from what others played before. At nodes of
// others, whose hands it can't see, UCT has no prior: it tries the actions that are legal in the
// determinization in random order. The prior of PUCT is the softmax, over the
// actions that are legal in the determinization at hand, of the logits of the state
// with which the node was first met. A network sees that state as its mover does: with
// multiple observers this is the policy of the very hand; with a single observer it
// is that of one hand that was drawn, applied to all that the mover may hold.
//
//	sets := mcts.NewInfoSets(g, mcts.UCT{Simulations: 1000, C: 0.8, Observers: mcts.MultipleObservers}, rng)
//	sets.Start(state)
//	search.Run(sets, search.NewPlayouts(g, rng))
//	action := sets.Best()
//
// Neither converges to an equilibrium of the game for certain: the searching player's
// own hand is the same in all simulations, and the means at a node remember what others did
// there long ago.
//
// A Tree is used by one goroutine.
package mcts
