package rating

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// none marks a player, seat or tie without a coordinate: its value is 0.
const none = -1

// model is the likelihood of games as a function of β, the vector of all parameters,
// in natural logarithms of odds: ratings relative to the anchor, advantages of seats
// relative to the first, prevalences of ties, and the ratings of the absent players of
// the prior.
type model struct {
	dim    int
	player []int // coordinate of each player; none for the anchor
	seat   []int // coordinate of each seat, if seats are estimated; none for the first
	absent []int // coordinates of the absent player, and of the absent seat if seats are estimated
	// fixed are the coordinates that keep their values: those of players with known ratings.
	fixed map[int]float64

	// tie[r][t] is the coordinate of log δ for t seats tied of r remaining. The least t
	// that occurs is the reference for the others and has none.
	tie [maxSeats + 1][maxSeats + 1]int
	// subsets[r] are the subsets of r remaining seats, as bits, whose size was ever chosen
	// of r; sizes that never occur have δ = 0, where the likelihood is greatest.
	// sized[r][t] are all subsets of size t, for the choices among the seats of one
	// player.
	subsets [maxSeats + 1][]uint32
	sized   [maxSeats + 1][maxSeats + 1][]uint32

	situations []situation
	finishes   []finish
	clusters   []cluster
	linear     []float64 // [dim]: the sum of x(chosen) over all choices
	games      float64
}

// situation is the set of remaining seats that choices have in common.
type situation struct {
	players []int // coordinates
	seats   []int // coordinates; none if seats are not estimated
	// given is the number of seats that tie, taken as known if one player holds all
	// remaining seats, else 0.
	given int
	count float64 // of choices
}

// choice is a subset of the remaining seats in a situation, as bits.
type choice struct {
	situation int
	chosen    uint32
}

// finish is the sequence of choices by which games ended.
type finish struct {
	choices []choice
	count   float64 // of games
	// independent counts the games that belong to no group.
	independent float64
}

// cluster is a group of dependent games: indices of their finishes.
type cluster []int

func newModel(players int, games []Game, o Options) *model {
	m := &model{player: make([]int, players), games: float64(len(games)), fixed: map[int]float64{}}
	for i := range m.player {
		m.player[i] = none
		if i != o.Anchor {
			m.player[i] = m.coordinate()
		}
		if elo, ok := o.Fixed[i]; ok {
			m.fixed[m.player[i]] = (elo - o.AnchorRating) / eloPerNat
		}
	}
	m.absent = append(m.absent, m.coordinate())
	if o.Seats {
		m.seat = []int{none}
		for _, g := range games {
			for len(m.seat) < len(g.Players) {
				m.seat = append(m.seat, m.coordinate())
			}
		}
		m.absent = append(m.absent, m.coordinate())
	}
	m.addGames(games)
	m.addTies()
	m.linear = make([]float64, m.dim)
	for _, f := range m.finishes {
		for _, c := range f.choices {
			m.addChosen(m.linear, c, f.count)
		}
	}
	return m
}

func (m *model) coordinate() int { m.dim++; return m.dim - 1 }

// addGames groups the games by their choices.
func (m *model) addGames(games []Game) {
	situations, finishes, groups := map[string]int{}, map[string]int{}, map[int]int{}
	var key []byte
	for _, g := range games {
		choices := m.choices(g, situations)
		key = key[:0]
		for _, c := range choices {
			m.situations[c.situation].count++
			key = binary.AppendUvarint(key, uint64(c.situation))
			key = binary.AppendUvarint(key, uint64(c.chosen))
		}
		i, ok := finishes[string(key)]
		if !ok {
			i = len(m.finishes)
			finishes[string(key)] = i
			m.finishes = append(m.finishes, finish{choices: choices})
		}
		m.finishes[i].count++
		if g.Group == 0 {
			m.finishes[i].independent++
			continue
		}
		c, ok := groups[g.Group]
		if !ok {
			c = len(m.clusters)
			groups[g.Group] = c
			m.clusters = append(m.clusters, nil)
		}
		m.clusters[c] = append(m.clusters[c], i)
	}
}

// choices returns the choices that a game consists of. The last seat alone is no
// choice, nor are the seats of one player, unless seats are estimated.
func (m *model) choices(g Game, known map[string]int) []choice {
	left := make([]int, len(g.Players))
	for s := range left {
		left[s] = s
	}
	slices.SortStableFunc(left, func(a, b int) int { return g.Players[a] - g.Players[b] })
	var choices []choice
	for len(left) > 1 {
		alone := g.Players[left[0]] == g.Players[left[len(left)-1]]
		if alone && m.seat == nil {
			break
		}
		top := g.Scores[left[0]]
		for _, s := range left {
			top = max(top, g.Scores[s])
		}
		var chosen uint32
		var sit situation
		for k, s := range left {
			sit.players = append(sit.players, m.player[g.Players[s]])
			sit.seats = append(sit.seats, none)
			if m.seat != nil {
				sit.seats[k] = m.seat[s]
			}
			if g.Scores[s] == top {
				chosen |= 1 << k
			}
		}
		if alone {
			sit.given = bits.OnesCount32(chosen)
		}
		choices = append(choices, choice{m.situation(sit, known), chosen})
		left = slices.DeleteFunc(left, func(s int) bool { return g.Scores[s] == top })
	}
	return choices
}

// situation returns the index of a situation, and adds it if it is new.
func (m *model) situation(s situation, known map[string]int) int {
	key := []byte{byte(s.given)}
	for k := range s.players {
		key = binary.AppendVarint(key, int64(s.players[k]))
		key = binary.AppendVarint(key, int64(s.seats[k]))
	}
	i, ok := known[string(key)]
	if !ok {
		i = len(m.situations)
		known[string(key)] = i
		m.situations = append(m.situations, s)
	}
	return i
}

// addTies collects the numbers of seats that tied, by remaining seats.
func (m *model) addTies() {
	var seen, given [maxSeats + 1][maxSeats + 1]bool
	for _, f := range m.finishes {
		for _, c := range f.choices {
			s := &m.situations[c.situation]
			if s.given != 0 {
				given[len(s.players)][s.given] = true
			} else {
				seen[len(s.players)][bits.OnesCount32(c.chosen)] = true
			}
		}
	}
	for r := range m.tie {
		least := true
		for t := range m.tie[r] {
			m.tie[r][t] = none
			if seen[r][t] && !least {
				m.tie[r][t] = m.coordinate()
			}
			least = least && !seen[r][t]
		}
		if !slices.Contains(seen[r][:], true) && !slices.Contains(given[r][:], true) {
			continue
		}
		for subset := uint32(1); subset < 1<<r; subset++ {
			t := bits.OnesCount32(subset)
			if seen[r][t] {
				m.subsets[r] = append(m.subsets[r], subset)
			}
			if given[r][t] {
				m.sized[r][t] = append(m.sized[r][t], subset)
			}
		}
	}
}
