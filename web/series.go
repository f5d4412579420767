package web

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
)

// maxPoints is the greatest number of rows of iterations that are sent. Of a
// longer run each row stands for several iterations in a row.
const maxPoints = 600

// thin is c in at most n rows: each but for iterations and counters, of which
// the last counts, is the mean of the rows that it stands for. NaNs stand for nothing.
func (c *columns) thin(n int) columns {
	if c.rows <= n {
		return *c
	}
	t := columns{rows: n, names: c.names, values: make(map[string][]float64, len(c.values))}
	for name, column := range c.values {
		out := make([]float64, n)
		for i := range out {
			from, to := i*c.rows/n, (i+1)*c.rows/n
			if slices.Contains(counted, name) {
				out[i] = column[to-1]
				continue
			}
			sum, count := 0.0, 0
			for _, x := range column[from:to] {
				if !math.IsNaN(x) {
					sum += x
					count++
				}
			}
			out[i] = sum / float64(count) // NaN where there is none
		}
		t.values[name] = out
	}
	return t
}

// counted are columns that only grow.
var counted = []string{"iteration", "games", "steps", "evaluations", "elapsed_seconds", "window_games", "window_positions"}

// append writes the columns as a JSON object of arrays, to six digits, null for
// what is no number.
func (c *columns) append(b []byte) []byte {
	b = append(b, '{')
	for i, name := range c.names {
		if i > 0 {
			b = append(b, ',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			panic(err) // strings can always be written
		}
		b = append(b, quoted...)
		b = append(b, ':', '[')
		for k, x := range c.values[name] {
			if k > 0 {
				b = append(b, ',')
			}
			b = appendNumber(b, x)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendNumber(b []byte, x float64) []byte {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return append(b, "null"...)
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return strconv.AppendInt(b, int64(x), 10)
	}
	return strconv.AppendFloat(b, x, 'g', 6, 64)
}

// speed adds games a second of self-play, which the log does not hold itself.
func (c *columns) speed() {
	games, seconds := c.values["games"], c.values["play_seconds"]
	if games == nil || seconds == nil {
		return
	}
	const name = "games_per_second"
	out := make([]float64, c.rows)
	for i := range out {
		before := 0.0
		if i > 0 {
			before = games[i-1]
		}
		out[i] = math.NaN()
		if seconds[i] > 0 {
			out[i] = (games[i] - before) / seconds[i]
		}
	}
	if !slices.Contains(c.names, name) {
		c.names = append(c.names, name)
	}
	c.values[name] = out
}

// networkRating is the rating of one network, in Elo, as eval/ratings.json has
// it; what games do not set is nil.
type networkRating struct {
	Iteration int      `json:"iteration"`
	Rating    *float64 `json:"rating"`
	Low       *float64 `json:"rating_low"`
	High      *float64 `json:"rating_high"`
}

// ratings are what eval/ratings.json says of the networks, which supersedes what
// the events said at their time: nil where it says nothing.
func ratings(path string) (*columns, error) {
	text, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list struct {
		Networks []networkRating `json:"networks"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	c := &columns{}
	slices.SortFunc(list.Networks, func(a, b networkRating) int { return a.Iteration - b.Iteration })
	for _, n := range list.Networks {
		row := map[string]any{"iteration": float64(n.Iteration)}
		for key, x := range map[string]*float64{"rating": n.Rating, "rating_low": n.Low, "rating_high": n.High} {
			if x != nil {
				row[key] = *x
			}
		}
		c.put(float64(n.Iteration), row)
	}
	if c.rows == 0 {
		return nil, nil
	}
	return c, nil
}

// smallFile is the size of a file that is read whole.
const smallFile = 16 << 20

func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > smallFile {
		return nil, errors.New(path + " is larger than any file of its kind")
	}
	return os.ReadFile(path)
}
