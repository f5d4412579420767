package history

import (
	"math"
	"slices"
	"time"

	"tengen/run"
)

// Table holds the figures of one kind of event, with one row per iteration in ascending
// order. A figure's name is its path in the event.
type Table struct {
	Rows  []Row
	names []string
	index map[string]int // of names
}

// Row is one event.
type Row struct {
	Iteration int
	Time      time.Time
	Strength  *run.Strength // of an evaluation
	// in the order of the table's names; missing ones are NaN or beyond the end
	values []float64
}

// figure is a number of an event.
type figure struct {
	name string
	x    float64
}

// Names returns the names of the figures in order of first appearance.
func (t *Table) Names() []string { return t.names }

// Column returns a function that returns the figure with a name in a row, NaN if there is
// none.
func (t *Table) Column(name string) func(row int) float64 {
	c, ok := t.index[name]
	return func(row int) float64 {
		if values := t.Rows[row].values; ok && c < len(values) {
			return values[c]
		}
		return math.NaN()
	}
}

// Last returns a figure of the last row; 0 and false if there is none.
func (t *Table) Last(name string) (float64, bool) {
	if n := len(t.Rows); n > 0 {
		if x := t.Column(name)(n - 1); !math.IsNaN(x) {
			return x, true
		}
	}
	return 0, false
}

// figures returns the figures of a row.
func (t *Table) figures(row *Row) []figure {
	var list []figure
	for c, x := range row.values {
		if !math.IsNaN(x) {
			list = append(list, figure{t.names[c], x})
		}
	}
	return list
}

// find returns the index of an iteration's row, or the index where it would be and false.
func (t *Table) find(iteration int) (int, bool) {
	return slices.BinarySearchFunc(t.Rows, iteration, func(r Row, n int) int {
		return r.Iteration - n
	})
}

// put inserts a row in order of iteration. It replaces an earlier row of the iteration.
func (t *Table) put(row Row, figures []figure) {
	if t.index == nil {
		t.index = map[string]int{}
	}
	row.values = make([]float64, 0, len(t.names))
	for _, f := range figures {
		c, ok := t.index[f.name]
		if !ok {
			c = len(t.names)
			t.index[f.name] = c
			t.names = append(t.names, f.name)
		}
		for len(row.values) <= c {
			row.values = append(row.values, math.NaN())
		}
		row.values[c] = f.x
	}
	i, again := t.find(row.Iteration)
	if !again {
		t.Rows = slices.Insert(t.Rows, i, Row{})
	}
	t.Rows[i] = row
}

// cut removes the rows after an iteration.
func (t *Table) cut(iteration int) {
	i, _ := t.find(iteration + 1)
	t.Rows = slices.Delete(t.Rows, i, len(t.Rows))
}
