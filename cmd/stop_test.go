//go:build unix

package cmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/run"
)

// What a command does when its context has ended before it began.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range []string{
		"games perft go:size=5,players=3 --depth 9",
		"bench game --seconds 100",
		"bench search --seconds 100",
		"bench nn --seconds 100 --set network.blocks=0",
		"play --game tictactoe human human",
		"play --game tictactoe random random",
	} {
		var stderr bytes.Buffer
		began := time.Now()
		status := program.Execute(ctx, strings.Fields(args), neverTyped{}, io.Discard, &stderr)
		if status != exitStopped || !strings.HasPrefix(stderr.String(), "tengen: stopped") ||
			strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: status %d, %q", args, status, stderr.String())
		}
		if took := time.Since(began); took > 2*time.Minute {
			t.Errorf("%s: it took %v to stop", args, took)
		}
	}
}

// Ctrl-C stops a count that would take for ever, and what was counted is printed.
func TestCtrlC(t *testing.T) {
	// Signals that come before Main listens are not to kill the test.
	mine := make(chan os.Signal, 1)
	signal.Notify(mine, syscall.SIGINT)
	defer signal.Stop(mine)

	var stdout, stderr bytes.Buffer
	status := make(chan int)
	go func() {
		status <- Main(strings.Fields("games perft go:size=5,players=3 --depth 30"), neverTyped{},
			&stdout, &stderr)
	}()
	timeout := time.After(2 * time.Minute)
	for {
		select {
		case got := <-status:
			if got != exitStopped ||
				!strings.HasPrefix(stderr.String(), "tengen: stopped while counting length ") {
				t.Errorf("status %d, %q", got, stderr.String())
			}
			if !strings.HasPrefix(stdout.String(), "go:size=5,players=3\n  0  1\n") {
				t.Errorf("printed is %q", stdout.String())
			}
			return
		case <-time.After(20 * time.Millisecond):
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			<-mine // none is on its way when the test ends, which would kill it
		case <-timeout:
			t.Fatal("it goes on")
		}
	}
}

// TestSecondCtrlC: the second Ctrl-C ends a match at once, while a move that takes long is awaited.
func TestSecondCtrlC(t *testing.T) {
	for after := time.Second / 5; !secondCtrlC(t, after); after *= 3 {
		if after > 5*time.Minute {
			t.Fatal("it never listens")
		}
	}
}

// secondCtrlC sends the first signal after a while. It returns false if the program did not listen
// yet, so that this one ended it.
func secondCtrlC(t *testing.T, after time.Duration) bool {
	c := exec.Command("tengen", "arena", "solver", "solver", "--game", "connect-four")
	var stdout bytes.Buffer
	c.Stdout = &stdout
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stderr).ReadString('\n')
		told <- line
	}()
	interrupt := func() {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(after)
	interrupt()
	switch line := <-told; {
	case line ==
		"stopping after the moves in progress; a second Ctrl-C ends at once, without a result\n":
		interrupt()
	case line == "": // it was killed
		_ = c.Wait()
		return false
	case strings.HasPrefix(line, "tengen: stopped"): // it listened, and had no move in progress yet
		_ = c.Wait()
		return false
	default:
		t.Errorf("after the first: %q", line)
	}
	began := time.Now()
	err = c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT ||
		stdout.Len() > 0 || time.Since(began) > 5*time.Minute {
		t.Errorf("it ends after %v with %v, %q", time.Since(began), err, &stdout)
	}
	return true
}

// TestRemovedRun: a run whose folder was removed does not say that nothing is lost.
func TestRemovedRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"train", "quick", "--device", "cpu", "--run", dir}
	for _, s := range []string{
		"game=tictactoe", "network.blocks=1", "network.filters=8", "network.hidden=8",
		"warm_start.initial_games=0", "warm_start.schedule=none",
		"training.iterations=2", "training.games=1000000", "evaluation.every=0",
		"selfplay.workers=1", "selfplay.cache_mib=1", "metrics.address=",
	} {
		args = append(args, "--set", s)
	}
	b := begin(t, "tengen", args...)
	// The first line of the event log is the last thing that a run opens.
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if events, _ := run.Folder(dir).History(); len(events) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("there is no run")
		}
	}
	var err error
	for range 100 { // the run makes files meanwhile
		if err = os.RemoveAll(dir); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = b.Process.Signal(os.Interrupt) // it may have ended
	<-b.ended
	if text := b.stderr.String(); !strings.Contains(text, "is gone, and the run with it") ||
		strings.Contains(text, "nothing is lost") || strings.Contains(text, "is kept") {
		t.Errorf("it says\n%s", text)
	}
}
