package minimax

import (
	"math"
	"math/bits"

	"tengen/game"
)

// entry holds bounds of the value of one position with a number of turns left to
// search. An exact value has low == high.
type entry struct {
	key       uint64
	low, high float64
	move      game.Action // the best one, or the one that refuted the line before
	left      int16
	age       uint8 // of the search that wrote it; 0: empty
	cut       bool  // a line below it was cut short by the depth
}

const entryBytes = 32

// table is a transposition table of fixed size, with buckets of two entries: the
// first is for the deeper of two positions, the second for the later.
type table struct {
	entries []entry
	mask    uint64
	age     uint8
}

// newTable makes a table of at most the given size, nil if it has no room for a
// bucket.
func newTable(bytes int) *table {
	n := bytes / (2 * entryBytes)
	if n == 0 {
		return nil
	}
	n = 1 << (bits.Len(uint(n)) - 1)
	return &table{entries: make([]entry, 2*n), mask: uint64(n - 1)}
}

func (t *table) clear() {
	clear(t.entries)
	t.age = 0
}

// next begins a search: entries of earlier searches are replaced first. Age 0 is
// skipped.
func (t *table) next() {
	if t.age++; t.age == 0 {
		t.age = 1
	}
}

// find returns the entry of the key until the next store, nil if there is none.
func (t *table) find(key uint64) *entry {
	bucket := t.entries[2*(key&t.mask):][:2]
	for i := range bucket {
		if bucket[i].key == key && bucket[i].age != 0 {
			return &bucket[i]
		}
	}
	return nil
}

// store records that the value of a position lies between low and high.
func (t *table) store(key uint64, left int, low, high float64, move game.Action, cut bool) {
	bucket := t.entries[2*(key&t.mask):][:2]
	var e *entry
	switch {
	case bucket[0].key == key && bucket[0].age != 0:
		e = &bucket[0]
	case bucket[1].key == key && bucket[1].age != 0:
		e = &bucket[1]
	case bucket[0].age != t.age || int(bucket[0].left) <= left:
		if bucket[0].age == t.age {
			bucket[1] = bucket[0]
		}
		e = &bucket[0]
	default:
		e = &bucket[1]
	}
	if e.key == key && e.age != 0 {
		if int(e.left) == left {
			low, high, cut = max(low, e.low), min(high, e.high), cut || e.cut
		}
		if move == game.NoAction {
			move = e.move
		}
	}
	*e = entry{key: key, low: low, high: high, move: move, left: int16(left), age: t.age, cut: cut}
}

// vectors is a transposition table for MaxN, whose values are vectors.
type vectors struct {
	entries []vectorEntry
	values  []float64 // [entries, players]
	players int
	mask    uint64
}

type vectorEntry struct {
	key  uint64
	left int16
	used bool
	cut  bool
}

func newVectors(bytes, players int) *vectors {
	n := bytes / (16 + 8*players)
	if n == 0 {
		return nil
	}
	n = 1 << (bits.Len(uint(n)) - 1)
	return &vectors{
		entries: make([]vectorEntry, n), values: make([]float64, n*players), players: players,
		mask: uint64(n - 1),
	}
}

func (t *vectors) clear() { clear(t.entries) }

// find copies the values of a position to dst, if it has an entry.
func (t *vectors) find(key uint64, left int, dst []float64) (cut, ok bool) {
	i := key & t.mask
	e := &t.entries[i]
	if !e.used || e.key != key || int(e.left) != left {
		return false, false
	}
	copy(dst, t.values[int(i)*t.players:][:t.players])
	return e.cut, true
}

func (t *vectors) store(key uint64, left int, values []float64, cut bool) {
	i := key & t.mask
	t.entries[i] = vectorEntry{key: key, left: int16(left), used: true, cut: cut}
	copy(t.values[int(i)*t.players:][:t.players], values)
}

var inf = math.Inf(1)
