package goban

import (
	"math"
	"math/bits"
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

// common is the part of a state that is independent of the board layout.
type common struct {
	*goGame
	plies  int    // plies played so far
	passes int    // consecutive passes up to now
	color  int    // the colour to move, or that would be if the game weren't over
	key    uint64 // key of the stones
	past   history
}

// newCommon returns the empty board. Its key is zero and is recorded in the history.
func newCommon(g *goGame) common {
	s := common{goGame: g, past: newHistory(g.MaxPlies + 1)}
	switch {
	case g.positional:
		s.past.add(0)
	case g.situational:
		s.past.add(g.turn[0])
	}
	return s
}

// following is the colour that moves next.
func (s *common) following() int {
	if s.color+1 == s.Rules.Players {
		return 0
	}
	return s.color + 1
}

func (s *common) over() bool { return s.passes == s.Rules.Players || s.plies == s.MaxPlies }

func (s *common) CurrentPlayer() game.Player {
	if s.over() {
		return game.Nobody
	}
	return game.Player(s.color)
}

// repeats reports whether ko forbids the colour to move a placement that leads to
// stones with the given key.
func (s *common) repeats(key uint64) bool {
	switch {
	case s.positional:
		return s.past.has(key)
	case s.situational:
		return s.past.has(key + s.turn[s.following()])
	}
	for _, k := range s.past.recent[:s.Rules.Players-1] {
		if k == key {
			return true
		}
	}
	return false
}

// placed records a placement that led to stones with the given key.
func (s *common) placed(key uint64) {
	s.plies++
	s.passes = 0
	s.color = s.following()
	switch {
	case s.positional:
		s.past.add(key)
	case s.situational:
		s.past.add(key + s.turn[s.color])
	default:
		s.past.push(s.key)
	}
	s.key = key
}

// passed records a pass.
func (s *common) passed() {
	s.plies++
	s.passes++
	s.color = s.following()
	switch {
	case s.situational:
		if key := s.key + s.turn[s.color]; !s.past.has(key) {
			s.past.add(key)
		}
	case !s.positional:
		s.past.push(s.key)
	}
}

func (s *common) copyFrom(src *common) {
	s.plies, s.passes, s.color, s.key = src.plies, src.passes, src.color, src.key
	s.past.copyFrom(&src.past)
}

// Turn implements game.Turned: the number of plies played.
func (s *common) Turn() int { return s.plies }

// decisionsLeft implements game.Paced, with a number of empty points: they are filled in turn,
// and captures and passes make a game longer.
func (s *common) decisionsLeft(empty int) (expected, most float64) {
	const more = 5
	players := float64(s.Rules.Players)
	most = math.Ceil(float64(s.MaxPlies-s.plies) / players)
	return min(float64(empty)/players+more, most), most
}

// Hash depends on the stones, on the number of plies (which determines the player to
// move and the plies left until max_plies), on the number of consecutive passes, and
// on what ko may forbid: the set of past positions in any order, or with simple ko the
// last few in order.
func (s *common) Hash() uint64 {
	h := random.Step(s.key) + s.past.sum
	if !s.positional && !s.situational {
		for _, key := range s.past.recent[:s.Rules.Players-1] {
			h = random.Mix(h ^ key)
		}
	}
	return random.Mix(h ^ uint64(s.plies)<<8 ^ uint64(s.passes))
}

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

// keys holds a number for each colour and point. The key of a position is the sum of
// the numbers of its stones, so that it can be updated stone by stone (Zobrist 1970,
// with sums).
//
// With at most three colours and 31 points, the sum is the position itself: Black on
// point p is bit p, White bit p+31, Red both; the last two bits are left for the
// colour to move. Otherwise the numbers are random.
type keys struct {
	stone [maxPlayers][maxPoints]uint64
	turn  [maxPlayers]uint64 // added for the colour to move, in situational superko
}

const (
	maxPoints   = maxSide * maxSide
	exactPoints = 31
)

func newKeys(players, points int) *keys {
	k := new(keys)
	source := random.Source(0x676f62616e)
	exact := players <= 3 && points <= exactPoints
	for c := range k.stone {
		k.turn[c] = source.Next()
		if exact {
			k.turn[c] = uint64(c) << (2 * exactPoints)
		}
		for p := range points {
			k.stone[c][p] = source.Next()
			if exact {
				k.stone[c][p] = [...]uint64{1, 1 << exactPoints, 1<<exactPoints | 1, 0}[c] << p
			}
		}
	}
	return k
}
