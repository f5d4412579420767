package inspect

import (
	"errors"
	"fmt"
	"path/filepath"

	"tengen/arena"
	"tengen/game"
	"tengen/run"
)

// Evaluation describes eval/000042.json: a network of a run in each seat against a baseline.
// See docs/formats/run.md.
type Evaluation struct {
	Iteration int       `json:"iteration"` // of the network
	Game      string    `json:"game"`
	Player    string    `json:"player"`
	Baseline  string    `json:"baseline"`
	Games     int       `json:"games"`         // of the network against the baseline
	Sum       arena.Sum `json:"sum"`           // mean points, summed over the seats
	Earlier   int       `json:"earlier"`       // matches against earlier networks
	Elo       *run.Elo  `json:"elo,omitempty"` // rating relative to UCT; null if there is none
}

// evaluation inspects the result of an evaluation.
func (i *inspector) evaluation(path string) error {
	var file struct {
		Iteration *int `json:"iteration"`
		*arena.Report
		Sum     *arena.Sum    `json:"sum"` // hides the report's
		Earlier []run.Earlier `json:"earlier"`
		*run.Elo
	}
	if ok, err := i.decode(path, &file); !ok {
		return err
	}
	if file.Iteration == nil || *file.Iteration < 0 || file.Report == nil || file.Game == "" ||
		file.Player == "" || file.Baseline == "" || len(file.Seats) == 0 || file.Sum == nil {
		i.found.damaged(Finding{
			Path: path, What: `the fields "iteration", "game", "player", "baseline", "seats" and "sum" are wanted`,
		})
		return nil
	}
	i.found.Evaluation = &Evaluation{
		Iteration: *file.Iteration, Game: file.Game, Player: file.Player, Baseline: file.Baseline,
		Games: file.Games, Sum: *file.Sum, Earlier: len(file.Earlier), Elo: file.Elo,
	}
	if n, ok := run.EvaluationOf(filepath.Base(path)); ok && n != *file.Iteration {
		i.found.damaged(Finding{
			Path: path, What: fmt.Sprintf("it is of iteration %d", *file.Iteration),
		})
	}
	if g, err := game.New(file.Game); err != nil {
		i.found.note(Finding{
			Path: path, What: fmt.Sprintf("this program does not know its game: %v", err),
		})
	} else if len(file.Seats) != g.Players() {
		i.found.damaged(Finding{
			Path: path, What: fmt.Sprintf("%d seats in a game of %d players",
				len(file.Seats), g.Players()),
		})
	}
	if file.Elo != nil {
		if err := bounded(*file.Elo); err != nil {
			i.found.damaged(Finding{Path: path, What: err.Error()})
		}
	}
	return nil
}

// Ratings describes eval/ratings.json: the ratings of the evaluated networks of a run. See
// docs/formats/run.md.
type Ratings struct {
	Anchor   string             `json:"anchor"` // the player whose rating is 0
	Games    int                `json:"games"`  // used in the last estimate
	Networks int                `json:"networks"`
	Seats    int                `json:"seats"`
	Last     *run.NetworkRating `json:"last"` // of the latest network; null without any
	Best     *run.NetworkRating `json:"best"` // the greatest rating; null without any
}

// ratings inspects the ratings of a run's networks.
func (i *inspector) ratings(path string) error {
	var file run.Ratings
	if ok, err := i.decode(path, &file); !ok {
		return err
	}
	if file.Anchor == "" {
		i.found.damaged(Finding{Path: path, What: `the field "anchor" is wanted`})
		return nil
	}
	r := &Ratings{
		Anchor: file.Anchor, Games: file.Games, Networks: len(file.Networks),
		Seats: len(file.Seats),
	}
	i.found.Ratings = r
	for k := range file.Networks {
		n := &file.Networks[k]
		if k > 0 && n.Iteration <= r.Last.Iteration {
			i.found.damaged(Finding{
				Path: path,
				What: fmt.Sprintf("the network of iteration %d comes after that of iteration %d",
					n.Iteration, r.Last.Iteration),
			})
		}
		if err := bounded(n.Elo); err != nil {
			i.found.damaged(Finding{
				Path: path, What: fmt.Sprintf("iteration %d: %v", n.Iteration, err),
			})
		}
		r.Last = n
		if r.Best == nil || n.Rating > r.Best.Rating {
			r.Best = n
		}
	}
	for _, s := range file.Seats {
		if err := bounded(s.Elo); err != nil {
			i.found.damaged(Finding{Path: path, What: fmt.Sprintf("seat %.200s: %v", s.Seat, err)})
		}
	}
	return nil
}

// bounded returns an error if the bounds of a rating are in the wrong order.
func bounded(e run.Elo) error {
	if e.Low != nil && e.High != nil && *e.Low > *e.High {
		return errors.New("the lower bound of the rating is above the upper one")
	}
	return nil
}
