package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"time"
)

func fuzz(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	flags.SetOutput(stderr)
	each := flags.Duration("time", time.Minute, "`time` for each target")
	match := flags.String("match", "", "only targets whose package and name match this `expression`")
	list := flags.Bool("list", false, "print the targets and run none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	only, err := regexp.Compile(*match)
	if err != nil {
		return err
	}
	return runTargets(ctx, stdout, *each, only, *list)
}

// target is a fuzz target.
type target struct{ folder, name string }

func (t target) String() string { return t.folder + "." + t.name }

// runTargets runs the targets that match only, or lists them.
func runTargets(
	ctx context.Context, w io.Writer, each time.Duration, only *regexp.Regexp, list bool,
) error {
	all, err := targets(os.DirFS("."))
	if err != nil {
		return err
	}
	failed, ran := 0, 0
	for _, t := range all {
		if !only.MatchString(t.String()) {
			continue
		}
		if list {
			fmt.Fprintln(w, t)
			continue
		}
		ran++
		fmt.Fprintf(w, "%s\n", t)
		c := exec.CommandContext(ctx, "go", "test", "./"+path.Clean(t.folder), "-run", "^$",
			"-fuzz", "^"+t.name+"$", "-fuzztime", each.String(), "-fuzzminimizetime", "1s")
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
		c.Stdout, c.Stderr = w, w
		if err := c.Run(); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			failed++
			fmt.Fprintf(w, "%s: %v\n", t, err)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d targets have failed", failed, ran)
	}
	if !list {
		fmt.Fprintf(w, "%d targets, none has failed\n", ran)
	}
	return nil
}

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// constrained reports whether a file has a build constraint; such targets are left out.
func constrained(text string) bool { return strings.HasPrefix(text, "//go:build ") }

// targets returns the fuzz targets below the module's root, in order of their files.
func targets(root fs.FS) (list []target, err error) {
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "runs"):
			return fs.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil || constrained(string(text)) {
			return err
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			list = append(list, target{path.Dir(name), string(m[1])})
		}
		return nil
	})
	return list, err
}
