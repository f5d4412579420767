package rating

import (
	"fmt"
	"math"
	"slices"
)

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
