// Package stream derives independent random streams from a run's seed. A game's random
// numbers then depend only on the seed and the game's number, not on the worker that
// plays it or on numbers drawn before.
//
//	rng := stream.New(seed, stream.SelfPlay, gameNumber)
package stream
