// Package belief draws determinizations by a belief of what is hidden.
//
// # What is drawn
//
// A game's Determinize draws a world, the state with everything that a seat can't see dealt anew,
// from the prior: uniformly among the worlds that are consistent with what the seat has seen. What
// the other seats have played makes some of these worlds more likely than others. A [Sampler] holds
// M worlds drawn from the prior, gives each a weight, and takes one with a probability in
// proportion to the weights (sampling importance resampling; Rubin 1987). So whatever is drawn is
// consistent, and how near the draws come to the belief depends on M: with M = 1 they are the
// prior's, and for M → ∞ they are distributed as
//
//	prior(world) · weight(world), scaled to sum 1.
//
// Before each draw but the first one, the oldest of the worlds is replaced by a new one. So a draw
// costs one determinization, and each is distributed as if all M worlds had been drawn for it:
// which ones are replaced does not depend on what was taken. Successive draws are not independent,
// since a world of great weight may be taken several times while it is there.
//
// # The weight
//
// The game describes a world by its hidden facts f (game.HasHiddenFacts), each of a class x_f. The
// belief is a distribution b_f over the classes of each fact, and counting gives the distribution
// π_f in the prior (game.HiddenFactState.HiddenFactPriors). The weight that takes the prior to the
// belief is the ratio of what the two say of the facts. A belief says nothing of how facts depend
// on one another beyond what the prior says of it; so the ratio is that of the products,
//
//	weight(world) = Π_f b_f(x_f) / π_f(x_f).
//
// It is the exact ratio, up to a constant factor, if what was observed since the deal has a
// likelihood that is a product of functions of one fact each, L = Π_f L_f(x_f), and the facts are
// independent in the prior: then b_f(x) ∝ π_f(x)·L_f(x), and weight = L / const. Where the facts
// depend on one another in the prior, as the cards of a hand do, that dependence stays in the
// worlds that are drawn, and the marginal distributions of the facts are near b_f rather than equal
// to it.
//
// A belief is given by the logarithms of likelihoods, z_f(x): b_f = softmax(log π_f + z_f). Then
//
//	log weight(world) = Σ_f z_f(x_f) − Σ_f log Σ_x π_f(x)·exp z_f(x),
//
// whose second sum is the same for all worlds: the weights follow from z alone, and the prior is
// needed for learning z and for showing b. With z_f constant for each fact, the belief is flat: b =
// π, all weights are equal, and the game's Determinize is called as without a belief. So a flat
// belief changes nothing, to the bit.
package belief
