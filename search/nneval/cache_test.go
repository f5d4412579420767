package nneval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
)

// TestKeysTellObservationsApart: keys are equal exactly where all values are, to the bit.
func TestKeysTellObservationsApart(t *testing.T) {
	rng := random.New(3, random.Test)
	values := []float32{
		0, 1, 0, 1, 0, 1, 0.5, float32(math.Copysign(0, -1)), float32(math.NaN()), -1, 2,
		math.Float32frombits(1),
	}
	for _, size := range []int{1, 2, 63, 64, 65, 150} {
		observation := make([]float32, size)
		buf, other := make([]uint64, wideWords(size)), make([]uint64, wideWords(size))
		for range 500 {
			kinds := 6 // binary, or anything
			if rng.IntN(2) == 0 {
				kinds = len(values)
			}
			for i := range observation {
				observation[i] = values[rng.IntN(kinds)]
			}
			k := encode(buf, observation)
			binary := true
			for _, v := range observation {
				binary = binary && (math.Float32bits(v) == 0 || v == 1)
			}
			if k.wide == binary {
				t.Fatalf("%v: wide is %v", observation, k.wide)
			}
			changed := append([]float32(nil), observation...)
			i := rng.IntN(size)
			changed[i] = values[rng.IntN(kinds)]
			same := math.Float32bits(changed[i]) == math.Float32bits(observation[i])
			l := encode(other, changed)
			if got := equal(k, l); got != same {
				t.Fatalf("%v and %v: keys equal: %v", observation, changed, got)
			}
			if same && k.hash != l.hash {
				t.Fatalf("%v: two hashes", observation)
			}
		}
	}
}

func equal(k, l key) bool {
	if k.wide != l.wide || len(k.words) != len(l.words) {
		return false
	}
	for i := range k.words {
		if k.words[i] != l.words[i] {
			return false
		}
	}
	return true
}

// numbered is a key and a row that belong to a number.
func numbered(c *Cache, i uint64) (k key, policy, values []float32) {
	words := make([]uint64, narrowWords(c.size))
	words[0] = i
	policy, values = make([]float32, c.actions), make([]float32, c.values)
	for j := range policy {
		policy[j] = float32(i) + float32(j)/64
	}
	for j := range values {
		values[j] = -float32(i) - float32(j)/64
	}
	return key{words, false, mix(words)}, policy, values
}

// holds says whether the cache has the row of a number; a wrong row fails the test.
func holds(t *testing.T, c *Cache, generation, i uint64) bool {
	t.Helper()
	k, policy, values := numbered(c, i)
	p, v := make([]float32, c.actions), make([]float32, c.values)
	if !c.get(generation, k, p, v) {
		return false
	}
	if !slices.Equal(p, policy) || !slices.Equal(v, values) {
		t.Errorf("the row of %d is %v %v", i, p, v)
	}
	return true
}

func store(c *Cache, generation, i uint64) {
	k, policy, values := numbered(c, i)
	c.put(generation, k, policy, values)
}

// TestCacheIsBounded: a full cache holds as many rows as it has places, the
// latest among them, within the memory given.
func TestCacheIsBounded(t *testing.T) {
	c := NewCache(game.Must(game.New("go:size=5,players=3")), 1)
	bytes := 0
	for i := range c.shards {
		s := &c.shards[i]
		bytes += 8*len(s.heads) + 4*len(s.rows)
	}
	if bytes > 1<<20 || bytes < 9<<20/10 {
		t.Errorf("a cache of 1 MiB takes %d bytes", bytes)
	}
	n := uint64(3 * c.Places())
	for i := range n {
		store(c, 1, i)
	}
	held, late := 0, 0
	for i := range n {
		if holds(t, c, 1, i) {
			held++
			if i >= n-uint64(c.Places()/10) {
				late++
			}
		}
	}
	// A few sets may be drawn too seldom to be full, and a few too often.
	if held > c.Places() || held < c.Places()*98/100 {
		t.Errorf("%d rows are held in %d places", held, c.Places())
	}
	if late < c.Places()/10*95/100 {
		t.Errorf("%d of the last %d rows are held", late, c.Places()/10)
	}
}

// TestUsedRowsStay: rows in use survive a flood of rows that are never asked for.
func TestUsedRowsStay(t *testing.T) {
	c := NewCache(game.Must(game.New("go:size=5,players=3")), 1)
	const used = 300
	for i := range uint64(used) {
		store(c, 1, i)
	}
	for i := range uint64(5 * c.Places()) {
		store(c, 1, 1000+i)
		holds(t, c, 1, i%used)
	}
	stayed := 0
	for i := range uint64(used) {
		if holds(t, c, 1, i) {
			stayed++
		}
	}
	if stayed < used*95/100 {
		t.Errorf("%d of %d rows in use stayed", stayed, used)
	}
}

// TestEqualHashes: two observations of one hash do not get each other's row.
func TestEqualHashes(t *testing.T) {
	c := NewCache(game.Must(game.New("tictactoe")), 1)
	a, policy, values := numbered(c, 1)
	c.put(1, a, policy, values)
	b := key{[]uint64{2}, false, a.hash}
	if c.get(1, b, policy, values) {
		t.Error("the row of another observation is given out")
	}
	wide := key{make([]uint64, wideWords(c.size)), true, a.hash}
	wide.words[0] = 1
	if c.get(1, wide, policy, values) {
		t.Error("the row of another kind of observation is given out")
	}
}

