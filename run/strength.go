package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"tengen/internal/interval"
	"tengen/internal/runid"
	"tengen/vfs"
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
	// the match against an anchor of the game's anchor ladder; nil: none
	Anchor  *Anchor `json:"rung,omitempty"`
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

// Anchor is the result of a match against a player of the game's anchor ladder, whose strength is
// known.
type Anchor struct {
	Player string  `json:"player"`
	Elo    float64 `json:"elo"` // its rating, relative to UCT
	// mean utility minus the anchor's, over the distinct rounds
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

// Ratings is the content of eval/ratings.json: the strength of the evaluated networks.
type Ratings struct {
	Anchor   string          `json:"anchor"` // the player whose rating is 0
	Games    int             `json:"games"`  // used in the last estimate
	Networks []NetworkRating `json:"networks"`
	Seats    []SeatRating    `json:"seats"` // advantage of each seat over the first
	Run      runid.ID        `json:"run,omitempty"`
}

// NetworkRating is the rating of one network.
type NetworkRating struct {
	Iteration int `json:"iteration"`
	Games     int `json:"games"` // in which it played
	Elo
}

// SeatRating is the advantage of a seat over the first.
type SeatRating struct {
	Seat string `json:"seat"`
	Elo
}

// Of returns the rating of an iteration's network, nil if there is none.
func (r *Ratings) Of(iteration int) *Elo {
	for i := range r.Networks {
		if r.Networks[i].Iteration == iteration {
			return &r.Networks[i].Elo
		}
	}
	return nil
}

// ReadRatings reads the ratings. If there is no file, it returns empty ratings; after
// an error too.
func (f Files) ReadRatings() (*Ratings, error) {
	text, err := vfs.ReadFileUpTo(f.FS, f.Ratings(), MaxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return new(Ratings), nil
	}
	r := new(Ratings)
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err == nil {
		err = f.Check(r.Run)
	}
	if err != nil {
		return new(Ratings), fmt.Errorf("ratings %s: %w", f.Ratings(), err)
	}
	return r, nil
}

// Best returns the iteration of the network with the highest rating, false if there are
// no networks.
func (r *Ratings) Best() (iteration int, ok bool) {
	highest := math.Inf(-1)
	for _, n := range r.Networks {
		if n.Rating > highest {
			iteration, highest, ok = n.Iteration, n.Rating, true
		}
	}
	return iteration, ok
}

// maxRatings is the number of networks up to which AddMissing adds: what the file holds does not
// grow with the run.
const maxRatings = 1000

// AddMissing adds the networks that only an earlier estimate has. If there are too many, it evenly
// thins out the older half, but for the best: their evaluations tell their ratings too.
func (r *Ratings) AddMissing(earlier *Ratings) {
	known := make(map[int]bool, len(r.Networks))
	for _, n := range r.Networks {
		known[n.Iteration] = true
	}
	for _, n := range earlier.Networks {
		if !known[n.Iteration] {
			r.Networks = append(r.Networks, n)
		}
	}
	slices.SortFunc(r.Networks, func(a, b NetworkRating) int {
		return cmp.Compare(a.Iteration, b.Iteration)
	})
	best, _ := r.Best()
	for len(r.Networks) > maxRatings {
		closest := 1
		for i := 1; i < maxRatings/2; i++ {
			if n := r.Networks; n[i].Iteration != best && (n[closest].Iteration == best ||
				n[i+1].Iteration-n[i-1].Iteration <
					n[closest+1].Iteration-n[closest-1].Iteration) {
				closest = i
			}
		}
		r.Networks = slices.Delete(r.Networks, closest, closest+1)
	}
}
