package history

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"tengen/configs"
	"tengen/run"
)

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
