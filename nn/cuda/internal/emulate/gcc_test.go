//go:build linux && (amd64 || arm64)

package emulate

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tengen/nn/cuda/driver"
)

// TestCompiledOnce compiles in what stand for several processes: each source once, and again
// whatever it depends on has changed.
func TestCompiledOnce(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip(ErrNoCompiler)
	}
	cache, runs := t.TempDir(), filepath.Join(t.TempDir(), "runs")
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("RUNS", runs)
	counting := filepath.Join(t.TempDir(), "gcc")
	script := "#!/bin/sh\necho >>\"$RUNS\"\nexec " + gcc + " \"$@\"\n"
	if err := os.WriteFile(counting, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	told := "version 1"
	source := func() driver.Source {
		return driver.Source{
			Name: "a.cu", Text: "#include \"a.h\"\nint f(void) { return A + B; }\n",
			Headers: map[string]string{"a.h": "#define A 1\n"}, Defines: []string{"B=1"},
		}
	}
	entries := func() []string {
		names, err := filepath.Glob(filepath.Join(cache, "tengen", "emulate", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	hopper, ampere := Hopper(), Ampere()
	for _, step := range []struct {
		name   string
		change func(*driver.Source)
		device driver.Device
		runs   int // of gcc, after the step
	}{
		{"first", func(*driver.Source) {}, hopper, 1},
		{"again", func(*driver.Source) {}, hopper, 1},
		{"text", func(s *driver.Source) { s.Text += "int g;\n" }, hopper, 2},
		{"header", func(s *driver.Source) { s.Headers["a.h"] = "#define A 2\n" }, hopper, 3},
		{"option", func(s *driver.Source) { s.Defines[0] = "B=2" }, hopper, 4},
		{"name", func(s *driver.Source) { s.Name = "b.cu" }, hopper, 5},
		{"device", func(*driver.Source) {}, ampere, 6},
		{"compiler", func(*driver.Source) { told = "version 2" }, hopper, 7},
		{"former compiler", func(*driver.Source) { told = "version 1" }, hopper, 7},
		{"damage", func(*driver.Source) {
			for _, name := range entries() {
				if b, err := os.ReadFile(name); err != nil {
					t.Fatal(err)
				} else if b[len(b)-1]++; os.WriteFile(name, b, 0o600) != nil {
					t.Fatal(name)
				}
			}
		}, hopper, 8},
		{"repaired", func(*driver.Source) {}, hopper, 8},
	} {
		s := source()
		step.change(&s)
		r := &runtime{compiler: &compiler{gcc: counting, told: told}}
		c := newContext(r, Options{}, step.device)
		image, _, err := c.Compile(s)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if _, err := readDebugInfo(image); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if b, _ := os.ReadFile(runs); len(b) != step.runs {
			t.Errorf("%s: gcc has run %d times, not %d", step.name, len(b), step.runs)
		}
	}

	// What gcc rejects is told each time, and old entries go.
	old := time.Now().Add(-kept - time.Hour)
	for _, name := range entries() {
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	c := newContext(&runtime{compiler: &compiler{gcc: counting, told: told}}, Options{}, hopper)
	for range 2 {
		rejected := new(driver.CompileError)
		if _, _, err := c.Compile(driver.Source{Text: "int"}); !errors.As(err, &rejected) {
			t.Errorf("got %v, want gcc's complaint", err)
		}
	}
	if n := len(entries()); n != 7 {
		t.Errorf("%d entries, not 7", n)
	}
	if _, _, err := c.Compile(driver.Source{Text: "int x;"}); err != nil {
		t.Error(err)
	}
	if n := len(entries()); n != 1 {
		t.Errorf("%d entries are left, not the new one alone", n)
	}
}

// TestCompilerIsTold: the key of the cache names gcc's version and the processor.
func TestCompilerIsTold(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip(ErrNoCompiler)
	}
	c, err := newCompiler(gcc)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := exec.Command(gcc, "-###", "-E", "-x", "c", os.DevNull).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	if len(c.told) <= len(plain) {
		t.Errorf("gcc tells no more with %q than without: %s", machine, c.told)
	}
}
