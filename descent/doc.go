// Package descent is unbounded best-first minimax in its two forms: Descent,
// which follows the best line to the end of the game and is the search that
// learns (Cohen-Solal 2020, "Learning to play two-player perfect-information
// games without knowledge"), and UBFM, which expands one state at a time and is
// the search that plays (Korf and Chickering 1996; Cohen-Solal and Cazenave
// 2021, "Minimax strikes back").
//
// A [Tree] is made by [New] and implements search.Search:
//
//	tree := descent.New(g, descent.Options{BestFirst: true, Iterations: 180}, rng)
//	tree.Start(state)
//	search.Run(tree, evaluator)
//	action := tree.Safe()
//	state.Apply(action)
//	tree.Play(action) // what is known below action stays
//
// # What counts
//
// To expand a state is to make all its children: each legal action is played,
// and then every action that is the sole legal one, up to the next decision or
// the end of the game. Finished games are valued by [Terminal]; the others are
// handed to the evaluator, all that are new in one Advance, at most
// game.Game.Actions of them. An iteration goes from the root to the best child,
// and on, until it has expanded a state (UBFM), or until it meets a state that
// is resolved (Descent); then each state on the way takes over the value of its
// best child. The evaluator's policy is not read.
//
// Values are vectors with one number for each player, and each state chooses
// what is best for its own mover (max^n), so nothing depends on turns
// alternating. Where the utilities of a game sum to a constant
// (game.ConstantSum), so do the values: an evaluation is moved onto that sum by
// adding the same number for every player, which with two players makes max^n
// minimax. It is not if the raw score is part of the value ([Terminal]), since
// scores need not sum to anything. Values are used as they come otherwise, and
// may lie outside [0, 1]. A row with a value that is not a finite number counts
// as an even result for everybody.
//
// # Completion
//
// A state is resolved when the game is over, when all its children are, or when
// a resolved child gives its mover the greatest utility there is, 1. The
// completion of a child, for a player, is +1 where it is resolved with that
// player's utility 1, -1 where it is resolved with 0, else 0. Children are
// compared by completion, then by value, and only those that are not resolved
// are explored; among equals the one tried less often, then one at random. The
// value of a state is that of its best child, among equals the one tried more
// often, then the first: the child that [Tree.Best] chooses. Once resolved, a
// state keeps its value: with Terminal result it is the exact minimax value,
// with several players one of the vectors that max^n may give.
//
// Utilities decide what is resolved, the Terminal what is preferred. With
// additive depth a state may therefore be resolved by a win before the quickest
// is known.
//
// # Transpositions
//
// States with equal game.State.Hash are one node; with additive depth only if
// they were reached after the same number of actions. A node changes whichever
// way it is reached, and its other parents learn of it when the search next
// passes through them: a state is brought up to date on arrival. No state may
// follow from itself, which holds where game.State.Hash tells apart what the
// rules do, since games end.
//
// # Memory
//
// Nodes and edges live in arrays without pointers, which grow as needed; once
// they have, a search allocates nothing. A state takes some 70 + 4·Players
// bytes. Options.MaxNodes bounds their number: where an expansion may not fit,
// the search ends early and [Stats] says so. Whenever the tree is more than half
// full at a Play, all that is not known to be below the new position is dropped
// ([Tree.OnForget] is told), which makes room for the next search. A state that
// was dropped and is found again, by another line, is new.
//
// Chance and hidden information are refused by [Check]: best-first minimax
// rests on a state having one value, and on one line to follow.
//
// A Tree is used by one goroutine. It depends on its calls, the rows delivered
// and the random source alone, and with Options.Time on the clock.
package descent
