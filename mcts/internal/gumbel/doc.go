// Package gumbel computes policy improvement by planning with Gumbel (Danihelka, Guez,
// Schrittwieser and Silver 2022, "Policy improvement by planning with Gumbel"), with the
// formulas and constants that the authors publish in their library mctx: sequential halving
// over sampled actions at the root, the completed Q values and their scale, and the improved
// policy.
//
// A [Root] selects the actions of a search's root. The tree tells it what it knows of each
// legal action, before every call:
//
//	r := gumbel.NewRoot(gumbel.Options{Considered: 16, VisitOffset: 50, ValueScale: 0.1, Rescale: true}, actions)
//	r.Resize(len(legal)) // then fill r.Priors, r.Visits, …
//	r.Begin(simulations, rng)
//	for range simulations {
//		k := r.Next() // simulate legal[k], then update r.Visits, r.Q, …
//	}
//	action := legal[r.Best()]
//
// [Options.Sigma] and [Improve] serve the other nodes too. All functions work on slices with an
// element for each legal action, know nothing of trees, and allocate nothing after NewRoot.
package gumbel
