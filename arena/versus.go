package arena

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"tengen/game"
	"tengen/player"
)

// Versus compares a player with a baseline as Table 3 and Figure 3 of the multiplayer Go paper
// do: the player in each seat in turn against the baseline in all others, and the baseline in
// all seats.
type Versus struct {
	Game     game.Game
	Player   player.Player
	Baseline player.Player
	Games    int // for each seat
	// BaselineGames is the number of games with the baseline in all seats. 0 stands for Games;
	// a negative number leaves these games out.
	BaselineGames           int
	Opening                 int // decisions drawn at the start of each game, as in Match
	Seed                    uint64
	Workers, GamesPerWorker int
	// keeps the player's games, not those of the baseline alone: OpenMatchStore's of Match; may be
	// nil
	Store  *Store
	Remote RemoteWorkers // as in Match; of the players Player and Baseline, in this order
}

// Report is the result of a Versus.
type Report struct {
	Game     string       `json:"game"`
	Player   string       `json:"player"`
	Baseline string       `json:"baseline"`
	Seats    []SeatResult `json:"seats"`
	// the player's points, summed over the seats
	Sum          Sum    `json:"sum"`
	BaseSum      *Sum   `json:"baseline_sum,omitempty"` // the baseline's own
	Opening      int    `json:"opening"`                // decisions drawn at the start of each game
	Distinct     int    `json:"distinct_games"`         // of Games
	Games        int    `json:"games"`                  // of the player
	BaseDistinct int    `json:"baseline_distinct_games,omitempty"`
	BaseGames    int    `json:"baseline_games,omitempty"` // with the baseline in all seats
	Seed         uint64 `json:"seed"`
	// Interrupted says which games count if the match ended before its last one.
	Interrupted *Interrupted `json:"interrupted,omitempty"`

	// Results are the player's games: in seating p, the player had seat p and the
	// baseline all others. BaseResults are the baseline's own.
	Results     []Result `json:"-"`
	BaseResults []Result `json:"-"`
}

// SeatResult is the player's result in one seat.
type SeatResult struct {
	Name   string `json:"seat"`
	Points Stat   `json:"points"` // raw score
	// share of a win: 1/k if k players tie for first
	Wins Stat `json:"wins"`
	// the baseline in this seat, with the baseline in all seats
	Base *Stat `json:"baseline_points,omitempty"`
}

// Match returns the match of the player's games.
func (v *Versus) Match() *Match {
	players := v.Game.Players()
	m := &Match{
		Game: v.Game, Players: []player.Player{v.Player, v.Baseline},
		Games: v.Games * players, Seed: v.Seed, Workers: v.Workers,
		GamesPerWorker: v.GamesPerWorker, Opening: v.Opening,
		Store: v.Store, Remote: v.Remote,
	}
	for p := range players {
		seating := make([]int, players)
		for i := range seating {
			seating[i] = 1
		}
		seating[p] = 0
		m.Seatings = append(m.Seatings, seating)
	}
	return m
}

