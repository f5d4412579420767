package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/run"
)

// madeLog is an event log that is made up: of processes that are killed and resumed, with
// evaluations that end late. With damage, some of its lines can't be read.
func madeLog(t testing.TB, rng *rand.Rand, iterations int, damage bool) []byte {
	t.Helper()
	var log []byte
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	write := func(e run.Event) {
		now = now.Add(time.Duration(1 + rng.Int64N(1e10)))
		e.Time = now
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if damage && e.Kind != run.EventResume {
			switch rng.IntN(60) {
			case 0: // cut short
				line = line[:rng.IntN(len(line))]
			case 1: // so that only reading it whole tells
				if e.Kind != run.EventIteration {
					break // an earlier evaluation of the iteration would be lost
				}
				i := len(line)/2 + rng.IntN(len(line)/4)
				i += bytes.IndexByte(line[i:], ',')
				line = slices.Concat(line[:i], []byte(",,"), line[i:])
			case 2: // by another hand
				var tree map[string]any
				if json.Unmarshal(line, &tree) == nil {
					line, _ = json.Marshal(tree)
				}
			case 3:
				line = append(line, '\n')
			}
		}
		log = append(append(log, line...), '\n')
	}
	var late []run.Event
	write(run.Event{Kind: run.EventStart, Run: 7})
	asked := 0
	for i, last := 1, 0; i <= iterations; i++ {
		asked += rng.IntN(1000)
		hits := rng.Float64()
		p := &run.Progress{
			Games: 10 * i, Window: min(10*i, 300), Evaluations: uint64(asked), CacheHits: &hits,
			Plies: 60 * rng.Float64(), Scores: []float64{rng.NormFloat64(), 1, 1e-9},
			Steps: uint64(20 * i), PlaySeconds: rng.Float64(), Seconds: rng.Float64(),
			Elapsed: float64(i), Losses: nn.Losses{Total: 2, Value: rng.ExpFloat64()},
		}
		if rng.IntN(3) == 0 {
			p.HeldOut = &nn.Losses{Total: -rng.Float64(), Value: 1e300 * rng.Float64()}
		}
		write(run.Event{Kind: run.EventIteration, Iteration: i, Progress: p})
		if rng.IntN(5) == 0 {
			low := rng.Float64()
			e := run.Event{Kind: run.EventEvaluation, Iteration: i, Strength: &run.Strength{
				Points: []float64{rng.Float64(), 2, 3}, Sum: 5,
				CI:  []run.Width{1, run.Width(math.Inf(1)), 2},
				Elo: &run.Elo{Rating: rng.NormFloat64(), Low: &low}, Elapsed: float64(i),
			}}
			if late = append(late, e); rng.IntN(3) > 0 {
				for _, e := range late {
					write(e)
				}
				late = nil
			}
		}
		switch rng.IntN(40) {
		case 0:
			write(run.Event{Kind: run.EventWarning, Iteration: i, Message: "slow"})
		case 1:
			if i > last { // not for ever
				last = i
				i -= rng.IntN(min(i, 30))
				write(run.Event{Kind: run.EventResume, Iteration: i, Run: 7})
				asked = 0
			}
		}
	}
	return log
}

// plain is what a log tells, read the slow and obvious way.
type plain struct {
	iterations, evaluations map[int]map[string]float64
	damaged                 []int // lines
	last                    time.Time
}

