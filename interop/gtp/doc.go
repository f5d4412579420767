// Package gtp speaks the Go Text Protocol, version 2 (Farnebäck, "Specification
// of the Go Text Protocol, version 2, draft 2", 2002,
// https://www.lysator.liu.se/~gunnar/gtp), from both ends.
//
// An [Engine] is a player of two-player Go as a controller (GoGui, Sabaki, a
// server's client) sees it; Serve answers commands line by line:
//
//	p := player.UCT{Simulations: 1000, C: 0.8, Utility: player.Unit}
//	e, err := gtp.NewEngine(gtp.Config{Player: p, Game: g, Name: "Tengen", Version: "1"})
//	err = e.Serve(ctx, os.Stdin, os.Stdout)
//
// A [Client] is the other end: it starts a program that speaks the protocol and asks it for
// moves. A [Match] lets a player play against such a program, and its [Report] has the results.
//
// # Rules
//
// Games are played with area scoring, positional superko unless the engine's game says
// otherwise, and passes at any time. To the search every stone on the board when a game ends is
// alive, as in the Tromp-Taylor rules. Controllers count without dead stones: so do final_score and
// final_status_list, and before it passes the engine takes those of the other colour. If a colour
// moves twice in a row, the other counts as having passed, but such a pass does not end the game;
// nor do two passes, if a controller continues after them. A game is over after max_plies actions:
// from then on there are only passes.
//
// # Boards and komi
//
// A player without a network plays on any square board of up to 19×19 points. A network plays
// on the board that it was trained on; any other size is unacceptable. Komi is White's, and any
// is accepted: the search always plays by the komi asked for. If utilities are scores
// (reward=score) they do not include komi, so a network plays the same with any komi. If they
// are wins (reward=win), finished games inside the search are counted with the given komi, but
// the network's estimates are for the komi of its training.
//
// # Analysis
//
// Players whose search can go on beyond its budget (player.Ponderer) answer kata-analyze,
// lz-analyze and their kin, in the forms of KataGo and Leela Zero. Serve reads commands in a
// goroutine of its own, so that the next line ends an analysis; the search itself runs in slices
// on the goroutine of Serve. With Config.Ponder the search also goes on while the opponent
// thinks. What is told in points and winrates, and how it follows from utilities, is
// described in docs/gtp.md.
//
// # Time
//
// Where a clock limits the game it decides how long a player searches. A number of simulations or a
// time per move that was asked for (Config.Capped) holds besides.
package gtp
