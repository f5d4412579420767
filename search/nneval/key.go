package nneval

import (
	"math"
	"math/bits"
)

// key identifies an observation, to the bit. Where every value of an
// observation is 0 or 1, as in most games, it holds one bit a value; else the
// values themselves, and is called wide.
type key struct {
	words []uint64
	wide  bool
	hash  uint64
}

// one is the bit pattern of 1.0, in which bit 23 is set.
const one = 0x3f800000

// narrowWords and wideWords are the lengths of the two kinds of keys.
func narrowWords(size int) int { return (size + 63) / 64 }
func wideWords(size int) int   { return (size + 1) / 2 }

// encode writes the key of an observation to buf, which has room for a wide one.
func encode(buf []uint64, observation []float32) key {
	var other uint32 // bits in which a value is neither 0 nor 1
	words := buf[:narrowWords(len(observation))]
	rest := observation
	for i := range words {
		n := min(64, len(rest))
		var word uint64
		for j, v := range rest[:n] {
			b := math.Float32bits(v)
			set := b >> 23 & 1
			other |= b ^ (-set & one)
			word |= uint64(set) << j
		}
		words[i] = word
		rest = rest[n:]
	}
	wide := other != 0
	if wide {
		words = buf[:wideWords(len(observation))]
		for i := range words {
			word := uint64(math.Float32bits(observation[2*i]))
			if 2*i+1 < len(observation) {
				word |= uint64(math.Float32bits(observation[2*i+1])) << 32
			}
			words[i] = word
		}
	}
	return key{words, wide, mix(words)}
}

// mix hashes by multiplication, with both halves of each product folded together
// (Wang Yi's wyhash). Keys of equal hash are told apart by their words, so its
// quality affects speed alone.
func mix(words []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range words {
		hi, lo := bits.Mul64(h^w, 0xa0761d6478bd642f)
		h = (hi ^ lo) + 0xe7037ed1a0b428db
	}
	hi, lo := bits.Mul64(h, 0x8ebc6af09c88c6e3)
	return hi ^ lo
}
