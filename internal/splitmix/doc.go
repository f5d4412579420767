// Package splitmix holds the mixing functions of SplitMix64 (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014), for keys, hashes and
// seeds.
//
//	h := splitmix.Mix(h ^ uint64(action))
//
// Caveats: they are not cryptographic, and Mix(0) is 0.
package splitmix
