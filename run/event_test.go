package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// logOf returns a run in memory whose event log holds text, and the number of its reads so far.
func logOf(t *testing.T, text []byte) (Files, *int) {
	t.Helper()
	reads := new(int)
	count := func(op vfstest.Op) error {
		if op.Kind == vfstest.Read {
			*reads++
		}
		return nil
	}
	f := Folder("run").On(vfstest.NewFaulty(vfstest.NewMemory(), count))
	if err := f.FS.Mkdir("run", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteBytes(f.FS, f.Events(), text); err != nil {
		t.Fatal(err)
	}
	return f, reads
}

// TestEachEventEnds: once the context has ended, nothing more is read or visited.
func TestEachEventEnds(t *testing.T) {
	const n = 8_000
	var text bytes.Buffer
	for i := range n {
		fmt.Fprintf(&text, `{"event":"warning","iteration":%d,"message":"%s"}`+"\n", i,
			strings.Repeat("x", 1000))
	}
	f, reads := logOf(t, text.Bytes())
	ctx, cancel := context.WithCancel(context.Background())
	visited, before := 0, 0
	err := f.EachEvent(ctx, func(Event) {
		if visited++; visited == n/2 {
			cancel()
			before = *reads
		}
	})
	if !errors.Is(err, context.Canceled) || visited != n/2 || *reads != before || before < 2 {
		t.Errorf("%v after %d events and %d reads, of which %d after the end of the context",
			err, visited, *reads, *reads-before)
	}
	visited = 0
	if err := f.EachEvent(context.Background(), func(Event) { visited++ }); err != nil ||
		visited != n {
		t.Errorf("%d of %d events, %v", visited, n, err)
	}
}

// TestLastEvents: reading from the end gives the events of the log backwards, whatever the lines
// are, and reads no more than it must.
func TestLastEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about one goroutine")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 200 {
		var text bytes.Buffer
		for i := range rng.IntN(60) {
			switch rng.IntN(8) {
			case 0:
				text.WriteString("\n")
			case 1:
				text.WriteString(`{"event":"warning","itera` + "\n")
			case 2:
				if rng.IntN(20) == 0 { // too long, or just not
					filler := strings.Repeat(" ", MaxLine-30+rng.IntN(40))
					fmt.Fprintf(&text, `{"event":"stop"}%s`+"\n", filler)
				}
			default:
				fmt.Fprintf(&text, `{"event":"warning","iteration":%d,"message":"%s"}`+"\n", i,
					strings.Repeat("x", rng.IntN(1+rng.IntN(100_000))))
			}
		}
		if rng.IntN(3) == 0 {
			text.WriteString(`{"event":"stop","iteration":99}`)
		}
		f, _ := logOf(t, text.Bytes())
		want, err := f.History()
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(want)
		take := len(want)
		if rng.IntN(2) == 0 {
			take = rng.IntN(len(want) + 1)
		}
		var got []Event
		if err := f.LastEvents(func(e Event) bool {
			got = append(got, e)
			return len(got) < take
		}); err != nil {
			t.Fatal(err)
		}
		want = want[:min(len(want), max(take, 1))]
		if !slices.EqualFunc(got, want, func(a, b Event) bool {
			return a.Kind == b.Kind && a.Iteration == b.Iteration && a.Message == b.Message
		}) {
			t.Fatalf("trial %d: %d events from the end, %d wanted", trial, len(got), len(want))
		}
	}
	text := bytes.Repeat([]byte(`{"event":"warning","iteration":7,"message":"long"}`+"\n"), 100_000)
	f, reads := logOf(t, text)
	before, visited := *reads, 0
	if err := f.LastEvents(func(Event) bool { visited++; return visited < 1000 }); err != nil ||
		*reads-before != 1 {
		t.Errorf("1000 lines at the end took %d reads of a block, %v", *reads-before, err)
	}
	if err := Folder("none").On(f.FS).LastEvents(func(Event) bool { return true }); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("no log: %v", err)
	}
}
