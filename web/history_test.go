package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tengen/internal/stream"
)

// A log that is read as it grows, in pieces that end anywhere, gives what one
// that is read whole does.
func TestHistoryInPieces(t *testing.T) {
	dir := makeRun(t, fixture{game: "go:size=3,players=3", iterations: 40, games: 1})
	text, err := os.ReadFile(dir.Events())
	must(t, err)
	whole := &history{path: dir.Events()}
	must(t, whole.refresh())
	if whole.iterations.rows != 40 || whole.evaluations.rows != 13 || len(whole.warnings) != 1 {
		t.Fatalf("%d iterations, %d evaluations, %d warnings", whole.iterations.rows, whole.evaluations.rows, len(whole.warnings))
	}
	rng := stream.New(1, stream.Test)
	path := filepath.Join(t.TempDir(), "events.jsonl")
	parts := &history{path: path}
	must(t, parts.refresh()) // before there is a log
	for n := 0; n < len(text); {
		n = min(len(text), n+1+rng.IntN(3000))
		must(t, os.WriteFile(path, text[:n], 0o644))
		must(t, parts.refresh())
	}
	if parts.version != whole.version {
		t.Errorf("version %d in pieces, %d whole", parts.version, whole.version)
	}
	compare := []cmp.Option{cmp.AllowUnexported(columns{}), cmpopts.EquateNaNs()}
	for name, pair := range map[string][2]columns{"iterations": {whole.iterations, parts.iterations}, "evaluations": {whole.evaluations, parts.evaluations}} {
		if d := cmp.Diff(pair[0], pair[1], compare...); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	// A log that is replaced by a shorter one is read anew.
	lines := bytes.SplitAfter(text, []byte("\n"))
	must(t, os.WriteFile(path, bytes.Join(lines[:3], nil), 0o644))
	must(t, parts.refresh())
	if parts.iterations.rows != 2 || parts.version == whole.version {
		t.Errorf("%d iterations after the log was replaced, version %d", parts.iterations.rows, parts.version)
	}
}

func TestHistoryLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	h := &history{path: path}
	at := func(minute int) string { return began.Add(time.Duration(minute) * time.Minute).Format(time.RFC3339) }
	line := func(minute int, event string, iteration int, more string) string {
		return fmt.Sprintf(`{"time":%q,"event":%q,"iteration":%d%s}`+"\n", at(minute), event, iteration, more)
	}
	text := line(0, "start", 0, "") +
		line(1, "iteration", 1, `,"losses":{"total":3,"policy":2},"scores":[1,2],"held_out":null`) +
		"garbage\n" +
		line(2, "iteration", 2, `,"losses":{"total":2.5,"policy":null},"scores":[3,4],"late":7`) +
		line(3, "iteration", 3, `,"losses":{"total":2}`) +
		line(4, "stop", 3, `,"message":"stopped"`)
	must(t, os.WriteFile(path, []byte(text), 0o644))
	must(t, h.refresh())
	if h.stopped == nil || h.stopped.Message != "stopped" {
		t.Errorf("the last event is %v", h.stopped)
	}
	if left := h.left(10); left != 7*time.Minute {
		t.Errorf("%v are left", left)
	}
	// Resumed after the second iteration, whose successor is made again.
	text += line(10, "resume", 2, "") + line(11, "iteration", 3, `,"losses":{"total":1.5}`)
	must(t, os.WriteFile(path, []byte(text), 0o644))
	must(t, h.refresh())
	nan := math.NaN()
	want := map[string][]float64{
		"iteration": {1, 2, 3}, "losses.total": {3, 2.5, 1.5}, "losses.policy": {2, nan, nan},
		"scores.0": {1, 3, nan}, "scores.1": {2, 4, nan}, "late": {nan, 7, nan},
	}
	if d := cmp.Diff(want, h.iterations.values, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	if h.stopped != nil {
		t.Error("a run that was resumed counts as stopped")
	}
	var back map[string][]*float64
	must(t, json.Unmarshal(h.iterations.append(nil), &back))
	if got := back["losses.policy"]; *got[0] != 2 || got[1] != nil || len(back) != len(want) {
		t.Errorf("as JSON: %v", back)
	}
}

// thin against its definition, row by row.
func TestThin(t *testing.T) {
	rng := stream.New(3, stream.Test)
	for _, rows := range []int{1, 5, 7, 20, 61, 100} {
		c := &columns{}
		for i := range rows {
			row := map[string]any{"iteration": float64(i + 1), "games": float64(100 * i)}
			if rng.IntN(4) > 0 {
				row["loss"] = rng.NormFloat64()
			}
			c.put(float64(i+1), row)
		}
		const n = 7
		got := c.thin(n)
		if rows <= n {
			if got.rows != rows {
				t.Errorf("%d rows become %d", rows, got.rows)
			}
			continue
		}
		covered := 0
		for i := range n {
			last := got.values["iteration"][i]
			sum, count := 0.0, 0
			for ; float64(covered) < last; covered++ {
				if x := c.values["loss"][covered]; !math.IsNaN(x) {
					sum += x
					count++
				}
			}
			want := sum / float64(count)
			if x := got.values["loss"][i]; math.Abs(x-want) > 1e-12 || math.IsNaN(x) != math.IsNaN(want) {
				t.Errorf("%d rows, row %d: %v, want %v", rows, i, x, want)
			}
			if got.values["games"][i] != 100*(last-1) {
				t.Errorf("%d rows, row %d: %v games at iteration %v", rows, i, got.values["games"][i], last)
			}
		}
		if covered != rows {
			t.Errorf("%d of %d rows are covered", covered, rows)
		}
	}
}

func TestSpeed(t *testing.T) {
	c := &columns{}
	for i, games := range []float64{100, 150, 250} {
		c.put(float64(i), map[string]any{"iteration": float64(i), "games": games, "play_seconds": []float64{10, 25, 0}[i]})
	}
	for range 2 { // it may be asked for again
		c.speed()
	}
	if d := cmp.Diff([]float64{10, 2, math.NaN()}, c.values["games_per_second"], cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	if n := len(c.names); n != len(slices.Compact(slices.Sorted(slices.Values(c.names)))) {
		t.Errorf("names %v", c.names)
	}
}

func TestRatings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ratings.json")
	if r, err := ratings(path); r != nil || err != nil {
		t.Errorf("without a file: %v, %v", r, err)
	}
	must(t, os.WriteFile(path, []byte(`{"networks":[{"iteration":6,"rating":120,"rating_low":60,"rating_high":null},{"iteration":3,"rating":50,"rating_low":10,"rating_high":90}]}`), 0o644))
	r, err := ratings(path)
	must(t, err)
	want := map[string][]float64{"iteration": {3, 6}, "rating": {50, 120}, "rating_low": {10, 60}, "rating_high": {90, math.NaN()}}
	if d := cmp.Diff(want, r.values, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
}
