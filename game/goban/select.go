package goban

import "math/bits"

// pick returns the index of a set bit of x, uniformly if the random number r is
// uniform (up to a bias below 2^-58). x must not be zero.
//
// The bits of all bytes are counted at once and summed, so that byte i of sums is the
// number of bits up to byte i (Vigna, "Broadword implementation of rank/select
// queries", 2008).
func pick(x, r uint64) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	sums := x - x>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	sums = (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f * ones
	k, _ := bits.Mul64(r, sums>>56)
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
