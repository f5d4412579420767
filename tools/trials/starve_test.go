package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
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
	write("good/good_test.go",
		"package good\n\nimport \"testing\"\n\nfunc TestGood(*testing.T) {}\n")
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
	o := starveOptions{
		rounds: 2, atOnce: 1, loops: 2, procs: []int{1, 2}, only: regexp.MustCompile(""),
		timeout: time.Minute, out: filepath.Join(dir, "out"),
	}
	var out bytes.Buffer
	err := o.starve(t.Context(), &out)
	if err == nil || !strings.Contains(out.String(), "2/2 starved/bad") ||
		!strings.HasSuffix(out.String(),
			"4 runs of 2 packages beside 2 busy loops, 1 have failed\n") {
		t.Errorf("%v\n%s", err, &out)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, "out", "starved_bad.test.2.failed")); err !=
		nil || !strings.Contains(string(kept), "two at once") {
		t.Errorf("%v: %s", err, kept)
	}
	o.only, o.keep = regexp.MustCompile("good"), true
	out.Reset()
	if err := o.starve(t.Context(), &out); err != nil ||
		!strings.Contains(out.String(), "0 have failed") {
		t.Errorf("%v\n%s", err, &out)
	}
	o.only = regexp.MustCompile("neither")
	if err := o.starve(context.Background(), &out); err == nil ||
		!strings.Contains(err.Error(), "neither") {
		t.Errorf("no package: %v", err)
	}
}

// TestResults collects rounds over calls: those of a package count until what its tests are built
// from changes, a failure included.
func TestResults(t *testing.T) {
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
	test := func(name, body string) string {
		return "package " + name + "\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {" +
			body + "}\n"
	}
	write("go.mod", "module starved\n\ngo 1.26\n")
	write("lib/lib.go", "package lib\n\nconst Fails = false\n")
	write("one/one_test.go",
		strings.Replace(test("one", "if lib.Fails { t.Fail() }"), "import ",
			"import \"starved/lib\"\nimport ", 1))
	write("two/two_test.go", test("two", ""))
	t.Chdir(dir)
	call := func(rounds, ran int, fails bool, last string) {
		t.Helper()
		o := starveOptions{
			rounds: rounds, atOnce: 2, keep: ran == 0 || !fails, loops: 1, procs: []int{1},
			only: regexp.MustCompile(""), timeout: time.Minute, out: filepath.Join(dir, "out"),
			results: filepath.Join(dir, "results"),
		}
		var out bytes.Buffer
		err := o.starve(t.Context(), &out)
		if text := out.String(); (err != nil) != fails ||
			strings.Count(text, "/"+strconv.Itoa(rounds)+" starved/") != ran ||
			!strings.HasSuffix(text, last+"\n") {
			t.Errorf("%d rounds: %v, want %d runs\n%s", rounds, err, ran, text)
		}
	}
	call(1, 2, false, "1 rounds of all packages; 0 packages have fewer than 1")
	call(1, 0, false, "1 rounds of all packages; 0 packages have fewer than 1")
	call(2, 2, false, "2 rounds of all packages; 0 packages have fewer than 2")
	write("two/testdata/new", "data of tests")
	call(2, 2, false, "2 rounds of all packages; 0 packages have fewer than 2")
	write("lib/lib.go", "package lib\n\nconst Fails = true\n")
	call(1, 1, true, "1 rounds of all packages; 0 packages have fewer than 1")
	// the failure is not forgotten
	call(1, 0, true, "1 rounds of all packages; 0 packages have fewer than 1")
	file, err := os.OpenFile("results", os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(`{"package":"starved/o`) // the call was killed
		file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	write("lib/lib.go", "package lib\n\nconst Fails = false\n")
	call(2, 0, false, "2 rounds of all packages; 0 packages have fewer than 2")
	write("two/more_test.go", "package two\n")
	o := starveOptions{
		rounds: 1, atOnce: 1, loops: 1, procs: []int{1}, only: regexp.MustCompile("two"),
		timeout: time.Minute, limit: 1, out: filepath.Join(dir, "out"),
		results: filepath.Join(dir, "results"),
	}
	var out bytes.Buffer
	if err := o.starve(t.Context(), &out); err != nil ||
		!strings.HasPrefix(out.String(), "0 runs") ||
		!strings.Contains(out.String(), "1 packages have fewer than 1") {
		t.Errorf("a call without time: %v\n%s", err, &out)
	}
}

// TestDigests: the sources of tests are their own package and what it imports, without the tests of
// that.
func TestDigests(t *testing.T) {
	t.Chdir(t.TempDir())
	sources := func(name, text string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s := []suite{{path: "digested/one"}}
		if err := digests(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		return s[0].sources
	}
	if err := os.WriteFile("go.mod", []byte("module digested\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	sources("one/one.go", "package one\n")
	sources("lib/lib.go", "package lib\n")
	last := sources("one/one_test.go", "package one\n\nimport _ \"digested/lib\"\n")
	for _, c := range []struct {
		name, text string
		same       bool
	}{
		{"lib/lib_test.go", "package lib\n", true},
		{"other/other.go", "package other\n", true},
		{"lib/lib.go", "package lib\n\nconst New = 1\n", false},
		{"one/more_test.go", "package one\n", false},
		{"one/testdata/a_test.go", "package a\n", false},
		{"go.mod", "module digested\n\ngo 1.26.0\n", false},
	} {
		now := sources(c.name, c.text)
		if (now == last) != c.same {
			t.Errorf("%s is written: the sources are the same: %t, want %t",
				c.name, now == last, c.same)
		}
		last = now
	}
}

// TestLoad: busy loops are seen as load, where the system tells.
func TestLoad(t *testing.T) {
	if _, ok := runnable(); !ok {
		t.Skip("no /proc/stat")
	}
	const loops = 5
	defer busy(loops)()
	var g gauge
	end := g.sample()
	m := g.mark()
	time.Sleep(time.Second)
	end()
	if load, want := g.since(m), 0.9*loops/float64(runtime.NumCPU()); load < want {
		t.Errorf("a load of %.2f, want %.2f or more", load, want)
	}
	if again := g.since(g.mark()); again != 0 {
		t.Errorf("a load of %.2f without a measurement", again)
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
