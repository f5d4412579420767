package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// All steps are commands of the program with flags that it has.
func TestStepsParse(t *testing.T) {
	for _, quick := range []bool{false, true} {
		for _, s := range (&reproduceAll{quick: quick, dir: "d", runs: "r"}).steps() {
			c, args, err := program().Root().Find(s.args)
			if err == nil {
				err = c.ParseFlags(args)
			}
			if err == nil {
				err = c.ValidateArgs(c.Flags().Args())
			}
			if err != nil || !c.Runnable() || s.minutes <= 0 {
				t.Errorf("%v: %v", s.args, err)
			}
		}
	}
}

// Finished steps are not made again, and a step that fails ends the command.
func TestReproduceAllResumes(t *testing.T) {
	dir := t.TempDir()
	f := &reproduceAll{quick: true, dir: dir, runs: dir}
	done, err := f.done()
	if err != nil || len(done) != 0 {
		t.Fatalf("%v, %v", done, err)
	}
	all := f.steps()
	for _, s := range all[1:] {
		if err := f.finish(done, strings.Join(s.args, " "), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	// A line cut short does not count.
	file, err := os.OpenFile(f.donePath(), os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"step":"cut`); err != nil {
		t.Fatal(err)
	}
	file.Close()
	if done, err = f.done(); err != nil || len(done) != len(all)-1 {
		t.Fatalf("%d steps are done, %v", len(done), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.md"), []byte("# Go\n\n## Table 3\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	if err := f.writePage(filepath.Join(dir, "all.md")); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "all.md"))
	if err != nil || !strings.Contains(string(page), "\n## Go\n\n### Table 3\n") {
		t.Errorf("the page is %s, %v", page, err)
	}
	// The first step, the only one left, is stopped at once.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := &cobra.Command{}
	c.SetContext(ctx)
	var out strings.Builder
	c.SetOut(&out)
	c.SetErr(&out)
	if err := f.run(c); err == nil || !strings.Contains(err.Error(), "the same command goes on") ||
		!strings.HasPrefix(out.String(), "1 of ") {
		t.Errorf("%v after %s", err, out.String())
	}
}
