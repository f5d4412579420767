package v1

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"

	"tengen/run/history"
)

// history locks the run's history and reads its new events; done unlocks it and must be called
// after an error too. A run that has not started has no events.
func (api *API) history(ctx context.Context) (h *history.Run, done func(), err error) {
	api.reading.Lock()
	if err = api.events.Refresh(ctx); errors.Is(err, history.ErrNone) {
		err = nil
	}
	return api.events, api.reading.Unlock, err
}

// curves returns all curves as JSON.
func (api *API) curves(ctx context.Context) ([]byte, error) {
	h, done, err := api.history(ctx)
	defer done()
	if err != nil {
		return nil, err
	}
	b := strconv.AppendInt([]byte(`{"version":`), int64(h.Version), 10)
	b = appendTable(append(b, `,"iterations":`...), &h.Iterations)
	b = appendTable(append(b, `,"evaluations":`...), &h.Evaluations)
	b = appendCurve(append(b, `,"ratings":`...), h.Curve(history.Rating, history.Iterations))
	return append(b, '}'), nil
}

// warning is a warning of the run.
type warning struct {
	Time      time.Time `json:"time"`
	Iteration int       `json:"iteration"`
	Message   string    `json:"message"`
}

// shownWarnings is the maximum number of warnings shown, the latest ones.
const shownWarnings = 20

func warningsOf(h *history.Run) []warning {
	list := []warning{}
	for _, w := range h.Warnings[max(0, len(h.Warnings)-shownWarnings):] {
		list = append(list, warning{w.Time, w.Iteration, w.Message})
	}
	return list
}

const (
	// maxPoints is the greatest number of rows that are sent. Of a longer run each
	// stands for several iterations in a row.
	maxPoints = 600
	// maxColumns bounds what an event log of another kind could make of a page.
	maxColumns = 200
)

// appendTable appends a table as a JSON object of arrays, "iteration" first; {} without rows.
func appendTable(b []byte, t *history.Table) []byte {
	return appendColumns(b, t, t.Names()[:min(len(t.Names()), maxColumns)])
}

// appendColumns is appendTable with these columns only.
func appendColumns(b []byte, t *history.Table, names []string) []byte {
	b = append(b, '{')
	if rows := len(t.Rows); rows > 0 {
		evaluations := t.Rows[0].Strength != nil
		b = appendColumn(b, "iteration", rows, evaluations, func(i int) float64 {
			return float64(t.Rows[i].Iteration)
		})
		for _, name := range names {
			b = appendColumn(b, name, rows, evaluations, t.Column(name))
		}
	}
	return append(b, '}')
}

// appendCurve appends a curve of evaluations over iterations as an object with the arrays
// "iteration", "value", "low" and "high".
func appendCurve(b []byte, curve []history.Point) []byte {
	b = append(b, '{')
	if rows := len(curve); rows > 0 {
		b = appendColumn(b, "iteration", rows, true, func(i int) float64 { return curve[i].X })
		b = appendColumn(b, "value", rows, true, func(i int) float64 { return curve[i].Y })
		b = appendColumn(b, "low", rows, true, func(i int) float64 { return curve[i].Low })
		b = appendColumn(b, "high", rows, true, func(i int) float64 { return curve[i].High })
	}
	return append(b, '}')
}

// appendColumn appends a column of an object, with six digits; null for values that are not
// finite.
func appendColumn(
	b []byte, name string, rows int, evaluations bool, at func(row int) float64,
) []byte {
	quoted, err := json.Marshal(name)
	if err != nil {
		panic(err) // strings can always be written
	}
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(append(b, quoted...), ':', '[')
	counter := slices.Contains(counted, name)
	for i, x := range thin(rows, maxPoints, counter, evaluations, at) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, x)
	}
	return append(b, ']')
}

// counted are columns that only grow.
var counted = []string{
	"iteration", "games", "steps", "evaluations", "elapsed_seconds", "window_games",
	"window_positions",
}

// thin reduces a column to at most n values: each is the mean of its rows (history.Part), or for a
// counter the last one. Values that are not finite are left out.
func thin(rows, n int, counter, evaluations bool, at func(row int) float64) []float64 {
	list := make([]float64, min(rows, n))
	for i := range list {
		from, to := history.Part(i, n, rows, evaluations)
		if counter {
			from = to - 1
		}
		sum, count := 0.0, 0
		for row := from; row < to; row++ {
			if x := at(row); !math.IsNaN(x) && !math.IsInf(x, 0) {
				sum += x
				count++
			}
		}
		list[i] = sum / float64(count) // NaN where there is none
	}
	return list
}

func appendNumber(b []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(b, "null"...)
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return strconv.AppendInt(b, int64(x), 10)
	}
	return strconv.AppendFloat(b, x, 'g', 6, 64)
}
