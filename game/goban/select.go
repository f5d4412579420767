package goban

import "math/bits"

// pick is the index of a bit of x, each with equal chance where the random
// number r is uniform (but for a bias below 2^-58). x is not zero.
//
// The bits are counted by byte, all bytes at once, and summed so that byte i
// of sums is the number of bits up to byte i (Vigna, "Broadword implementation
// of rank/select queries", 2008).
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
