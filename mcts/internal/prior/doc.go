// Package prior makes the prior probabilities of PUCT: the [Softmax] of a
// policy's logits and the Dirichlet noise that is mixed into them at the root.
//
//	prior.Softmax(priors, logits)
//	prior.Dirichlet(noise, concentration/float64(len(priors)), rng)
//	priors[0] = prior.Mix(priors[0], weight, noise[0])
//
// The results are the same to the bit on every processor. Nothing is allocated.
package prior
