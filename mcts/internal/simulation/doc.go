// Package simulation runs the simulations of a Monte Carlo tree search: the
// protocol of search.Search, and the budget in simulations and time.
//
// A tree supplies the [Steps] of a simulation, and a [Loop] calls them:
//
//	t.loop = simulation.New(g, 180, simulation.Steps{Begin: t.begin, …})
//	t.loop.Root.CopyFrom(state)
//	t.loop.Reset()
//	for !t.loop.Advance(evaluator) {
//		t.loop.Deliver(evaluator.Evaluate())
//	}
//
// A simulation ends at a state to evaluate or at the end of the game, which
// needs no evaluation. [Draw] chooses an action from the visits of a search.
//
// A Loop is used by one goroutine and allocates nothing after New.
package simulation
