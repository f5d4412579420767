package arena

import (
	"fmt"
	"slices"

	"tengen/arena/rating"
	"tengen/game"
)

// Standings are the results of a [Tournament]. All figures are over its rounds up to the one
// that ended it. If nothing is random after the opening, rounds that repeat an earlier one are
// left out.
type Standings struct {
	Game     string `json:"game"`
	Seed     uint64 `json:"seed"`
	Opening  int    `json:"opening"`  // decisions drawn at the start of each round's games
	Seatings int    `json:"seatings"` // games per round
	Rounds   int    `json:"rounds"`
	Games    int    `json:"games"`
	Distinct int    `json:"distinct_games"`
	// DistinctRounds is the number of rounds that differ from every earlier one in at least one
	// game.
	DistinctRounds int `json:"distinct_rounds"`
	// Counted is the number of rounds that the figures are over: all, or the distinct ones if
	// neither chance nor any player draws.
	Counted int             `json:"counted_rounds"`
	Players []Standing      `json:"players"`
	Seats   []SeatAdvantage `json:"seats"`
	// Dominance[i][j] is the share of meetings in which player i finished
	// before player j, ties counted half; nil where they never met.
	Dominance [][]*Estimate `json:"dominance"`
	Anchor    int           `json:"anchor"` // index of the player whose rating is 0
	// "sprt" or "until" if that ended it before all games were played
	Stopped string      `json:"stopped"`
	Until   float64     `json:"until,omitempty"`   // Tournament.Until
	Test    *SPRTReport `json:"sprt,omitempty"`    // if Tournament.SPRT is set
	Unfit   string      `json:"unrated,omitempty"` // why there are no ratings
	// Meetings are the games that the figures are over, for ratings together with other games;
	// those of a round have its number, from 1, as their group.
	Meetings []rating.Game `json:"-"`
	// Interrupted says which games count if the tournament ended before its last one.
	Interrupted *Interrupted `json:"interrupted,omitempty"`
}

// Standing is the result of one player.
type Standing struct {
	Name   string         `json:"player"` // " #2" and so on is appended to a name that occurs again
	Points Estimate       `json:"points"` // raw score, over all seats
	Wins   Estimate       `json:"wins"`   // share of a win: 1/k if k players tie for first
	Seats  []SeatStanding `json:"seats"`
	Rating *rating.Rating `json:"rating"` // nil if there is none
}

// SeatStanding is the result of a player in one seat.
type SeatStanding struct {
	Seat   string   `json:"seat"`
	Points Estimate `json:"points"`
	Wins   Estimate `json:"wins"`
}

// SeatAdvantage is the value of a seat.
type SeatAdvantage struct {
	Seat   string         `json:"seat"`
	Rating *rating.Rating `json:"rating"` // relative to the first seat; nil if unknown
}

// SPRTReport is the state of the sequential test.
type SPRTReport struct {
	Elo0    float64 `json:"elo0"`
	Elo1    float64 `json:"elo1"`
	Alpha   float64 `json:"alpha"`
	Beta    float64 `json:"beta"`
	LLR     float64 `json:"llr"` // log-likelihood ratio
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Verdict string  `json:"verdict"` // "H0", "H1" or "continue"
}

// standings returns the standings after the rounds counted so far.
func (t *Tournament) standings(c *scheduler) *Standings {
	n := c.tally
	s := &Standings{
		Game: t.Game.Name(), Seed: t.Seed, Opening: t.Opening, Seatings: len(t.seatings),
		Rounds: n.rounds, Games: n.games, Distinct: len(n.lines), DistinctRounds: len(n.seen),
		Counted: n.counted,
		Anchor:  t.Anchor, Stopped: c.stopped, Until: t.Until,
		Dominance: make([][]*Estimate, len(t.Players)), Meetings: slices.Clone(n.meetings),
	}
	times := map[string]int{}
	for p, player := range t.Players {
		x := Standing{Name: player.Name(), Points: n.pointsOfAll[p], Wins: n.winsOfAll[p]}
		if times[x.Name]++; times[x.Name] > 1 {
			x.Name += fmt.Sprintf(" #%d", times[x.Name])
		}
		for seat := range n.seats {
			x.Seats = append(x.Seats,
				SeatStanding{
					game.SeatName(t.Game, game.Player(seat)), n.points[p][seat], n.wins[p][seat],
				})
		}
		s.Players = append(s.Players, x)
		s.Dominance[p] = make([]*Estimate, len(t.Players))
		for q := range t.Players {
			if n.above[p][q].N() > 0 {
				s.Dominance[p][q] = &n.above[p][q]
			}
		}
	}
	for seat := range n.seats {
		s.Seats = append(s.Seats, SeatAdvantage{Seat: game.SeatName(t.Game, game.Player(seat))})
	}
	s.rate(n, t.Anchor)
	if t.SPRT != nil {
		s.Test = &SPRTReport{
			Elo0: t.SPRT.Elo0, Elo1: t.SPRT.Elo1, Alpha: t.SPRT.Alpha, Beta: t.SPRT.Beta,
		}
		var verdict rating.Verdict
		s.Test.LLR, s.Test.Lower, s.Test.Upper, verdict = t.SPRT.Test(n.pairs)
		s.Test.Verdict = verdict.String()
	}
	return s
}

// rate fits the ratings of players and seats.
func (s *Standings) rate(n *tally, anchor int) {
	if n.seats < 2 {
		s.Unfit = "players do not meet in a game of one player"
		return
	}
	if len(n.meetings) == 0 {
		s.Unfit = "no round has been played"
		return
	}
	fit, err := rating.Fit(n.players, n.meetings, rating.Options{Anchor: anchor, Seats: true})
	if err != nil {
		s.Unfit = err.Error()
		return
	}
	for p := range s.Players {
		if fit.Connected[p] {
			s.Players[p].Rating = &fit.Ratings[p]
		}
	}
	for seat := range s.Seats {
		s.Seats[seat].Rating = &fit.Seats[seat]
	}
}
