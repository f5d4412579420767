package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestStarve runs the tests of two packages twice, one of which fails.
func TestStarve(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module starved\n\ngo 1.26\n")
	write("good/good_test.go", "package good\n\nimport \"testing\"\n\nfunc TestGood(*testing.T) {}\n")
	write("bad/bad_test.go", `package bad

import (
	"os"
	"testing"
)

func TestBad(t *testing.T) {
	if os.Getenv("GOMAXPROCS") == "2" {
		t.Error("two at once")
	}
}
`)
	t.Chdir(dir)
	o := options{rounds: 2, loops: 2, procs: []int{1, 2}, only: regexp.MustCompile(""), timeout: time.Minute, out: filepath.Join(dir, "out")}
	var out bytes.Buffer
	err := o.starve(t.Context(), &out)
	if err == nil || !strings.Contains(out.String(), "2/2 starved/bad") || !strings.HasSuffix(out.String(), "4 runs of 2 packages beside 2 busy loops, 1 have failed\n") {
		t.Errorf("%v\n%s", err, &out)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, "out", "starved_bad.test.2.failed")); err != nil || !strings.Contains(string(kept), "two at once") {
		t.Errorf("%v: %s", err, kept)
	}
	o.only, o.keep = regexp.MustCompile("good"), true
	out.Reset()
	if err := o.starve(t.Context(), &out); err != nil || !strings.Contains(out.String(), "0 have failed") {
		t.Errorf("%v\n%s", err, &out)
	}
	o.only = regexp.MustCompile("neither")
	if err := o.starve(context.Background(), &out); err == nil || !strings.Contains(err.Error(), "neither") {
		t.Errorf("no package: %v", err)
	}
}

// TestNumbers: lists of numbers.
func TestNumbers(t *testing.T) {
	if n, err := numbers("1,4"); err != nil || len(n) != 2 || n[1] != 4 {
		t.Errorf("%v, %v", n, err)
	}
	for _, list := range []string{"", "0", "1,", "two"} {
		if _, err := numbers(list); err == nil {
			t.Errorf("%q is accepted", list)
		}
	}
}
