package cmd

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTutorial runs docs/tutorial.md as it is printed: its files in a fresh module, and its
// commands one by one. In place of a clone beside the module there is this one, by its own path:
// packages that are compiled already are not compiled again. The program that is built there,
// without cgo, needs no dynamic linker and no shared library, so that it runs on an empty container
// image.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program and trains a network")
	}
	text, err := os.ReadFile("../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	began := time.Now()
	files, commands := 0, 0
	for _, block := range regexp.MustCompile("(?ms)^```(file|sh) ?(\\S*)\n(.*?)^```$").
		FindAllStringSubmatch(string(text), -1) {
		if block[1] == "file" {
			files++
			content := block[3]
			if block[2] == "go.mod" {
				const beside = "replace tengen => ../tengen\n"
				if !strings.Contains(content, beside) {
					t.Fatalf("go.mod has no line %q", beside)
				}
				content = strings.Replace(content, beside,
					"replace tengen => "+strconv.Quote(root)+"\n", 1)
			}
			if err := os.WriteFile(filepath.Join(dir, block[2]), []byte(content),
				0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for line := range strings.Lines(block[3]) {
			line = strings.TrimSpace(line)
			if name, ok := strings.CutPrefix(line, "cd "); ok {
				dir = filepath.Join(dir, name)
				continue
			}
			commands++
			start := time.Now()
			c := exec.CommandContext(t.Context(), "sh", "-e", "-c", line)
			c.Dir = dir
			// Go mod tidy wants modules that nothing else needs: they may have to be fetched. Go
			// test would vet all packages that the program consists of. Nobody debugs the program.
			c.Env = append(os.Environ(),
				"GOFLAGS=-mod=mod -vet=off -ldflags=-w "+os.Getenv("GOFLAGS"),
				"GOSUMDB=off", "GOWORK=off", "CGO_ENABLED=0", "PWD="+dir)
			out, err := c.CombinedOutput()
			t.Logf("%5.1f s  %s", time.Since(start).Seconds(), line)
			if err != nil && line == "go mod tidy" {
				build := exec.Command("go", "build", "-ldflags=-w", "-o",
					filepath.Join(dir, "tengen"), "./tengen")
				build.Env = append(os.Environ(), "CGO_ENABLED=0")
				if out, err := build.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", build.Args, err, out)
				}
				isStatic(t, filepath.Join(dir, "tengen"))
				t.Skipf("modules that only tests of the libraries need can't be fetched: %v\n%s",
					err, out)
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", line, err, out)
			}
		}
	}
	isStatic(t, filepath.Join(dir, "chomp"))
	if files < 5 || commands < 10 {
		t.Errorf("%d files and %d commands are on the page", files, commands)
	}
	t.Logf("%d commands took %.1f s", commands, time.Since(began).Seconds())
}

// isStatic checks that a binary needs nothing but the kernel.
func isStatic(t *testing.T, path string) {
	if runtime.GOOS != "linux" {
		return // only Linux has ELF binaries without shared libraries
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("%s has a segment %v", path, p.Type)
		}
	}
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("%s imports %v, %v", path, libraries, err)
	}
}
