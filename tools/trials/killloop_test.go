//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The tracker follows the events of an iteration and a half.
func TestPhases(t *testing.T) {
	at := time.Unix(1000, 0)
	tr := newTracker(at)
	for i, step := range []struct {
		folder, name string
		mask         uint32
		want         phase
	}{
		{".", "LOCK", unix.IN_MODIFY, starting},
		// what an earlier kill left
		{"checkpoints", ".000003.tmp", unix.IN_DELETE | unix.IN_ISDIR, starting},
		{".", "events.jsonl", unix.IN_MODIFY, playing},
		{"replay", "000007.games", unix.IN_CREATE, playing},
		{"replay", "000007.games", unix.IN_MODIFY, writingSegment},
		{"replay", "000006.games", unix.IN_CLOSE_WRITE, writingSegment},
		{"replay", "000007.games", unix.IN_CLOSE_WRITE, updating},
		{"checkpoints", ".000003.tmp", unix.IN_CREATE | unix.IN_ISDIR, writingCheckpoint},
		{"checkpoints", ".000003.tmp", unix.IN_MOVED_FROM | unix.IN_ISDIR, finishing},
		{"checkpoints", "000003", unix.IN_MOVED_TO | unix.IN_ISDIR, finishing},
		{"checkpoints", ".000001.tmp", unix.IN_MOVED_TO | unix.IN_ISDIR, removingCheckpoint},
		{"checkpoints", ".000001.tmp", unix.IN_DELETE | unix.IN_ISDIR, finishing},
		{".", "events.jsonl", unix.IN_MODIFY, playing},
		{"replay", "000008.games", unix.IN_CREATE, playing},
		{"replay", "000008.games", unix.IN_MODIFY, writingSegment},
	} {
		before := tr.now
		at = at.Add(time.Second)
		over, took := tr.observe(event{step.folder, step.name, step.mask, at})
		if tr.now != step.want {
			t.Fatalf("step %d: %q, want %q", i, tr.now, step.want)
		}
		if ended := before != tr.now; ended != (over == before) || ended && took < time.Second {
			t.Fatalf("step %d: %q is over after %v, before it was %q", i, over, took, before)
		}
	}
	// The kernel closes the open files of a killed process.
	tr.killed = true
	if tr.observe(event{
		"replay", "000008.games", unix.IN_CLOSE_WRITE, at,
	}); tr.now != writingSegment {
		t.Errorf("killed while a segment was open: %q", tr.now)
	}
}

// An event log that reports an earlier iteration is an error.
func TestFollow(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		line("start", 0) + line("iteration", 1):  "",
		line("iteration", 1) + line("resume", 1): "",
		// killed between the checkpoint and its line
		line("iteration", 1) + line("resume", 2): "",
		line("iteration", 2) + line("resume",
			1): "line 2: resumed at iteration 1, but 2 was acknowledged",
		line("iteration", 2) + line("iteration", 2): "line 2: iteration 2, but 2 was acknowledged",
		line("warning", 2):                          "line 1: a warning",
		"{\n" + line("iteration", 1):                "", // cut short
	} {
		var p progress
		check(t, &p, text, want)
	}
	var p progress
	check(t, &p, line("iteration", 1)+line("iteration", 2), "")
	check(t, &p, line("iteration", 1)+line("iteration", 2)+line("resume", 1), "line 3")
	if p.acknowledged != 2 {
		t.Errorf("%d iterations are acknowledged, want 2", p.acknowledged)
	}
}

func line(event string, iteration int) string {
	return fmt.Sprintf("{\"event\":%q,\"iteration\":%d}\n", event, iteration)
}

func check(t *testing.T, p *progress, text, want string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	err := p.follow(path)
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%q: got error %v, want %q", text, err, want)
	}
}
