package goban

import "math/bits"

// plane is a set of points of a board of any size. It has room for offBoard too, which
// is in no plane.
type plane [offBoard/64 + 1]uint64

func (b *plane) has(p int16) bool { return b[p>>6]>>(p&63)&1 != 0 }
func (b *plane) set(p int16)      { b[p>>6] |= 1 << (p & 63) }
func (b *plane) clear(p int16)    { b[p>>6] &^= 1 << (p & 63) }

// pick returns a point of b, uniformly if r is uniform. b must have n > 0 points.
func (b *plane) pick(n int, r uint64) int16 {
	high, _ := bits.Mul64(r, uint64(n))
	k := int(high)
	for i, word := range b {
		if ones := bits.OnesCount64(word); k >= ones {
			k -= ones
			continue
		}
		return int16(i<<6 + nth(word, uint64(k)))
	}
	panic("goban: pick from an empty plane")
}

// first is the lowest point of b, or -1.
func (b *plane) first() int16 {
	for i, word := range b {
		if word != 0 {
			return int16(i<<6 + bits.TrailingZeros64(word))
		}
	}
	return -1
}
