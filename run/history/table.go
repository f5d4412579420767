package history

import (
	"math"
	"slices"
	"time"

	"tengen/run"
)

// Table holds the figures of one kind of event: a row for each iteration,
// ascending. A figure's name is the way to it in the event.
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
	values    []float64     // by the table's names; NaN, or beyond the end, where there is none
}

// figure is a number of an event.
type figure struct {
	name string
	x    float64
}

// Names lists the names of the figures, in the order in which they came up.
func (t *Table) Names() []string { return t.names }

// Column gives the figures of a name by row: NaN where a row has none.
func (t *Table) Column(name string) func(row int) float64 {
	c, ok := t.index[name]
	return func(row int) float64 {
		if values := t.Rows[row].values; ok && c < len(values) {
			return values[c]
		}
		return math.NaN()
	}
}

// Last is a figure of the last row; 0 and false where it has none of this name.
func (t *Table) Last(name string) (float64, bool) {
	if n := len(t.Rows); n > 0 {
		if x := t.Column(name)(n - 1); !math.IsNaN(x) {
			return x, true
		}
	}
	return 0, false
}

// figures are those of a row.
func (t *Table) figures(row *Row) []figure {
	var list []figure
	for c, x := range row.values {
		if !math.IsNaN(x) {
			list = append(list, figure{t.names[c], x})
		}
	}
	return list
}

// find is the place of an iteration's row, and whether there is one.
func (t *Table) find(iteration int) (int, bool) {
	return slices.BinarySearchFunc(t.Rows, iteration, func(r Row, n int) int { return r.Iteration - n })
}

// put adds a row in its place, in that of an earlier one of its iteration.
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

// cut drops the rows after an iteration.
func (t *Table) cut(iteration int) {
	i, _ := t.find(iteration + 1)
	t.Rows = slices.Delete(t.Rows, i, len(t.Rows))
}
