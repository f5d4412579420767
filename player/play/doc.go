// Package play plays a game among agents and persons. It is the only loop that does:
// self-play, matches, the terminal, the page and the Go Text Protocol all drive a [Game].
//
// A Game lets chance move, plays forced moves, draws the opening, asks the agent whose
// turn it is, and tells every agent what was played. What an agent may see is decided
// here alone: where a game hides information, agents are given determinized copies of the
// state (player.Observer) and are not told which action was played.
//
//	g := play.New(rules)
//	g.OnMove = func(m play.Move) { moves = append(moves, m.Action) }
//	g.Start(play.Setup{
//		Seed: 1, Purpose: stream.Arena, Chance: chance,
//		Seats: []play.Seat{{Agent: a, Rand: rngA}, {Agent: b, Rand: rngB, Evaluator: 1}},
//	})
//	err := search.Drive(ctx, []search.Task{g}, evaluators)
//
// A Game is a search.Task, so one goroutine can drive many games and evaluate the
// requests of all of them in one batch. Interactive drivers use [Game.Next], which makes
// one move, and [Game.Play], which plays a person's. To take a move back, Start again and
// Play the moves before it.
//
// A Game draws nothing itself: the setup brings every random stream, so games are
// reproducible whoever drives them.
package play
