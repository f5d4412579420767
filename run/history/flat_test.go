package history

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tengen/run"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// TestFlatReading: a log is read once, however many rows are shown, and no more of a long run is
// decoded than of a short one. What was appended costs the same in both.
func TestFlatReading(t *testing.T) {
	type cost struct {
		size         int64 // of the log
		first, later vfstest.Counts
		decoded      float64 // allocations of the first reading
		again        float64 // of one after an iteration
	}
	read := func(iterations int) (c cost) {
		dir := run.Folder(t.TempDir())
		var text strings.Builder
		more := func(i int) {
			fmt.Fprintf(&text, iteration(i, 100*i, 40*i, 1000*i, float64(60*i), "")+"\n",
				"2026-03-01T12:00:00Z")
		}
		fmt.Fprintln(&text, `{"time":"2026-03-01T12:00:00Z","event":"start","iteration":0}`)
		for i := 1; i <= iterations; i++ {
			more(i)
		}
		log, err := os.Create(dir.Events())
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		add := func() {
			if _, err := log.WriteString(text.String()); err != nil {
				t.Fatal(err)
			}
			text.Reset()
		}
		add()
		info, err := log.Stat()
		if err != nil {
			t.Fatal(err)
		}
		c.size = info.Size()
		files := &vfstest.Counting{FS: vfs.OS{}}
		opened := func() *Run {
			r := New(string(dir))
			r.fs, r.most = files, mostRows{64, 64}
			return r
		}
		refresh := func(r *Run) {
			if err := r.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		r := opened()
		refresh(r)
		c.first = files.Counts()
		if n := len(r.Iterations.Rows); n < 32 || n > 80 || r.Iteration() != iterations {
			t.Fatalf("%d rows are shown of %d iterations, the last one %d",
				n, iterations, r.Iteration())
		}
		more(iterations + 1)
		add()
		refresh(r)
		c.later = files.Counts().Since(c.first)
		c.decoded = testing.AllocsPerRun(3, func() { refresh(opened()) })
		c.again = testing.AllocsPerRun(3, func() {
			iterations++
			more(iterations + 1)
			add()
			refresh(r)
		})
		return c
	}
	short, long := read(2000), read(32_000)
	t.Logf("\n%+v\n%+v", short, long)
	for _, c := range []cost{short, long} {
		if more := c.first.Read - c.size; more < 0 || more > 1<<20 {
			t.Errorf("%d bytes of a log of %d were read", c.first.Read, c.size)
		}
	}
	for _, x := range []struct {
		what        string
		short, long float64
	}{
		{"allocations", short.decoded, long.decoded},
		{"operations after an iteration", float64(short.later.Operations),
			float64(long.later.Operations)},
		{"bytes read after an iteration", float64(short.later.Read), float64(long.later.Read)},
		{"allocations after an iteration", short.again, long.again},
	} {
		if x.short == 0 || x.long > 1.1*x.short {
			t.Errorf("%v %s, but %v in a run of a sixteenth of the length", x.long, x.what, x.short)
		}
	}
}
