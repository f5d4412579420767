package trainer

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/internal/runid"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/inspect"
	"tengen/vfs"
)

// begun trains a short run in a folder of its own.
func begun(t *testing.T, at int64, set ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	o := options(t, tiny(t,
		append([]string{"training.iterations=2", "evaluation.every=0"}, set...)...), dir)
	o.Now = func() time.Time { return time.Unix(at, 0) }
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return dir
}

// resume goes on with a run for another iteration.
func resume(t *testing.T, dir string, set ...string) (log string, err error) {
	t.Helper()
	var text bytes.Buffer
	o := options(t, tiny(t,
		append([]string{"training.iterations=3", "evaluation.every=0"}, set...)...), dir)
	o.Log, o.Resume = slog.New(slog.NewTextHandler(&text, nil)), true
	err = Run(context.Background(), o)
	return text.String(), err
}

// TestStrangers: what belongs to another run is refused, and inspect names it.
func TestStrangers(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about files rather than goroutines")
	}
	t.Parallel()
	own := begun(t, 1)
	others := map[string]string{
		"another seed":          begun(t, 1, "seed=7"),
		"another configuration": begun(t, 1, "training.learning_rate=0.01"),
		"another time":          begun(t, 2),
	}
	base := func(dir string) string { return copyRun(t, dir) }
	move := func(from, to string, path ...string) {
		t.Helper()
		p := filepath.Join(path...)
		if err := os.RemoveAll(filepath.Join(to, p)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(from, p), filepath.Join(to, p)); err != nil {
			t.Fatal(err)
		}
	}
	for name, other := range others {
		for what, path := range map[string][]string{
			"one segment":           {"replay", "000000.games"},
			"all segments":          {"replay"},
			"the newest checkpoint": {"checkpoints", "000002"},
			"all checkpoints":       {"checkpoints"},
		} {
			dir := base(own)
			move(base(other), dir, path...)
			before := newest(t, dir)
			_, err := resume(t, dir)
			if !errors.Is(err, runid.ErrStranger) ||
				!strings.Contains(err.Error(), filepath.Join(path...)) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
			if after := newest(t, dir); after.Iteration != before.Iteration {
				t.Errorf("%s of %s: iteration %d is there now", what, name, after.Iteration)
			}
			r, err := inspect.Look(t.Context(), dir, inspect.Options{All: true})
			if err != nil || r.Sound ||
				!strings.Contains(r.Damaged[0].String(), filepath.Join(path...)) {
				t.Errorf("%s of %s, inspected: %v, %+v", what, name, err, r)
			}
		}
	}
	// The run itself is sound, and goes on.
	if r, err := inspect.Look(t.Context(), own, inspect.Options{All: true}); err != nil ||
		!r.Sound || r.Run.Identity == 0 || len(r.Notes) > 0 {
		t.Errorf("%v: %+v", err, r)
	}
	log, err := resume(t, own)
	if err != nil || strings.Contains(log, "WARN") {
		t.Errorf("%v\n%s", err, log)
	}
}

// TestSeedOfSegments: a segment that carries no identity is known by the seed in its games.
func TestSeedOfSegments(t *testing.T) {
	t.Parallel()
	dir, other := begun(t, 1), begun(t, 1, "seed=7")
	unmark(t, dir)
	unmark(t, other)
	name := filepath.Join("replay", "000001.games")
	if err := os.Rename(filepath.Join(other, name), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t, dir); !errors.Is(err, runid.ErrStranger) ||
		!strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "seed 7") {
		t.Errorf("%v", err)
	}
}

// unmark makes a run one that an earlier version wrote: nothing in it carries an identity.
func unmark(t *testing.T, dir string) {
	t.Helper()
	f := run.Folder(dir)
	if err := os.Remove(f.Identity()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{f.Events(), f.EvaluationGames(), f.Ratings()} {
		if _, err := os.Stat(path); err == nil {
			text := regexp.MustCompile(`,\s*"run": ?"[0-9a-f]{16}"`).
				ReplaceAll(get(t, vfs.OS{}, path), nil)
			put(t, vfs.OS{}, path, text)
		}
	}
	list, err := checkpoints.List(f.Checkpoints())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		c, err := checkpoints.Load(e.Path)
		if err != nil || c.Run == 0 {
			t.Fatalf("%v, identity %v", err, c.Run)
		}
		c.Run = 0
		if err := os.RemoveAll(e.Path); err != nil {
			t.Fatal(err)
		}
		if _, err := checkpoints.Save(f.Checkpoints(), c); err != nil {
			t.Fatal(err)
		}
	}
	segments, err := replay.Segments(vfs.OS{}, f.Replay())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range segments {
		data := get(t, vfs.OS{}, s.Path)
		games, damages := replay.ReadSegment(s.Path, data)
		if len(damages) > 0 {
			t.Fatal(damages)
		}
		text := data[:0:0]
		text = append(text, data[:12]...)
		text = append(text, make([]byte, 8)...)
		text = binary.LittleEndian.AppendUint32(text, record.Checksum(text))
		for _, g := range games {
			if text, err = record.Append(text, g); err != nil {
				t.Fatal(err)
			}
		}
		put(t, vfs.OS{}, s.Path, text)
		if list, err := replay.Runs(vfs.OS{}, f.Replay()); err != nil || len(list) <= i ||
			list[i] != 0 {
			t.Fatalf("%v: %v", err, list)
		}
	}
}

