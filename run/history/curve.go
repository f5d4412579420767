package history

import (
	"fmt"
	"math"
	"strings"

	"tengen/run"
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

// tables lists the tables: they have no names in common.
func (r *Run) tables() []*Table { return []*Table{&r.Iterations, &r.Evaluations, &r.Gates} }

// Names lists the curves, in order of their first appearance. Losses that are
// zero throughout are left out: they are of a head that the network has not.
func (r *Run) Names() []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, t := range r.tables() {
		for _, name := range t.names {
			loss := strings.HasPrefix(name, "losses/") || strings.HasPrefix(name, "held_out/")
			x := t.Column(name)
			for i := range t.Rows {
				if v := x(i); !math.IsNaN(v) && (v != 0 || !loss) {
					add(name)
					break
				}
			}
		}
	}
	for _, n := range r.rated() {
		for _, f := range ratingFigures(n.Elo) {
			add(f.name)
		}
	}
	return names
}

// At is where the network that an iteration left stands on an axis; false where
// the event log does not tell.
func (r *Run) At(iteration int, by Axis) (float64, bool) {
	if iteration == 0 || by == Iterations {
		return float64(iteration), true
	}
	i, ok := r.Iterations.find(iteration)
	if !ok {
		return 0, false
	}
	x := r.Iterations.Column("games")(i)
	if by == Hours {
		x = r.Iterations.Column("elapsed_seconds")(i) / 3600
	}
	return x, !math.IsNaN(x)
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
			low, high := n.Bounds()
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
	for _, t := range r.tables() {
		ys, widths := t.Column(name), t.Column(width)
		for i, row := range t.Rows {
			y := ys(i)
			if math.IsNaN(y) {
				continue
			}
			low, high := math.NaN(), math.NaN()
			if width != "" {
				low, high = math.Inf(-1), math.Inf(1)
				if w := widths(i); !math.IsNaN(w) {
					low, high = y-w, y+w
				}
			}
			add(row.Iteration, y, low, high)
		}
	}
	return curve
}

// rated are the ratings by the last estimate, and of networks that it has not
// the ones told when they were evaluated, ascending by iteration.
func (r *Run) rated() []run.NetworkRating {
	var list []run.NetworkRating
	known := map[int]run.NetworkRating{}
	for _, n := range r.Ratings.Networks {
		known[n.Iteration] = n
	}
	for _, e := range r.Evaluations.Rows {
		n, ok := known[e.Iteration]
		if !ok {
			if e.Strength.Elo == nil {
				continue
			}
			n = run.NetworkRating{Iteration: e.Iteration, Elo: *e.Strength.Elo}
		}
		list = append(list, n)
	}
	return list
}

// RatingOf is the rating of an iteration's network; nil without one.
func (r *Run) RatingOf(iteration int) *run.Elo {
	ratings := run.Ratings{Networks: r.rated()}
	return ratings.Of(iteration)
}

// ratingFigures are the figures of a rating; a bound that games did not set is none.
func ratingFigures(e run.Elo) []figure {
	list := []figure{{Rating, e.Rating}}
	if e.Low != nil {
		list = append(list, figure{Rating + "_low", *e.Low})
	}
	if e.High != nil {
		list = append(list, figure{Rating + "_high", *e.High})
	}
	return list
}
