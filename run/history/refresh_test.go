package history

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tengen/internal/random"
	"tengen/run"
)

// long is the log of a run that was resumed, with lines that can't be read.
func long(t *testing.T) (dir string, log []byte) {
	t.Helper()
	lines := []string{`{"time":"%s","event":"start","iteration":0}`}
	for i := 1; i <= 40; i++ {
		lines = append(lines, iteration(i, 100*i, 40*i, 1000*i, float64(60*i), ""))
		switch i {
		case 5, 11:
			lines = append(lines, fmt.Sprintf(`{"time":"%%s","event":"evaluation","iteration":%d,"strength":{"points":[4,5,6],"ci95":[1,null,1],"sum":15,"sum_ci95":2,"games":5,"against":"uct","rating":%d}}`, i, i))
		case 7:
			lines = append(lines, "", "not JSON", `{"event":"iteration"}`)
		case 20:
			lines = append(lines, `{"time":"%s","event":"warning","iteration":20,"message":"slow"}`)
		case 30: // 26 to 30 are made again
			lines = append(lines, `{"time":"%s","event":"resume","iteration":25}`)
			for i = 26; i <= 32; i++ {
				lines = append(lines, iteration(i, 99*i, 40*i, 500*i, float64(61*i), `,"late":7`))
			}
			i--
		}
	}
	dir = write(t, config,
		append(lines, `{"time":"%s","event":"stop","iteration":40,"message":"a signal"}`)...)
	log, err := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return dir, log
}

// same fails where two runs differ, in whatever they hold.
func same(t *testing.T, what string, got, want *Run) {
	t.Helper()
	all := cmp.Exporter(func(reflect.Type) bool { return true })
	if d := cmp.Diff(want, got, all, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(Run{}, "Version")); d != "" {
		t.Fatalf("%s: %s", what, d)
	}
}

