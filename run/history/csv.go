package history

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
)

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
