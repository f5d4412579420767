package goban

import "math/bits"

// pick returns the index of a set bit of x, uniformly if the random number r is
// uniform (up to a bias below 2^-58). x must not be zero.
func pick(x, r uint64) int {
	sums := prefix(x)
	k, _ := bits.Mul64(r, sums>>56)
	return nthOf(x, sums, k)
}

// nth returns the index of bit k of those that are set in x, from 0 upward. There must be more than
// k.
func nth(x, k uint64) int { return nthOf(x, prefix(x), k) }

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// prefix counts the bits of all bytes at once and sums the counts, so that byte i is the number of
// bits up to byte i (Vigna, "Broadword implementation of rank/select queries", 2008).
func prefix(x uint64) uint64 {
	sums := x - x>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	return (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f * ones
}

// nthOf is nth with the prefix of x.
func nthOf(x, sums, k uint64) int {
	shift := ((k*ones | highs) - sums) & highs >> 7 * ones >> 53 & 0x78
	k -= sums << 8 >> shift & 0xff
	return int(shift) + int(bitInByte[x>>shift&0xff][k&7])
}

// bitInByte[b][k] is the index of the k-th set bit of b.
var bitInByte = func() (t [256][8]uint8) {
	for b := range t {
		k := 0
		for i := range 8 {
			if b>>i&1 != 0 {
				t[b][k] = uint8(i)
				k++
			}
		}
	}
	return t
}()
