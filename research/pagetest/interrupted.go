package pagetest

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/research"
)

// Interrupted makes a part again and again, interrupted after more and more calls of its progress
// function, until that is after its end. It tests that each time the part so far is returned with
// the context's error, as JSON and as a section that says so. It
// returns the sections, the last of which is that of the whole part. If games is set, the part
// consists of matches.
func Interrupted(
	t *testing.T, l *research.Layout, name string, games bool,
	find func(ctx context.Context, progress func()) (research.Part, error),
) (sections []string) {
	t.Helper()
	p := read(t, filepath.Join(t.TempDir(), "page.md"), l)
	for after := 0; ; after = 2*after + 1 {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		count := func() {
			if calls++; calls >= after {
				cancel()
			}
		}
		if after == 0 {
			cancel()
		}
		part, err := find(ctx, count)
		cancel()
		if err == nil {
			p.Put(name, part, time.Second)
			return append(sections, p.Section(name))
		}
		made := part.HowMade()
		if !errors.Is(err, context.Canceled) || made.Interrupted == nil ||
			made.Interrupted.During == "" {
			t.Fatalf("%s after %d calls: %v, %+v", name, after, err, made)
		}
		if i := made.Interrupted.Interrupted; games &&
			(i == nil || i.Planned == 0 || made.Games < i.Games && i.Games > 1) {
			t.Errorf("%s after %d calls: %+v, %d games", name, after, i, made.Games)
		}
		section := l.Interrupted(name, part, time.Second)
		text, err := json.Marshal(part)
		if err != nil || !strings.Contains(string(text), `"interrupted":{"during":"`) ||
			!strings.Contains(strings.ToLower(section), "interrupted") {
			t.Errorf("%s after %d calls: %v\n%s\n%s", name, after, err, text, section)
		}
		if strings.Contains(section, "![") {
			t.Errorf("%s after %d calls has a picture:\n%s", name, after, section)
		}
		sections = append(sections, section)
	}
}
