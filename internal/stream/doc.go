// Package stream derives independent random streams from a run's seed, so that
// what a game draws depends on the seed and the game's number alone, never on
// the worker that plays it or on what was drawn before.
//
//	rng := stream.New(seed, stream.SelfPlay, gameNumber)
package stream