// TestGenerations: new weights empty the cache; what an evaluator of the old
// ones still brings is not kept.
func TestGenerations(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	c := NewCache(g, 1)
	a, b := new(nn.Weights), new(nn.Weights)
	first := c.generationOf(a)
	if c.generationOf(a) != first {
		t.Error("the same weights begin a new generation")
	}
	store(c, first, 5)
	if !holds(t, c, first, 5) {
		t.Error("a row is not held")
	}
	second := c.generationOf(b)
	if second == first {
		t.Fatal("other weights begin no generation")
	}
	if holds(t, c, second, 5) {
		t.Error("a row of earlier weights is given out")
	}
	store(c, first, 5)
	if holds(t, c, second, 5) || holds(t, c, first, 5) {
		t.Error("a row of earlier weights is kept")
	}
	store(c, second, 6)
	if third := c.generationOf(a); holds(t, c, third, 6) || holds(t, c, third, 5) {
		t.Error("weights that come back find rows")
	}
}

// TestManyGenerations: in each generation a cache that has served others finds what a new
// one finds.
func TestManyGenerations(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	served, rng := NewCache(g, 1), rand.New(rand.NewPCG(1, 2))
	found := 0
	for generation := range uint64(5) {
		fresh := NewCache(g, 1)
		for range 4 * fresh.Places() {
			i := rng.Uint64N(uint64(3 * fresh.Places() / 2))
			got, want := holds(t, served, generation+1, i), holds(t, fresh, 1, i)
			if got != want {
				t.Fatalf("generation %d: the row of %d is there: %v, in a new cache %v",
					generation, i, got, want)
			}
			if got {
				found++
				continue
			}
			store(served, generation+1, i)
			store(fresh, 1, i)
		}
	}
	if found == 0 {
		t.Error("nothing is found")
	}
}

// TestWideKeys: the cache holds observations of any values, and binary ones
// beside them, within the same memory.
func TestWideKeys(t *testing.T) {
	c := NewCache(game.Must(game.New("go:size=5,players=3")), 1)
	someKey := func(i int, wide bool) key {
		observation := make([]float32, c.size)
		r := rand.New(rand.NewPCG(uint64(i), 0))
		for j := range observation {
			observation[j] = float32(r.IntN(2))
		}
		if wide {
			observation[i%c.size] = 0.25
		}
		return encode(make([]uint64, wideWords(c.size)), observation)
	}
	row := func(i int, wide bool) ([]float32, []float32) {
		_, p, v := numbered(c, uint64(i))
		if wide {
			p[0] = 7
		}
		return p, v
	}
	before := c.Places()
	for i := range 500 {
		for _, wide := range []bool{i%3 == 0, true} {
			p, v := row(i, wide)
			c.put(1, someKey(i, wide), p, v)
		}
	}
	found := 0
	p, v := make([]float32, c.actions), make([]float32, c.values)
	for i := range 500 {
		for _, wide := range []bool{false, true} {
			if !c.get(1, someKey(i, wide), p, v) {
				continue
			}
			found++
			wantP, wantV := row(i, wide)
			if !slices.Equal(p, wantP) || !slices.Equal(v, wantV) {
				t.Fatalf("row %d, wide %v: %v %v", i, wide, p, v)
			}
		}
	}
	if found < 600 {
		t.Errorf("%d of some 830 rows are found", found)
	}
	if c.Places() >= before {
		t.Errorf("%d places with wide keys, %d without: more memory is taken", c.Places(), before)
	}
}

// TestConcurrent has goroutines share a cache, while its weights change.
func TestConcurrent(t *testing.T) {
	c := NewCache(game.Must(game.New("go:size=5,players=3")), 1)
	weights := []*nn.Weights{new(nn.Weights), new(nn.Weights)}
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			rng := random.New(5, random.Test, uint64(w))
			for i := range 5000 {
				generation := c.generationOf(weights[i/2500])
				n := uint64(rng.IntN(2000))
				if !holds(t, c, generation, n) {
					store(c, generation, n)
				}
			}
		})
	}
	group.Wait()
}

func TestCacheAllocatesNothing(t *testing.T) {
	c := NewCache(game.Must(game.New("go:size=5,players=3")), 1)
	k, policy, values := numbered(c, 1)
	if n := testing.AllocsPerRun(100, func() {
		k.hash += 1 << 40
		if !c.get(1, k, policy, values) {
			c.put(1, k, policy, values)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkLookup times a hit in a cache larger than the processor's.
func BenchmarkLookup(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	for _, workers := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			c := NewCache(g, 64)
			n := uint64(c.Places() / 2)
			for i := range n {
				store(c, 1, i)
			}
			each := b.N / workers
			var group sync.WaitGroup
			b.ResetTimer()
			for w := range workers {
				group.Go(func() {
					rng := random.New(6, random.Test, uint64(w))
					k, policy, values := numbered(c, 0)
					for range each {
						k.words[0] = rng.Uint64N(n)
						k.hash = mix(k.words)
						c.get(1, k, policy, values)
					}
				})
			}
			group.Wait()
		})
	}
}

// BenchmarkEncode times the key of an observation of 5×5 Go.
func BenchmarkEncode(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	observation := make([]float32, g.Planes().Size())
	g.NewState().Observation(observation)
	buf := make([]uint64, wideWords(len(observation)))
	for b.Loop() {
		encode(buf, observation)
	}
}

// Places returns the number of rows that the cache can hold.
func (c *Cache) Places() int {
	n := 0
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		n += int(s.sets) * ways
		s.mu.Unlock()
	}
	return n
}
