package goban

import (
	"math/bits"
	"slices"

	"tengen/internal/random"
)

// history is the set of positions that may not be recreated, as keys. A Bloom filter
// with one bit per position answers most queries; if it says perhaps, the list is
// searched.
//
// With simple ko the set is empty and recent holds the last positions.
type history struct {
	list   []uint64 // in order of play; its capacity suffices for any game
	filter []uint64
	shift  uint8  // maps a multiplied key to a bit of the filter
	sum    uint64 // sum of the mixed keys, equal for equal sets
	recent [maxPlayers - 1]uint64
}

// newHistory allocates space for n positions, with a filter of at least 4 bits per
// position.
func newHistory(n int) history {
	log := max(10, bits.Len(uint(4*n-1)))
	return history{
		list:   make([]uint64, 0, n),
		filter: make([]uint64, 1<<(log-6)),
		shift:  uint8(64 - log),
	}
}

// place returns the bit of the filter for key (Fibonacci hashing).
func (h *history) place(key uint64) (word, bit uint64) {
	i := key * random.Gamma >> (h.shift & 63)
	return i >> 6, 1 << (i & 63)
}

func (h *history) has(key uint64) bool {
	word, bit := h.place(key)
	return h.filter[word]&bit != 0 && slices.Contains(h.list, key)
}

// add adds a key that is not in the set.
func (h *history) add(key uint64) {
	word, bit := h.place(key)
	h.filter[word] |= bit
	h.list = append(h.list, key)
	h.sum += random.Mix(key)
}

// push appends key to the recent ones.
func (h *history) push(key uint64) {
	h.recent[2], h.recent[1], h.recent[0] = h.recent[1], h.recent[0], key
}

func (h *history) copyFrom(src *history) {
	h.list = append(h.list[:0], src.list...)
	copy(h.filter, src.filter)
	h.sum = src.sum
	h.recent = src.recent
}
