package cmdtest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tengen/nn/backend"
)

// hasCUDA says whether this binary has CUDA. Main sets it, before a test registers another backend
// and after the binary's own has registered itself.
var hasCUDA bool

// stopped is the exit status of a command that a signal ended.
const stopped = 130

// Main runs a package's tests, with programs that its scripts can run.
func Main(m *testing.M, programs map[string]func()) {
	hasCUDA = backend.HasCUDA()
	if signal.Ignored(syscall.SIGINT) {
		// The tests were started in the background, and what they start would ignore Ctrl-C too.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
	}
	testscript.Main(m, programs)
}

// Run runs the scripts of a folder, which run a program as a person would. To testscript's commands
// they add
//
//	exits STATUS PROGRAM ARGUMENT…   runs a program, which is to end with this status
//	interrupts PATTERN PROGRAM ARGUMENT…
//	                                 sends a program SIGINT, after so long that its standard output
//	                                 then matches PATTERN, and is kept in the file out; it is to end
//	                                 with status 130, and with one line of standard error after
//	                                 those of progress, which is kept in the file err
//	address NAME                     sets a variable to an address at which nobody listens
//	answers ADDRESS                  waits until somebody does
//	capture NAME PATTERN             sets a variable to what the pattern's group matches in the standard
//	                                 error of the last program
//	quiet                            the last program wrote nothing to its standard error, but
//	                                 for the device that a binary with CUDA uses
//
// and the condition cuda, for such a binary.
func Run(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "replaced": replaced, "interrupts": interrupts, "quiet": quiet,
			"address": setAddress, "answers": awaitAnswer, "capture": capture,
		},
		Condition: func(name string) (bool, error) {
			if name != "cuda" {
				return false, fmt.Errorf("%s is no condition", name)
			}
			return hasCUDA, nil
		},
	})
}

func interrupts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupts PATTERN PROGRAM ARGUMENT…")
	}
	pattern := regexp.MustCompile("(?m)" + args[0])
	var stdout, stderr bytes.Buffer
	for after := 25 * time.Millisecond; ; after *= 2 {
		stdout.Reset()
		stderr.Reset()
		c := exec.Command(args[1], args[2:]...)
		c.Dir, c.Stdout, c.Stderr = ts.MkAbs("."), &stdout, &stderr
		ts.Check(c.Start())
		time.Sleep(after)
		ts.Check(c.Process.Signal(os.Interrupt))
		var exit *exec.ExitError
		if err := c.Wait(); !errors.As(err, &exit) ||
			exit.ExitCode() != stopped && exit.ExitCode() >= 0 {
			ts.Fatalf("interrupted after %v: %v\n%s%s", after, err, &stdout, &stderr)
		}
		if exit.ExitCode() == stopped && pattern.Match(stdout.Bytes()) {
			break
		}
		if after > time.Minute {
			ts.Fatalf("interrupted after %v: no match for %s\n%s%s",
				after, args[0], &stdout, &stderr)
		}
	}
	lines := strings.SplitAfter(strings.TrimSuffix(stderr.String(), "\n"), "\n")
	ts.Logf("%s%s", &stdout, &stderr)
	ts.Check(os.WriteFile(ts.MkAbs("out"), stdout.Bytes(), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("err"), []byte(lines[len(lines)-1]+"\n"), 0o644))
}

func setAddress(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: address NAME")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], l.Addr().String())
	ts.Check(l.Close())
}

func awaitAnswer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: answers ADDRESS")
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", args[0])
		if err == nil {
			ts.Check(c.Close())
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("nobody answers: %v", err)
		}
	}
}

func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME PATTERN")
	}
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stderr"))
	if len(m) != 2 {
		ts.Fatalf("no match for %s with one group", args[1])
	}
	ts.Setenv(args[0], m[1])
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

// replaced replaces a text in a file, which must be there.
func replaced(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replaced FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s holds no %q:\n%s", args[0], args[1], text)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]),
		[]byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
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