// Play plays the games. progress is as in Match.Play, with the number of all games. If ctx ends or
// an evaluator fails, Play returns the report of the games that count, and an *Interrupted.
func (v *Versus) Play(ctx context.Context, progress func(finished, all int)) (*Report, error) {
	players := v.Game.Players()
	r := &Report{
		Game: v.Game.Name(), Player: v.Player.Name(), Baseline: v.Baseline.Name(),
		Seats: make([]SeatResult, players), Seed: v.Seed, Opening: v.Opening,
	}
	baselineGames := v.BaselineGames
	if baselineGames == 0 {
		baselineGames = v.Games
	}
	baselineGames = max(0, baselineGames)
	all := v.Games*players + baselineGames
	report := func(before int) func(int) {
		return func(n int) {
			if progress != nil {
				progress(before+n, all)
			}
		}
	}
	m := v.Match()
	// interrupted makes an interruption of a match one of the whole, and returns other errors.
	interrupted := func(before int, err error) error {
		if i := InterruptedBy(err); i != nil {
			r.Interrupted = i.And(before, all)
			return nil
		}
		return err
	}
	results, err := m.Play(ctx, report(0))
	if err := interrupted(0, err); err != nil {
		return nil, err
	}
	r.Results, r.Games, r.Distinct = results, len(results), Distinct(results)
	least, most := game.ScoreRange(v.Game)
	for p := range r.Seats {
		s := &r.Seats[p]
		s.Points.Least, s.Points.Most, s.Wins.Least, s.Wins.Most = least, most, 0, 1
	}
	for _, g := range results {
		seat := &r.Seats[g.Seating]
		seat.Points.Add(float64(g.Scores[g.Seating]))
		seat.Wins.Add(winShare(g.Scores, g.Seating))
	}
	points, base := make([]Stat, players), make([]Stat, players)
	for p := range base {
		base[p].Least, base[p].Most = least, most
	}
	if baselineGames > 0 && r.Interrupted == nil {
		everywhere := make([]int, players)
		for i := range everywhere {
			everywhere[i] = 1
		}
		m.Seatings, m.Games, m.Store = [][]int{everywhere}, baselineGames, nil
		results, err := m.Play(ctx, report(r.Games))
		if err := interrupted(r.Games, err); err != nil {
			return nil, err
		}
		for _, g := range results {
			for p := range players {
				base[p].Add(float64(g.Scores[p]))
			}
		}
		// The seats of a game are not independent, so the sum of each game is one observation.
		var whole Stat
		if _, ok := v.Game.(game.ConstantSum); !ok { // else the sum hardly varies, or not at all
			whole.Least, whole.Most = float64(players)*least, float64(players)*most
		}
		for _, g := range results {
			sum := 0.0
			for _, s := range g.Scores {
				sum += float64(s)
			}
			whole.Add(sum)
		}
		r.BaseGames, r.BaseDistinct, r.BaseResults = len(results), Distinct(results), results
		if r.BaseGames > 0 {
			r.BaseSum = &Sum{Mean: whole.Mean, Interval: whole.Interval()}
		}
	}
	for p := range players {
		r.Seats[p].Name = game.SeatName(v.Game, game.Player(p))
		if r.BaseGames > 0 {
			r.Seats[p].Base = &base[p]
		}
		points[p] = r.Seats[p].Points
	}
	r.Sum = SumOf(points)
	if r.Interrupted != nil {
		return r, r.Interrupted
	}
	return r, nil
}

// winShare returns 1 for a sole winner and 1/k for each of k players who tie for first.
func winShare(scores []float32, seat int) float64 {
	leaders := 0
	for _, s := range scores {
		if s > scores[seat] {
			return 0
		}
		if s == scores[seat] {
			leaders++
		}
	}
	return 1 / float64(leaders)
}

// WriteText prints the report as a table.
func (r *Report) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s\nin each seat against %s\n", r.Player, r.Baseline)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\t%s\t95 %%\ts\twins\tgames\t%s alone\n",
		game.ScoreUnitOf(r.Game), kindOf(r.Baseline))
	for _, s := range r.Seats {
		base := ""
		if s.Base != nil {
			base = s.Base.String()
		}
		fmt.Fprintf(t, "%s\t%.2f\t%s\t%.1f\t%.0f %%\t%d\t%s\n", s.Name, s.Points.Mean,
			s.Points.Interval().Text("%.2f"), s.Points.SD(), 100*s.Wins.Mean, s.Points.N, base)
	}
	base := ""
	if r.BaseSum != nil {
		base = fmt.Sprintf("%.1f (%s)", r.BaseSum.Mean, r.BaseSum.Interval.Text("%.1f"))
	}
	fmt.Fprintf(t, "sum\t%.2f\t%s\t\t\t%d\t%s\n",
		r.Sum.Mean, r.Sum.Interval.Text("%.2f"), r.Games, base)
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Opening > 0 {
		first := "first decision of each game is"
		if r.Opening > 1 {
			first = fmt.Sprintf("first %d decisions of each game are", r.Opening)
		}
		fmt.Fprintf(w, "opening: the %s drawn, each legal action equally likely\n", first)
	}
	distinct := fmt.Sprintf("%d of %d games distinct", r.Distinct, r.Games)
	if r.BaseGames > 0 {
		distinct += fmt.Sprintf(", %d of the %d of %s alone",
			r.BaseDistinct, r.BaseGames, kindOf(r.Baseline))
	}
	if r.Interrupted != nil {
		distinct += "\n" + r.Interrupted.Note()
	}
	_, err := fmt.Fprintln(w, distinct)
	return err
}

// kindOf returns the part of a player's name before the colon.
func kindOf(name string) string {
	for i := range name {
		if name[i] == ':' {
			return name[:i]
		}
	}
	return name
}
