package terminal

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tengen/run/watch"
)

// A frame fits its screen, whatever that is, and erases what stood there.
func TestFrame(t *testing.T) {
	x := &watch.Snapshot{
		Source: "runs/first", State: "running", Game: "go:size=5,players=3",
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Iterations: 9,
	}
	whole := watch.Lines(x, 80, false)
	for height := 1; height < 12; height++ {
		text := frame(looked{snapshot: x}, 80, height, false)
		if !strings.HasPrefix(text, "\x1b[H") || !strings.HasSuffix(text, "q quits\x1b[K\x1b[J") {
			t.Errorf("%d rows: %q", height, text)
		}
		lines := strings.Split(strings.TrimPrefix(text, "\x1b[H"), "\r\n")
		if len(lines) > height {
			t.Errorf("%d lines on %d rows", len(lines), height)
		}
		if cut := height < len(whole)+1; cut != strings.Contains(text, "…") && height > 1 {
			t.Errorf("%d rows: %q", height, text)
		}
	}
	text := frame(looked{snapshot: x, err: errors.New("gone\x1b[2J\nfor good")}, 50, 20, false)
	if !strings.Contains(text, "03:04:05: the last look; now: gone\\x1b[2J; for goo\x1b[K") {
		t.Errorf("%q", text)
	}
	if text = frame(looked{snapshot: x}, 20, 20, false); !strings.Contains(text,
		"\r\n03:04:05  q quits") {
		t.Errorf("%q", text)
	}
}
