package rating

import (
	"encoding/json"
	"math"

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
