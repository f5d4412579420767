//go:build linux

package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// TestLook samples this process.
func TestLook(t *testing.T) {
	debug.FreeOSMemory() // so that what is taken below is new
	before, err := look(os.Getpid(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	hold := make([]byte, 64<<20)
	for i := 0; i < len(hold); i += 4096 {
		hold[i] = 1
	}
	after, err := look(os.Getpid(), time.Now())
	if err != nil || after.Files != before.Files+1 || after.RSS-before.RSS < 60<<20 ||
		after.Threads < 1 {
		t.Errorf("a file and 64 MiB more: %+v becomes %+v, %v", before, after, err)
	}
	hold[0]++
}

func TestVerdict(t *testing.T) {
	// 300 seconds: the first part is from 75 to 125, the last from 250 on.
	run := func(rss func(at float64) int64, files func(at float64) int) error {
		var samples []sample
		for at := 1.0; at <= 300; at++ {
			samples = append(samples, sample{At: at, RSS: rss(at), Files: files(at), Threads: 1})
		}
		r, err := newSoakReport(samples)
		if err != nil {
			t.Fatal(err)
		}
		if r.First.samples != 51 || r.Last.samples != 51 {
			t.Fatalf("parts of %d and %d samples", r.First.samples, r.Last.samples)
		}
		return r.verdict(5)
	}
	flat := func(float64) int64 { return 1000 }
	churning := func(at float64) int { return 8 + int(at)%5 }
	for name, c := range map[string]struct {
		rss   func(float64) int64
		files func(float64) int
		want  string
	}{
		"flat": {flat, churning, ""},
		"warming up": {func(at float64) int64 {
			return int64(1000 * min(1, at/90))
		}, churning, ""},
		"shrinking":     {func(at float64) int64 { return 2000 - int64(at) }, churning, ""},
		"growing a bit": {func(at float64) int64 { return 10_000 + int64(at) }, churning, ""},
		// 1275 of 1100
		"growing": {func(at float64) int64 {
			return 1000 + int64(at)
		}, churning, "memory has grown by 15.9 %"},
		"files are lost": {flat, func(at float64) int {
			return churning(at) + int(at)/20
		}, "at least 20 files are open, after at most 18 before"},
	} {
		err := run(c.rss, c.files)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
	}
	if _, err := newSoakReport(nil); err == nil {
		t.Error("no samples give a report")
	}
}

// TestTable checks the rows of a watched run, and that other runs have none.
func TestTable(t *testing.T) {
	var samples []sample
	for at := 0.0; at <= 4800; at += 10 {
		samples = append(samples, sample{At: at, RSS: 100 << 20, Files: 20, Threads: 9})
	}
	text := func() string {
		r, err := newSoakReport(samples)
		if err != nil {
			t.Fatal(err)
		}
		r.Answers = 77
		return r.String()
	}
	if got := text(); strings.Contains(got, "|") {
		t.Errorf("a run that nobody watches:\n%s", got)
	}
	for i := range samples {
		samples[i].Goroutines, samples[i].Iteration, samples[i].Disk = 30+i%3, i/10, int64(i)<<20
	}
	got := text()
	for _, want := range []string{
		"| 0–10 | 6 | 100 MiB | 20–20 | 9 | 30–32 | 60.0 MiB |",
		"| 70–80 | 48 | 100 MiB | 20–20 | 9 | 30–32 | 480.0 MiB |", "77 answers",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "MiB | 20–20"); n != tableRows {
		t.Errorf("%d rows, want %d", n, tableRows)
	}
}

// TestDisk counts files, but not the program.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	for name, n := range map[string]int{"tengen": 1000, "a": 10, "run/b": 5} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, n), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if n := disk(dir); n != 15 {
		t.Errorf("%d bytes, want 15", n)
	}
}
