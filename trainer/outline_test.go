package trainer

import (
	"fmt"
	"strings"
	"testing"

	"tengen/vfs"
	"tengen/vfs/memfs"
)

// A long run is drawn from evenly spaced events, its first and last among them, with
// the games behind each; a short one from all.
func TestOutline(t *testing.T) {
	for _, iterations := range []int{1, 7, outlined, outlined + 1, 2*outlined + 3, 9*outlined + 17} {
		fsys := memfs.New()
		run := Folder("run").on(fsys)
		var log strings.Builder
		for i := 1; i <= iterations; i++ {
			fmt.Fprintf(&log, `{"event":"iteration","iteration":%d,"games":%d,"losses":{"value":1}}`+"\n", i, 3*i)
			fmt.Fprintf(&log, `{"event":"evaluation","iteration":%d,"strength":{"points":[1]}}`+"\n", i)
		}
		if err := fsys.Mkdir("run", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteBytes(fsys, run.Events(), []byte(log.String())); err != nil {
			t.Fatal(err)
		}
		o, err := run.outline()
		if err != nil {
			t.Fatal(err)
		}
		var learned, measured []int
		for _, e := range o.events {
			if e.Progress != nil {
				learned = append(learned, e.Iteration)
			} else {
				measured = append(measured, e.Iteration)
			}
			if games, ok := o.gamesAt(e.Iteration); !ok || games != float64(3*e.Iteration) {
				t.Fatalf("%d iterations: %v games (%v) at %d", iterations, games, ok, e.Iteration)
			}
		}
		for _, list := range [][]int{learned, measured} {
			n := len(list)
			if n > outlined+1 || n < min(iterations, outlined/2) || list[0] != 1 || list[n-1] != iterations {
				t.Fatalf("%d iterations: %d drawn, from %d to %d", iterations, n, list[0], list[n-1])
			}
			for i := 2; i < n-1; i++ {
				if list[i]-list[i-1] != list[1]-list[0] {
					t.Fatalf("%d iterations: uneven at %d", iterations, list[i])
				}
			}
		}
	}
}

// An absurd number in a damaged line asks for no memory.
func TestOutlineOfDamage(t *testing.T) {
	fsys := memfs.New()
	run := Folder("run").on(fsys)
	if err := fsys.Mkdir("run", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteBytes(fsys, run.Events(), []byte(`{"event":"iteration","iteration":900000000000,"games":3}`+"\n")); err != nil {
		t.Fatal(err)
	}
	o, err := run.outline()
	if err != nil || len(o.games) != 0 {
		t.Errorf("%d numbers of games, %v", len(o.games), err)
	}
}
