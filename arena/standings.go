package arena

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"tengen/arena/rating"
	"tengen/game"
	"tengen/internal/notation"
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

// WriteText prints the standings as tables.
func (s *Standings) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s\n", notation.Plain(s.Game))
	for i, p := range s.Players {
		fmt.Fprintf(w, "  %d  %s\n", i+1, notation.Plain(p.Name))
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "player\tseat\t%s\t95 %%\ts\twins\t95 %%\tgames\n", game.ScoreUnitOf(s.Game))
	line := func(player, seat string, points, wins *Estimate) {
		fmt.Fprintf(t, "%s\t%s\t%.2f\t%s\t%.1f\t%.0f %%\t%s\t%d\n", player, seat,
			points.Mean(), points.Interval().Text("%.2f"), points.SD(), 100*wins.Mean(),
			percent(wins), points.N())
	}
	for i := range s.Players {
		p := &s.Players[i]
		name := fmt.Sprint(i + 1)
		for j := range p.Seats {
			line(name, p.Seats[j].Seat, &p.Seats[j].Points, &p.Seats[j].Wins)
			name = ""
		}
		line("", "all", &p.Points, &p.Wins)
	}
	fmt.Fprintln(t)
	s.writeRatings(t)
	s.writeDominance(t)
	if err := t.Flush(); err != nil {
		return err
	}
	return s.writeNotes(w)
}

// percent is "49 to 63 %", the interval of a share, "–" without one.
func percent(share *Estimate) string {
	text := share.Interval().Times(100).Text("%.0f")
	if share.Interval().Known() {
		text += " %"
	}
	return text
}

func (s *Standings) writeRatings(w io.Writer) {
	if s.Unfit != "" {
		fmt.Fprintf(w, "no ratings: %s\n\n", s.Unfit)
		return
	}
	fmt.Fprint(w, "player\tElo\t95 %\n")
	for i, p := range s.Players {
		fmt.Fprintf(w, "%d\t%s", i+1, ratingText(p.Rating))
		if i == s.Anchor {
			fmt.Fprint(w, "anchor")
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "\nseat\tElo\t95 %\n")
	for i, seat := range s.Seats {
		fmt.Fprintf(w, "%s\t%s", seat.Seat, ratingText(seat.Rating))
		if i == 0 {
			fmt.Fprint(w, "anchor")
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// ratingText formats a rating and its interval as two cells. The second is empty if the
// interval has no width.
func ratingText(r *rating.Rating) string {
	switch {
	case r == nil:
		return "–\t"
	case r.Low == r.Elo && r.High == r.Elo:
		return fmt.Sprintf("%.0f\t", r.Elo)
	}
	bound := func(x float64) string {
		if math.IsInf(x, 0) {
			return "–"
		}
		return fmt.Sprintf("%+.0f", x)
	}
	return fmt.Sprintf("%+.0f\t%s to %s", r.Elo, bound(r.Low), bound(r.High))
}

func (s *Standings) writeDominance(w io.Writer) {
	fmt.Fprint(w, "before")
	for j := range s.Players {
		fmt.Fprintf(w, "\t%d", j+1)
	}
	fmt.Fprintln(w)
	for i := range s.Players {
		fmt.Fprint(w, i+1)
		for _, e := range s.Dominance[i] {
			if e == nil {
				fmt.Fprint(w, "\t–")
				continue
			}
			fmt.Fprintf(w, "\t%.0f %% (%s)", 100*e.Mean(), e.Interval().Times(100).Text("%.0f"))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// writeNotes prints how the games were played and what the intervals are over.
func (s *Standings) writeNotes(w io.Writer) error {
	fmt.Fprintf(w,
		"%d games: %d rounds of the %d seatings, %d of the games and %d of the rounds distinct\n",
		s.Games, s.Rounds, s.Seatings, s.Distinct, s.DistinctRounds)
	switch s.Opening {
	case 0:
		fmt.Fprintln(w, "opening: none is drawn")
	case 1:
		fmt.Fprintln(w,
			"opening: the first decision is drawn uniformly, the same for all games of a round")
	default:
		fmt.Fprintf(w, "opening: the first %d decisions are drawn uniformly, the same for all games of a round\n", s.Opening)
	}
	if s.Counted < s.Rounds {
		fmt.Fprintf(w,
			"no player draws: the %d rounds that repeat an earlier one are not counted\n",
			s.Rounds-s.Counted)
	}
	fmt.Fprintln(w, "intervals are over rounds")
	if s.Test != nil {
		verdict := "no verdict yet"
		switch s.Test.Verdict {
		case "H0":
			verdict = fmt.Sprintf("H0 holds: 1 is not %g Elo stronger than 2", s.Test.Elo1)
		case "H1":
			verdict = fmt.Sprintf("H1 holds: 1 is stronger than 2 by more than %g Elo", s.Test.Elo0)
		}
		fmt.Fprintf(w,
			"sequential test of %g against %g Elo: log-likelihood ratio %.2f of %.2f to %.2f; %s\n",
			s.Test.Elo0, s.Test.Elo1, s.Test.LLR, s.Test.Lower, s.Test.Upper, verdict)
	}
	if s.Stopped == "until" {
		fmt.Fprintf(w, "ended early: the %s of every player are known within ± %g\n",
			game.ScoreUnitOf(s.Game), s.Until)
	}
	if s.Interrupted != nil {
		fmt.Fprintln(w, s.Interrupted.Note())
	}
	_, err := fmt.Fprintf(w, "seed %d\n", s.Seed)
	return err
}
