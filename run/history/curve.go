package history

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/run"
)

// Axis is the horizontal axis of a curve.
type Axis string

// The axes.
const (
	Iterations Axis = "iterations" // finished
	Games      Axis = "games"      // of self-play so far
	Hours      Axis = "hours"      // that the run has taken, over all processes
	// Evaluations are those that self-play has asked the network for; only runs with
	// training.evaluations count them.
	Evaluations Axis = "evaluations"
)

// Axes returns all axes.
func Axes() []Axis { return []Axis{Iterations, Games, Hours, Evaluations} }

// ParseAxis returns the axis with a name.
func ParseAxis(text string) (Axis, error) {
	for _, a := range Axes() {
		if string(a) == text {
			return a, nil
		}
	}
	return "",
		fmt.Errorf("there is no axis %q: iterations, games, hours or evaluations is wanted", text)
}

// Point is one point of a curve. Low and High bound the 95 % interval. They are NaN if there
// is no interval, and infinite if it has no bound.
type Point struct{ X, Y, Low, High float64 }

// Names of curves.
const (
	Sum    = "strength/sum"   // points summed over the seats
	Rating = "ratings/rating" // Elo relative to UCT, from the last estimate
)

// Points returns the name of the curve of a seat's points.
func Points(seat string) string { return "strength/points/" + seat }

// tables returns the tables. No two have a name in common.
func (r *Run) tables() []*Table { return []*Table{&r.Iterations, &r.Evaluations} }

// Names returns the names of the curves in order of first appearance. It leaves out figures of
// heads whose loss is always zero: the network does not have them.
func (r *Run) Names() []string {
	var names []string
	for _, t := range r.tables() {
		n := naming{of: t}
		for i := range t.Rows {
			n.row(t.Rows[i].values)
		}
		names = append(names, n.names()...)
	}
	for _, n := range r.rated() {
		for _, f := range ratingFigures(n.Elo) {
			if !slices.Contains(names, f.name) {
				names = append(names, f.name)
			}
		}
	}
	return names
}

// heads are the parts of a network by the first word of their figures.
var heads = map[string]string{
	"policy": "policy", "target": "policy", "value": "value", "cells": "cells", "seats": "seats",
	"belief": "belief",
}

// headOf returns the name of the loss of the head to which a figure belongs, and "" for other
// figures.
func headOf(name string) string {
	group, key, _ := strings.Cut(name, "/")
	if group != "losses" && group != "held_out" {
		return ""
	}
	word, _, _ := strings.Cut(key, "_")
	if head := heads[word]; head != "" {
		return group + "/" + head
	}
	return ""
}

// At returns the position of an iteration's network on an axis, false if the event log does
// not give it.
func (r *Run) At(iteration int, by Axis) (float64, bool) {
	if iteration == 0 || by == Iterations {
		return float64(iteration), true
	}
	i, ok := r.Iterations.find(iteration)
	if !ok {
		return 0, false
	}
	x := 0.0
	switch by {
	case Hours:
		x = r.Iterations.Column("elapsed_seconds")(i) / 3600
	case Evaluations:
		x = r.Iterations.Column("evaluations_asked")(i)
	default:
		x = r.Iterations.Column("games")(i)
	}
	return x, !math.IsNaN(x)
}

// Curve returns the curve with a name (see Names), in order of iterations. It leaves out
// networks whose position on the axis is unknown. For an unknown name it returns nil.
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

// Part returns the rows, from and before to, that part i of n stands for when so many rows are
// thinned to n, or to as many as there are: equal numbers of rows. Of evaluations the last part is
// the last row alone, since it is told besides.
func Part(i, n, rows int, evaluations bool) (from, to int) {
	switch {
	case rows <= n:
		return i, i + 1
	case !evaluations:
		return i * rows / n, (i + 1) * rows / n
	case i == n-1:
		return rows - 1, rows
	}
	return i * (rows - 1) / (n - 1), (i + 1) * (rows - 1) / (n - 1)
}

// Thin returns a curve of at most n points, of iterations or of evaluations: means of the points of
// each Part. An interval that has no bound at some of them has none.
func Thin(curve []Point, n int, evaluations bool) []Point {
	if len(curve) <= n {
		return curve
	}
	list := make([]Point, n)
	for i := range list {
		from, to := Part(i, n, len(curve), evaluations)
		p, weight := &list[i], 1/float64(to-from)
		for _, x := range curve[from:to] {
			p.X += weight * x.X
			p.Y += weight * x.Y
			p.Low += weight * x.Low
			p.High += weight * x.High
		}
	}
	return list
}

// rated returns the ratings in order of iteration: those of the last estimate, and for
// networks missing there, those of their evaluation.
func (r *Run) rated() []run.NetworkRating {
	var list []run.NetworkRating
	last := r.lastRatings()
	for i := range r.Evaluations.Rows {
		e := &r.Evaluations.Rows[i]
		if elo := ratingOf(last, e); elo != nil {
			list = append(list, run.NetworkRating{Iteration: e.Iteration, Elo: *elo})
		}
	}
	return list
}

// lastRatings returns the ratings of the last estimate by iteration.
func (r *Run) lastRatings() map[int]run.Elo {
	last := map[int]run.Elo{}
	for _, n := range r.Ratings.Networks {
		last[n.Iteration] = n.Elo
	}
	return last
}

// ratingOf returns the rating of an evaluated network, nil if there is none: that of the last
// estimate, or else that of its evaluation.
func ratingOf(last map[int]run.Elo, e *Row) *run.Elo {
	if elo, ok := last[e.Iteration]; ok {
		return &elo
	}
	return e.Strength.Elo
}

// RatingOf returns the rating of an iteration's network, nil if there is none.
func (r *Run) RatingOf(iteration int) *run.Elo {
	if i, ok := r.Evaluations.find(iteration); ok {
		return ratingOf(r.lastRatings(), &r.Evaluations.Rows[i])
	}
	return nil
}

// ratingFigures returns the figures of a rating, without bounds that it does not have.
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
