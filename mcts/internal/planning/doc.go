// Package planning has what the trees of packages mcts and ismcts share.
//
// # Simulations
//
// A [Loop] makes the simulations of a search: the protocol of search.Search, and the budget in
// simulations and time. A tree supplies the [Steps] of a simulation:
//
//	t.loop = planning.New(g, 180, 1, planning.Steps{Begin: t.begin, …})
//	t.loop.Root.CopyFrom(state)
//	t.loop.Reset()
//	for !t.loop.Advance(evaluator) {
//		t.loop.Deliver(evaluator.Evaluate())
//	}
//
// A simulation ends at a state to evaluate or at the end of the game, which needs no evaluation.
// Several may wait for their evaluations at once, each in a slot; for a given number the searches
// are the same, however long evaluations take. A tree has the Loop's setters by embedding
// [Controls]; [Draw] chooses an action from the visits of a search.
//
// # Priors and Gumbel
//
// [Softmax] makes priors of a policy's logits, and [RootNoise] changes them at the root. The rest
// is policy improvement by planning with Gumbel (Danihelka, Guez, Schrittwieser and Silver 2022),
// with the formulas and constants that the authors publish in their library mctx: sequential
// halving over sampled actions at the root, the completed Q values and their scale, and the
// improved policy.
//
// A [Root] selects the actions of a search's root. The tree tells it what it knows of each
// legal action, before every call:
//
//	r := planning.NewRoot(planning.Gumbel{Considered: 16, VisitOffset: 50, ValueScale: 0.1}, actions)
//	r.Resize(len(legal)) // then fill r.Priors, r.Visits, …
//	r.Begin(simulations, rng)
//	for range simulations {
//		k := r.Next() // simulate legal[k], then update r.Visits, r.Q, …
//	}
//	action := legal[r.Best()]
//
// [Gumbel.Sigma] and [Improve] serve the other nodes too. These functions work on slices with an
// element for each legal action, and know nothing of trees. Their results are the same to the bit
// on every processor.
//
// A Loop and a Root are used by one goroutine, and allocate nothing once they are made.
package planning
