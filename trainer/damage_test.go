package trainer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/metrics"
	"tengen/run"
	"tengen/trainer/evaluation"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// logged is a run in memory that has evaluations, up to its end.
func logged(t testing.TB) *witness {
	t.Helper()
	w := newWitness()
	if _, err := w.run(faultPlan(t, evaluated...)); err != nil {
		t.Fatal(err)
	}
	return w
}

// evaluated are settings of a run that is measured after each iteration.
var evaluated = []string{"evaluation.every=1", "evaluation.games=1", "evaluation.simulations=2"}

// get and put read and write a file of a file system.
func get(t testing.TB, fsys vfs.FS, path string) []byte {
	t.Helper()
	data, err := vfs.ReadFile(fsys, path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func put(t testing.TB, fsys vfs.FS, path string, data []byte) {
	t.Helper()
	if err := vfs.MkdirAll(fsys, filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// spoilt calls f with data cut to every length, and with a bit of every byte
// turned; lines are the numbers of the whole lines, from 0, that are as they were.
func spoilt(data []byte, f func(what string, spoilt []byte, lines []int)) {
	all := bytes.SplitAfter(data, []byte("\n"))
	if len(all[len(all)-1]) == 0 {
		all = all[:len(all)-1]
	}
	start := 0
	for k, line := range all {
		var before, others, beyond []int
		for i := range all {
			switch {
			case i < k:
				before = append(before, i)
				fallthrough
			case i > k+1:
				beyond = append(beyond, i)
			}
			if i != k {
				others = append(others, i)
			}
		}
		for i := range line {
			n := start + i
			f(fmt.Sprintf("cut to %d of %d bytes", n, len(data)), data[:n], before)
			flipped := bytes.Clone(data)
			flipped[n] ^= 1 << (n % 8)
			if i == len(line)-1 {
				// it runs on into the next
				f(fmt.Sprintf("the end of line %d turned", k+1), flipped, beyond)
			} else {
				f(fmt.Sprintf("byte %d of %d turned", n, len(data)), flipped, others)
			}
		}
		start += len(line)
	}
}

// TestLogsAtEveryByte: wherever a log of lines was cut or changed, the lines that
// were not touched are read as before.
func TestLogsAtEveryByte(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about files rather than goroutines")
	}
	t.Parallel()
	w := logged(t)
	fsys := vfstest.NewMemory()
	f := run.Folder("run").On(fsys)

	data := get(t, w.Faulty, f.Events())
	put(t, fsys, f.Events(), data)
	events, err := f.History()
	if err != nil || len(events) != bytes.Count(data, []byte("\n")) || len(events) < 6 {
		t.Fatalf("%d events in %d lines, %v", len(events), bytes.Count(data, []byte("\n")), err)
	}
	spoilt(data, func(what string, text []byte, lines []int) {
		put(t, fsys, f.Events(), text)
		got, err := f.History()
		if err != nil {
			t.Fatalf("events, %s: %v", what, err)
		}
		want := make([]run.Event, len(lines))
		for i, k := range lines {
			want[i] = events[k]
		}
		missing(t, "events, "+what, got, want)
	})

	data = get(t, w.Faulty, f.EvaluationGames())
	put(t, fsys, f.EvaluationGames(), data)
	l, err := f.OpenGameLog(2, 50_000)
	if err != nil || len(l.Games()) != bytes.Count(data, []byte("\n")) || len(l.Games()) < 6 {
		t.Fatalf("%d games in %d lines, %v", len(l.Games()), bytes.Count(data, []byte("\n")), err)
	}
	games := l.Games()
	spoilt(data, func(what string, text []byte, lines []int) {
		put(t, fsys, f.EvaluationGames(), text)
		l, err := f.OpenGameLog(2, 50_000)
		if err != nil {
			t.Fatalf("games, %s: %v", what, err)
		}
		want := make([]run.EvaluationGame, len(lines))
		for i, k := range lines {
			want[i] = games[k]
		}
		missing(t, "games, "+what, l.Games(), want)
	})
}

// TestResumptionReadsTheEnd: a run that is resumed reads the ends of its logs, however long they
// are, and logs again what the event log lacks, and nothing else.
func TestResumptionReadsTheEnd(t *testing.T) {
	w, f := logged(t), run.Folder("run")
	events, games := get(t, w.disk, f.Events()), get(t, w.disk, f.EvaluationGames())
	one := games[:1+bytes.IndexByte(games, '\n')]
	old := append(bytes.Repeat([]byte(`{"event":"warning","iteration":0,"message":"long ago"}`+"\n"),
		100_000), events...)
	cut := bytes.LastIndex(old, []byte(`{"time":"`)) // the stop event
	for !bytes.Contains(old[cut:], []byte(`"event":"iteration"`)) {
		cut = bytes.LastIndex(old[:cut], []byte(`{"time":"`))
	}
	for _, c := range []struct {
		what      string
		log       []byte
		iteration int // is logged again
	}{{"all is there", old, 0}, {"the last iteration is missing", old[:cut], 1}} {
		put(t, w.disk, f.Events(), c.log)
		put(t, w.disk, f.EvaluationGames(), append(bytes.Repeat(one, 200_000), games...))
		reads := map[string]int{}
		w.Inject(func(op vfstest.Op) error {
			if op.Kind == vfstest.Read {
				reads[filepath.Base(op.Path)]++
			}
			return nil
		})
		_, err := w.run(faultPlan(t, evaluated...))
		w.Inject(nil)
		// Blocks of 64 KiB.
		if n := reads[run.EventsFile]; err != nil || n < 2 || n > 4 ||
			reads[run.EvaluationGamesFile] > 10+50_000*len(one)>>16 {
			t.Errorf("%s: %v reads, %v", c.what, reads, err)
		}
		added := get(t, w.disk, f.Events())[len(c.log):]
		if n := bytes.Count(added, []byte(`"event":"iteration"`)); n != c.iteration {
			t.Errorf("%s: it is logged %d times again", c.what, n)
		}
	}
}

// missing complains of what is wanted and not got; more may be got.
func missing[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	for _, x := range want {
		// a width may be NaN, which nothing equals
		for len(got) > 0 && asJSON(t, got[0]) != asJSON(t, x) {
			got = got[1:]
		}
		if len(got) == 0 {
			t.Fatalf("%s: %+v is not read", what, x)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestHistoryPassesOverLongLines: a stretch without ends of lines costs what stands in
// it, and no more.
func TestHistoryPassesOverLongLines(t *testing.T) {
	fsys := vfstest.NewMemory()
	f := run.Folder("run").On(fsys)
	for _, n := range []int{1<<20 - 1, 1 << 20, 1<<20 + 1, 3<<20 + 5} {
		put(t, fsys, f.Events(),
			[]byte("{\"event\":\"start\"}\n"+strings.Repeat("\x00",
				n)+"\n{\"event\":\"stop\"}\n{\"event\":\"resume\"}"))
		if events, err := f.History(); err != nil || len(events) != 3 {
			t.Errorf("%d zeros: %+v, %v", n, events, err)
		}
	}
}

// TestRatingsAtEveryByte: ratings that can't be read are an error, and none.
func TestRatingsAtEveryByte(t *testing.T) {
	w := logged(t)
	fsys := vfstest.NewMemory()
	f := run.Folder("run").On(fsys)
	data := get(t, w.Faulty, f.Ratings())
	for n := range data {
		put(t, fsys, f.Ratings(), data[:n])
		if r, err := f.ReadRatings(); r == nil || (err == nil) != (n == len(data)-1) {
			t.Fatalf("cut to %d of %d bytes: %+v, %v", n, len(data), r, err)
		}
		flipped := bytes.Clone(data)
		flipped[n] ^= 1 << (n % 8)
		put(t, fsys, f.Ratings(), flipped)
		r, err := f.ReadRatings()
		if r == nil || err != nil && len(r.Networks) > 0 {
			t.Fatalf("byte %d turned: %+v, %v", n, r, err)
		}
		r.AddMissing(&run.Ratings{Networks: []run.NetworkRating{{Iteration: 1}}})
		r.Best()
	}
}

// TestGoesOnOverDamagedLogs: whatever has become of the logs and results of
// evaluations, a run goes on to the same network, and draws what it can.
func TestGoesOnOverDamagedLogs(t *testing.T) {
	drawing(t)
	p := faultPlan(t, append([]string{"training.iterations=2"}, evaluated...)...)
	whole := logged(t)
	want, err := whole.end(p)
	if err != nil {
		t.Fatal(err)
	}
	// The first game of the second iteration is written.
	operations := whole.Log()
	second := slices.Index(operations, "rename run/checkpoints/.000001.tmp")
	for !strings.HasPrefix(operations[second], "write run/replay/") {
		second++
	}
	second++ // operations are counted from 1
	f := run.Folder("run")
	for name, spoil := range map[string]func(data []byte) []byte{
		"empty":     func([]byte) []byte { return nil },
		"half":      func(data []byte) []byte { return data[:len(data)/2] },
		"zeros":     func(data []byte) []byte { return append(data, make([]byte, 5000)...) },
		"all zeros": func(data []byte) []byte { return make([]byte, len(data)) },
		"not ours": func([]byte) []byte {
			return []byte("{}\n[]\nnull\n7\n\"x\"\n{\"event\":{}}\n")
		},
		"no end": func(data []byte) []byte { return bytes.TrimRight(data, "\n") },
	} {
		if testing.Short() && name != "half" {
			continue
		}
		for _, path := range []string{
			f.Events(), f.EvaluationGames(), f.Ratings(), f.Evaluation(1),
		} {
			// A run that was killed after its first iteration.
			w := newWitness()
			w.Inject(vfstest.At(second, vfstest.Dead))
			if _, err := w.run(p); err == nil || w.told != 1 {
				t.Fatalf("stopped with %v after %d iterations", err, w.told)
			}
			w.Inject(nil)
			put(t, w.Faulty, path, spoil(get(t, w.Faulty, path)))
			var said strings.Builder
			o := Options{
				Plan: p, Folder: f, Resume: true, FS: w.Faulty, Monitor: new(Monitor),
				Metrics: metrics.New(nil),
				Log:     slog.New(slog.NewTextHandler(&said, nil)), Now: ticking(),
			}
			if err := Run(context.Background(), o); err != nil {
				t.Fatalf("%s, %s: %v", path, name, err)
			}
			end, err := w.end(p)
			if err != nil {
				t.Fatal(err)
			}
			if what := end.difference(want); what != "" {
				t.Errorf("%s, %s: the %s differs", path, name, what)
			}
			if _, err := w.Faulty.Stat("run/eval/learning.svg"); err != nil {
				t.Errorf("%s, %s: no picture is drawn: %s", path, name, said.String())
			}
		}
	}
}

// FuzzHistory reads event logs of any content.
func FuzzHistory(f *testing.F) {
	data := get(f, logged(f).Faulty, run.Folder("run").Events())
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := vfstest.NewMemory()
		files := run.Folder("run").On(fsys)
		put(t, fsys, files.Events(), data)
		events, err := files.History()
		if err != nil {
			return
		}
		if lines := bytes.Count(data, []byte("\n")) + 1; len(events) > lines {
			t.Fatalf("%d events in %d lines", len(events), lines)
		}
		for i := range events {
			if s := events[i].Strength; s != nil {
				_, _ = fmt.Fprint(io.Discard, s.Seats(), s.Total(), s.Elo)
			}
		}
	})
}

// FuzzGameLog: a log of evaluation games of any content is read, and appended to.
func FuzzGameLog(f *testing.F) {
	data := get(f, logged(f).Faulty, run.Folder("run").EvaluationGames())
	f.Add(data)
	f.Add(data[:len(data)-7])
	g := game.Must(game.New("tictactoe"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := vfstest.NewMemory()
		files := run.Folder("run").On(fsys)
		put(t, fsys, files.EvaluationGames(), data)
		l, err := files.OpenGameLog(2, 50_000)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range l.Games() {
			if len(x.Players) != 2 || len(x.Scores) != 2 || x.Number < 0 {
				t.Fatalf("%+v is taken", x)
			}
		}
		before := len(l.Games())
		more := []run.EvaluationGame{
			{Evaluation: 7, Number: 3, Players: []string{"uct", "000007"}, Scores: []float32{1, 0}},
		}
		if err := l.Append(more); err != nil {
			t.Fatal(err)
		}
		again, err := files.OpenGameLog(2, 50_000)
		if err != nil || len(again.Games()) < before+1 ||
			!reflect.DeepEqual(again.Games()[len(again.Games())-1], more[0]) {
			t.Fatalf("%d games and one more are %d: %v", before, len(again.Games()), err)
		}
		if len(data) < 2000 {
			_, _ = evaluation.Rate(g, "uct", nil, again.Games())
		}
	})
}
