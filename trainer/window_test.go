package trainer

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/replay"
	"tengen/run"
	"tengen/vfs"
)

// windowed is a small run whose window is full after two iterations, and in which
// nothing depends on their number.
func windowed(t *testing.T, dir string, set ...string) Options {
	t.Helper()
	return options(t,
		tiny(t,
			append([]string{"game=tictactoe", "search.simulations=4", "warm_start.simulations=4",
				"evaluation.every=0",
				"warm_start.initial_games=4", "training.games=8", "training.iterations=4",
				"replay.games=20",
				"training.schedule=constant", "warm_start.schedule=constant"}, set...)...), dir)
}

// windowOf are the numbers of the games in the window that a run is resumed with.
func windowOf(t *testing.T, o Options) (numbers []uint64, log string) {
	t.Helper()
	var text bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&text, nil))
	o.Resume = true
	r := newRunner(&o)
	if err := r.open(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	defer r.updater.Close()
	defer r.events.Close()
	for i := range r.updater.Window.Len() {
		numbers = append(numbers, r.updater.Window.Game(i).Number)
	}
	return numbers, text.String()
}

func span(from, to uint64) (list []uint64) {
	for ; from < to; from++ {
		list = append(list, from)
	}
	return list
}

// copyRun copies a run's folder.
func copyRun(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// damage inverts bytes in the middle of a file.
func damage(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range min(20, len(data)/4) {
		data[len(data)/2+i] ^= 0xff
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedWindow: a run goes on with the games of its window that can be read,
// says what is missing, and from there on is the same whether it is interrupted or not; with none
// it refuses.
func TestDamagedWindow(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "run")
	if err := Run(context.Background(), windowed(t, whole, "training.iterations=3")); err != nil {
		t.Fatal(err)
	}
	if got, log := windowOf(t, windowed(t, copyRun(t, whole))); !reflect.DeepEqual(got,
		span(8, 28)) || strings.Contains(log, "WARN") {
		t.Fatalf("undamaged, the window holds %v\n%s", got, log)
	}
	// Segments have two games each.
	segments, err := replay.Segments(vfs.OS{}, run.Folder(whole).Replay())
	if err != nil || len(segments) != 14 {
		t.Fatalf("%v: %v", err, segments)
	}
	remove := func(list []replay.SegmentFile) {
		for _, s := range list {
			os.Remove(s.Path)
		}
	}
	for name, c := range map[string]struct {
		spoil   func(segments []replay.SegmentFile)
		missing string // of the 20 games
	}{
		"bytes":   {func(s []replay.SegmentFile) { damage(t, s[7].Path) }, ""},
		"segment": {func(s []replay.SegmentFile) { remove(s[6:10]) }, "8 of the 20"},
		"newest":  {func(s []replay.SegmentFile) { remove(s[10:]) }, "8 of the 20"},
		"cut": {func(s []replay.SegmentFile) {
			remove(s[4:5])
			os.Truncate(s[5].Path, 0)
		}, "4 of the 20"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyRun(t, whole)
			list, err := replay.Segments(vfs.OS{}, run.Folder(dir).Replay())
			if err != nil {
				t.Fatal(err)
			}
			c.spoil(list)
			if name == "segment" {
				// Games from before the window do not take the place of those missing.
				if got, _ := windowOf(t, windowed(t, copyRun(t, dir))); !reflect.DeepEqual(got,
					append(span(8, 12), span(20, 28)...)) {
					t.Errorf("the window holds %v", got)
				}
			}
			twice := copyRun(t, dir)
			o := windowed(t, dir, "training.iterations=6")
			var log bytes.Buffer
			o.Log, o.Resume = slog.New(slog.NewTextHandler(&log, nil)), true
			if err := Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{
				c.missing, "of the 20 games of the replay window can't be read",
				"no longer the same",
			} {
				if list := warnings(t, o); len(list) != 1 ||
					!strings.Contains(list[0].Message, text) ||
					!strings.Contains(log.String(), text) {
					t.Errorf("%q is not told: %+v\n%s", text, list, &log)
				}
			}
			if named := strings.Contains(log.String(), "is passed over"); named !=
				(name == "bytes" || name == "cut") {
				t.Errorf("damage is named: %v\n%s", named, &log)
			}
			// A run that is interrupted after the step over is resumed as it was.
			for _, n := range []string{"4", "6"} {
				o := windowed(t, twice, "training.iterations="+n)
				o.Resume = true
				if err := Run(context.Background(), o); err != nil {
					t.Fatal(err)
				}
			}
			a, b := newest(t, dir), newest(t, twice)
			if a.Iteration != 6 || !reflect.DeepEqual(a.Params.Tensors, b.Params.Tensors) {
				t.Error("the run, once damaged, depends on where it was resumed")
			}
			if list := warnings(t, o); len(list) != 1 {
				t.Errorf("the damage is told again: %+v", list)
			}
		})
	}
	none := copyRun(t, whole)
	if err := os.RemoveAll(run.Folder(none).Replay()); err != nil {
		t.Fatal(err)
	}
	o := windowed(t, none)
	o.Resume = true
	if err := Run(context.Background(), o); err == nil ||
		!strings.Contains(err.Error(), "none of the 20 games") ||
		!strings.Contains(err.Error(), "--init") {
		t.Errorf("without any game: %v", err)
	}
}

// TestWiderWindow: a window that is made wider takes older games that are still
// there; a narrower one keeps the newest; and a run so changed is the same whether it is
// interrupted or not.
func TestWiderWindow(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "run")
	if err := Run(context.Background(), windowed(t, whole, "training.iterations=3")); err != nil {
		t.Fatal(err)
	}
	for games, want := range map[string][]uint64{
		"26": span(2, 28), "100": span(0, 28), "5": span(23, 28),
	} {
		if got, log := windowOf(t,
			windowed(t, copyRun(t, whole), "replay.games="+games)); !reflect.DeepEqual(got, want) ||
			strings.Contains(log, "WARN") {
			t.Errorf("with %s games the window holds %v\n%s", games, got, log)
		}
		once, twice := copyRun(t, whole), copyRun(t, whole)
		for _, x := range []struct{ dir, n string }{{once, "5"}, {twice, "4"}, {twice, "5"}} {
			o := windowed(t, x.dir, "replay.games="+games, "training.games=7",
				"training.iterations="+x.n)
			o.Resume = true
			if err := Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "a window of "+games, once, twice)
	}
}