func readPlain(log []byte, seats []string) *plain {
	x := &plain{iterations: map[int]map[string]float64{}, evaluations: map[int]map[string]float64{}}
	number := 0
	processes, first := 0, false
	for text := range bytes.Lines(log) {
		number++
		if text = bytes.TrimSuffix(text, []byte("\n")); len(text) == 0 {
			continue
		}
		var e run.Event
		if decode(text, &e) != nil {
			x.damaged = append(x.damaged, number)
			continue
		}
		x.last = e.Time
		var tree map[string]any
		if err := json.Unmarshal(text, &tree); err != nil {
			panic(err)
		}
		figures := map[string]float64{}
		naive(tree, "", seats, figures)
		switch e.Kind {
		case run.EventStart, run.EventResume:
			processes++
			first = true
			maps.DeleteFunc(x.iterations, func(n int, _ map[string]float64) bool {
				return n > e.Iteration
			})
		case run.EventEvaluation:
			x.evaluations[e.Iteration] = figures
		case run.EventIteration:
			p := e.Progress
			before, known := x.iterations[e.Iteration-1]
			games, steps := float64(p.Games)-before["games"], float64(p.Steps)-before["steps"]
			evaluations := float64(p.Evaluations)
			none := !known && e.Iteration != 1
			rate := func(name string, n, seconds float64, never bool) {
				if n > 0 && seconds > 0 && !never {
					figures[name] = n / seconds
				}
			}
			if begins := first || len(x.iterations) == 0; !begins {
				evaluations -= before["evaluations"]
				rate(EvaluationsRate, evaluations, p.PlaySeconds, !known)
			} else {
				rate(EvaluationsRate, evaluations, p.PlaySeconds, false)
				none = none || processes > 1
			}
			rate(GamesRate, games, p.PlaySeconds, none)
			rate(StepsRate, steps, p.Seconds, !known && e.Iteration != 1)
			x.iterations[e.Iteration] = figures
			first = false
		}
	}
	return x
}

// tableOf returns the figures of a table's rows by iteration.
func tableOf(t *Table) map[int]map[string]float64 {
	rows := map[int]map[string]float64{}
	for i := range t.Rows {
		figures := map[string]float64{}
		for _, f := range t.figures(&t.Rows[i]) {
			figures[f.name] = f.x
		}
		rows[t.Rows[i].Iteration] = figures
	}
	return rows
}

// wanted returns the iterations of which a table has rows: those that the plain way chooses.
func wanted(all map[int]map[string]float64, most int, also map[int]map[string]float64) []int {
	list := slices.Sorted(maps.Keys(all))
	if len(list) == 0 {
		return nil
	}
	part := 1
	for list[len(list)-1]/part >= most {
		part *= 2
	}
	var chosen []int
	for i, n := range list {
		_, evaluated := also[n]
		if i == 0 || n/part != list[i-1]/part || i >= len(list)-recent || evaluated {
			chosen = append(chosen, n)
		}
	}
	return chosen
}

func equal(a, b map[string]float64) bool {
	return maps.EqualFunc(a, b, func(x, y float64) bool { return x == y })
}

