package learn

import (
	"math/bits"
	"math/rand/v2"
)

// permutation yields 0 to n-1, n at least 1, in random order, again and again, each time in
// another. It takes no memory and begins at once, however large n is.
//
// It is a Feistel network (Luby, Rackoff 1988) on the numbers with as many bits as n-1, so of fewer
// than 2n numbers; one that is n or more is sent through again, until it is below n (Black, Rogaway
// 2002, "cycle walking").
type permutation struct {
	rng  *rand.Rand
	n    int
	i    int // drawn since the keys were
	keys [feistelRounds]uint64
}

// feistelRounds is enough for the first two draws of 5 numbers to be uniform within what a million
// tries tell: the smaller the halves, the more rounds it takes.
const feistelRounds = 16

func (p *permutation) next() int {
	if p.i == 0 {
		for k := range p.keys {
			p.keys[k] = p.rng.Uint64()
		}
	}
	x := p.through(uint64(p.i))
	for x >= uint64(p.n) {
		x = p.through(x)
	}
	if p.i++; p.i == p.n {
		p.i = 0
	}
	return int(x)
}

// through sends a number through the network, which is a bijection: each round changes one half by
// what the other one says.
func (p *permutation) through(x uint64) uint64 {
	width := bits.Len64(uint64(p.n - 1))
	shift := width / 2
	low := uint64(1)<<shift - 1
	high := uint64(1)<<(width-shift) - 1
	l, r := x>>shift, x&low
	for k := 0; k < feistelRounds; k += 2 {
		l ^= mix(r^p.keys[k]) & high
		r ^= mix(l^p.keys[k+1]) & low
	}
	return l<<shift | r
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014; constants of Stafford).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
