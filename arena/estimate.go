package arena

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"tengen/arena/rating"
	"tengen/internal/interval"
)

// Estimate is a mean over the games of a [Tournament], with its spread. Its interval is over
// rounds: the games of a round share an opening, and the seats of a game share the game, so
// single observations are not independent. All rounds have the same number of observations, so
// the mean is the mean of the rounds' means, and the interval is computed from these (a
// cluster-robust interval with rounds as clusters).
type Estimate struct {
	observations Stat // single ones: one per seat of a game, or one per pair of seats
	rounds       Stat // the mean of each round
}

// newEstimate makes an estimate of what lies between bounds (Stat.Least).
func newEstimate(least, most float64) Estimate {
	return Estimate{rounds: Stat{Least: least, Most: most}}
}

// addRound adds the observations of a round. It does nothing if there are none.
func (e *Estimate) addRound(observations []float64) {
	if len(observations) == 0 {
		return
	}
	sum := 0.0
	for _, x := range observations {
		e.observations.Add(x)
		sum += x
	}
	e.rounds.Add(sum / float64(len(observations)))
}

// N is the number of observations.
func (e *Estimate) N() int { return e.observations.N }

// Rounds is the number of rounds with observations.
func (e *Estimate) Rounds() int { return e.rounds.N }

// Mean is the mean of all observations.
func (e *Estimate) Mean() float64 { return e.rounds.Mean }

// SD is the standard deviation of single observations, 0 with fewer than two.
func (e *Estimate) SD() float64 { return e.observations.SD() }

// Interval is the 95 % interval of the mean over rounds, as Stat.Interval is.
func (e *Estimate) Interval() interval.Interval { return e.rounds.Interval() }

// CI is the wider half of the interval.
func (e *Estimate) CI() float64 { return e.rounds.CI() }

// String is "11.02 (10.71 to 11.33; s 11.4, n 500)".
func (e *Estimate) String() string {
	return fmt.Sprintf("%.2f (%s; s %.1f, n %d)",
		e.Mean(), e.Interval().Text("%.2f"), e.SD(), e.N())
}

// MarshalJSON writes n, rounds, mean, sd, and low and high, the interval (null while there is
// none).
func (e Estimate) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		N      int     `json:"n"`
		Rounds int     `json:"rounds"`
		Mean   float64 `json:"mean"`
		SD     float64 `json:"sd"`
		interval.Bounds
	}{e.N(), e.Rounds(), e.Mean(), e.SD(), e.Interval().Bounds()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Estimate) UnmarshalJSON(data []byte) error {
	var v struct {
		N      int     `json:"n"`
		Rounds int     `json:"rounds"`
		Mean   float64 `json:"mean"`
		SD     float64 `json:"sd"`
		interval.Bounds
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	i := v.Interval()
	*e = Estimate{
		observations: Stat{N: v.N, Mean: v.Mean, m2: v.SD * v.SD * float64(max(0, v.N-1))},
		rounds:       Stat{N: v.Rounds, Mean: v.Mean, read: &i},
	}
	return nil
}

// Stat is the mean of independent observations, with its spread. The zero
// value is empty.
type Stat struct {
	N    int
	Mean float64
	// Least and Most bound what can be observed; both 0: that is not known.
	Least, Most float64
	m2          float64            // sum of squared deviations from the mean
	read        *interval.Interval // from JSON, which has no range
}

// Add adds one observation (Welford 1962).
func (s *Stat) Add(x float64) {
	s.N++
	d := x - s.Mean
	s.Mean += d / float64(s.N)
	s.m2 += d * (x - s.Mean)
}

// SD is the sample standard deviation, 0 with fewer than two observations.
func (s Stat) SD() float64 {
	if s.N < 2 {
		return 0
	}
	return math.Sqrt(s.m2 / float64(s.N-1))
}

// Interval is the 95 % interval of the mean, for observations with a range by that
// (interval.Bounded), for others by Student's t; infinite with fewer than two observations.
func (s Stat) Interval() interval.Interval {
	switch {
	case s.read != nil:
		return *s.read
	case s.Least < s.Most:
		return interval.Bounded(s.N, s.Mean, s.m2, s.Least, s.Most)
	}
	return interval.Mean(s.N, s.Mean, s.m2)
}

// CI is the wider half of the interval.
func (s Stat) CI() float64 { return s.Interval().Half(s.Mean) }

// String is "11.0 (10.7 to 11.3; s 11.4, n 500)".
func (s Stat) String() string {
	return fmt.Sprintf("%.1f (%s; s %.1f, n %d)", s.Mean, s.Interval().Text("%.1f"), s.SD(), s.N)
}

// MarshalJSON writes n, mean, sd, and low and high, the interval (null while there is none).
func (s Stat) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		N    int     `json:"n"`
		Mean float64 `json:"mean"`
		SD   float64 `json:"sd"`
		interval.Bounds
	}{s.N, s.Mean, s.SD(), s.Interval().Bounds()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Stat) UnmarshalJSON(data []byte) error {
	var v struct {
		N    int     `json:"n"`
		Mean float64 `json:"mean"`
		SD   float64 `json:"sd"`
		interval.Bounds
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	i := v.Interval()
	*s = Stat{N: v.N, Mean: v.Mean, m2: v.SD * v.SD * float64(max(0, v.N-1)), read: &i}
	return nil
}

// Sum is the mean of a sum of independent quantities, each observed separately, and its 95 %
// interval.
type Sum struct {
	Mean     float64
	Interval interval.Interval
}

// CI is the wider half of the interval.
func (s Sum) CI() float64 { return s.Interval.Half(s.Mean) }

// MarshalJSON writes mean, low and high (null while there is no interval).
func (s Sum) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Mean float64 `json:"mean"`
		interval.Bounds
	}{s.Mean, s.Interval.Bounds()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Sum) UnmarshalJSON(data []byte) error {
	var v struct {
		Mean float64 `json:"mean"`
		interval.Bounds
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*s = Sum{v.Mean, v.Interval()}
	return nil
}

// SumOf returns the sum of independent means.
func SumOf(stats []Stat) Sum {
	var sum Sum
	var means []float64
	var intervals []interval.Interval
	for _, s := range stats {
		sum.Mean += s.Mean
		means, intervals = append(means, s.Mean), append(intervals, s.Interval())
	}
	sum.Interval = interval.Sum(means, intervals)
	return sum
}

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
