package goban

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// TestLayouts: boards of up to 64 points are words of bits.
func TestLayouts(t *testing.T) {
	for name, want := range map[string]bool{
		"go:size=8": true, "go:rows=4,columns=16": true, "go:rows=5,columns=13": false,
		"go:size=9": false,
	} {
		if _, small := game.Must(game.New(name)).NewState().(*small); small != want {
			t.Errorf("%s is small: %v", name, small)
		}
	}
}

// TestPick compares with counting bits one by one: the range of r is divided into
// equal parts, one per bit.
func TestPick(t *testing.T) {
	rng := random.New(1, random.Test)
	for i := range 20_000 {
		x := rng.Uint64()
		for range i % 6 {
			x &= rng.Uint64()
		}
		if i%7 == 0 {
			x = 1 << (x & 63)
		}
		if i == 0 {
			x = ^uint64(0)
		}
		if x == 0 {
			continue
		}
		n := uint64(bits.OnesCount64(x))
		for _, r := range []uint64{0, ^uint64(0), rng.Uint64()} {
			high, _ := bits.Mul64(r, n)
			want := -1
			for p, k := 0, int(high); p < 64; p++ {
				if x>>p&1 == 0 {
					continue
				}
				if k == 0 {
					want = p
					break
				}
				k--
			}
			if got := pick(x, r); got != want {
				t.Fatalf("pick(%#x, %#x) = %d, want %d", x, r, got, want)
			}
			var b plane
			b[4] = x
			if got := b.pick(int(n), r); int(got) != 4*64+want {
				t.Fatalf("plane %#x: pick %d, want %d", x, got, 4*64+want)
			}
		}
	}
}

// TestChains compares what is kept of chains with what is found by following them, in random games
// on large boards.
func TestChains(t *testing.T) {
	for i, name := range []string{
		"go:size=9,players=2", "go:rows=5,columns=13,players=3",
		"go:size=19,players=4,max_plies=900",
	} {
		g := game.Must(game.New(name))
		rng := random.New(5, random.Test, uint64(i))
		s, copied := g.NewState().(*large), g.NewState().(*large)
		var legal []game.Action
		captures := 0
		for s.CurrentPlayer() != game.Nobody {
			legal = s.LegalActions(legal[:0])
			before := s.vacant
			s.Apply(legal[rng.IntN(len(legal))])
			if s.vacant >= before {
				captures++
			}
			copied.CopyFrom(s)
			for _, s := range []*large{s, copied} {
				checkChains(t, s)
			}
			if t.Failed() {
				t.Fatalf("%s, ply %d", name, s.plies)
			}
		}
		if captures < 10 {
			t.Errorf("%s: %d captures", name, captures)
		}
	}
}

func checkChains(t *testing.T, s *large) {
	t.Helper()
	vacant, seen := 0, map[int16]bool{}
	for p := range int16(s.points) {
		if s.empty.has(p) != (s.on[p] == none) {
			t.Errorf("point %d: colour %d", p, s.on[p])
		}
		if s.on[p] == none {
			vacant++
			continue
		}
		if seen[p] {
			continue
		}
		chain, open := []int16{p}, 0
		seen[p] = true
		for i := 0; i < len(chain); i++ {
			for _, q := range s.orthogonal[chain[i]] {
				switch {
				case q == offBoard:
				case s.on[q] == none:
					open++
				case s.on[q] == s.on[p] && !seen[q]:
					seen[q] = true
					chain = append(chain, q)
				}
			}
		}
		h := s.head[p]
		if got := s.chains[h]; int(got.open) != open || int(got.size) != len(chain) {
			t.Errorf("point %d: %+v, with %d open and %d stones", p, got, open, len(chain))
		}
		for _, q := range chain {
			if s.head[q] != h {
				t.Errorf("point %d: the chain's name is %d, of %d %d", p, h, q, s.head[q])
			}
		}
		var circle []int16
		for q := s.next[p]; len(circle) <= len(chain); q = s.next[q] {
			circle = append(circle, q)
			if q == p {
				break
			}
		}
		slices.Sort(circle)
		slices.Sort(chain)
		if !slices.Equal(circle, chain) {
			t.Errorf("point %d: the circle is %d, the chain %d", p, circle, chain)
		}
	}
	if vacant != s.vacant {
		t.Errorf("%d points are vacant, not %d", vacant, s.vacant)
	}
}

// TestHistory compares with a map.
func TestHistory(t *testing.T) {
	rng := random.New(2, random.Test)
	for _, capacity := range []int{1, 151, 3000} {
		h, naive := newHistory(capacity), map[uint64]bool{}
		other := newHistory(capacity)
		hits := 0
		for range capacity {
			key := rng.Uint64N(uint64(4 * capacity)) // small numbers, like exact keys
			if h.has(key) != naive[key] {
				t.Fatalf("capacity %d: has(%d) = %v", capacity, key, h.has(key))
			}
			if naive[key] {
				hits++
				continue
			}
			h.add(key)
			naive[key] = true
		}
		if capacity > 100 && hits == 0 {
			t.Errorf("capacity %d: no key came twice", capacity)
		}
		other.add(1 << 60) // must be overwritten
		other.copyFrom(&h)
		for key := range uint64(4 * capacity) {
			if h.has(key) != naive[key] || other.has(key) != naive[key] {
				t.Fatalf("capacity %d: has(%d) = %v, in a copy %v",
					capacity, key, h.has(key), other.has(key))
			}
		}
		if other.has(1<<60) || h.sum != other.sum {
			t.Errorf("capacity %d: the copy kept what it had", capacity)
		}
		// The sum does not depend on the order.
		reversed := newHistory(capacity)
		for i := len(h.list) - 1; i >= 0; i-- {
			reversed.add(h.list[i])
		}
		if reversed.sum != h.sum {
			t.Errorf("capacity %d: the sum depends on the order", capacity)
		}
	}
}

