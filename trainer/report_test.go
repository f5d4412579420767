package trainer

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/nn"
	"tengen/replay/record"
	"tengen/run"
	"tengen/selfplay"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// TestIterationLine: the log line of an iteration has what the iteration has.
func TestIterationLine(t *testing.T) {
	rate := 0.25
	policy := nn.Losses{Policy: 1.25, Value: 0.5, Total: 2}
	for _, c := range []struct {
		p    run.Progress
		more string
	}{
		{run.Progress{}, "value"},
		{run.Progress{Losses: policy}, "loss policy value"},
		{run.Progress{Asked: 1}, "evaluations value"},
		{run.Progress{Dropped: "no number"}, "update"},
		{run.Progress{HeldOut: new(nn.Losses)}, "value held_out_value"},
		{run.Progress{HeldOut: &policy}, "value held_out_policy held_out_value"},
		{run.Progress{States: 1}, "value states_a_game resolved_roots"},
		{run.Progress{CacheHits: &rate}, "value cache_hits"},
		{run.Progress{Reuse: 1}, "value lag_steps reuse selfplay_waited"},
		{run.Progress{Resignation: new(run.Resignation)}, "value resigned resign"},
		{run.Progress{Resignation: &run.Resignation{Threshold: 0.1}},
			"value resigned resign_below false"},
	} {
		var keys []string
		line := logIteration(3, 10, &c.p)
		for i := 0; i < len(line); i += 2 {
			keys = append(keys, line[i].(string))
		}
		want := append([]string{"iteration", "games"}, strings.Fields(c.more)...)
		want = append(want, "plies", "epsilon", "selfplay", "update", "elapsed")
		if !slices.Equal(keys, want) {
			t.Errorf("%+v: %q, want %q", c.p, keys, want)
		}
	}
	if round(1.2346) != 1.235 || seconds(1.26) != 1300*time.Millisecond {
		t.Errorf("%v, %v", round(1.2346), seconds(1.26))
	}
}

// TestShares: of the lookups and the searches since a time.
func TestShares(t *testing.T) {
	var c selfplay.Counters
	add := func(lookups, hits, decisions, resolved, full uint64) {
		c.Lookups.Add(lookups)
		c.CacheHits.Add(hits)
		c.Decisions.Add(decisions)
		c.Resolved.Add(resolved)
		c.Full.Add(full)
	}
	if lookupsOf(&c).rate() != nil || searchesOf(&c).rate() != 0 {
		t.Error("nothing has a share")
	}
	add(100, 90, 50, 40, 30)
	found, made := lookupsOf(&c), searchesOf(&c)
	if r := lookupsOf(&c).since(found).rate(); r != nil {
		t.Errorf("without lookups %v are hits", *r)
	}
	add(8, 2, 10, 4, 1)
	if r := lookupsOf(&c).since(found).rate(); r == nil || *r != 0.25 {
		t.Errorf("%v of the lookups are hits, want 0.25", r)
	}
	if s := searchesOf(&c).since(made); s != (searches{10, 4, 1}) || s.rate() != 0.4 {
		t.Errorf("%+v, of which %v are resolved, want 0.4", s, s.rate())
	}
}

// TestFolderBytes: a folder has the bytes of its files, and a game the states of all of its trees.
func TestFolderBytes(t *testing.T) {
	fsys := vfstest.NewMemory()
	for name, n := range map[string]int{"a": 3, "b": 40} {
		if err := vfs.WriteBytes(fsys, name, make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	if n := folderBytes(fsys, "."); n != 43 {
		t.Errorf("%g bytes", n)
	}
	if n := folderBytes(fsys, "c"); !math.IsNaN(n) {
		t.Errorf("a folder that is missing has %g bytes", n)
	}
	g := &record.Game{Trees: []record.Tree{
		{Depths: make([]int32, 3)}, {Depths: make([]int32, 4)},
	}}
	if n := states(g); n != 7 {
		t.Errorf("%d states", n)
	}
}
