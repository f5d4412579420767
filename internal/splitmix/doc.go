// Package splitmix holds the mixing functions of SplitMix64 (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014), from which keys,
// hashes and seeds are made.
//
//	h := splitmix.Mix(h ^ uint64(action))
//
// Caveat: they are no cryptographic hash, and Mix(0) is 0.
package splitmix
