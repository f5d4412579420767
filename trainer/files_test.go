package trainer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// TestRunInMemory: everything that a run reads and writes goes through its file system.
func TestRunInMemory(t *testing.T) {
	drawing(t)
	t.Chdir(t.TempDir())
	fsys := vfstest.NewMemory()
	o := options(t, tiny(t, "training.iterations=2"), "run")
	o.FS = fsys
	for range 2 { // begun, then taken up
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		o.Resume = true
	}
	for _, path := range []string{
		o.Folder.Config(), o.Folder.Events(), o.Folder.Evaluation(2), o.Folder.EvaluationGames(),
		o.Folder.Ratings(), "run/eval/learning.svg",
	} {
		if info, err := fsys.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	c, _, err := o.Folder.On(fsys).Store().Latest()
	if err != nil || c.Iteration != 2 {
		t.Errorf("checkpoint %+v: %v", c, err)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("the operating system's file system holds %v: %v", entries, err)
	}
}

// TestBeginsAgain: a run whose making was cut short at any moment is begun again in
// the same folder, or, if it was made, resumed.
func TestBeginsAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about files rather than goroutines")
	}
	t.Parallel()
	t.Run("from a seed", func(t *testing.T) { beginsAgain(t, false) })
	t.Run("from other weights", func(t *testing.T) { beginsAgain(t, true) })
}

func beginsAgain(t *testing.T, init bool) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // nothing is played
	for n := 1; ; n++ {
		disk := vfstest.NewMemory()
		fsys := vfstest.NewFaulty(disk, nil)
		o := options(t, tiny(t, "evaluation.every=0"), "runs/run")
		o.FS = fsys
		if init {
			o.Init = &Init{Params: o.Plan.NewParams(), From: "elsewhere"}
		}
		fsys.Inject(vfstest.At(n, vfstest.Dead))
		first := Run(ctx, o)
		failed := fsys.Failed()
		fsys.Inject(nil)
		disk.PowerCut(random.New(uint64(n), random.Test))
		if o.Resume = o.Folder.On(fsys).Exists(); o.Resume {
			o.Init = nil
		}
		if err := Run(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("operation %d failed with %v; then, resumed %v: %v", n, first, o.Resume, err)
		}
		if failed == nil {
			if n < 10 {
				t.Errorf("a run is made with %d operations", n-1)
			}
			break
		}
	}
}

// A run whose checkpoints are gone does not begin again over its games.
func TestResumeWithoutCheckpoints(t *testing.T) {
	fsys := vfstest.NewMemory()
	o := options(t, tiny(t, "evaluation.every=0"), "runs/run")
	o.FS = fsys
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if err := fsys.RemoveAll(o.Folder.Checkpoints()); err != nil {
		t.Fatal(err)
	}
	games := func() string {
		list, err := fsys.ReadDir(o.Folder.Replay())
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, e := range list {
			data, err := vfs.ReadFile(fsys, filepath.Join(o.Folder.Replay(), e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			text += e.Name() + string(data)
		}
		return text
	}
	before := games()
	o.Resume = true
	if err := Run(context.Background(), o); err == nil ||
		!strings.Contains(err.Error(), "holds no checkpoint") {
		t.Errorf("resumed without checkpoints: %v", err)
	}
	if games() != before {
		t.Error("the games are not as they were")
	}
}
