package nneval

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"tengen/game"
	"tengen/nn"
)

// Cache keeps a network's evaluations of observations: rows of unmasked logits and
// utilities. It is shared by all workers of a run and safe for concurrent use.
//
// A row that is found is the one that the network would compute: keys are compared
// in full, rows depend on the observation and the weights alone (nn.Evaluator), and
// rows of other weights are never returned. So games do not depend on what is
// cached, nor on other games.
//
// Memory has a fixed size. Once full, a new row replaces the least recently used one
// of its set.
type Cache struct {
	shards          []shard
	size            int // values in an observation
	actions, values int // numbers in a row: logits, utilities

	mu         sync.Mutex
	weights    nn.Network
	generation uint64
}

const (
	// shardCount is high enough for sixteen workers to meet at a lock rarely.
	shardCount = 64
	// ways is the number of places in a set.
	ways = 4
)

// shard is a part of the cache with a lock of its own: a table of sets of ways
// places. What is compared is stored together, apart from the rows, so that a
// lookup reads two places of memory.
type shard struct {
	mu         sync.Mutex
	generation uint64 // of the rows held
	clock      uint64 // counts uses
	// since is the clock at the generation's beginning: places used before it are free.
	since    uint64
	sets     uint64
	keyWords int // room for a key
	budget   int // bytes
	row      int // numbers in a row

	heads []uint64  // [sets]: ways tags, ways clocks of the last use, ways keys
	rows  []float32 // [sets, ways, row]

	_ [64]byte // keeps the locks of two shards out of one cache line
}

// NewCache makes a cache for networks of a game, of up to the given number of MiB,
// at least 1.
func NewCache(g game.Game, mib int) *Cache { return newCache(g, g.Actions(), mib) }

// NewValueCache is NewCache for networks without a policy: it holds more rows in the
// same memory.
func NewValueCache(g game.Game, mib int) *Cache { return newCache(g, 0, mib) }

func newCache(g game.Game, actions, mib int) *Cache {
	c := &Cache{
		shards: make([]shard, shardCount), size: g.Planes().Size(), actions: actions,
		values: g.Players(),
	}
	for i := range c.shards {
		s := &c.shards[i]
		s.budget = max(1, mib) << 20 / shardCount
		s.row = c.actions + c.values
		s.allocate(narrowWords(c.size))
	}
	return c
}

// allocate empties the shard and makes room for keys of keyWords words. Where not
// even one set fits the budget, the shard holds nothing.
func (s *shard) allocate(keyWords int) {
	s.keyWords = keyWords
	set := 8*s.headWords() + 4*ways*s.row
	s.sets = uint64(s.budget / set)
	s.heads = make([]uint64, int(s.sets)*s.headWords())
	s.rows = make([]float32, int(s.sets)*ways*s.row)
}

func (s *shard) headWords() int { return ways * (2 + s.keyWords) }

// generationOf returns the generation of the weights. Weights other than the last
// ones begin a new generation, in which the cache is empty: each shard forgets its
// rows when it is next used. That takes no time, however large it is.
func (c *Cache) generationOf(w nn.Network) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w != c.weights || c.generation == 0 {
		c.weights = w
		c.generation++
	}
	return c.generation
}

// get copies the row of an observation in a generation to policy (which may be
// empty) and values, and returns true, if the row is known.
func (c *Cache) get(generation uint64, k key, policy, values []float32) bool {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.enter(generation) || s.sets == 0 || len(k.words) > s.keyWords {
		return false
	}
	set, head := s.set(k)
	way := s.find(head, k)
	if way < 0 {
		return false
	}
	s.touch(head, way)
	row := s.rowOf(set, way)
	copy(policy, row[:c.actions])
	copy(values, row[c.actions:])
	return true
}

// put adds a row.
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
	set, head := s.set(k)
	way := s.find(head, k)
	if way < 0 {
		way = s.oldest(head)
		head[way] = tag(k)
		copy(s.key(head, way), k.words)
		row := s.rowOf(set, way)
		copy(row[:c.actions], policy)
		copy(row[c.actions:], values)
	}
	s.touch(head, way)
}

