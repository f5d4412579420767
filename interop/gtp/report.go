package gtp

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"tengen/arena"
	"tengen/internal/interval"
	"tengen/interop/sgf"
)

// Report has the results of a match from the player's side.
type Report struct {
	Player   string `json:"player"`
	Opponent string `json:"opponent"` // its name and version
	Command  string `json:"command"`
	Game     string `json:"game"`
	Opening  int    `json:"opening"`
	Seed     uint64 `json:"seed"`
	Black    Side   `json:"black"` // the games in which the player is Black
	White    Side   `json:"white"`
	Distinct int    `json:"distinct"` // games that differ in colour or moves
	// Counted is the number of games in which a side answered final_score with a margin, and
	// Agrees the number of these in which it is the margin on the board.
	OwnCounted   int      `json:"own_counted"`
	OwnAgrees    int      `json:"own_agrees"`
	TheirCounted int      `json:"their_counted"`
	TheirAgrees  int      `json:"their_agrees"`
	Results      []Result `json:"results"`
	// Interrupted is set if the match ended before its last game.
	Interrupted *arena.Interrupted `json:"interrupted,omitempty"`
}

// Side is the player's games of one colour.
type Side struct {
	Games  int        `json:"games"` // void ones are not counted
	Void   int        `json:"void"`
	Wins   int        `json:"wins"` // including resignations of the other program
	Draws  int        `json:"draws"`
	Whole  int        `json:"whole_board"` // won with all points of the board
	Rate   float64    `json:"win_rate"`    // a draw is half a win
	Low    float64    `json:"win_rate_low"`
	High   float64    `json:"win_rate_high"` // Low to High is its 95 % interval (package interval)
	Margin arena.Stat `json:"margin"`        // over the games played to their end, komi counted
}

// sum adds the results up.
func (r *Report) sum() {
	lines := map[string]bool{}
	for i := range r.Results {
		g := &r.Results[i]
		lines[fmt.Sprint(g.Black, g.Moves)] = true
		side := &r.White
		if g.Black {
			side = &r.Black
		}
		side.add(g)
		if !g.Finished() {
			continue
		}
		r.OwnCounted, r.OwnAgrees = compare(g.Score, g.OwnFinalScore, r.OwnCounted, r.OwnAgrees)
		r.TheirCounted, r.TheirAgrees = compare(g.Score, g.TheirFinalScore, r.TheirCounted,
			r.TheirAgrees)
	}
	r.Distinct = len(lines)
	r.Black.rate()
	r.White.rate()
}

// compare counts a final score, and whether it agrees with the board.
func compare(board, said string, counted, agrees int) (int, int) {
	want, _ := sgf.MarginOf(board)
	switch got, ok := sgf.MarginOf(said); {
	case !ok:
		return counted, agrees
	case got == want:
		agrees++
	}
	return counted + 1, agrees
}

func (s *Side) add(g *Result) {
	if g.Void() {
		s.Void++
		return
	}
	s.Games++
	switch g.Ended {
	case EndedResigned:
		s.Wins++
		return
	case EndedGivenUp:
		return
	}
	s.Margin.Add(g.Margin)
	switch {
	case g.Margin > 0:
		s.Wins++
	case g.Margin == 0:
		s.Draws++
	}
	if g.Whole {
		s.Whole++
	}
}

// rate sets the rate of wins and its interval, which is 0 to 1 with fewer than two games.
func (s *Side) rate() {
	s.High = 1
	if s.Games == 0 {
		return
	}
	n := float64(s.Games)
	s.Rate = (float64(s.Wins) + float64(s.Draws)/2) / n
	i := interval.Bounded(s.Games, s.Rate, float64(s.Wins)+float64(s.Draws)/4-n*s.Rate*s.Rate, 0, 1)
	s.Low, s.High = max(0, i.Low), min(1, i.High)
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nagainst %s (%s)\n%s\n", r.Player, r.Opponent, r.Command, r.Game)
	switch {
	case r.Opening == 1:
		fmt.Fprintln(&b, "opening: the first stone of each pair of games is drawn")
	case r.Opening > 1:
		fmt.Fprintf(&b, "opening: the first %d stones of each pair of games are drawn\n", r.Opening)
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "as\tgames\twins\tdraws\t95 %\tmargin\t95 %\ts\twhole board\tvoid\n")
	for _, s := range []struct {
		name string
		side *Side
	}{{"Black", &r.Black}, {"White", &r.White}} {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%s\t%d\t%d\n", s.name, s.side.Games, s.side.Wins,
			s.side.Draws,
			s.side.interval(), s.side.margin(), s.side.Whole, s.side.Void)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&b, "%d of %d games distinct\n", r.Distinct, len(r.Results))
	fmt.Fprintf(&b, "final scores that agree with the board: own %d of %d, theirs %d of %d\n",
		r.OwnAgrees, r.OwnCounted, r.TheirAgrees, r.TheirCounted)
	for i := range r.Results {
		if g := &r.Results[i]; g.Void() {
			fmt.Fprintf(&b, "game %d is void: %s\n", g.Number+1, g.Why)
		}
	}
	if r.Interrupted != nil {
		fmt.Fprintln(&b, r.Interrupted.Note())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Side) interval() string {
	if s.Games == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f to %.0f %%", 100*s.Low, 100*s.High)
}

func (s *Side) margin() string {
	switch s.Margin.N {
	case 0:
		return "-\t-\t-"
	case 1:
		return fmt.Sprintf("%+.2f\t-\t-", s.Margin.Mean)
	}
	return fmt.Sprintf("%+.2f\t%s\t%.1f",
		s.Margin.Mean, s.Margin.Interval().Text("%+.2f"), s.Margin.SD())
}
