// Package clock has the clocks of games, and the time of searches that play by them.
//
// [Settings] are the time control of a game, written as in
//
//	10s          10 seconds for all moves of a game
//	10s+2s       and 2 seconds more after each move (Fischer)
//	10s+5x2s     then 5 periods of 2 seconds (Japanese byo-yomi)
//	10s+30s/15   then 15 moves in every 30 seconds (Canadian overtime)
//
// A [Clock] counts the time of one player in one game after another, and allots it to moves:
//
//	c := clock.New(settings)
//	limit := c.Allot(clock.Pace{Moves: 12, Most: 40})
//	tree.SetDeadline(limit.From(time.Now()))
//	// search, and play
//	if !c.Spend(time.Since(began)) {
//		// the flag has fallen
//	}
//
// A [Timer] says when the time of a search is over. Searches read it after each simulation, so
// a search ends by the clock itself, not after a number of simulations estimated beforehand.
//
// # On a loaded machine
//
// A process that shares its processors may stand still for longer than a move may take, in the
// middle of a search or between its answer and the moment when the opponent's clock starts. A Clock
// therefore measures by how much moves overran what was allotted to them. It keeps back three times
// the longest overrun but one, and the mean for each move that may still come. Within a search a
// Timer measures the longest step, and ends the search where a few more of them would be too many.
//
// A single stall, of a process that is stopped for seconds, costs the move that it hits. Those
// after it have at least seven tenths of the time that they would have with what is left, and a new
// game knows nothing of it. A second one in a game is reckoned with from then on.
//
// The package knows neither games nor searches. Its types are used by one goroutine at a time.
package clock