// What is read of a log, at once and as it grows, is what the slow and obvious way reads, of all
// rows and of those that are chosen; so is the table that is exported.
func TestRows(t *testing.T) {
	rng := random.New(3, random.Test)
	seats := []string{"Black", "White", "Red"}
	for round := range 24 {
		damaged := round%2 == 1
		dir := write(t, config)
		path := filepath.Join(dir, "events.jsonl")
		log := madeLog(t, rng, 20+rng.IntN(600), damaged)
		want := readPlain(log, seats)
		most := mostRows{1 << (3 + rng.IntN(4)), 1 << (2 + rng.IntN(4))}
		whole, part, growing := New(dir), New(dir), New(dir)
		whole.most, part.most, growing.most = mostRows{1e9, 1e9}, most, most
		for n := 0; n < len(log); {
			n = min(len(log), n+1+rng.IntN(len(log)/5))
			if err := os.WriteFile(path, log[:n], 0o644); err != nil {
				t.Fatal(err)
			}
			if err := growing.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range []*Run{whole, part} {
			if err := r.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		// Those of iterations that were made again may not be noticed.
		for _, d := range whole.Damaged {
			if !slices.Contains(want.damaged, d.Line) {
				t.Fatalf("round %d: line %d is damaged, of %v", round, d.Line, want.damaged)
			}
		}
		if damaged != (whole.Skipped > 0) {
			t.Fatalf("round %d: %d lines are damaged, of %v", round, whole.Skipped, want.damaged)
		}
		for _, c := range []struct {
			what           string
			got, reference *Table
			all            map[int]map[string]float64
		}{
			{"iterations", &part.Iterations, &growing.Iterations, want.iterations},
			{"evaluations", &part.Evaluations, &growing.Evaluations, want.evaluations},
			{"all iterations", &whole.Iterations, &whole.Iterations, want.iterations},
			{"all evaluations", &whole.Evaluations, &whole.Evaluations, want.evaluations},
		} {
			got := tableOf(c.got)
			if !maps.EqualFunc(got, tableOf(c.reference), equal) {
				t.Fatalf("round %d: %s differ where the log grows", round, c.what)
			}
			limit, also := 1_000_000_000, map[int]map[string]float64(nil)
			switch c.what {
			case "iterations":
				limit, also = most.iterations, tableOf(&part.Evaluations)
			case "evaluations":
				limit = most.evaluations
			}
			numbers, chosen := slices.Sorted(maps.Keys(got)), wanted(c.all, limit, also)
			// Where an iteration that was evaluated can't be read, the next one may have its place.
			numbers = slices.DeleteFunc(numbers, func(n int) bool {
				before := n - 1
				for c.all[before] == nil && before > 0 && also[before] == nil {
					before--
				}
				return c.all[before] == nil && also[before] != nil && !slices.Contains(chosen, n)
			})
			if !slices.Equal(numbers, chosen) {
				t.Fatalf("round %d: %s %v, want %v", round, c.what, numbers, chosen)
			}
			for n, figures := range got {
				if !equal(figures, c.all[n]) {
					t.Fatalf("round %d: %s, %d: %v, want %v", round, c.what, n, figures, c.all[n])
				}
			}
		}
		if !damaged && !part.Last.Time.Equal(want.last) || part.Iteration() !=
			slices.Max(slices.Collect(maps.Keys(want.iterations))) {
			t.Fatalf("round %d: the last event is %+v, of %v", round, part.Last, want.last)
		}
		// part reads what it has not decoded.
		exported := map[int]map[string]float64{}
		from := rng.IntN(5)
		if err := part.each(t.Context(), from, func(row, b *Row, lists ...[]figure) error {
			if row == nil {
				row = b
			}
			figures := map[string]float64{}
			for _, f := range slices.Concat(lists...) {
				if !strings.HasPrefix(f.name, Rating) {
					figures[f.name] = f.x
				}
			}
			exported[row.Iteration] = figures
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		merged := map[int]map[string]float64{}
		for _, table := range []map[int]map[string]float64{want.iterations, want.evaluations} {
			for n, figures := range table {
				if merged[n] == nil {
					merged[n] = map[string]float64{}
				}
				maps.Copy(merged[n], figures)
			}
		}
		maps.DeleteFunc(merged, func(n int, _ map[string]float64) bool { return n < from })
		if !maps.EqualFunc(exported, merged, equal) {
			t.Fatalf("round %d: what is exported differs", round)
		}
		// The table's columns are those of a run all of whose rows are read.
		a, err := whole.Columns(t.Context())
		b, wrong := part.Columns(t.Context())
		if err != nil || wrong != nil || !slices.Equal(a, b) ||
			len(a) < len(whole.Names()) {
			t.Fatalf("round %d: columns %v, %v, want %v, %v", round, b, wrong, a, err)
		}
	}
}

// counting counts the bytes that are read.
type counting struct {
	log  *bytes.Reader
	read int64
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.log.ReadAt(p, at)
	c.read += int64(n)
	return n, err
}

// A long run is decoded at a few thousand of its spots, and read on where it was left off.
func TestReadsLittle(t *testing.T) {
	dir := write(t, config)
	log := madeLog(t, random.New(4, random.Test), 60_000, false)
	path := filepath.Join(dir, "events.jsonl")
	if err := os.WriteFile(path, log, 0o644); err != nil {
		t.Fatal(err)
	}
	r := New(dir)
	read := func() (objects uint64) {
		t.Helper()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	objects := read()
	rows := len(r.Iterations.Rows) + len(r.Evaluations.Rows)
	most := viewed.iterations + 2*viewed.evaluations + 3*recent
	if r.Iterations.Len() < 50_000 || rows > most || rows < viewed.iterations/2 {
		t.Fatalf("%d rows of %d", rows, r.Iterations.Len())
	}
	// Any line that is decoded needs a few. There are several times as many lines as rows.
	if lines := bytes.Count(log, []byte("\n")); objects > uint64(lines) {
		t.Errorf("%d objects to read %d lines", objects, lines)
	}
	x := &counting{log: bytes.NewReader(log)}
	if err := r.show(t.Context(), x); err != nil || x.read != 0 {
		t.Errorf("%v: %d bytes read again", err, x.read)
	}
	r.Iterations.Rows = nil
	if err := r.show(t.Context(), x); err != nil || x.read == 0 || x.read > int64(rows)<<14 {
		t.Errorf("%v: %d bytes read for %d rows", err, x.read, rows)
	}

	// Another iteration: the index of its row is found without reading the others.
	more := strings.ReplaceAll(iteration(r.Iteration()+1, 9, 9, 9, 9, ""), "%s",
		"2026-04-01T00:00:00Z") + "\n"
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(more)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	last := r.Iteration()
	if objects := read(); objects > 500 || r.Iteration() != last+1 {
		t.Errorf("%d objects to read another iteration, %d after %d", objects, r.Iteration(), last)
	}
}

// A reader whose context ends goes on where it was.
func TestReadEnds(t *testing.T) {
	dir := write(t, config)
	log := madeLog(t, random.New(5, random.Test), 3000, false)
	if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), log, 0o644); err != nil {
		t.Fatal(err)
	}
	r := New(dir)
	ctx := &ending{Context: t.Context()}
	for calls := 0; ; calls++ {
		ctx.left = 2
		err := r.Refresh(ctx)
		if err == nil {
			if calls < 3 {
				t.Errorf("it was never ended")
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if calls > 10_000 {
			t.Fatal("it does not go on")
		}
		if calls > 5 {
			ctx.left = 1e9
			if err := r.Refresh(ctx); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	whole, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "after it was ended", r, whole)
}

// ending ends when it was asked a number of times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// What run.EventLog writes is not decoded before it is needed.
func TestHeader(t *testing.T) {
	files := run.Folder(t.TempDir()).On(nil)
	log, err := files.OpenEvents(func() time.Time { return time.Unix(1e9, 123456789) })
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range []run.Event{
		{Kind: run.EventIteration, Iteration: 123456789, Progress: &run.Progress{}},
		{Kind: run.EventEvaluation, Strength: &run.Strength{}},
		{Kind: run.EventWarning, Message: strings.Repeat("x", 99)},
	} {
		if _, err := log.Write(e); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(files.Events())
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		h, ok := headerOf(lines[i])
		if want := i < 2; ok != want || ok && (h.kind != e.Kind ||
			int(h.iteration) != e.Iteration ||
			string(h.time) != "2001-09-09T01:46:40.123456789Z") {
			t.Errorf("%s: %v, %q of %d at %s", lines[i], ok, h.kind, h.iteration, h.time)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// The figures of an event are those of encoding/json, and texts that are no JSON are refused.
func FuzzLine(f *testing.F) {
	for line := range bytes.Lines(madeLog(f, random.New(6, random.Test), 40, true)) {
		f.Add(line)
	}
	f.Add([]byte(`{"a\u0062":[1,[2],{"x":3},true,null,-0.5e-3],"é":{"b":1e999},"time":[1]}`))
	seats := []string{"Black", "White", "Red"}
	f.Fuzz(func(t *testing.T, text []byte) {
		headerOf(text)
		if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > maxDepth {
			return
		}
		var tree map[string]any
		err := json.Unmarshal(text, &tree)
		var w walker
		_, problem := w.figures(text, seats)
		var outOfRange *json.UnmarshalTypeError
		if (err == nil && tree != nil) != (problem == nil) && !errors.As(err, &outOfRange) {
			t.Fatalf("%q: %v, want %v", text, problem, err)
		}
		if err != nil || tree == nil {
			return
		}
		// From here on no object has two fields of one name.
		again, err := json.Marshal(tree)
		if err != nil || bytes.Contains(again, []byte(`"":`)) {
			return
		}
		want := map[string]float64{}
		naive(tree, "", seats, want)
		for range 2 { // with what is remembered of the first time
			list, err := w.figures(again, seats)
			if err != nil {
				t.Fatalf("%q: %v", again, err)
			}
			got := map[string]float64{}
			for _, f := range list {
				got[f.name] = f.x
			}
			if len(got) == len(list) && !maps.Equal(got, want) {
				t.Fatalf("%q: %v, want %v", again, got, want)
			}
		}
	})
}
