package stream

import (
	"math/rand/v2"

	"tengen/internal/splitmix"
)

// What a stream is for: the first step of the path that leads to it.
const (
	SelfPlay uint64 = iota + 1 // then the game's number
	Playout                    // then the game's number: random playouts inside searches
	Seats                      // then the game's number: who sits where
	Replay                     // then the iteration: which samples are learned
	Weights                    // initial weights
	Arena                      // then the match's game number
	Test                       // anything in tests
	Classes                    // classes of actions: what is sampled and clustered
	Views                      // then Arena or SelfPlay, the game's number, the seat and the ply: what the seat can't see, drawn anew
)

// New returns the stream at the end of path.
func New(seed uint64, path ...uint64) *rand.Rand {
	hi, lo := Seeds(seed, path...)
	return rand.New(rand.NewPCG(hi, lo))
}

// Reseed puts pcg at the start of the stream at the end of path, without allocating.
func Reseed(pcg *rand.PCG, seed uint64, path ...uint64) {
	pcg.Seed(Seeds(seed, path...))
}

// Seeds derives the two words that start a stream: the path's steps are mixed
// in one after the other by SplitMix64's finalizer, which is a bijection. What
// stands for the path so far is mixed once more than a step is, so that seed
// and step can't change places.
func Seeds(seed uint64, path ...uint64) (hi, lo uint64) {
	h := splitmix.Step(seed)
	for _, step := range path {
		h = splitmix.Mix(splitmix.Step(h) ^ splitmix.Step(step))
	}
	return h, splitmix.Step(h)
}