// TestPrunesByTheWindow: what is removed is what no window needs, however the number of games an
// iteration has changed.
func TestPrunesByTheWindow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := Run(context.Background(), windowed(t, dir, "checkpoints.keep_last=2")); err != nil {
		t.Fatal(err)
	}
	for i, games := range []string{"3", "11", "2"} {
		o := windowed(t, dir, "checkpoints.keep_last=2", "training.games="+games,
			"training.iterations="+[]string{"6", "8", "14"}[i])
		o.Resume = true
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	// 4 + 4·8 + 2·3 + 2·11 + 6·2 games; the checkpoint before the last has 74.
	list := games(t, dir)
	if first := list[0].Number; first == 0 || first > 54 || list[len(list)-1].Number != 75 {
		t.Errorf("games %d to %d are on disk; the windows begin at 54 and 56",
			first, list[len(list)-1].Number)
	}
	for _, checkpoint := range []string{"000013", "000014"} {
		other := copyRun(t, dir)
		if checkpoint == "000013" {
			if err := os.RemoveAll(filepath.Join(run.Folder(other).Checkpoints(), "000014")); err !=
				nil {
				t.Fatal(err)
			}
		}
		if got, log := windowOf(t, windowed(t, other)); len(got) != 20 ||
			strings.Contains(log, "WARN") {
			t.Errorf("from checkpoint %s the window holds %v\n%s", checkpoint, got, log)
		}
	}
}

// TestGrowingWindow: the window grows with the games played, and is the same whether the run is
// interrupted or not; a run that began with a fixed window can go on with a growing one.
func TestGrowingWindow(t *testing.T) {
	set := func(n string) []string {
		return []string{
			"replay.growth=0.5", "replay.games=12", "checkpoints.keep_last=2",
			"training.iterations=" + n,
		}
	}
	once, twice := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	if err := Run(context.Background(), windowed(t, once, set("8")...)); err != nil {
		t.Fatal(err)
	}
	for i, n := range []string{"2", "5", "8"} {
		o := windowed(t, twice, set(n)...)
		o.Resume = i > 0
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "a growing window", once, twice)
	o := windowed(t, once, set("8")...)
	want := uint64(o.Plan.Config.Replay.Window(4 + 8*8))
	if want < 20 {
		t.Fatalf("the window has grown to %d games only", want)
	}
	if got, log := windowOf(t, o); !reflect.DeepEqual(got, span(68-want, 68)) ||
		strings.Contains(log, "WARN") {
		t.Errorf("the window holds %v\n%s", got, log)
	}
	fixed := filepath.Join(t.TempDir(), "run")
	if err := Run(context.Background(),
		windowed(t, fixed, "replay.games=12", "training.iterations=3")); err != nil {
		t.Fatal(err)
	}
	o = windowed(t, fixed, set("5")...)
	if got, log := windowOf(t, o); !reflect.DeepEqual(got,
		span(uint64(28-o.Plan.Config.Replay.Window(28)), 28)) || strings.Contains(log, "WARN") {
		t.Errorf("made to grow, the window holds %v\n%s", got, log)
	}
}
