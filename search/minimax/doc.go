// Package minimax is depth-limited search with heuristic values: minimax,
// alpha-beta and expectiminimax, and for more than two players paranoid, max^n
// and best-reply search, for any game.
//
//	s, err := minimax.New(g, minimax.Options{Depth: 3, Prune: true, Star: 2, Table: 16 << 20})
//	s.SetRand(rng)
//	result := s.Search(state)
//	state.Apply(result.Action)
//
// A [Searcher] values positions by a game.Heuristic, by default the game's first one. The
// options combine: the zero value is plain full-width search. Search returns its result; the
// Searcher is also the search.Result of its last search.
//
// # What counts
//
// Depth counts turns, which in some games are several actions: as game.Turned counts them, else
// a turn ends when another player is to move (in a game for one player, with every action).
// Turns need not alternate. Chance nodes are no turns: if a turn ends at a chance node and the
// game is Turned, the position is valued before the outcome is known; else after it.
//
// Leaves are positions that were valued, finished games included; nodes are
// actions and outcomes made. A leaf that a game's shortcut values counts as a leaf
// and as a node.
//
// # Opponents
//
// The player to move at the root maximises its own value. The others, by
// [Opponents], are Paranoid (Sturtevant and Korf 2000): all minimise it, which with
// two players is minimax; MaxN (Luckhardt and Irani 1986): each maximises its own
// value; or BestReply (Schadd and Winands 2011): between two turns of the root's
// player only one of them moves, the one whose reply is worst for that player. The
// others are passed over if the game's states implement game.Skipper; else each
// plays its turn greedily by its own value, so that all positions are legal (BRS+;
// Esser et al. 2014).
//
// # Pruning
//
// With Prune, the scalar searches (all but MaxN) are alpha-beta with killer
// moves, the history heuristic and the moves of the transposition table tried
// first. At chance nodes Star 1 and 2 prune by the bounds of the heuristic
// (Ballard 1983; Hauk, Buro and Schaeffer 2004): Star 1 gives each outcome the
// window outside which the node's value is decided, Star 2 first probes one
// action below every outcome for a bound. A game with a Range (Ranged), which bounds
// the values that a position can lead to within a number of turns, makes both much
// stronger, and cuts off players' nodes whose values can't be in the window.
//
// Every choice is that of the plain search, ties included: pruned searches are
// fail-soft, all windows are widened by the rounding of sums, and an action that
// would win a tie is searched with a window that tells equal from worse. Among
// equals the first in ascending order is chosen, or with RandomTies one drawn at
// random, or with Ties one that a game prefers: once a search, after the determinizations, so that
// minimax and alpha-beta with equal random sources draw the same. Transpositions are used at equal
// depth only, for the same reason. All this holds as long as states with equal hashes have equal
// values, to the bit.
//
// If values are averaged over several determinizations, an action is valued in each against the
// first one, the best at the depth before. What it has lost in other determinizations raises
// its window, and what it has won lowers it. It is valued exactly only if its mean may be the
// greatest.
//
// # Hidden information and luck
//
// A searcher knows no more than the state that it is given. With Determinizations
// the hidden part of that state is drawn that many times, each determinization is
// searched as a game with perfect information, and the values of each action at the
// root are averaged (perfect-information Monte Carlo). So hidden information is
// distributed as the game's Determinize draws it, uniformly, and the opponents are
// assumed to know everything. With Samples, that many outcomes are drawn at each
// chance node instead of enumerating all (sparse sampling; Kearns, Mansour and Ng
// 2002), by the position's hash, so that all searches of one determinization sample
// the same ones.
//
// # Memory and time
//
// Actions are undone where states implement game.Undoer; else states are copied
// to a stack that grows in the first search. Later searches allocate only what they
// return.
// The transposition table has a fixed size and is kept from search to search until
// [Searcher.Reset]. With a limit of time or nodes the search deepens iteratively
// and returns the result of the last depth completed; the first depth is always
// completed.
//
// A Searcher is used by one goroutine. It depends on its calls and the random
// source alone, and with Options.Time on the clock.
package minimax
