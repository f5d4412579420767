package history

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"

	"tengen/configs"
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

// figures returns the numbers of an event with their names, in the order of the file. The
// elements of lists with one element per seat are named after the seats. Text and lists of
// objects are left out.
func (r *Run) figures(text []byte) []figure {
	d := json.NewDecoder(bytes.NewReader(text))
	var list []figure
	w := walker{d, r.Seats, &list}
	// The line was decoded as an event before, so it is one object.
	if t, err := d.Token(); err == nil && t == json.Delim('{') {
		w.object("", true)
	}
	return list
}

// walker visits JSON in the order of its text.
type walker struct {
	in    *json.Decoder
	seats []string
	list  *[]figure
}

// object reads the rest of an object. Names of its fields are prefixed with path.
func (w *walker) object(path string, top bool) {
	for w.in.More() {
		key, err := w.in.Token()
		if err != nil {
			return
		}
		name, _ := key.(string)
		if top && (name == "time" || name == "event" || name == "iteration" || name == "message") {
			w.value("") // not a figure
			continue
		}
		w.value(join(path, name))
	}
	_, _ = w.in.Token() // the closing brace
}

// value reads one value and stores its figures under name. "" drops them.
func (w *walker) value(name string) {
	t, err := w.in.Token()
	if err != nil {
		return
	}
	switch x := t.(type) {
	case json.Delim:
		n := len(*w.list)
		if x == '{' {
			w.object(name, false)
		} else {
			w.array(name)
		}
		if name == "" {
			*w.list = (*w.list)[:n]
		}
	case float64:
		w.add(name, x)
	case bool:
		if x {
			w.add(name, 1)
		} else {
			w.add(name, 0)
		}
	}
}

// array reads the rest of an array. It names the numbers at the end, when their count is
// known.
func (w *walker) array(name string) {
	var numbers []figure
	whole, length := w.list, 0
	for ; w.in.More(); length++ {
		var one []figure
		w.list = &one
		w.value(strconv.Itoa(length))
		if len(one) == 1 && one[0].name == strconv.Itoa(length) {
			numbers = append(numbers, one[0])
		}
	}
	w.list = whole
	_, _ = w.in.Token() // the closing bracket
	for _, v := range numbers {
		if i, err := strconv.Atoi(v.name); err == nil && length == len(w.seats) {
			v.name = w.seats[i]
		}
		w.add(join(name, v.name), v.x)
	}
}

func (w *walker) add(name string, x float64) {
	if name != "" {
		*w.list = append(*w.list, figure{name, x})
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}

// Names of figures that are computed from an iteration and the one before.
const (
	GamesRate       = "rates/games_per_second"       // self-play
	EvaluationsRate = "rates/evaluations_per_second" // by the network, in self-play
	StepsRate       = "rates/steps_per_second"       // of training, in updates
)

// rates returns the rates of an iteration. For the first iteration of a resumed run there is
// no rate of games: some of the games may have been played by the process before. Evaluations
// are counted from the start of a process.
func (r *Run) rates(e *run.Event) []figure {
	t, p := &r.Iterations, e.Progress
	i, _ := t.find(e.Iteration)
	before := func(name string) float64 {
		if i == 0 || t.Rows[i-1].Iteration != e.Iteration-1 {
			return math.NaN()
		}
		return t.Column(name)(i - 1)
	}
	games, steps, evaluations := float64(p.Games), float64(p.Steps), float64(p.Evaluations)
	if e.Iteration != 1 {
		games -= before("games")
		steps -= before("steps")
	}
	if first := i == 0 || r.resumed; !first {
		evaluations -= before("evaluations")
	} else if r.Processes > 1 {
		games = 0
	}
	var list []figure
	add := func(name string, n, seconds float64) {
		if n > 0 && seconds > 0 {
			list = append(list, figure{name, n / seconds})
		}
	}
	playing, training := p.PlaySeconds, p.Seconds
	if c := r.Config; c != nil && c.Training.Cycle != configs.CycleSynchronous {
		// Games are played all the time; the seconds are those of waiting for them, and of the
		// rest.
		playing += training
		if c.Training.Cycle == configs.CycleAsynchronous {
			training = playing
		}
	}
	add(GamesRate, games, playing)
	add(EvaluationsRate, evaluations, playing)
	add(StepsRate, steps, training)
	return list
}