// A log that is read as it grows, in pieces that end anywhere, gives what one
// that is read whole does: after every piece.
func TestRefresh(t *testing.T) {
	dir, log := long(t)
	path := filepath.Join(dir, "events.jsonl")
	put := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check := func(r *Run, what string) {
		t.Helper()
		whole, err := Read(t.Context(), dir)
		if err == nil {
			err = r.Refresh(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, what, r, whole)
	}
	whole, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Iterations.Rows) != 40 || len(whole.Evaluations.Rows) != 2 ||
		len(whole.Damaged) != 2 || whole.Last.Message != "a signal" {
		t.Fatalf("%d iterations, %d evaluations, damaged %v",
			len(whole.Iterations.Rows), len(whole.Evaluations.Rows), whole.Damaged)
	}
	rng := random.New(1, random.Test)
	put(nil)
	r := New(dir)
	for n := 0; n < len(log); {
		n = min(len(log), n+1+rng.IntN(1500))
		if rng.IntN(4) == 0 { // the line but for its end
			n += bytes.IndexByte(log[n-1:], '\n')
		}
		put(log[:n])
		check(r, fmt.Sprintf("after %d bytes", n))
	}
	version := r.Version
	if version != whole.Version {
		t.Errorf("version %d in pieces, %d whole", version, whole.Version)
	}
	check(r, "nothing new")
	if r.Version != version {
		t.Error("another version without anything new")
	}

	// Another log in its place: a shorter one, a longer one, and one as long.
	lines := bytes.SplitAfter(log, []byte("\n"))
	for _, other := range [][]byte{
		bytes.Join(lines[:3], nil),
		bytes.Join(slices.Concat(lines[:1], lines[3:]), nil),
		bytes.Replace(bytes.Join(slices.Concat(lines[:1], lines[3:]), nil), []byte("a signal"),
			[]byte("b signal"), 1),
		log[:5],
	} {
		put(other)
		version = r.Version
		check(r, "replaced")
		if r.Version == version {
			t.Error("another log, and the same version")
		}
	}

	// A new configuration: seats have other names.
	put(log)
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("game: hex\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	check(r, "another configuration")
}

// A line that is far too long is passed over, whether it is there at once or grows.
func TestLongLine(t *testing.T) {
	dir := write(t, config, "{}", strings.Repeat("x", 3*run.MaxLine))
	path := filepath.Join(dir, "events.jsonl")
	r := New(dir)
	for i, want := range []string{
		"[{1 the fields \"time\" and \"event\" are wanted} {2 longer than 1048576 bytes}]", "[{1 the fields \"time\" and \"event\" are wanted} {2 longer than 1048576 bytes} {3 the last line was cut short}]",
	} {
		if i == 1 {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteString(strings.Repeat("y", run.MaxLine+1))
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Refresh(t.Context()); err != nil || fmt.Sprint(r.Damaged) != want {
			t.Errorf("%v: damaged %v, want %s", err, r.Damaged, want)
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("\n" + `{"time":"2026-01-02T03:04:05Z","event":"start"}`); err !=
		nil {
		t.Fatal(err)
	}
	if err := r.Refresh(t.Context()); err != nil || len(r.Damaged) != 3 ||
		r.Damaged[2].Problem != "longer than 1048576 bytes" || r.Processes != 1 {
		t.Errorf("%v: damaged %v, %d processes", err, r.Damaged, r.Processes)
	}
}

// addRow adds a row at the end of a table.
func addRow(t *Table, row Row, figures ...figure) {
	row.values = t.appendValues(nil, figures)
	t.Rows = append(t.Rows, row)
}

// How long it has taken and will take, by this process alone.
func TestLeft(t *testing.T) {
	r := &Run{}
	began := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	at := func(minutes float64) time.Time {
		return began.Add(time.Duration(minutes * float64(time.Minute)))
	}
	for _, c := range []struct {
		now     float64
		left    float64 // minutes; -1: unknown
		elapsed float64
		add     func()
	}{
		{2, -1, 0, func() {}},
		{2, -1, 2, func() { r.Began = began }},
		{32, -1, 32, func() { // the first is no measure
			addRow(&r.Iterations, Row{Iteration: 1, Time: at(30)},
				figure{"elapsed_seconds", 1800})
		}},
		{32, -1, 32, func() {
			addRow(&r.Iterations, Row{Iteration: 2, Time: at(31)},
				figure{"elapsed_seconds", 1860})
		}},
		{32.5, 6.5, 32.5, func() {
			addRow(&r.Iterations, Row{Iteration: 3, Time: at(32)},
				figure{"elapsed_seconds", 1920})
		}},
		{99, 0, 99, func() {}},
		{1002, -1, 34, func() { r.Began = at(1000) }},
		{1005, -1, 35, func() {
			addRow(&r.Iterations, Row{Iteration: 4, Time: at(1003)},
				figure{"elapsed_seconds", 1980})
		}},
		{1006, 9, 35, func() {
			addRow(&r.Iterations, Row{Iteration: 5, Time: at(1005)},
				figure{"elapsed_seconds", 2040})
		}},
		{1011, 4, 40, func() { // it evaluates
			addRow(&r.Evaluations, Row{
				Iteration: 5, Time: at(1010), Strength: &run.Strength{Elapsed: 60 * 39},
			})
		}},
	} {
		c.add()
		left, ok := r.Left(10, at(c.now))
		if !ok {
			left = -time.Minute
		}
		if took := r.Took(); took > r.Elapsed(at(c.now)) {
			t.Errorf("at %v: it took %v s, elapsed %v", c.now, took, r.Elapsed(at(c.now)))
		}
		if left.Minutes() != c.left || r.Elapsed(at(c.now)) != 60*c.elapsed {
			t.Errorf("at %v: %v are left, %v s elapsed, want %v and %v min",
				c.now, left, r.Elapsed(at(c.now)), c.left, c.elapsed)
		}
	}
}

// TestRatesOfCycles: where games never stop, rates are of the whole time.
func TestRatesOfCycles(t *testing.T) {
	for _, c := range []struct {
		training     string
		games, steps float64
	}{
		{"training: {iterations: 4, games: 100}", 10, 10},
		{"training: {iterations: 4, games: 100, cycle: pipelined}", 100. / 14, 10},
		{"training: {iterations: 4, games: 100, cycle: asynchronous}", 100. / 14, 40. / 14},
	} {
		r, err := Read(t.Context(), write(t, "game: go:players=3,size=5\n"+c.training+"\n",
			`{"time":"%s","event":"start","iteration":0}`, iteration(1, 100, 40, 1000, 60, "")))
		if err != nil {
			t.Fatal(err)
		}
		games, _ := r.Iterations.Last(GamesRate)
		steps, _ := r.Iterations.Last(StepsRate)
		if math.Abs(games-c.games) > 1e-9 || math.Abs(steps-c.steps) > 1e-9 {
			t.Errorf("%s: %g games and %g steps a second; want %g, %g",
				c.training, games, steps, c.games, c.steps)
		}
	}
}
