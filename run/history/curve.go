package history

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, t := range r.tables() {
		for _, name := range t.names {
			x, of := t.Column(name), t.Column(headOf(name))
			for i := range t.Rows {
				if !math.IsNaN(x(i)) && of(i) != 0 {
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

// rated returns the ratings in order of iteration: those of the last estimate, and for
// networks missing there, those of their evaluation.
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

// RatingOf returns the rating of an iteration's network, nil if there is none.
func (r *Run) RatingOf(iteration int) *run.Elo {
	ratings := run.Ratings{Networks: r.rated()}
	return ratings.Of(iteration)
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

// firstColumns come before the columns of the other names. They give a row's position on
// the axes.
var firstColumns = []string{"iteration", "time", "games", "steps", "elapsed_seconds"}

// WriteCSV writes the history as a table. It has a row for each iteration, and for the
// initial weights if they were evaluated; and the columns iteration, time, games, steps and
// elapsed_seconds, then one for each name. Missing figures are empty cells.
func (r *Run) WriteCSV(w io.Writer) error {
	lines := [][]string{r.Columns()}
	for _, x := range r.rows() {
		line := []string{strconv.Itoa(x.iteration), x.time.UTC().Format(time.RFC3339Nano)}
		for _, name := range lines[0][len(line):] {
			v, ok := x.values[name]
			switch {
			case ok:
				line = append(line, number(v))
			case x.iteration == 0 && len(line) < len(firstColumns):
				line = append(line, "0") // before the first iteration
			default:
				line = append(line, "")
			}
		}
		lines = append(lines, line)
	}
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// Columns returns the names of the table's columns.
func (r *Run) Columns() []string {
	names := slices.DeleteFunc(r.Names(), func(name string) bool {
		return slices.Contains(firstColumns, name)
	})
	return append(slices.Clone(firstColumns), names...)
}

// row has all figures of one iteration and its network.
type row struct {
	iteration int
	time      time.Time
	values    map[string]float64
}

// rows merges the tables by iteration.
func (r *Run) rows() []row {
	byIteration := map[int]*row{}
	for _, t := range r.tables() {
		for i := range t.Rows {
			from := &t.Rows[i]
			x := byIteration[from.Iteration]
			if x == nil {
				x = &row{from.Iteration, from.Time, map[string]float64{}}
				byIteration[x.iteration] = x
			}
			for _, f := range t.figures(from) {
				x.values[f.name] = f.x
			}
		}
	}
	for _, n := range r.rated() {
		for _, f := range ratingFigures(n.Elo) {
			// the row exists, since the network was evaluated
			byIteration[n.Iteration].values[f.name] = f.x
		}
	}
	var rows []row
	for _, x := range byIteration {
		rows = append(rows, *x)
	}
	slices.SortFunc(rows, func(a, b row) int { return a.iteration - b.iteration })
	return rows
}

// number returns the shortest text that parses to the same number.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
