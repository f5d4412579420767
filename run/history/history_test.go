package history

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/run"
	"tengen/vfs"
)

// write makes a run's folder with these lines of events; %s of a line is a time,
// each a minute after the one before.
func write(t *testing.T, config string, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	var log strings.Builder
	for i, line := range lines {
		at := time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC).Format(time.RFC3339)
		log.WriteString(strings.ReplaceAll(line, "%s", at) + "\n")
	}
	files := map[string]string{"events.jsonl": strings.TrimSuffix(log.String(), "CUT\n")}
	if config != "" {
		files["config.yaml"] = config
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func iteration(n, games, steps, evaluations int, seconds float64, more string) string {
	return fmt.Sprintf(`{"time":"%%s","event":"iteration","iteration":%d,"games":%d,"steps":%d,"evaluations":%d,"scores":[%d,2,3],"losses":{"policy":%g,"value":0.5},"held_out":null,"play_seconds":10,"update_seconds":4,"elapsed_seconds":%g%s}`,
		n, games, steps, evaluations, n, 2-float64(n)/10, seconds, more)
}

const config = "game: go:players=3,size=5\ntraining: {iterations: 4}\n"

func TestRead(t *testing.T) {
	dir := write(t, config,
		`{"time":"%s","event":"start","iteration":0}`,
		`{"time":"%s","event":"evaluation","iteration":0,"strength":{"points":[1,2,3],"ci95":[0.5,null,1],"baseline":[9,8,7],"sum":6,"sum_ci95":null,"games":5,"against":"uct","earlier":[{"iteration":7,"difference":1}],"rating":-100,"rating_low":null,"rating_high":-50,"elapsed_seconds":9}}`,
		iteration(1, 100, 40, 1000, 60, ""),
		`not JSON`,
		iteration(2, 150, 60, 3000, 120, ""),
		``,
		`{"time":"%s","event":"warning","iteration":2,"message":"slow"}`,
		`{"event":"iteration","iteration":3}`,
		iteration(3, 200, 80, 9000, 180, `,"other":null`),
		`{"time":"%s","event":"other","iteration":3}`,
		// A damaged checkpoint was passed over: iteration 3 is made again.
		`{"time":"%s","event":"resume","iteration":2}`,
		iteration(3, 201, 82, 500, 200, ""),
		`{"time":"%s","event":"evaluation","iteration":3,"strength":{"points":[4,5,6],"ci95":[1,1,1],"sum":15,"sum_ci95":2,"games":5,"against":"uct"}}`,
		`{"time":"%s","event":"evaluation","iteration":4,"strength":{"points":[4,5,6],"ci95":[1],"sum":15}}`,
		`{"time":"%s","event":"iter`+"CUT",
	)
	r, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Game() != "go:size=5,players=3" ||
		!slices.Equal(r.Seats, []string{"Black", "White", "Red"}) || r.All() != 4 ||
		len(r.Problems()) > 0 {
		t.Errorf("game %q, seats %q, %d iterations, problems %q",
			r.Game(), r.Seats, r.All(), r.Problems())
	}
	var damaged []int
	for _, d := range r.Damaged {
		damaged = append(damaged, d.Line)
	}
	if !slices.Equal(damaged, []int{4, 8, 14, 15}) ||
		r.Damaged[3].Problem != "the last line was cut short" ||
		!strings.Contains(r.Damaged[2].Problem, "1 intervals for 3 seats") {
		t.Errorf("damaged: %+v", r.Damaged)
	}
	if r.State() != Broken || r.Processes != 2 || len(r.Warnings) != 1 || r.Iteration() != 3 {
		t.Errorf("%s, %d processes, warnings %v, iteration %d",
			r.State(), r.Processes, r.Warnings, r.Iteration())
	}

	// Intervals; those without a bound; iteration 0 stands at 0.
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name string
		by   Axis
		want []Point
	}{
		{Points("Black"), Games, []Point{{0, 1, 0.5, 1.5}, {201, 4, 3, 5}}},
		{Points("White"), Iterations, []Point{{0, 2, -inf, inf}, {3, 5, 4, 6}}},
		{Sum, Hours, []Point{{0, 6, -inf, inf}, {200. / 3600, 15, 13, 17}}},
		{Rating, Games, []Point{{0, -100, -inf, -50}}},
		{"losses/policy",
			Games, []Point{{100, 1.9, nan, nan}, {150, 1.8, nan, nan}, {201, 1.7, nan, nan}}},
		{"scores/Black", Iterations, []Point{{1, 1, nan, nan}, {2, 2, nan, nan}, {3, 3, nan, nan}}},
		// The first iteration after a resume: games may have been there before,
		// evaluations are counted from 0.
		{GamesRate, Iterations, []Point{{1, 10, nan, nan}, {2, 5, nan, nan}}},
		{EvaluationsRate, Iterations,
			[]Point{{1, 100, nan, nan}, {2, 200, nan, nan}, {3, 50, nan, nan}}},
		{StepsRate, Iterations, []Point{{1, 10, nan, nan}, {2, 5, nan, nan}, {3, 5.5, nan, nan}}},
		{"nothing", Games, nil},
	} {
		got := r.Curve(c.name, c.by)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s over %s: %v, want %v", c.name, c.by, got, c.want)
		}
	}
	names := r.Names()
	for _, name := range []string{"strength/earlier/0/difference", "time", "iteration", "message"} {
		if slices.Contains(names, name) {
			t.Errorf("there is a curve %s", name)
		}
	}
}

