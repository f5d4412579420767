package history

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// firstColumns come before the columns of the other names. They give a row's position on
// the axes.
var firstColumns = []string{"iteration", "time", "games", "steps", "elapsed_seconds"}

// WriteCSV writes the history as a table. It has a row for each iteration, and for the
// initial weights if they were evaluated; and the columns iteration, time, games, steps and
// elapsed_seconds, then one for each name. Missing figures are empty cells. It reads the event log
// again, and keeps no more than a row in memory. It ends with ctx.
func (r *Run) WriteCSV(ctx context.Context, w io.Writer) error {
	columns, err := r.Columns(ctx)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	head := csv.NewWriter(out)
	if err := head.Write(columns); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	head.Flush()
	var tables [2]Table
	var at [2][]int // the columns of the tables' names; -1: none
	var all, values []float64
	var line []byte
	err = r.each(ctx, 0, func(row, measured *Row, lists ...[]figure) error {
		if row == nil {
			row = measured
		}
		values = values[:0]
		for c := range columns {
			x := math.NaN()
			if row.Iteration == 0 && c < len(firstColumns) {
				x = 0 // before the first iteration
			}
			values = append(values, x)
		}
		for i, list := range lists {
			t := &tables[i]
			all = t.appendValues(all[:0], list)
			for k := len(at[i]); k < len(t.names); k++ {
				at[i] = append(at[i], slices.Index(columns, t.names[k]))
			}
			for k, x := range all {
				if c := at[i][k]; c >= 0 && !math.IsNaN(x) {
					values[c] = x
				}
			}
		}
		line = strconv.AppendInt(line[:0], int64(row.Iteration), 10)
		line = append(line, ',')
		line = row.Time.UTC().AppendFormat(line, time.RFC3339Nano)
		for _, x := range values[2:] {
			if line = append(line, ','); !math.IsNaN(x) {
				line = appendNumber(line, x)
			}
		}
		_, err := out.Write(append(line, '\n'))
		return err
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// Columns returns the names of the table's columns. The first time it reads the event log.
func (r *Run) Columns(ctx context.Context) ([]string, error) {
	if r.columns == nil {
		names, err := r.allNames(ctx)
		if err != nil {
			return nil, err
		}
		r.columns = slices.Clone(firstColumns)
		for _, name := range names {
			if !slices.Contains(firstColumns, name) {
				r.columns = append(r.columns, name)
			}
		}
	}
	return r.columns, nil
}

// allNames returns what Names would if views read all rows.
func (r *Run) allNames(ctx context.Context) ([]string, error) {
	var tables [2]Table
	var names [2]naming
	var values []float64
	err := r.each(ctx, 0, func(_, _ *Row, lists ...[]figure) error {
		for i, list := range lists {
			names[i].of = &tables[i]
			values = tables[i].appendValues(values[:0], list)
			names[i].row(values)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := append(names[0].names(), names[1].names()...)
	slices.SortStableFunc(all, func(a, b string) int { // the ratings are the last
		return cmp.Compare(strings.Count(a, Rating), strings.Count(b, Rating))
	})
	return all, nil
}

// appendNumber appends the shortest text that parses to the same number.
func appendNumber(line []byte, x float64) []byte {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.AppendFloat(line, x, 'f', -1, 64)
	}
	return strconv.AppendFloat(line, x, 'g', -1, 64)
}
