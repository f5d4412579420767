package evaluate

import (
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"tengen/game"
	"tengen/nn"
)

// Cache remembers what a network said of observations: unmasked logits and
// utilities. It is shared by all workers of a run and safe for concurrent use.
//
// A row that is found is the one that the network would compute: keys are
// compared in full, rows depend on the observation and the weights alone
// (nn.Evaluator), and rows of other weights are never given out. So games do
// not depend on what is cached, nor on who else plays.
//
// Memory is bounded from the start. Once full, each new row takes the place of
// the one least recently used among the few that it competes with.
type Cache struct {
	shards          []shard
	size            int // values in an observation
	actions, values int // numbers in a row: logits, utilities

	mu         sync.Mutex
	weights    *nn.Weights
	generation uint64
}

const (
	// shardCount is high enough for sixteen workers to meet at a lock rarely.
	shardCount = 64
	// ways is the number of places that a row may take.
	ways = 4
)

// shard is a part of the cache with a lock of its own: a table of sets of ways
// places.
type shard struct {
	mu         sync.Mutex
	generation uint64 // of the rows held
	clock      uint32 // counts uses; where it wraps, a few rows are replaced early
	sets       uint64
	keyWords   int // room for a key
	budget     int // bytes
	row        int // numbers in a row

	tags []uint64  // [sets, ways]: part of the hash, whether the key is wide, and that the place is taken
	used []uint32  // [sets, ways]: the clock at the last use
	keys []uint64  // [sets, ways, keyWords]
	rows []float32 // [sets, ways, row]

	_ [64]byte // keeps the locks of two shards out of one cache line
}

// NewCache makes a cache for networks of a game that takes up to the given
// number of MiB, at least 1.
func NewCache(g game.Game, mib int) *Cache {
	c := &Cache{shards: make([]shard, shardCount), size: g.Planes().Size(), actions: g.Actions(), values: g.Players()}
	for i := range c.shards {
		s := &c.shards[i]
		s.budget = max(1, mib) << 20 / shardCount
		s.row = c.actions + c.values
		s.allocate(narrowWords(c.size))
	}
	return c
}

// allocate makes the shard an empty one with room for keys of so many words.
// Where not one set fits the budget, the shard holds nothing.
func (s *shard) allocate(keyWords int) {
	place := int(unsafe.Sizeof(s.tags[0])+unsafe.Sizeof(s.used[0])) + 8*keyWords + 4*s.row
	s.keyWords = keyWords
	s.sets = uint64(s.budget / (ways * place))
	n := int(s.sets) * ways
	s.tags, s.used = make([]uint64, n), make([]uint32, n)
	s.keys, s.rows = make([]uint64, n*keyWords), make([]float32, n*s.row)
}

// Places is the number of rows that the cache can hold.
func (c *Cache) Places() int {
	n := 0
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		n += len(s.tags)
		s.mu.Unlock()
	}
	return n
}

// generationOf numbers the weights. Weights other than the last ones begin a
// new generation, at which the cache is empty: each shard forgets its rows when
// it is next used.
func (c *Cache) generationOf(w *nn.Weights) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w != c.weights || c.generation == 0 {
		c.weights = w
		c.generation++
	}
	return c.generation
}

// get copies the row of an observation, as the weights of a generation have
// it, to policy (which may be empty) and values, if it is known.
func (c *Cache) get(generation uint64, k key, policy, values []float32) bool {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.enter(generation) {
		return false
	}
	i := s.find(k)
	if i < 0 {
		return false
	}
	s.touch(i)
	row := s.rows[i*s.row : (i+1)*s.row]
	copy(policy, row)
	copy(values, row[c.actions:])
	return true
}

// put remembers a row.
func (c *Cache) put(generation uint64, k key, policy, values []float32) {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.enter(generation) {
		return
	}
	if len(k.words) > s.keyWords {
		s.allocate(wideWords(c.size))
	}
	if s.sets == 0 {
		return
	}
	i := s.find(k)
	if i < 0 {
		i = s.oldest(k)
		s.tags[i] = tag(k)
		copy(s.keys[i*s.keyWords:], k.words)
		row := s.rows[i*s.row : (i+1)*s.row]
		copy(row, policy)
		copy(row[c.actions:], values)
	}
	s.touch(i)
}

// shard takes low bits of the hash, sets within it its high bits.
func (c *Cache) shard(k key) *shard { return &c.shards[k.hash>>2%shardCount] }

// tag is never 0, which marks a free place.
func tag(k key) uint64 {
	t := k.hash&^3 | 1
	if k.wide {
		t |= 2
	}
	return t
}

// enter empties the shard where it holds rows of an earlier generation, and
// refuses generations earlier than the rows'.
func (s *shard) enter(generation uint64) bool {
	if generation > s.generation {
		s.generation = generation
		clear(s.tags)
	}
	return generation == s.generation
}

// set is the first place of a key's set.
func (s *shard) set(k key) int {
	i, _ := bits.Mul64(k.hash, s.sets)
	return int(i) * ways
}

// find is the place of a key, or -1.
func (s *shard) find(k key) int {
	if s.sets == 0 || len(k.words) > s.keyWords {
		return -1
	}
	first, t := s.set(k), tag(k)
	for i := first; i < first+ways; i++ {
		if s.tags[i] == t && slices.Equal(s.keys[i*s.keyWords:][:len(k.words)], k.words) {
			return i
		}
	}
	return -1
}

// oldest is a free place of a key's set, or the one least recently used.
func (s *shard) oldest(k key) int {
	first := s.set(k)
	best := first
	for i := first; i < first+ways; i++ {
		if s.tags[i] == 0 {
			return i
		}
		if s.clock-s.used[i] > s.clock-s.used[best] {
			best = i
		}
	}
	return best
}

func (s *shard) touch(i int) {
	s.clock++
	s.used[i] = s.clock
}