// TestExactKeys: positions of at most 31 points and three colours have unique keys,
// with and without the colour to move.
func TestExactKeys(t *testing.T) {
	k := newKeys(3, 31)
	rng := random.New(3, random.Test)
	for range 10_000 {
		var key, want uint64
		for p := range 31 {
			if c := rng.IntN(4); c < 3 {
				key += k.stone[c][p]
				want |= uint64(c+1) << (2 * p)
			}
		}
		turn := rng.IntN(3)
		key += k.turn[turn]
		want |= uint64(turn) << 62
		var read uint64
		for p := range 31 {
			read |= (key>>p&1 | key>>(p+31)&1<<1) << (2 * p)
		}
		if read |= key >> 62 << 62; read != want {
			t.Fatalf("the key %#x is read as %#x, want %#x", key, read, want)
		}
	}
}

// TestHash: what the future depends on changes the hash; with simple ko, older
// positions do not.
func TestHash(t *testing.T) {
	hash := func(name, moves string) uint64 {
		g := game.Must(game.New(name))
		s := g.NewState()
		play(t, g, s, moves)
		return s.Hash()
	}
	for _, size := range []string{"size=5", "size=9"} {
		free := "go:pass=free,players=2," + size
		for _, c := range []struct {
			what, game, a, b string
			equal            bool
		}{
			{"other intermediate positions", free, "a1 b1 c1 d1", "c1 b1 a1 d1", false},
			{"the same with simple ko, long ago", free + ",ko=simple", "a1 b1 c1 d1 e1 e2",
				"c1 b1 a1 d1 e1 e2", true},
			{"passes in a row", free, "a1 b1 pass c1", "a1 b1 c1 pass", false},
			{"a stone of another colour", free, "a1 b1", "b1 a1", false},
			{"plies played", free, "pass a1", "pass a1 pass", false},
		} {
			if equal := hash(c.game, c.a) == hash(c.game, c.b); equal != c.equal {
				t.Errorf("%s, %s: hashes equal: %v", size, c.what, equal)
			}
		}
	}
}

// TestIllegalActionsPanic: occupied points, points outside, actions after the end.
func TestIllegalActionsPanic(t *testing.T) {
	for _, name := range []string{
		"go:size=5,players=2,max_plies=2", "go:size=9,players=2,max_plies=2",
	} {
		g := game.Must(game.New(name))
		for what, try := range map[string]func(s game.State){
			"occupied":      func(s game.State) { s.Apply(3); s.Apply(3) },
			"outside":       func(s game.State) { s.Apply(game.Action(g.Actions() + 1)) },
			"negative":      func(s game.State) { s.Apply(-1) },
			"after the end": func(s game.State) { s.Apply(3); s.Apply(4); s.Apply(5) },
			"pass, after": func(s game.State) {
				s.Apply(3)
				s.Apply(4)
				s.Apply(game.Action(g.Actions()))
			},
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s, %s: no panic", name, what)
					}
				}()
				try(g.NewState())
			}()
		}
	}
}

// TestNothingAllocates checks the methods that searches call.
func TestNothingAllocates(t *testing.T) {
	for _, name := range []string{
		"go:size=5,players=3", "go:size=8,players=4,ko=situational,eye=chain",
		"go:size=9,players=2,eye=chain", "go:size=9,players=3,ko=simple,reward=win",
	} {
		g := game.Must(game.New(name))
		root, s := g.NewState(), g.NewState()
		rng := random.New(4, random.Test)
		legal := make([]game.Action, 0, g.Actions()+1)
		planes := make([]float32, g.Planes().Size())
		utilities := make([]float32, g.Players())
		var sum uint64
		if n := testing.AllocsPerRun(20, func() {
			s.CopyFrom(root)
			for range 30 {
				legal = s.LegalActions(legal[:0])
				s.Apply(legal[rng.IntN(len(legal))])
				s.Observation(planes)
				sum += s.Hash()
			}
			s.(game.Playouter).Playout(rng)
			s.Returns(utilities)
			s.(game.Scored).Scores(utilities)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Each colour owns as many points as are counted for it, its own stones among them, on boards of
// both kinds; and a colour's share is its points / all points.
func TestOwnersAreTheAreaCounted(t *testing.T) {
	for _, name := range []string{
		"go:size=5,players=3", "go:size=4,players=4,max_plies=20", "go:size=9,players=2",
		"go:size=9,players=3,max_plies=60",
	} {
		g := game.Must(game.New(name))
		players, points := g.Players(), g.Planes().H*g.Planes().W
		for i := range uint64(20) {
			s := g.NewState()
			game.Playout(s, random.New(1, random.Test, 30, i), nil)
			cells, seats := make([]int8, points), make([]float32, players)
			s.(game.AuxiliaryTargetState).AuxiliaryTargets(cells, seats)
			owned := make([]int, players+1)
			for p, c := range cells {
				owned[c]++
				if stone := s.(interface{ at(int) int }); stone.at(p) >= 0 &&
					stone.at(p) != int(c) {
					t.Errorf("%s: a stone of colour %d is on point %d, which colour %d owns",
						name, stone.at(p), p, c)
				}
			}
			area := s.(interface{ area() [maxPlayers]int }).area()
			for c := range players {
				if owned[c] != area[c] ||
					math.Abs(float64(seats[c])-float64(area[c])/float64(points)) > 1e-6 {
					t.Errorf(
						"%s, game %d: colour %d owns %d points, its share is %v; %d are counted",
						name, i, c, owned[c], seats[c], area[c])
				}
			}
		}
	}
}
