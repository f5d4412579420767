package trainer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"tengen/arena/rating"
	"tengen/game"
	"tengen/vfs"
)

// maxRatedNetworks is the number of networks, those of the last iterations, that
// are rated anew at each evaluation. It bounds the time of an estimate, which
// grows with its cube, to some seconds.
const maxRatedNetworks = 100

// Ratings is eval/ratings.json: how strong the evaluated networks of a run are.
type Ratings struct {
	Anchor   string          `json:"anchor"` // the player whose rating is 0
	Games    int             `json:"games"`  // behind the last estimate
	Networks []NetworkRating `json:"networks"`
	Seats    []SeatRating    `json:"seats"` // what each seat is worth beside the first
}

// NetworkRating is the rating of one network.
type NetworkRating struct {
	Iteration int `json:"iteration"` // that left it
	Games     int `json:"games"`     // in which it played
	Elo
}

// SeatRating is the advantage of a seat over the first.
type SeatRating struct {
	Seat string `json:"seat"`
	Elo
}

// Elo is a rating with its 95 % interval, in Elo. A bound is nil where games set
// none.
type Elo struct {
	Rating float64  `json:"rating"`
	Low    *float64 `json:"rating_low"`
	High   *float64 `json:"rating_high"`
}

func eloOf(r rating.Rating) Elo { return Elo{r.Elo, finite(r.Low), finite(r.High)} }

// bounds are the bounds as numbers, infinite where there are none.
func (e Elo) bounds() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if e.Low != nil {
		low = *e.Low
	}
	if e.High != nil {
		high = *e.High
	}
	return low, high
}

// finite is nil for what JSON has no number for.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// rate estimates ratings from the last maxRatedGames games among UCT and the
// last maxRatedNetworks networks. Where an evaluation was played twice, as
// after a crash, the later games count.
func rate(g game.Game, all []EvaluationGame) (*Ratings, error) {
	all = laterOnes(all)
	var iterations []int
	for _, x := range all {
		for _, name := range x.Players {
			if n, err := strconv.Atoi(name); err == nil {
				iterations = append(iterations, n)
			}
		}
	}
	slices.Sort(iterations)
	iterations = slices.Compact(iterations)
	iterations = iterations[max(0, len(iterations)-maxRatedNetworks):]
	player := map[string]int{anchorName: 0}
	for i, n := range iterations {
		player[networkName(n)] = i + 1
	}
	var games []rating.Game
	type round struct{ evaluation, round int }
	groups := map[round]int{}
	for _, x := range all {
		r := rating.Game{Players: make([]int, len(x.Players)), Scores: make([]float64, len(x.Scores))}
		known := true
		for seat, name := range x.Players {
			i, ok := player[name]
			known = known && ok
			r.Players[seat], r.Scores[seat] = i, float64(x.Scores[seat])
		}
		if !known {
			continue
		}
		if x.Round != 0 {
			id := round{x.Evaluation, x.Round}
			if groups[id] == 0 {
				groups[id] = len(groups) + 1
			}
			r.Group = groups[id]
		}
		games = append(games, r)
	}
	fit, err := rating.Fit(len(player), games, rating.Options{Anchor: 0, Seats: true})
	if err != nil {
		return nil, err
	}
	r := &Ratings{Anchor: baseline.Name(), Games: len(games)}
	for i, n := range iterations {
		if x := fit.Ratings[i+1]; fit.Connected[i+1] {
			r.Networks = append(r.Networks, NetworkRating{n, x.Games, eloOf(x)})
		}
	}
	for seat, x := range fit.Seats {
		r.Seats = append(r.Seats, SeatRating{game.SeatName(g, game.Player(seat)), eloOf(x)})
	}
	return r, nil
}

// laterOnes are the last maxRatedGames games, in their order, and of those with
// the same evaluation and number the last.
func laterOnes(all []EvaluationGame) []EvaluationGame {
	seen := map[[2]int]bool{}
	var list []EvaluationGame
	for _, x := range slices.Backward(all) {
		if len(list) == maxRatedGames {
			break
		}
		if id := [2]int{x.Evaluation, x.Number}; !seen[id] {
			seen[id] = true
			list = append(list, x)
		}
	}
	slices.Reverse(list)
	return list
}

// of is the rating of an iteration's network; nil where there is none.
func (r *Ratings) of(iteration int) *Elo {
	for i := range r.Networks {
		if r.Networks[i].Iteration == iteration {
			return &r.Networks[i].Elo
		}
	}
	return nil
}

// best is the iteration of the network with the greatest rating; false without any.
func (r *Ratings) best() (iteration int, ok bool) {
	greatest := math.Inf(-1)
	for _, n := range r.Networks {
		if n.Rating > greatest {
			iteration, greatest, ok = n.Iteration, n.Rating, true
		}
	}
	return iteration, ok
}

// keepOld adds the networks that only an earlier estimate has.
func (r *Ratings) keepOld(earlier *Ratings) {
	for _, n := range earlier.Networks {
		if r.of(n.Iteration) == nil {
			r.Networks = append(r.Networks, n)
		}
	}
	slices.SortFunc(r.Networks, func(a, b NetworkRating) int { return a.Iteration - b.Iteration })
}

// readRatings reads the file of ratings; where there is none, there are no ratings.
func (f files) readRatings() (*Ratings, error) {
	text, err := vfs.ReadFile(f.fs, f.Ratings())
	if errors.Is(err, fs.ErrNotExist) {
		return new(Ratings), nil
	}
	r := new(Ratings)
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err != nil {
		return new(Ratings), fmt.Errorf("read the ratings: %w", err)
	}
	return r, nil
}
