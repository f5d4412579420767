package trainer

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/internal/runid"
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

// TestOtherRuns: what belongs to another run is refused, and inspect names it.
func TestOtherRuns(t *testing.T) {
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
			if !errors.Is(err, runid.ErrOtherRun) ||
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

// TestSeedOfSegments: a segment whose header is damaged is known by the seed in its games.
func TestSeedOfSegments(t *testing.T) {
	t.Parallel()
	dir, other := begun(t, 1), begun(t, 1, "seed=7")
	name := filepath.Join("replay", "000001.games")
	data := get(t, vfs.OS{}, filepath.Join(other, name))
	data[12] ^= 1 // of the identity, against the header's checksum
	put(t, vfs.OS{}, filepath.Join(dir, name), data)
	if _, err := resume(t, dir); !errors.Is(err, runid.ErrOtherRun) ||
		!strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "seed 7") {
		t.Errorf("%v", err)
	}
}

// TestFilesWithoutIdentity: a checkpoint that carries no identity is refused, with run.json and
// without.
func TestFilesWithoutIdentity(t *testing.T) {
	t.Parallel()
	dir := begun(t, 1)
	f := run.Folder(dir)
	c := newest(t, dir)
	c.Run = 0
	path := f.Checkpoint(c.Iteration)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoints.Save(f.Checkpoints(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t, dir); !errors.Is(err, runid.ErrOtherRun) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if r, err := inspect.Look(t.Context(), dir, inspect.Options{}); err != nil || r.Sound {
		t.Errorf("%v: %+v", err, r)
	}
	if err := os.Remove(f.Identity()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(f.Replay()); err != nil {
		t.Fatal(err)
	}
	list, err := checkpoints.List(f.Checkpoints())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list[:len(list)-1] {
		if err := os.RemoveAll(e.Path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := resume(t, dir); err == nil || !strings.Contains(err.Error(), "no identity") {
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
