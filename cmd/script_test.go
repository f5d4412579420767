package cmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tengen/nn/backend"
)

// hasCUDA reports whether this binary has CUDA, as long as no test registers another backend.
var hasCUDA = backend.HasCUDA()

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tengen": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// The scripts run tengen as a person would. To testscript's commands they add
//
//	exits STATUS PROGRAM ARGUMENT…   runs a program, which is to end with this status
//	quiet                            the last program wrote nothing to its standard error, but
//	                                 for the device that a binary with CUDA uses
//
// and the condition cuda, for such a binary.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "quiet": quiet},
		Condition: func(name string) (bool, error) {
			if name != "cuda" {
				return false, fmt.Errorf("%s is no condition", name)
			}
			return hasCUDA, nil
		},
	})
}

func quiet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: quiet")
	}
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if !hasCUDA || !strings.Contains(line, " INF device name=") {
			ts.Fatalf("the standard error has %q", line)
		}
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGUMENT…")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("%s is no status", args[0])
	}
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("status %d, want %d", got, want)
	}
}
