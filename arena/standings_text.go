package arena

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"tengen/arena/rating"
	"tengen/game"
	"tengen/internal/notation"
)

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
