package history

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/trainer"
)

// Axis is what a curve goes along.
type Axis string

// The axes.
const (
	Iterations Axis = "iterations" // finished
	Games      Axis = "games"      // of self-play, played so far
	Hours      Axis = "hours"      // that the run has taken, over all sittings
)

// Axes lists them all.
func Axes() []Axis { return []Axis{Iterations, Games, Hours} }

// ParseAxis reads the name of an axis.
func ParseAxis(text string) (Axis, error) {
	for _, a := range Axes() {
		if string(a) == text {
			return a, nil
		}
	}
	return "", fmt.Errorf("there is no axis %q: iterations, games or hours is wanted", text)
}

// Point is one point of a curve. Low and High bound the 95 % interval; they are
// NaN where there is none, and infinite where games set no bound.
type Point struct{ X, Y, Low, High float64 }

// Names of curves that others are told apart by.
const (
	Sum    = "strength/sum"   // points summed over the seats
	Rating = "ratings/rating" // Elo over UCT, by the last estimate
)

// Points is the name of the curve of a seat's points.
func Points(seat string) string { return "strength/points/" + seat }

// records lists the records of all kinds: they have no names in common.
func (r *Run) records() [][]Record { return [][]Record{r.Iterations, r.Evaluations, r.Gates} }

// Names lists the curves, in order of their first appearance. Losses that are
// zero throughout are left out: they are of a head that the network has not.
func (r *Run) Names() []string {
	var names []string
	nonzero := map[string]bool{} // by name seen
	for _, list := range r.records() {
		for i := range list {
			for _, v := range list[i].Values {
				if _, ok := nonzero[v.Name]; !ok {
					names = append(names, v.Name)
				}
				nonzero[v.Name] = nonzero[v.Name] || v.X != 0
			}
		}
	}
	kept := names[:0]
	for _, name := range names {
		loss := strings.HasPrefix(name, "losses/") || strings.HasPrefix(name, "held_out/")
		if nonzero[name] || !loss {
			kept = append(kept, name)
		}
	}
	for _, n := range r.rated() {
		for _, v := range ratingValues(n.Elo) {
			if !slices.Contains(kept, v.Name) {
				kept = append(kept, v.Name)
			}
		}
	}
	return kept
}

// At is where the network that an iteration left stands on an axis; false where
// the event log does not tell.
func (r *Run) At(iteration int, by Axis) (float64, bool) {
	if iteration == 0 || by == Iterations {
		return float64(iteration), true
	}
	i, ok := slices.BinarySearchFunc(r.Iterations, iteration, func(x Record, n int) int { return x.Iteration - n })
	switch {
	case !ok:
		return 0, false
	case by == Hours:
		return r.Iterations[i].Progress.Elapsed / 3600, true
	}
	return float64(r.Iterations[i].Progress.Games), true
}

// Curve is the curve of a name (see Names), in order of iterations. Points of a
// network whose place on the axis is not known are left out; a name that the
// run has not gives none.
func (r *Run) Curve(name string, by Axis) []Point {
	var curve []Point
	add := func(iteration int, y, low, high float64) {
		if x, ok := r.At(iteration, by); ok {
			curve = append(curve, Point{x, y, low, high})
		}
	}
	if name == Rating {
		for _, n := range r.rated() {
			low, high := Bounds(n.Elo)
			add(n.Iteration, n.Rating, low, high)
		}
		return curve
	}
	width := ""
	if seat, ok := strings.CutPrefix(name, "strength/points/"); ok {
		width = "strength/ci95/" + seat
	} else if name == Sum {
		width = "strength/sum_ci95"
	}
	for _, list := range r.records() {
		for i := range list {
			y, ok := list[i].Value(name)
			if !ok {
				continue
			}
			low, high := math.NaN(), math.NaN()
			if width != "" {
				low, high = math.Inf(-1), math.Inf(1)
				if w, ok := list[i].Value(width); ok {
					low, high = y-w, y+w
				}
			}
			add(list[i].Iteration, y, low, high)
		}
	}
	return curve
}

// rated are the ratings by the last estimate, and of networks that it has not
// the ones told when they were evaluated, ascending by iteration.
func (r *Run) rated() []trainer.NetworkRating {
	var list []trainer.NetworkRating
	known := map[int]trainer.NetworkRating{}
	for _, n := range r.Ratings.Networks {
		known[n.Iteration] = n
	}
	for _, e := range r.Evaluations {
		n, ok := known[e.Iteration]
		if !ok {
			if e.Strength.Elo == nil {
				continue
			}
			n = trainer.NetworkRating{Iteration: e.Iteration, Elo: *e.Strength.Elo}
		}
		list = append(list, n)
	}
	return list
}

// RatingOf is the rating of an iteration's network; nil without one.
func (r *Run) RatingOf(iteration int) *trainer.Elo {
	for _, n := range r.rated() {
		if n.Iteration == iteration {
			return &n.Elo
		}
	}
	return nil
}

// ratingValues are the figures of a rating; a bound that games did not set is none.
func ratingValues(e trainer.Elo) []Value {
	list := []Value{{Rating, e.Rating}}
	if e.Low != nil {
		list = append(list, Value{Rating + "_low", *e.Low})
	}
	if e.High != nil {
		list = append(list, Value{Rating + "_high", *e.High})
	}
	return list
}

// Bounds are a rating's bounds as numbers, infinite where games set none.
func Bounds(e trainer.Elo) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if e.Low != nil {
		low = *e.Low
	}
	if e.High != nil {
		high = *e.High
	}
	return low, high
}
