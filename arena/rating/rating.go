package rating

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"tengen/internal/interval"
)

// eloPerNat converts natural logarithms of odds into Elo.
const eloPerNat = 400 / math.Ln10

// Game is a finished game: the players by seat and their results.
type Game struct {
	// Players[s] is the index of the player in seat s. A player may hold
	// several seats.
	Players []int
	// Scores[s] is the result of seat s: higher is better, equal scores tie.
	// Only their order counts.
	Scores []float64
	// Group, if not 0, is shared by games that are not independent of each other, such as
	// those from one opening with the seats exchanged. Intervals are widened if the
	// results within groups are correlated.
	Group int
}

// Options configures Fit.
type Options struct {
	Anchor       int     // player whose rating is AnchorRating
	AnchorRating float64 // Elo
	// Fixed has the ratings of players that are known, in Elo: those of an anchor ladder. They are
	// not estimated, and have intervals without width. The anchor is not one of them.
	Fixed map[int]float64
	Seats bool // also estimate an advantage for each seat
}

// Rating is an estimate in Elo with its 95 % interval. Low is -Inf, or High +Inf, if
// the games set no bound on that side.
type Rating struct {
	Elo       float64
	Low, High float64
	Games     int // games in which the player or seat took part
}

// MarshalJSON writes elo, low, high and games; an infinite bound is null.
func (r Rating) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Elo   *float64 `json:"elo"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
		Games int      `json:"games"`
	}{interval.OrNull(r.Elo), interval.OrNull(r.Low), interval.OrNull(r.High), r.Games})
}

// Result is the result of Fit.
type Result struct {
	// Ratings has one element per player. Intervals are of the difference to the anchor,
	// whose own interval has no width.
	Ratings []Rating
	// Seats has the advantage of each seat over the first, in Elo, if Options.Seats is
	// set: Seats[0] is 0, and its interval has no width.
	Seats []Rating
	// Dominance[i][j] is the fraction of meetings in which i finished before j, ties
	// counting half. Each two seats of one game held by i and j are a meeting. It is NaN
	// if they never met, and on the diagonal.
	Dominance [][]float64
	// Meetings[i][j] is the number of meetings of i and j.
	Meetings [][]int
	// Connected[i] reports whether a chain of meetings links player i to the anchor or to a player
	// of Options.Fixed. The
	// ratings of others mean nothing, and have infinite intervals.
	Connected []bool
}

const (
	// priorGames is the weight of the win, and of the loss, against an absent player that
	// the prior gives to each player.
	priorGames = 0.5
	// maxSeats bounds the work for games in which any subset may tie.
	maxSeats = 12
)

// Fit estimates the ratings of players 0 to players-1 from games. It returns an error
// if a game has another player in a seat, fewer than 2 or more than 12 seats, or not
// one score per seat.
func Fit(players int, games []Game, o Options) (*Result, error) {
	if err := validate(players, games, o); err != nil {
		return nil, err
	}
	r := &Result{Ratings: make([]Rating, players)}
	r.Dominance, r.Meetings = dominance(players, games)
	known := []int{o.Anchor}
	for i := range o.Fixed {
		known = append(known, i)
	}
	r.Connected = connected(r.Meetings, known)

	m := newModel(players, games, o)
	in := newIntervals(m)
	for i := range r.Ratings {
		if elo, known := o.Fixed[i]; known {
			r.Ratings[i] = Rating{Elo: elo, Low: elo, High: elo}
			continue
		}
		if r.Connected[i] {
			r.Ratings[i] = in.rating(m.player[i], o.AnchorRating)
			continue
		}
		// Without a link only the prior remains.
		elo := o.AnchorRating + eloPerNat*in.estimate[m.player[i]]
		r.Ratings[i] = Rating{Elo: elo, Low: math.Inf(-1), High: math.Inf(1)}
	}
	for _, g := range games {
		for s, i := range g.Players {
			if !slices.Contains(g.Players[:s], i) {
				r.Ratings[i].Games++
			}
		}
	}
	if o.Seats {
		r.Seats = make([]Rating, len(m.seat))
		for s := range r.Seats {
			r.Seats[s] = in.rating(m.seat[s], 0)
		}
		for _, g := range games {
			for s := range g.Players {
				r.Seats[s].Games++
			}
		}
	}
	return r, nil
}

func validate(players int, games []Game, o Options) error {
	if players < 1 {
		return fmt.Errorf("rating: %d players; at least 1 is wanted", players)
	}
	if o.Anchor < 0 || o.Anchor >= players {
		return fmt.Errorf("rating: the anchor is player %d; it must be one of 0 to %d",
			o.Anchor, players-1)
	}
	if math.IsNaN(o.AnchorRating) || math.IsInf(o.AnchorRating, 0) {
		return fmt.Errorf("rating: the anchor's rating is %g; a number is wanted", o.AnchorRating)
	}
	for i, elo := range o.Fixed {
		if i < 0 || i >= players || i == o.Anchor {
			return fmt.Errorf("rating: player %d has a known rating; it must be one of 0 to %d, and not the anchor", i, players-1)
		}
		if math.IsNaN(elo) || math.IsInf(elo, 0) {
			return fmt.Errorf("rating: the known rating of player %d is %g; a number is wanted",
				i, elo)
		}
	}
	for i, g := range games {
		if n := len(g.Players); n < 2 || n > maxSeats {
			return fmt.Errorf("rating: game %d has %d seats; 2 to %d are wanted", i, n, maxSeats)
		}
		if len(g.Scores) != len(g.Players) {
			return fmt.Errorf("rating: game %d has %d seats but %d scores",
				i, len(g.Players), len(g.Scores))
		}
		for s, p := range g.Players {
			if p < 0 || p >= players {
				return fmt.Errorf("rating: game %d, seat %d: player %d; it must be one of 0 to %d",
					i, s, p, players-1)
			}
			if math.IsNaN(g.Scores[s]) {
				return fmt.Errorf("rating: game %d, seat %d: the score is not a number", i, s)
			}
		}
	}
	return nil
}

// dominance counts who finished before whom: for each two players the fraction of
// their meetings, and the number of meetings.
func dominance(players int, games []Game) (share [][]float64, meetings [][]int) {
	share = make([][]float64, players)
	meetings = make([][]int, players)
	for i := range players {
		share[i] = make([]float64, players)
		meetings[i] = make([]int, players)
	}
	for _, g := range games {
		for s, i := range g.Players {
			for z, j := range g.Players {
				if i == j {
					continue
				}
				meetings[i][j]++
				switch {
				case g.Scores[s] > g.Scores[z]:
					share[i][j]++
				case g.Scores[s] == g.Scores[z]:
					share[i][j] += 0.5
				}
			}
		}
	}
	for i := range players {
		for j := range players {
			if meetings[i][j] == 0 {
				share[i][j] = math.NaN()
			} else {
				share[i][j] /= float64(meetings[i][j])
			}
		}
	}
	return share, meetings
}

// connected reports for each player whether meetings link it to one whose rating is known.
func connected(meetings [][]int, known []int) []bool {
	linked := make([]bool, len(meetings))
	for _, i := range known {
		linked[i] = true
	}
	for queue := known; len(queue) > 0; queue = queue[1:] {
		for j, n := range meetings[queue[0]] {
			if n > 0 && !linked[j] {
				linked[j] = true
				queue = append(queue, j)
			}
		}
	}
	return linked
}
