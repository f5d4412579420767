// Package descent is unbounded best-first minimax in its two forms: Descent,
// which follows the best line to the end of the game and is the search that
// learns (Cohen-Solal 2020, "Learning to play two-player perfect-information
// games without knowledge"), and UBFM, which expands one state at a time and is
// the search that plays (Korf and Chickering 1996; Cohen-Solal and Cazenave
// 2021, "Minimax strikes back").
//
// A [Tree] is made by [New] and implements search.Search and search.Result:
//
//	tree := descent.New(g, descent.Options{BestFirst: true, Iterations: 180}, rng)
//	tree.Start(state)
//	search.Run(tree, evaluator)
//	action := tree.Safe()
//	state.Apply(action)
//	tree.Play(action) // the subtree below action is kept
//
// # What counts
//
// To expand a state is to make all its children: each legal action is played, and then every
// sole legal action, up to the next decision or the end of the game. Finished games are valued
// by [Terminal]; the other children that are new are added to the requests of one Advance, at
// most game.Game.Actions of them. An iteration follows best children from the root until it has
// expanded a state (UBFM), or until it meets a state that is resolved (Descent); then each
// state on the path gets the value of its best child. The evaluator's policy is not read.
//
// Values are vectors with one number for each player, and each state chooses
// what is best for its own player (max^n): turns need not alternate. Where the
// utilities of a game sum to a constant (game.ConstantSum), so do the values: the
// same number is added to an evaluation for every player, which with two players
// makes max^n minimax. This is not done if the raw score is part of the value
// ([Terminal]), since scores need not have a constant sum. Otherwise values are
// used as they are, and may lie outside [0, 1]. An evaluation with a value that is
// not a finite number is replaced by an even result for all players.
//
// # Completion
//
// A state is resolved when the game is over, when all its children are, or when
// a resolved child gives its mover the greatest utility there is, 1. The
// completion of a child, for a player, is +1 where it is resolved with that
// player's utility 1, -1 where it is resolved with 0, else 0. Children are
// compared by completion, then by value, and only those that are not resolved
// are explored; among equals the least visited one, then one at random. The
// value of a state is that of its best child, among equals the most visited one,
// then the first: the child that [Tree.Best] chooses. Once resolved, a state keeps
// its value: with Terminal result it is the exact minimax value, with several
// players one of the vectors that max^n may give.
//
// Whether a state is resolved depends on utilities, and which child is preferred on
// the Terminal. So with additive depth a state may be resolved by a win before the
// quickest win is known.
//
// # Transpositions
//
// States with equal game.State.Hash are one node; with additive depth only if
// they were reached after the same number of actions. When a node changes, its
// parents off the path are updated when the search next arrives at them. No state
// may follow from itself, which holds where game.State.Hash distinguishes all
// states that the rules distinguish, since games end.
//
// # Memory
//
// Nodes and edges are in arrays without pointers, which grow as needed; after
// that, a search allocates nothing. A state takes about 70 + 4·Players bytes.
// Options.MaxNodes bounds their number: where an expansion may have no room, the
// search ends early and search.Stats.Full is true. If the tree is more than half
// full at a Play, all nodes that are not known to be below the new position are
// dropped (see [Tree.OnForget]), which makes room for the next search. A state that
// was dropped and is reached again is new.
//
// [Check] refuses chance and imperfect information: best-first minimax needs states
// that have one value, and one line to follow.
//
// A Tree is used by one goroutine. Its results depend on its calls, the evaluations
// delivered and the random source alone, and with Options.Time on the clock.
package descent
