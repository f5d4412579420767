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
//	expectiminimax:depth=5,rm=true
//	uct:time=20ms,rm=clusters
//	uct:simulations=1000,rollout=hybrid,epsilon=0.1
//	alphabeta:depth=4,strategy=hybrid,open=true
//	uct:observers=multiple
//
// and read by [Parse]. From it come [Seat]s, each of which plays one seat of
// one game at a time and is used by one goroutine. A seat that needs a network
// does not call it: it hands out leaves, so that the leaves of many games are
// evaluated in one batch (search.Drive).
//
// With rm a search is made by representative moves ([Abstracted]): of the image
// of the position in a derived game, at each decision anew, the action found
// being realised as one of the real game. The derived game is the game's own
// abstraction (rm=true), or the game with one action for each class of similar
// ones (package abstraction). The abstraction is a game and no part of a search, so that
// minimax, UCT and PUCT need not know of it, and their statistics mean what they
// say: each node has the actions of one game. A tree in which only deeper nodes
// were abstracted would mix positions of two games; with the key full_turns the
// derived game itself keeps all actions for some turns. A network that guides such a
// search is one of the derived game for rm=true, whose observations differ, and of the real
// game for classes.
//
// Whoever drives games seats each [Seat] in a [ObservingAgent] and hands the chair the true
// state. In games with hidden information the chair hands the seat a determinized copy,
// which a [Observer] draws anew at each ply from a stream of its own: what the seat
// sees is true, and the rest depends on nothing that it can't see. So no
// player can tell apart what its seat can't. Nor is it told what was played, but that
// something was, so that searches start anew at each decision. From the copy
// UCT and az draw a determinization for each simulation (mcts.InfoSets; with the key
// observers, by one tree or by one for each player), and minimax and its
// kin as many as their key says. The one exception is [Open], with the key open: it is shown
// the true state, and is no fair player, but says what a player could reach that knew all hands.
//
// A seat that searches is a [Analyzer] too: it tells what it thought. A player
// with a limit of time is [Timed]: it depends on the clock, and should not share its core.
package player
