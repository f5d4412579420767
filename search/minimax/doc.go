// Package minimax is depth-limited search with heuristic values: minimax,
// alpha-beta and expectiminimax, and for more than two players paranoid, max^n
// and best-reply search, for any game.
//
//	s, err := minimax.New(g, minimax.Options{Depth: 3, Prune: true, Star: 2, Table: 16 << 20})
//	s.SetRand(rng)
//	result := s.Search(state)
//	state.Apply(result.Action)
//
// A [Searcher] values positions by a game.Heuristic, the game's default one
// unless the options say otherwise. The options combine: the zero value is plain
// full-width search.
//
// # What counts
//
// Depth counts turns, which in some games are several actions: as game.Turned
// counts them, else a turn is over when another player is to move (in a game
// for one, with every action). Who is to move is compared at every action, so
// nothing depends on turns alternating. Chance is no turn: where a turn ends
// with chance to move and the game is Turned, the position is valued before the
// outcome is known; else after it.
//
// Leaves are positions that were valued, the ends of games included; nodes are
// actions and outcomes made. A leaf that a game's LastTurn shortcut values, or that
// Flat spares, counts as a leaf and as a node.
//
// # Who wants what
//
// The player to move at the root maximises its own value. What the others want
// is said by [Opponents]: Paranoid (Sturtevant and Korf 2000), where they all
// minimise it, which with two players is minimax; MaxN (Luckhardt and Irani
// 1986), where each maximises its own; BestReply (Schadd and Winands 2011),
// where between two turns of the root's player only one of them moves, the one
// whose reply is worst for it. The others are passed over if the game's states
// are game.Skippers; else each plays its turn greedily by its own value, so that
// all positions are legal (BRS+; Esser et al. 2014).
//
// # Pruning
//
// With Prune, the scalar searches (all but MaxN) are alpha-beta with killer
// moves, the history heuristic and the moves of the transposition table tried
// first. At chance nodes Star 1 and 2 prune by the bounds of the heuristic
// (Ballard 1983; Hauk, Buro and Schaeffer 2004): Star 1 gives each outcome the
// window outside which the node's value is decided, Star 2 first probes one
// action below every outcome for a bound. A heuristic with a Range, which bounds what may
// become of a position within so many turns, makes both much stronger, and
// cuts off players' nodes that can't reach the window at all.
//
// Every choice is that of the plain search, ties included: pruned searches are
// fail-soft, all windows leave room for the rounding of sums, and an action that
// would win a tie is searched with a window that tells equal from worse. Among
// equals the first in ascending order is taken, or one at random with
// RandomTies: drawn once a search, after the determinizations, so that minimax and
// alpha-beta with equal random sources draw the same. Transpositions are used at
// equal depth only, for the same reason. This holds as long as states with equal
// hashes have equal values, to the bit.
//
// Where values are averaged over several determinizations, an action is valued in
// each against the first one, the best at the depth before: with a window that
// what it has lost in other determinizations raises, and what it has won lowers. It is valued
// exactly only where its mean may be the greatest.
//
// # Hidden information and luck
//
// A searcher never sees more than the state that it is given. With
// Determinizations, that state's hidden part is redrawn so many times, each
// drawing is searched as if all was open, and the values of each action at the
// root are averaged (perfect-information Monte Carlo): the prior at opponents'
// nodes is therefore that of the game's Determinize, uniform over what the root
// player's seat can't see, and the opponents are taken to know everything. With
// Samples, chance is sampled too: so many outcomes are drawn at each chance
// state instead of all enumerated (sparse sampling; Kearns, Mansour and Ng
// 2002), by the position's hash, so that all searches of one determinization
// see the same ones.
//
// # Memory and time
//
// States are copied, or undone where they are game.Undoers, on a stack that
// grows with the first search; later searches allocate only what they return.
// The transposition table has a fixed size and is kept from search to search until
// [Searcher.Reset]. With a limit of time or nodes the search deepens
// iteratively and answers with the last depth it has completed; the first depth is
// always completed.
//
// A Searcher is used by one goroutine. It depends on its calls and the random
// source alone, and with Options.Time on the clock.
package minimax
