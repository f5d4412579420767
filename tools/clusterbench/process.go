//go:build linux

package main

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

// process is a process of tengen.
type process struct {
	name   string
	log    string // file of its standard error
	c      *exec.Cmd
	ended  chan struct{} // closed when it has ended
	err    error         // valid once it has
	killed bool          // by us
}

// start starts a process, whose standard error goes to a file.
func start(ctx context.Context, name, log, program string, args ...string) (*process, error) {
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	p := &process{
		name: name, log: log, c: exec.CommandContext(ctx, program, args...),
		ended: make(chan struct{}),
	}
	p.c.Stderr = f
	if err := p.c.Start(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	go func() {
		p.err = errors.Join(p.c.Wait(), f.Close())
		close(p.ended)
	}()
	return p, nil
}

func (p *process) signal(s syscall.Signal) { _ = p.c.Process.Signal(s) } // it may just have ended

// kill ends it as a failing machine does.
func (p *process) kill() {
	p.killed = true
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// cpu returns the processor time, in seconds, that it took. It has ended.
func (p *process) cpu() float64 {
	return (p.c.ProcessState.UserTime() + p.c.ProcessState.SystemTime()).Seconds()
}

// over reports whether it has ended.
func (p *process) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// wait waits for its end, for a while. It returns an error if it does not end, or with another
// status than 0.
func (p *process) wait(limit time.Duration) error {
	select {
	case <-p.ended:
	case <-time.After(limit):
		return fmt.Errorf("%s has not ended after %v\n%s", p.name, limit, p.tail())
	}
	if p.err != nil {
		return fmt.Errorf("%s: %w\n%s", p.name, p.err, p.tail())
	}
	return nil
}

// tail returns the end of what it said.
func (p *process) tail() []byte {
	text, _ := os.ReadFile(p.log) // empty if there is none
	lines := bytes.SplitAfter(text, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-25):], nil)
}

var confirmed = regexp.MustCompile(`confirmed=(\d+)`)

// games returns how many of a worker's games counted, as far as it has said so.
func (p *process) games() uint64 {
	text, _ := os.ReadFile(p.log) // empty if there is none
	list := confirmed.FindAllSubmatch(text, -1)
	if len(list) == 0 {
		return 0
	}
	n, _ := strconv.ParseUint(string(list[len(list)-1][1]), 10, 64) // digits
	return n
}

// freeAddress returns an address that nobody listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
