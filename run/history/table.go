package history

import (
	"math"
	"slices"
	"sort"
	"time"

	"tengen/configs"
	"tengen/run"
)

// Table holds the figures of one kind of event by iteration, in ascending order. A figure's name
// is its path in the event.
type Table struct {
	// Rows are those that views read. Of a long run they are a part: the first one of each of up
	// to some thousand equal parts of its iterations, and the last ones. An iteration that was
	// evaluated has a row if the evaluation has one.
	Rows []Row

	spots []spot // of all that count, in ascending order of iteration
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
	at     int64 // in the event log
}

// spot is where the line of an event stands in the event log.
type spot struct {
	at              int64 // its first byte
	iteration, line int32
}

// Len returns the number of iterations that the event log tells of.
func (t *Table) Len() int { return len(t.spots) }

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

// findSpot returns the index of an iteration's spot, or the index where it would be and false.
func (t *Table) findSpot(iteration int32) (int, bool) {
	if n := len(t.spots); n == 0 || t.spots[n-1].iteration < iteration {
		return n, false
	}
	return slices.BinarySearchFunc(t.spots, iteration, func(p spot, n int32) int {
		return int(p.iteration) - int(n)
	})
}

// put inserts a spot in order of iteration. It replaces an earlier one of the iteration.
func (t *Table) put(p spot) {
	i, again := t.findSpot(p.iteration)
	if !again {
		if len(t.spots) == cap(t.spots) { // append grows long lists by a quarter only
			t.spots = slices.Grow(t.spots, max(64, len(t.spots)))
		}
		t.spots = slices.Insert(t.spots, i, spot{})
	}
	t.spots[i] = p
}

// cut removes the spots after an iteration.
func (t *Table) cut(iteration int) {
	i, _ := t.findSpot(int32(min(iteration, math.MaxInt32-1)) + 1)
	t.spots = t.spots[:i]
}

// appendValues appends figures in the order of the table's names, to no values. It adds names that
// are new.
func (t *Table) appendValues(values []float64, figures []figure) []float64 {
	if t.index == nil {
		t.index = map[string]int{}
	}
	for _, f := range figures {
		if c := len(values); c < len(t.names) && t.names[c] == f.name { // as in most rows
			values = append(values, f.x)
			continue
		}
		c, ok := t.index[f.name]
		if !ok {
			c = len(t.names)
			t.index[f.name] = c
			t.names = append(t.names, f.name)
		}
		for len(values) <= c {
			values = append(values, math.NaN())
		}
		values[c] = f.x
	}
	return values
}

// naming finds the names of a table's curves, row by row.
type naming struct {
	of    *Table
	head  []string // the names of the losses that must not be zero
	found []bool
}

// row takes the values of a row.
func (n *naming) row(values []float64) {
	for len(n.head) < len(values) {
		n.head = append(n.head, headOf(n.of.names[len(n.head)]))
		n.found = append(n.found, false)
	}
	for c, x := range values {
		if n.found[c] || math.IsNaN(x) {
			continue
		}
		k, ok := n.of.index[n.head[c]]
		n.found[c] = !ok || k >= len(values) || values[k] != 0
	}
}

// names returns the names, in order of first appearance.
func (n *naming) names() []string {
	var list []string
	for c, ok := range n.found {
		if ok {
			list = append(list, n.of.names[c])
		}
	}
	return list
}

// Names of figures that are computed from an iteration and the one before.
const (
	GamesRate       = "rates/games_per_second"       // self-play
	EvaluationsRate = "rates/evaluations_per_second" // by the network, in self-play
	StepsRate       = "rates/steps_per_second"       // of training, in updates
)

// counters are the figures of an iteration from which rates are computed.
type counters struct {
	games, steps, evaluations float64 // so far; NaN: unknown
	playing, updating         float64 // seconds
}

// countersOf returns the counters of an iteration; those that are missing are unknown.
func countersOf(figures []figure, unknown float64) counters {
	c := counters{games: unknown, steps: unknown, evaluations: unknown}
	for _, f := range figures {
		switch f.name {
		case "games":
			c.games = f.x
		case "steps":
			c.steps = f.x
		case "evaluations":
			c.evaluations = f.x
		case "play_seconds":
			c.playing = f.x
		case "update_seconds":
			c.updating = f.x
		}
	}
	return c
}

// rates appends the rates of the iteration at spot i of the table of iterations to its figures.
// That before stands at spot k, -1: there is none; before are its counters, unknown if it is not
// the iteration just before.
// For the first iteration of a resumed run there is no rate of games: some of the games may have
// been played by the process before. Evaluations are counted from the start of a process.
func (r *Run) rates(list []figure, i, k int, before counters) []figure {
	p := r.Iterations.spots[i]
	now := countersOf(list, 0)
	if p.iteration != 1 {
		now.games -= before.games
		now.steps -= before.steps
	}
	processes := sort.Search(len(r.begun), func(k int) bool { return r.begun[k] > p.at })
	switch first := k < 0 ||
		processes > 0 && r.begun[processes-1] > r.Iterations.spots[k].at; {
	case !first:
		now.evaluations -= before.evaluations
	case processes > 1:
		now.games = 0
	}
	add := func(name string, n, seconds float64) {
		if n > 0 && seconds > 0 {
			list = append(list, figure{name, n / seconds})
		}
	}
	if c := r.Config; c != nil && c.Training.Cycle != configs.CycleSynchronous {
		// Games are played all the time; the seconds are those of waiting for them, and of the
		// rest.
		now.playing += now.updating
		if c.Training.Cycle == configs.CycleAsynchronous {
			now.updating = now.playing
		}
	}
	add(GamesRate, now.games, now.playing)
	add(EvaluationsRate, now.evaluations, now.playing)
	add(StepsRate, now.steps, now.updating)
	return list
}
