package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"tengen/internal/runid"
	"tengen/vfs"
)

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

// AddMissing adds the networks that only an earlier estimate has.
func (r *Ratings) AddMissing(earlier *Ratings) {
	for _, n := range earlier.Networks {
		if r.Of(n.Iteration) == nil {
			r.Networks = append(r.Networks, n)
		}
	}
	slices.SortFunc(r.Networks, func(a, b NetworkRating) int { return a.Iteration - b.Iteration })
}
