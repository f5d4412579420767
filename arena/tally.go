package arena

import (
	"encoding/binary"
	"slices"

	"tengen/arena/rating"
)

// tally accumulates the rounds of a tournament in their order.
type tally struct {
	players  int
	seats    int
	seatings [][]int
	// distinctOnly leaves out rounds that are equal to an earlier one. It is set if nothing is
	// random after the opening: such rounds are no new observations.
	once bool

	games, rounds int // seen
	lines         map[uint64]bool
	seen          map[string]bool // keys are the lines of a round's games, by seating

	counted     int          // rounds that the following are over
	points      [][]Estimate // [player][seat]
	wins        [][]Estimate // likewise
	pointsOfAll []Estimate   // [player], over all seats
	winsOfAll   []Estimate
	above       [][]Estimate // [i][j]: share of meetings in which i finished before j
	meetings    []rating.Game
	// with two players at two seats: the first one's share of the wins of each round
	pairs []float64
}

// newTally makes a tally of a game whose scores lie between bounds (Stat.Least).
func newTally(players, seats int, seatings [][]int, once bool, least, most float64) *tally {
	list := func(n int, least, most float64) []Estimate {
		return slices.Repeat([]Estimate{newEstimate(least, most)}, n)
	}
	square := func(n, m int, least, most float64) [][]Estimate {
		rows := make([][]Estimate, n)
		for i := range rows {
			rows[i] = list(m, least, most)
		}
		return rows
	}
	return &tally{
		players: players, seats: seats, seatings: seatings, once: once,
		lines: map[uint64]bool{}, seen: map[string]bool{},
		points: square(players, seats, least, most), wins: square(players, seats, 0, 1),
		pointsOfAll: list(players, least, most), winsOfAll: list(players, 0, 1),
		above: square(players, players, 0, 1),
	}
}

// add adds the games of a round. Game i has seating i.
func (t *tally) add(round []Result) {
	t.games += len(round)
	t.rounds++
	var key []byte
	for i := range round {
		t.lines[round[i].Line] = true
		key = binary.LittleEndian.AppendUint64(key, round[i].Line)
	}
	repeated := t.seen[string(key)]
	t.seen[string(key)] = true
	if repeated && t.once {
		return
	}
	t.counted++
	for p := range t.players {
		t.addPlayer(p, round)
		for q := range t.players {
			if p != q {
				t.above[p][q].addRound(t.meetingsOf(p, q, round))
			}
		}
	}
	for i := range round {
		g := rating.Game{Players: t.seatings[i], Scores: make([]float64, t.seats), Group: t.rounds}
		for seat, x := range round[i].Scores {
			g.Scores[seat] = float64(x)
		}
		t.meetings = append(t.meetings, g)
	}
	if t.players == 2 && t.seats == 2 {
		share := 0.0
		for i := range round {
			share += winShare(round[i].Scores, slices.Index(t.seatings[i], 0)) / float64(len(round))
		}
		t.pairs = append(t.pairs, share)
	}
}

// addPlayer adds the results of player p in a round.
func (t *tally) addPlayer(p int, round []Result) {
	var points, wins []float64
	for seat := range t.seats {
		first := len(points)
		for i := range round {
			if t.seatings[i][seat] == p {
				points = append(points, float64(round[i].Scores[seat]))
				wins = append(wins, winShare(round[i].Scores, seat))
			}
		}
		t.points[p][seat].addRound(points[first:])
		t.wins[p][seat].addRound(wins[first:])
	}
	t.pointsOfAll[p].addRound(points)
	t.winsOfAll[p].addRound(wins)
}

// meetingsOf returns the results of the meetings of players p and q in a round: 1 if p finished
// before q, 1/2 for a tie, else 0. Each pair of seats that they held in a game is one meeting.
func (t *tally) meetingsOf(p, q int, round []Result) []float64 {
	var all []float64
	for i := range round {
		for a, x := range round[i].Scores {
			for b, y := range round[i].Scores {
				if t.seatings[i][a] != p || t.seatings[i][b] != q {
					continue
				}
				switch {
				case x > y:
					all = append(all, 1)
				case x == y:
					all = append(all, 0.5)
				default:
					all = append(all, 0)
				}
			}
		}
	}
	return all
}

// widest returns the greatest half (interval.Interval.Half) of the 95 % intervals of all players'
// mean points.
func (t *tally) widest() float64 {
	widest := 0.0
	for p := range t.pointsOfAll {
		widest = max(widest, t.pointsOfAll[p].CI())
	}
	return widest
}
