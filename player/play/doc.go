// Package play plays games among agents and persons. It is the only game loop: self-play,
// matches, the terminal, the web page and the Go Text Protocol all drive a [Game].
//
// A Game draws outcomes of chance, plays forced moves, draws the opening, asks the agent whose
// turn it is, and tells every agent what was played. It alone decides what an agent sees: in
// games with hidden information agents get determinized copies of the state (player.Observer)
// and are not told which action was played.
//
//	g := play.New(rules)
//	g.OnMove = func(m play.Move) { moves = append(moves, m.Action) }
//	g.Start(play.Setup{
//		Seed: 1, Purpose: random.Arena, Chance: chance,
//		Seats: []play.Seat{{Agent: a, Rand: rngA}, {Agent: b, Rand: rngB, Evaluator: 1}},
//	})
//	err := search.Drive(ctx, []search.Task{g}, evaluators)
//
// A Game is a search.Task, so one goroutine can drive many games and evaluate the requests of
// all of them in one batch. Interactive drivers use [Game.Next], which makes one move, and
// [Game.Play], which plays a person's. To take a move back, call Start again and Play the moves
// before it.
//
// A Game has no random source of its own: all random streams come with the Setup, so games are
// reproducible with any driver.
package play
