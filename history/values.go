package history

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// values are the numbers of an event by name, in the order of the file. Lists
// as long as there are seats are named by them. Text is none, and lists of
// objects are left out: those have an order of their own.
func (r *Run) values(text []byte) []Value {
	d := json.NewDecoder(bytes.NewReader(text))
	var list []Value
	w := walker{d, r.Seats, &list}
	// The line was read as an event before: it is one object.
	if t, err := d.Token(); err == nil && t == json.Delim('{') {
		w.object("", true)
	}
	return list
}

// walker goes through JSON in the order of its text.
type walker struct {
	in    *json.Decoder
	seats []string
	list  *[]Value
}

// object reads the rest of an object, whose fields' names follow path.
func (w *walker) object(path string, top bool) {
	for w.in.More() {
		key, err := w.in.Token()
		if err != nil {
			return
		}
		name, _ := key.(string)
		if top && (name == "time" || name == "event" || name == "iteration" || name == "message") {
			w.value("") // what the record has beside its figures
			continue
		}
		w.value(join(path, name))
	}
	_, _ = w.in.Token() // the closing brace
}

// value reads one value, which is kept under name; "" drops it.
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

// array reads the rest of an array. Its numbers are named once it is known how
// many there are.
func (w *walker) array(name string) {
	var numbers []Value
	whole, length := w.list, 0
	for ; w.in.More(); length++ {
		var one []Value
		w.list = &one
		w.value(strconv.Itoa(length))
		if len(one) == 1 && one[0].Name == strconv.Itoa(length) {
			numbers = append(numbers, one[0])
		}
	}
	w.list = whole
	_, _ = w.in.Token() // the closing bracket
	for _, v := range numbers {
		if i, err := strconv.Atoi(v.Name); err == nil && length == len(w.seats) {
			v.Name = w.seats[i]
		}
		w.add(join(name, v.Name), v.X)
	}
}

func (w *walker) add(name string, x float64) {
	if name != "" {
		*w.list = append(*w.list, Value{name, x})
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}

// Names of figures that are reckoned from an iteration and the one before.
const (
	GamesRate       = "rates/games_per_second"       // self-play
	EvaluationsRate = "rates/evaluations_per_second" // by the network, in self-play
	StepsRate       = "rates/steps_per_second"       // of training, in updates
)

// rates adds them to the iterations. Where a resumed sitting begins there are no
// games a second: some of its first iteration's games may have been played
// before. Evaluations are counted from the beginning of a sitting.
func (r *Run) rates() {
	for i := range r.Iterations {
		x := &r.Iterations[i]
		var games, steps, evaluations float64
		next := i > 0 && r.Iterations[i-1].Iteration == x.Iteration-1
		if next {
			before := r.Iterations[i-1].Progress
			games, steps = float64(x.Games-before.Games), float64(x.Steps)-float64(before.Steps)
			evaluations = float64(x.Progress.Evaluations) - float64(before.Evaluations)
		}
		if x.Iteration == 1 {
			games, steps = float64(x.Games), float64(x.Steps)
		}
		if i == 0 || r.Iterations[i-1].sitting != x.sitting {
			evaluations = float64(x.Progress.Evaluations)
			if x.sitting > 1 {
				games = 0
			}
		}
		x.rate(GamesRate, games, x.PlaySeconds)
		x.rate(EvaluationsRate, evaluations, x.PlaySeconds)
		x.rate(StepsRate, steps, x.Seconds)
	}
}

func (x *Record) rate(name string, n, seconds float64) {
	if n > 0 && seconds > 0 {
		x.Values = append(x.Values, Value{name, n / seconds})
	}
}

// Value is a figure of the record; false where it has none of this name.
func (x *Record) Value(name string) (float64, bool) {
	i := slices.IndexFunc(x.Values, func(v Value) bool { return v.Name == name })
	if i < 0 {
		return math.NaN(), false
	}
	return x.Values[i].X, true
}
