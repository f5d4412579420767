package random

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
