package random

import "math/rand/v2"

// The first step of a path is the stream's purpose; the comments give the next steps.
const (
	SelfPlay uint64 = iota + 1 // then the game's number
	Playout                    // then the game's number: random playouts inside searches
	Seats                      // then the game's number: the assignment of players to seats
	Replay                     // then the iteration: which samples are trained on
	Weights                    // initial weights
	Arena                      // then the match's game number
	Test                       // anything in tests
	Classes                    // classes of actions: sampling and clustering
	// then Arena or SelfPlay, the game's number, the seat and the ply: determinizations for the
	// seat
	Views
	Resignation // then the game's number: whether players may resign in it
)

// New returns the stream of a seed and a path.
func New(seed uint64, path ...uint64) *rand.Rand {
	hi, lo := Seeds(seed, path...)
	return rand.New(rand.NewPCG(hi, lo))
}

// Reseed sets pcg to the start of the stream of a seed and a path, without allocating.
func Reseed(pcg *rand.PCG, seed uint64, path ...uint64) {
	pcg.Seed(Seeds(seed, path...))
}

// Seeds returns the two words that seed a stream. It mixes in the path's steps one by
// one with SplitMix64's finalizer, which is a bijection. The hash of the path so far is
// mixed once more than the step, so that exchanging seed and step changes the result.
func Seeds(seed uint64, path ...uint64) (hi, lo uint64) {
	h := Step(seed)
	for _, step := range path {
		h = Mix(Step(h) ^ Step(step))
	}
	return h, Step(h)
}

// Gamma is the increment of the generator's state: 2^64 divided by the golden ratio,
// rounded to an odd number.
const Gamma = 0x9e3779b97f4a7c15

// Mix is the generator's finalizer. It is a bijection, and every bit of z affects
// every bit of the result.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Source is the generator; its value is its state.
type Source uint64

// Next returns the next output.
func (s *Source) Next() uint64 {
	*s += Gamma
	return Mix(uint64(*s))
}

// Step returns the next output of a generator with state z.
func Step(z uint64) uint64 { return Mix(z + Gamma) }
