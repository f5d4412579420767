package solve

import "math/bits"

// table is a transposition table. An entry holds a bound of a position's score in one word: the
// rest of a product that determines the key together with the place, the number of stones, and the
// bound. So no position is ever taken for another. Of two neighbouring entries the first is kept
// for the position with fewer stones, whose search was longer.
type table struct {
	entries []uint64
	shift   uint // the place is the product's upper bits
	rest    uint64
}

const (
	boundBits  = 8
	stonesBits = 6
	// An entry has room for 50 bits of the product, so that the place has at least 14.
	leastPlaces = 14
	multiplier  = 0x9e3779b97f4a7c15 // odd, so that the product determines the key
)

// newTable makes a table of at most bytes, and at least 256 KiB.
func newTable(bytes int) table {
	places := max(leastPlaces, bits.Len(uint(max(1, bytes/16)))-1)
	t := table{entries: make([]uint64, 2<<places), shift: uint(64 - places)}
	t.rest = 1<<t.shift - 1
	return t
}

// clear forgets everything.
func (t *table) clear() { clear(t.entries) }

// find returns the bound of a key, 0 if there is none.
func (t *table) find(key uint64) int {
	product := key * multiplier
	place := product >> (t.shift & 63)
	pair := t.entries[2*place : 2*place+2 : 2*place+2]
	tag := product & t.rest
	if e := pair[0]; e>>(boundBits+stonesBits) == tag {
		return int(e & (1<<boundBits - 1))
	}
	if e := pair[1]; e>>(boundBits+stonesBits) == tag {
		return int(e & (1<<boundBits - 1))
	}
	return 0
}

// put keeps a bound, 1 to 255, of a position.
func (t *table) put(key uint64, stones, bound int) {
	product := key * multiplier
	place := product >> (t.shift & 63)
	pair := t.entries[2*place : 2*place+2 : 2*place+2]
	tag := product & t.rest
	e := tag<<(boundBits+stonesBits) | uint64(stones)<<boundBits | uint64(bound)
	first := pair[0]
	if first == 0 || first>>(boundBits+stonesBits) == tag ||
		stones <= int(first>>boundBits&(1<<stonesBits-1)) {
		pair[0] = e
		return
	}
	pair[1] = e
}
