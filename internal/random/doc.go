// Package random derives independent random streams from a run's seed. A game's random numbers then
// depend only on the seed and the game's number, not on the worker that plays it or on numbers
// drawn before.
//
//	rng := random.New(seed, random.SelfPlay, gameNumber)
//
// It also has the mixing functions of SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014), for keys, hashes and seeds.
//
//	h := random.Mix(h ^ uint64(action))
//
// Caveats: they are not cryptographic, and Mix(0) is 0.
package random
