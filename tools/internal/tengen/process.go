package tengen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

// Process is a process of tengen, or of a tool that stands for it.
type Process struct {
	Name   string
	Log    string        // file of its standard error
	Ended  chan struct{} // closed when it has ended
	Err    error         // valid once it has
	Killed bool          // by Kill
	c      *exec.Cmd
}

// Start starts a process, whose standard error goes to a file. ctx ends it.
func Start(ctx context.Context, name, log, program string, args ...string) (*Process, error) {
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	p := &Process{
		Name: name, Log: log, c: exec.CommandContext(ctx, program, args...),
		Ended: make(chan struct{}),
	}
	p.c.Stderr = f
	if err := p.c.Start(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	go func() {
		p.Err = errors.Join(p.c.Wait(), f.Close())
		close(p.Ended)
	}()
	return p, nil
}

// Signal sends it a signal.
func (p *Process) Signal(s syscall.Signal) { _ = p.c.Process.Signal(s) } // it may just have ended

// Kill ends it as a failing machine does.
func (p *Process) Kill() {
	p.Killed = true
	p.Signal(syscall.SIGKILL)
	<-p.Ended
}

// PID is its number.
func (p *Process) PID() int { return p.c.Process.Pid }

// CPU returns the processor time, in seconds, that it took. It has ended.
func (p *Process) CPU() float64 {
	return (p.c.ProcessState.UserTime() + p.c.ProcessState.SystemTime()).Seconds()
}

// Usage returns what the process took of the machine. It has ended.
func (p *Process) Usage() *syscall.Rusage { return p.c.ProcessState.SysUsage().(*syscall.Rusage) }

// Over reports whether it has ended.
func (p *Process) Over() bool {
	select {
	case <-p.Ended:
		return true
	default:
		return false
	}
}

// Wait waits for its end, for a while. It returns an error if it does not end, or with another
// status than 0.
func (p *Process) Wait(limit time.Duration) error {
	select {
	case <-p.Ended:
	case <-time.After(limit):
		return fmt.Errorf("%s has not ended after %v\n%s", p.Name, limit, p.Tail())
	}
	if p.Err != nil {
		return fmt.Errorf("%s: %w\n%s", p.Name, p.Err, p.Tail())
	}
	return nil
}

// Tail returns the end of what it said.
func (p *Process) Tail() []byte {
	text, _ := os.ReadFile(p.Log) // empty if there is none
	lines := bytes.SplitAfter(text, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-25):], nil)
}

var confirmed = regexp.MustCompile(`confirmed=(\d+)`)

// Games returns how many of a worker's games counted, as far as it has said so.
func (p *Process) Games() uint64 {
	text, _ := os.ReadFile(p.Log) // empty if there is none
	list := confirmed.FindAllSubmatch(text, -1)
	if len(list) == 0 {
		return 0
	}
	n, _ := strconv.ParseUint(string(list[len(list)-1][1]), 10, 64) // digits
	return n
}

// FreeAddress returns an address that nobody listens on.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
