package run

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"tengen/internal/interval"
)

// Strength is the result of the evaluation of a network: matches against UCT and
// earlier networks.
type Strength struct {
	Points   []float64 `json:"points"` // mean score by seat, with UCT in all other seats
	CI       []Width   `json:"ci95"`
	Baseline []float64 `json:"baseline"` // of UCT in all seats
	Sum      float64   `json:"sum"`
	SumCI    Width     `json:"sum_ci95"`
	Games    int       `json:"games"` // for each seat
	Against  string    `json:"against"`
	Earlier  []Earlier `json:"earlier,omitempty"` // matches against earlier networks
	// the match against a rung of the game's ruler; nil: none
	Rung    *Rung   `json:"rung,omitempty"`
	*Elo            // relative to UCT, from all evaluations so far; nil if there is no rating
	Elapsed float64 `json:"elapsed_seconds"` // of the run, when the evaluation ended
}

// Earlier is the result of a match against an earlier network.
type Earlier struct {
	Iteration int `json:"iteration"` // of the earlier network
	// mean utility minus the earlier network's, over the distinct rounds
	Difference float64 `json:"difference"`
	CI         Width   `json:"ci95"`
	Games      int     `json:"games"`
	Rounds     int     `json:"rounds"`          // each has all seatings with one opening
	Distinct   int     `json:"distinct_rounds"` // those that count
	Opening    int     `json:"opening"`         // random decisions at the start of each game
}

// Rung is the result of a match against a player of the game's ruler, whose strength is known.
type Rung struct {
	Player string  `json:"player"`
	Elo    float64 `json:"elo"` // its rating, relative to UCT
	// mean utility minus the rung's, over the distinct rounds
	Difference float64 `json:"difference"`
	CI         Width   `json:"ci95"`
	Games      int     `json:"games"`
	Rounds     int     `json:"rounds"` // each has all seatings with one opening
}

// Seats returns the mean points by seat: "14.1 / 9.0 / 8.2".
func (s *Strength) Seats() string {
	words := make([]string, len(s.Points))
	for i, p := range s.Points {
		words[i] = fmt.Sprintf("%.*f", s.digits(), p)
	}
	return strings.Join(words, " / ")
}

// Total returns the sum over the seats with its interval: "31.3 ± 2.0".
func (s *Strength) Total() string {
	return fmt.Sprintf("%.*f ± %.*f", s.digits(), s.Sum, s.digits(), float64(s.SumCI))
}

// digits returns the number of decimals that are significant: more if a win is worth 1
// than if the board is worth 25 points.
func (s *Strength) digits() int {
	most := s.Sum
	for _, points := range s.Baseline {
		most = max(most, points)
	}
	if most <= float64(len(s.Points)) {
		return 2
	}
	return 1
}

// Elo is a rating with its 95 % interval. A bound is nil if the games determine none.
type Elo struct {
	Rating float64  `json:"rating"`
	Low    *float64 `json:"rating_low"`
	High   *float64 `json:"rating_high"`
}

// NewElo returns a rating whose bounds may be infinite.
func NewElo(rating, low, high float64) Elo {
	return Elo{rating, interval.OrNull(low), interval.OrNull(high)}
}

// Bounds returns the bounds of the interval, infinite if there are none.
func (e Elo) Bounds() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if e.Low != nil {
		low = *e.Low
	}
	if e.High != nil {
		high = *e.High
	}
	return low, high
}

// String returns "+120 Elo (60 to 180)".
func (e *Elo) String() string {
	low, high := e.Bounds()
	return fmt.Sprintf("%+.0f Elo (%.0f to %.0f)", e.Rating, low, high)
}

// Width is half the width of an interval. Too few games make it infinite, which is
// null in JSON.
type Width float64

// Finite returns the width, nil if it is infinite.
func (w Width) Finite() *float64 { return interval.OrNull(float64(w)) }

// MarshalJSON writes a number or null.
func (w Width) MarshalJSON() ([]byte, error) { return json.Marshal(w.Finite()) }

// UnmarshalJSON reads what MarshalJSON writes.
func (w *Width) UnmarshalJSON(text []byte) error {
	x := math.Inf(1)
	err := json.Unmarshal(text, &x) // null leaves x unchanged
	*w = Width(x)
	return err
}