// TestRunWithoutIdentity: a run of an earlier version is resumed to the same network. One line says
// that it has an identity now; from then on strangers are refused, and what the earlier version
// wrote is not.
func TestRunWithoutIdentity(t *testing.T) {
	t.Parallel()
	own := begun(t, 1)
	old := copyRun(t, own)
	unmark(t, old)
	if r, err := inspect.Look(t.Context(), old, inspect.Options{All: true}); err != nil ||
		!r.Sound || r.Run.Identity != 0 {
		t.Errorf("%v: %+v", err, r)
	}
	if _, err := resume(t, own); err != nil {
		t.Fatal(err)
	}
	log, err := resume(t, old)
	if err != nil || strings.Count(log, "an earlier version began the run") != 1 ||
		strings.Contains(log, "WARN") {
		t.Fatalf("%v\n%s", err, log)
	}
	same(t, "an earlier version's", own, old)
	if r, err := inspect.Look(t.Context(), old, inspect.Options{All: true}); err != nil ||
		!r.Sound || r.Run.Identity == 0 {
		t.Errorf("%v: %+v", err, r)
	}
	log, err = resume(t, old, "training.iterations=4")
	if err != nil || strings.Contains(log, "an earlier version began the run") {
		t.Fatalf("%v\n%s", err, log)
	}
	// A later checkpoint must carry the identity.
	c := newest(t, old)
	c.Run = 0
	path := run.Folder(old).Checkpoint(c.Iteration)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoints.Save(run.Folder(old).Checkpoints(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t, old, "training.iterations=5"); !errors.Is(err, runid.ErrStranger) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

// TestLostIdentity: without run.json the identity is that of the run's files, if all carry the
// same.
func TestLostIdentity(t *testing.T) {
	t.Parallel()
	own, other := begun(t, 1), begun(t, 2)
	id := newest(t, own).Run
	mixed := copyRun(t, own)
	for _, dir := range []string{own, mixed} {
		if err := os.Remove(run.Folder(dir).Identity()); err != nil {
			t.Fatal(err)
		}
	}
	log, err := resume(t, own)
	if got := newest(t, own).Run; err != nil || got != id ||
		!strings.Contains(log, "the run's identity is missing") {
		t.Errorf("%v, identity %v, was %v\n%s", err, got, id, log)
	}
	name := filepath.Join("checkpoints", "000002")
	if err := os.RemoveAll(filepath.Join(mixed, name)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(other, name), filepath.Join(mixed, name)); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t, mixed); err == nil ||
		!strings.Contains(err.Error(), "run.json is missing, and not all") {
		t.Errorf("%v", err)
	}
}

// TestIdentityIsChecked: every damage of run.json is named, and the run is not resumed with it.
func TestIdentityIsChecked(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about files rather than goroutines")
	}
	t.Parallel()
	dir := begun(t, 1)
	files := run.Folder(dir).On(nil)
	data := get(t, vfs.OS{}, files.Identity())
	id, err := files.ReadIdentity()
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if data[n] == ' ' || data[n] == '\n' {
			continue // between tokens
		}
		spoilt := bytes.Clone(data)
		spoilt[n] ^= 1 << (n % 8)
		got, err := run.DecodeIdentity(spoilt)
		if err == nil && (got.ID != id.ID || len(configs.Changes(got.Config, id.Config)) > 0) {
			t.Fatalf("byte %d turned: %v", n, got)
		}
		if _, err := run.DecodeIdentity(data[:n]); err == nil {
			t.Fatalf("cut to %d bytes", n)
		}
	}
	put(t, vfs.OS{}, files.Identity(),
		bytes.Replace(data, []byte(`"seed: 1"`), []byte(`"seed: 2"`), 1))
	if _, err := resume(t, dir); err == nil ||
		!strings.Contains(err.Error(), "run.json: changed since it was written") {
		t.Errorf("%v", err)
	}
}
