// Package planning makes priors of a policy's logits and plans with them: the [Softmax] of
// PUCT's priors, the [Noise] that is mixed into them at the root, and policy improvement by
// planning with Gumbel (Danihelka, Guez, Schrittwieser and Silver 2022), with the formulas and
// constants that the authors publish in their library mctx: sequential halving over sampled
// actions at the root, the completed Q values and their scale, and the improved policy.
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
// [Gumbel.Sigma] and [Improve] serve the other nodes too. All functions work on slices with an
// element for each legal action, know nothing of trees, and allocate nothing after NewRoot. The
// results are the same to the bit on every processor.
package planning