// shard is chosen by low bits of the hash, the set within it by high bits.
func (c *Cache) shard(k key) *shard { return &c.shards[k.hash>>2%shardCount] }

// tag has bits of the hash, and tells whether the key is wide.
func tag(k key) uint64 {
	if k.wide {
		return k.hash | 1
	}
	return k.hash &^ 1
}

// enter empties the shard if it holds rows of an earlier generation. It returns
// false if it holds rows of a later one.
func (s *shard) enter(generation uint64) bool {
	if generation > s.generation {
		s.generation, s.since = generation, s.clock
	}
	return generation == s.generation
}

// set returns the number of a key's set, and its head.
func (s *shard) set(k key) (set int, head []uint64) {
	i, _ := bits.Mul64(k.hash, s.sets)
	n := s.headWords()
	return int(i), s.heads[int(i)*n : (int(i)+1)*n]
}

// key returns the memory of a place's key.
func (s *shard) key(head []uint64, way int) []uint64 {
	return head[2*ways+way*s.keyWords:][:s.keyWords]
}

// rowOf returns the memory of a place's row.
func (s *shard) rowOf(set, way int) []float32 {
	return s.rows[(set*ways+way)*s.row:][:s.row]
}

// find returns the place of a key in its set, or -1.
func (s *shard) find(head []uint64, k key) int {
	t := tag(k)
	for way, held := range head[:ways] {
		if held == t && head[ways+way] > s.since &&
			slices.Equal(s.key(head, way)[:len(k.words)], k.words) {
			return way
		}
	}
	return -1
}

// oldest returns a free place of a set, or the one least recently used.
func (s *shard) oldest(head []uint64) int {
	best := 0
	for way, used := range head[ways : 2*ways] {
		if used <= s.since {
			return way
		}
		if used < head[ways+best] {
			best = way
		}
	}
	return best
}

func (s *shard) touch(head []uint64, way int) {
	s.clock++
	head[ways+way] = s.clock
}

// key identifies an observation, to the bit. Where every value of an
// observation is 0 or 1, as in most games, it holds one bit a value; else the
// values themselves, and is called wide.
type key struct {
	words []uint64
	wide  bool
	hash  uint64
}

// one is the bit pattern of 1.0, in which bit 23 is set.
const one = 0x3f800000

// narrowWords and wideWords are the lengths of the two kinds of keys.
func narrowWords(size int) int { return (size + 63) / 64 }
func wideWords(size int) int   { return (size + 1) / 2 }

// encode writes the key of an observation to buf, which has room for a wide one.
func encode(buf []uint64, observation []float32) key {
	var other uint32 // bits in which a value is neither 0 nor 1
	words := buf[:narrowWords(len(observation))]
	rest := observation
	for i := range words {
		n := min(64, len(rest))
		var word uint64
		for j, v := range rest[:n] {
			b := math.Float32bits(v)
			set := b >> 23 & 1
			other |= b ^ (-set & one)
			word |= uint64(set) << j
		}
		words[i] = word
		rest = rest[n:]
	}
	wide := other != 0
	if wide {
		words = buf[:wideWords(len(observation))]
		for i := range words {
			word := uint64(math.Float32bits(observation[2*i]))
			if 2*i+1 < len(observation) {
				word |= uint64(math.Float32bits(observation[2*i+1])) << 32
			}
			words[i] = word
		}
	}
	return key{words, wide, mix(words)}
}

// mix hashes by multiplication, with both halves of each product folded together
// (Wang Yi's wyhash). Keys of equal hash are told apart by their words, so its
// quality affects speed alone.
func mix(words []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range words {
		hi, lo := bits.Mul64(h^w, 0xa0761d6478bd642f)
		h = (hi ^ lo) + 0xe7037ed1a0b428db
	}
	hi, lo := bits.Mul64(h, 0x8ebc6af09c88c6e3)
	return hi ^ lo
}

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
