package nneval

import (
	"slices"

	"tengen/nn"
)

// memory is one Network's view of the cache, with the keys of the batch that it
// is collecting.
type memory struct {
	cache      *Cache
	generation uint64
	buf        []uint64 // [capacity, wideWords]
	width      int
	keys       []key   // [capacity]: of the batch's rows
	table      []int32 // rows of the batch by hash, plus one; 0 is free
}

func newMemory(c *Cache, w nn.Network, capacity, size int) *memory {
	m := &memory{cache: c, generation: c.generationOf(w), width: wideWords(size), keys: make([]key, capacity)}
	m.buf = make([]uint64, capacity*m.width)
	places := 4
	for places < 2*capacity {
		places *= 2
	}
	m.table = make([]int32, places)
	return m
}

// lookup finds the row of an observation that would be the batch's next. It
// returns known where the cache has it, and has written it; the row of the
// batch that has the same observation; or next, which then belongs to it.
func (m *memory) lookup(next int, observation, policy, values []float32) int32 {
	k := encode(m.buf[next*m.width:(next+1)*m.width], observation)
	if m.cache.get(m.generation, k, policy, values) {
		return known
	}
	mask := len(m.table) - 1
	for i := int(k.hash) & mask; ; i = (i + 1) & mask {
		j := m.table[i] - 1
		if j < 0 {
			m.table[i] = int32(next) + 1
			m.keys[next] = k
			return int32(next)
		}
		if o := &m.keys[j]; o.hash == k.hash && o.wide == k.wide && slices.Equal(o.words, k.words) {
			return j
		}
	}
}

// keep remembers row j of the batch.
func (m *memory) keep(j int, policy, values []float32) {
	m.cache.put(m.generation, m.keys[j], policy, values)
}

// forget makes the batch, of n rows, an empty one.
func (m *memory) forget(n int) {
	if n > 0 {
		clear(m.table)
	}
}
