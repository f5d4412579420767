// Package player holds everybody who can sit down at a table: random players,
// UCT with random playouts, PUCT guided by a network, unbounded best-first
// minimax and Descent, guided by a network's values, and minimax, alpha-beta and
// expectiminimax to a depth, guided by a game's own heuristic values.
//
// A [Player] is a kind of player with its settings, written as in
//
//	random
//	uct:simulations=180,c=0.8,utility=points
//	az:runs/first,simulations=180
//	ubfm:runs/second,time=1s,safe=true
//	descent:runs/second,iterations=180
//	alphabeta:depth=4,strategy=score
//	expectiminimax:time=1s,star=1
//
// and read by [Parse]. From it come [Seat]s, each of which plays one seat of
// one game at a time and is used by one goroutine. A seat that needs a network
// does not call it: it hands out leaves, so that the leaves of many games are
// evaluated in one batch (search.Drive).
//
// A seat that searches is a [Viewer] too: it tells what it thought. A player
// with a limit of time is [Timed]: it depends on the clock, and should not share its core.
package player
