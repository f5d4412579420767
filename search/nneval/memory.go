package nneval

import (
	"slices"

	"tengen/nn"
)

// memory is one Evaluator's view of the cache, with the keys of the batch that it
// collects.
type memory struct {
	cache      *Cache
	generation uint64
	buf        []uint64 // [capacity, wideWords]
	width      int
	keys       []key   // [capacity]: of the batch's rows
	table      []int32 // rows of the batch by hash, plus one; 0 is free
}

func newMemory(c *Cache, w nn.Network, capacity, size int) *memory {
	m := &memory{
		cache: c, generation: c.generationOf(w), width: wideWords(size),
		keys: make([]key, capacity),
	}
	m.buf = make([]uint64, capacity*m.width)
	places := 4
	for places < 2*capacity {
		places *= 2
	}
	m.table = make([]int32, places)
	return m
}

// lookup finds the row of an observation, which would be row next of the batch. It
// returns known if the cache has the row, which it has then copied to policy and
// values; the row of the batch with the same observation; or next.
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

// keep adds row j of the batch to the cache.
func (m *memory) keep(j int, policy, values []float32) {
	m.cache.put(m.generation, m.keys[j], policy, values)
}

// forget empties the batch, which has n rows.
func (m *memory) forget(n int) {
	if n > 0 {
		clear(m.table)
	}
}
