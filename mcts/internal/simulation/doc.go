// Package simulation runs the simulations of a Monte Carlo tree search: the
// protocol of search.Search, and the budget in simulations and time.
//
// A tree supplies the [Steps] of a simulation, and a [Loop] calls them:
//
//	t.loop = simulation.New(g, 180, 1, simulation.Steps{Begin: t.begin, …})
//	t.loop.Root.CopyFrom(state)
//	t.loop.Reset()
//	for !t.loop.Advance(evaluator) {
//		t.loop.Deliver(evaluator.Evaluate())
//	}
//
// A simulation ends at a state to evaluate or at the end of the game, which
// needs no evaluation. Several may wait for their evaluations at once, each in a slot; for a
// given number the searches are the same, however long evaluations take. [Draw] chooses an action
// from the visits of a search.
//
// A Loop is used by one goroutine and allocates nothing after New.
package simulation
