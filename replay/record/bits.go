package record

import (
	"encoding/binary"
	"math/bits"
)

// field returns the bits [at, at+width) of b, the least significant bit of a byte first. width is
// at most WordPlies, and the bits lie in b.
func field(b []byte, at, width int) uint64 {
	i := at >> 3
	var x uint64
	if i+8 <= len(b) {
		x = binary.LittleEndian.Uint64(b[i:])
	} else {
		for k := len(b) - 1; k >= i; k-- {
			x = x<<8 | uint64(b[k])
		}
	}
	return x >> (at & 7) & (1<<width - 1)
}

// count returns the number of bits set among the n from at on.
func count(b []byte, at, n int) (set int) {
	for ; n > WordPlies; at, n = at+WordPlies, n-WordPlies {
		set += bits.OnesCount64(field(b, at, WordPlies))
	}
	return set + bits.OnesCount64(field(b, at, n))
}

// width returns the number of bits that numbers up to x take.
func width(x uint32) int { return bits.Len32(x) }

// bitWriter appends bits to b, the least significant bit of a byte first.
type bitWriter struct {
	b    []byte
	last uint64 // bits that fill no byte yet
	n    int    // how many, below 8
}

// put appends the lowest bits of x, whose other bits are 0; at most 56.
func (w *bitWriter) put(x uint64, width int) {
	w.last |= x << w.n
	for w.n += width; w.n >= 8; w.n -= 8 {
		w.b = append(w.b, byte(w.last))
		w.last >>= 8
	}
}

func (w *bitWriter) flag(set bool) {
	x := uint64(0)
	if set {
		x = 1
	}
	w.put(x, 1)
}

// golomb appends x in an exponential Golomb code of order k (Teuhola 1978).
func (w *bitWriter) golomb(x uint32, k int) {
	q := uint64(x)>>k + 1
	z := bits.Len64(q) - 1
	w.put(1<<z, z+1)
	w.put(q&(1<<z-1), z)
	w.put(uint64(x)&(1<<k-1), k)
}

// golombBits returns how many bits golomb appends.
func golombBits(x uint32, k int) int { return 2*bits.Len64(uint64(x)>>k+1) - 1 + k }

// end fills the last byte with zeros.
func (w *bitWriter) end() []byte {
	if w.n > 0 {
		w.put(0, 8-w.n)
	}
	return w.b
}

// bitReader reads bits [at, end) of b. Once there are too few, it is bad and returns zeros.
type bitReader struct {
	b       []byte
	at, end int
	bad     bool
}

func (r *bitReader) take(width int) uint64 {
	if width > r.end-r.at {
		r.bad, r.at = true, r.end
		return 0
	}
	r.at += width
	return field(r.b, r.at-width, width)
}

func (r *bitReader) golomb(k int) uint32 {
	x := field(r.b, r.at, min(WordPlies, r.end-r.at))
	z := bits.TrailingZeros64(x)
	if z > 32 { // 64 without a bit that is set
		r.bad, r.at = true, r.end
		return 0
	}
	r.at += z + 1
	q := (1<<z | r.take(z)) - 1
	if q>>(32-k) != 0 {
		r.bad = true
		return 0
	}
	return uint32(q<<k | r.take(k))
}