// The ratings of the last estimate come before those told at the time.
func TestRatings(t *testing.T) {
	dir := write(t, config,
		`{"time":"%s","event":"start","iteration":0}`,
		`{"time":"%s","event":"evaluation","iteration":0,"strength":{"points":[1,2,3],"ci95":[0.5,1,1],"rating":-100,"rating_low":-200,"rating_high":-50}}`,
		`{"time":"%s","event":"evaluation","iteration":2,"strength":{"points":[1,2,3],"ci95":[0.5,1,1],"rating":50,"rating_low":0,"rating_high":90}}`,
		`{"time":"%s","event":"stop","iteration":0,"message":"`+run.Finished+`"}`,
	)
	if err := os.Mkdir(filepath.Join(dir, "eval"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := `{"anchor":"uct","games":9,"networks":[{"iteration":2,"games":5,"rating":60,"rating_low":10,"rating_high":null},{"iteration":9,"rating":1}]}`
	if err := os.WriteFile(filepath.Join(dir, "eval", "ratings.json"), []byte(text),
		0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Point{{0, -100, -200, -50}, {2, 60, 10, math.Inf(1)}}
	if got := r.Curve(Rating, Iterations); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if r.State() != Complete {
		t.Errorf("%s", r.State())
	}
	if err := os.WriteFile(filepath.Join(dir, "eval", "ratings.json"), []byte("{"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if r, err = Read(t.Context(), dir); err != nil || len(r.Problems()) != 1 ||
		r.RatingOf(2).Rating != 50 {
		t.Errorf("error %v, problems %q", err, r.Problems())
	}
}

func TestStates(t *testing.T) {
	start := `{"time":"%s","event":"start","iteration":0}`
	stop := func(message string) string {
		return `{"time":"%s","event":"stop","iteration":0,"message":"` + message + `"}`
	}
	for _, c := range []struct {
		lines []string
		want  State
	}{
		{[]string{start}, Broken},
		{[]string{start, stop(run.StoppedAfter(0, 4))}, Stopped},
		{[]string{start, stop(run.Finished)}, Complete},
		{[]string{start, iteration(4, 9, 9, 9, 9, ""), stop("all iterations are done")}, Complete},
		{[]string{start, stop(run.StoppedAfter(0, 4)), start}, Broken},
	} {
		dir := write(t, config, c.lines...)
		r, err := Read(t.Context(), dir)
		if err != nil || r.State() != c.want {
			t.Errorf("%v: %s, want %s", err, r.State(), c.want)
		}
	}
	dir := write(t, config, start)
	lock, err := vfs.OS{}.Lock(filepath.Join(dir, "LOCK"), "test")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if r, err := Read(t.Context(), dir); err != nil || r.State() != Running || r.Holder == nil ||
		r.Holder.PID != os.Getpid() {
		t.Errorf("%v: %s, held by %v", err, r.State(), r.Holder)
	}
}

// A folder without a run says what is missing; a run whose configuration can't
// be read has its curves all the same.
func TestWithout(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                         "it has no events.jsonl",
		filepath.Join(dir, "never"): "there is no such folder",
	} {
		if _, err := Read(t.Context(), path); !errors.Is(err, ErrNone) ||
			!strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Read(t.Context(), file); err == nil {
		t.Error("a file is taken for a run")
	}
	dir = write(t, "",
		`{"time":"%s","event":"evaluation","iteration":0,"strength":{"points":[1,2],"ci95":[1,1]}}`)
	r, err := Read(t.Context(), dir)
	if err != nil || len(r.Problems()) != 1 || r.Game() != "" || r.All() != 0 {
		t.Fatalf("%v: problems %q, game %q", err, r.Problems(), r.Game())
	}
	if got := r.Curve(Points("seat 2"), Games); len(got) != 1 || got[0].Y != 2 {
		t.Errorf("%v of %q", got, r.Names())
	}
}

// The walk through an event finds what a naive reading of its JSON finds.
func TestValues(t *testing.T) {
	rng := random.New(1, random.Test, 0, 0)
	seats := []string{"Black", "White", "Red"}
	var w walker
	for range 500 {
		text, err := json.Marshal(object(rng, 0))
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		want := map[string]float64{}
		naive(tree, "", seats, want)
		got := map[string]float64{}
		list, err := w.figures(text, seats)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, v := range list {
			got[v.name] = v.x
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s:\n%v, want\n%v", text, got, want)
		}
	}
}

func object(rng *rand.Rand, depth int) map[string]any {
	x := map[string]any{}
	for range rng.IntN(6) {
		keys := []string{"a", "b", "losses", "time", "event", "message", "points"}
		x[keys[rng.IntN(len(keys))]] = value(rng, depth)
	}
	return x
}

func value(rng *rand.Rand, depth int) any {
	kinds := 4
	if depth < 3 {
		kinds = 6
	}
	switch rng.IntN(kinds) {
	case 0:
		return rng.NormFloat64()
	case 1:
		return rng.IntN(2) == 0
	case 2:
		return "text"
	case 3:
		return nil
	case 4:
		return object(rng, depth+1)
	}
	list := make([]any, rng.IntN(5))
	for i := range list {
		list[i] = value(rng, depth+1)
	}
	return list
}

func naive(v any, path string, seats []string, into map[string]float64) {
	switch x := v.(type) {
	case float64:
		into[path] = x
	case bool:
		into[path] = map[bool]float64{true: 1}[x]
	case map[string]any:
		for key, inner := range x {
			if path == "" &&
				slices.Contains([]string{"time", "event", "iteration", "message"}, key) {
				continue
			}
			naive(inner, strings.TrimPrefix(path+"/"+key, "/"), seats, into)
		}
	case []any:
		for i, inner := range x {
			name := fmt.Sprint(i)
			if len(x) == len(seats) {
				name = seats[i]
			}
			switch inner.(type) {
			case float64, bool: // lists of lists and objects are left out
				naive(inner, path+"/"+name, seats, into)
			}
		}
	}
}

// small is a run with little in it, for the formats.
func small(t *testing.T) *Run {
	t.Helper()
	r, err := Read(t.Context(), write(t, config,
		`{"time":"%s","event":"start","iteration":0}`,
		`{"time":"%s","event":"evaluation","iteration":0,"strength":{"points":[1,2,3],"ci95":[0.5,null,1],"sum":6}}`,
		`{"time":"%s","event":"iteration","iteration":1,"games":100,"plies":7.5,"steps":40,"losses":{"policy":0,"value":0.5},"play_seconds":10,"elapsed_seconds":60}`,
		`{"time":"%s","event":"evaluation","iteration":1,"strength":{"points":[4,5,6],"ci95":[1,1,1],"sum":15,"rating":20,"rating_low":null,"rating_high":1e3}}`,
	))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCSV(t *testing.T) {
	r := small(t)
	var b bytes.Buffer
	if err := r.WriteCSV(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	// losses/policy is left out: it is zero throughout.
	want := `iteration,time,games,steps,elapsed_seconds,plies,losses/value,play_seconds,rates/games_per_second,strength/points/Black,strength/points/White,strength/points/Red,strength/ci95/Black,strength/ci95/Red,strength/sum,strength/ci95/White,strength/rating,strength/rating_high,ratings/rating,ratings/rating_high
0,2026-01-02T03:01:00Z,0,0,0,,,,,1,2,3,0.5,1,6,,,,,
1,2026-01-02T03:02:00Z,100,40,60,7.5,0.5,10,10,4,5,6,1,1,15,1,20,1000,20,1000
`
	if b.String() != want {
		t.Errorf("written is\n%s, want\n%s", b.String(), want)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	columns, wrong := r.Columns(t.Context())
	if err != nil || wrong != nil || len(lines) != 3 || !slices.Equal(lines[0], columns) {
		t.Errorf("%v: %d lines", err, len(lines))
	}
}

// The event file holds each figure under its tag, in order of the steps.
// TestFollow: the event file grows with the run, and ends as the one that is written at once.
func TestFollow(t *testing.T) {
	r := small(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // it writes what is there, and ends
	if err := Follow(ctx, string(r.Folder), dir, time.Hour); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := r.WriteTensorBoard(t.Context(), &want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, r.Folder.Name(), r.EventFile()))
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes are written, want %d; %v", len(got), want.Len(), err)
	}
	// What has been written is not written again.
	var parts bytes.Buffer
	b := NewTensorBoard(r, &parts)
	last := r.Iterations.spots
	r.Iterations.spots = nil
	for range 2 {
		if err := b.Write(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r.Iterations.spots = last
	if err := b.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	if parts.Len() != want.Len() {
		t.Errorf("in parts %d bytes are written, want %d", parts.Len(), want.Len())
	}
	if err := Follow(ctx, filepath.Join(dir, "nothing"), dir, time.Hour); err != nil {
		t.Errorf("a run that has not begun: %v", err)
	}
}

func TestTensorBoard(t *testing.T) {
	r := small(t)
	var got, want bytes.Buffer
	if err := r.WriteTensorBoard(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	w := newEventWriter(&want)
	at := func(minute int) time.Time { return time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC) }
	for _, err := range []error{
		w.Begin(at(0)),
		w.HParams(at(0), r.Config.Group(), hparams(r.Config)),
		w.Scalars(at(1), 0, []eventScalar{
			{Tag: "strength/points/Black", Value: 1}, {Tag: "strength/points/White", Value: 2},
			{Tag: "strength/points/Red", Value: 3},
			{Tag: "strength/ci95/Black", Value: 0.5}, {Tag: "strength/ci95/Red", Value: 1},
			{Tag: "strength/sum", Value: 6},
		}),
		w.Scalars(at(2), 1, []eventScalar{
			{Tag: "run/games", Value: 100}, {Tag: "run/plies", Value: 7.5},
			{Tag: "run/steps", Value: 40}, {Tag: "losses/value", Value: 0.5},
			{Tag: "run/play_seconds", Value: 10}, {Tag: "run/elapsed_seconds", Value: 60},
			{Tag: "rates/games_per_second", Value: 10},
		}),
		w.Scalars(at(3), 1, []eventScalar{
			{Tag: "strength/points/Black", Value: 4}, {Tag: "strength/points/White", Value: 5},
			{Tag: "strength/points/Red", Value: 6},
			{Tag: "strength/ci95/Black", Value: 1}, {Tag: "strength/ci95/White", Value: 1},
			{Tag: "strength/ci95/Red", Value: 1}, {Tag: "strength/sum", Value: 15},
			{Tag: "strength/rating", Value: 20},
			{Tag: "strength/rating_high", Value: 1000},
			{Tag: "ratings/rating", Value: 20}, {Tag: "ratings/rating_high", Value: 1000},
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("written is\n%q, want\n%q", got.String(), want.String())
	}
	if name := r.EventFile(); name != fmt.Sprintf("events.out.tfevents.%d.tengen-none",
		at(0).Unix()) {
		t.Errorf("the file is called %s", name)
	}
	tags, err := r.Tags(t.Context())
	if err != nil || len(tags) == 0 {
		t.Fatalf("%d tags, %v", len(tags), err)
	}
	for _, tag := range tags {
		if !strings.Contains(got.String(), tag) {
			t.Errorf("the tag %s is not written", tag)
		}
	}
}

// Whatever an event log holds, its history can be read and written.
func FuzzRead(f *testing.F) {
	f.Add([]byte(iteration(1, 2, 3, 4, 5, "")))
	f.Add([]byte(`{"time":"2026-01-02T03:04:05Z","event":"evaluation","iteration":1,"strength":{"points":[1],"ci95":[null],"rating":1}}` + "\n{"))
	f.Fuzz(func(t *testing.T, log []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), log, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Read(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range r.Names() {
			for _, by := range Axes() {
				r.Curve(name, by)
			}
		}
		var b bytes.Buffer
		if err := errors.Join(r.WriteCSV(t.Context(), &b),
			r.WriteTensorBoard(t.Context(), &b)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestZeroIsAFigure: a figure that is always 0 is one, except of a head that the network does not
// have.
func TestZeroIsAFigure(t *testing.T) {
	r, err := Read(t.Context(), write(t, "game: tictactoe\n", `{"time":"2026-01-01T00:00:00Z","event":"iteration","iteration":1,"games":1,"cache_hits":0,"scores":[0,1],`+
		`"losses":{"policy":2,"policy_accuracy":0,"value":0,"value_calibration":0,"gradient_norm":0},"held_out":{"policy":0,"policy_accuracy":0,"target_entropy":0,"value":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	names := r.Names()
	for name, want := range map[string]bool{
		"cache_hits": true, "losses/policy_accuracy": true, "losses/gradient_norm": true,
		"held_out/value": true,
		"losses/value":   false, "losses/value_calibration": false, "held_out/policy": false,
		"held_out/policy_accuracy": false, "held_out/target_entropy": false,
	} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s: %v in %q", name, !want, names)
		}
	}
}
