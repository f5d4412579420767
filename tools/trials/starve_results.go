package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// result is a line of the file of results: one run of the tests of a package.
type result struct {
	Time    time.Time `json:"time"`
	Commit  string    `json:"commit"` // as git describes it
	Package string    `json:"package"`
	Sources string    `json:"sources"` // digest of what the tests are built from
	How     string    `json:"how"`     // what the tests ran with
	Passed  bool      `json:"passed"`
	Seconds float64   `json:"seconds"`
	CPU     float64   `json:"cpu,omitempty"` // seconds that the tests and their processes computed
	// mean number of threads a processor that computed or waited for it
	Load float64 `json:"load,omitempty"`
}

// results are those of earlier calls that count, and the file that takes more. The nil file keeps
// nothing.
type results struct {
	file        *os.File
	commit, how string
	failed      int // runs of earlier calls
}

// how says what the tests run with, apart from the processors, which rounds take in turn.
func (o *starveOptions) how() string {
	how := fmt.Sprintf("loops=%d procs=%v run=%q short=%t race=%t",
		o.loops, o.procs, o.run, o.short, o.race)
	if o.atOnce > 1 {
		how += fmt.Sprintf(" at-once=%d", o.atOnce)
	}
	return how
}

// open reads the file of results and counts the rounds of each package. A result counts as long as
// what the tests are built from, and how they run, is the same.
func (o *starveOptions) open(ctx context.Context, suites []suite) (*results, error) {
	r := &results{how: o.how()}
	if o.results == "" {
		return r, nil
	}
	if err := digests(ctx, suites); err != nil {
		return nil, err
	}
	r.commit = "unknown"
	if text, err := exec.CommandContext(ctx, "git", "describe", "--always",
		"--dirty").Output(); err == nil {
		r.commit = strings.TrimSpace(string(text))
	}
	var err error
	if r.file, err = os.OpenFile(o.results, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(o.results)
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' { // a line that was not written to its end
		if _, err := r.file.WriteString("\n"); err != nil {
			return nil, err
		}
	}
	for line := range bytes.Lines(text) {
		var old result
		if json.Unmarshal(line, &old) != nil || old.How != r.how {
			continue
		}
		i := slices.IndexFunc(suites, func(s suite) bool {
			return s.path == old.Package && s.sources == old.Sources
		})
		if i < 0 {
			continue
		}
		suites[i].ran++
		if !old.Passed {
			r.failed++
		}
	}
	return r, nil
}

// add keeps the result of a run.
func (r *results) add(s suite, passed bool, took, computed time.Duration, load float64) error {
	if r.file == nil {
		return nil
	}
	line, err := json.Marshal(result{
		time.Now().UTC().Truncate(time.Second), r.commit, s.path, s.sources, r.how, passed,
		took.Seconds(), computed.Seconds(), load,
	})
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	return err
}

func (r *results) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// digests sets the sources of each suite: a digest of the files of its package and of all packages
// of the module that its tests import, those below their folders included, and of the versions of
// other modules. Tests of imported packages do not count.
func digests(ctx context.Context, suites []suite) error {
	text, err := goList(ctx, "-f", "{{.ImportPath}}\t{{.Dir}}", "./...")
	if err != nil {
		return err
	}
	folders := map[string]string{} // of the module's packages, by path
	packages := map[string]bool{}  // the folders
	for line := range strings.Lines(text) {
		path, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
		folders[path], packages[folder] = folder, true
	}
	var args []string
	for _, s := range suites {
		args = append(args, s.path)
	}
	// A test binary is listed as PACKAGE.test, with all that it consists of.
	text, err = goList(ctx,
		append([]string{"-test", "-f", "{{.ImportPath}}\t{{range .Deps}}{{.}} {{end}}"},
			args...)...)
	if err != nil {
		return err
	}
	consists := map[string][]string{}
	for line := range strings.Lines(text) {
		path, deps, _ := strings.Cut(strings.TrimSpace(line), "\t")
		consists[path] = strings.Fields(deps)
	}
	text, err = goList(ctx, "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	versions := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(strings.TrimSpace(text), name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		versions.Write(content)
	}
	known := map[string]string{} // digests of imported packages, by path
	for i := range suites {
		s := &suites[i]
		sum := sha256.New()
		sum.Write(versions.Sum(nil))
		own, err := digest(folders[s.path], packages, true)
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, s.path, own)
		for _, path := range consists[s.path+".test"] {
			folder, ours := folders[path]
			if !ours || path == s.path {
				continue
			}
			if _, is := known[path]; !is {
				if known[path], err = digest(folder, packages, false); err != nil {
					return err
				}
			}
			fmt.Fprintln(sum, path, known[path])
		}
		s.sources = hex.EncodeToString(sum.Sum(nil)[:12])
	}
	return nil
}

// digest returns that of the files in a folder and below it, other packages left out, and tests too
// if they are not wanted.
func digest(folder string, packages map[string]bool, tests bool) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != folder && (packages[name] || strings.HasPrefix(e.Name(), ".")):
			return filepath.SkipDir
		case !e.Type().IsRegular(), !tests && strings.HasSuffix(name, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(folder, name)
		fmt.Fprintf(sum, "%q %x\n", relative, sha256.Sum256(content))
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}
