//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"tengen/run"
	"tengen/tools/internal/tengen"
)

// errMount says that a tmpfs can't be mounted here.
var errMount = errors.New("a tmpfs can't be mounted")

const (
	diskSize       = 16 << 20
	otherSize      = 9 << 20 // of the file that fills the disk
	diskIterations = 12
)

func fulldisk(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("fulldisk", flag.ContinueOnError)
	program := flags.String("tengen", "", "program to run (default: it is built)")
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, "Fulldisk runs `tengen train` on a disk that is too small.\n\n  go run ./tools/trials fulldisk\n\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fulldisk-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize)); err != nil {
		return fmt.Errorf("%w: %w", errMount, err)
	}
	defer func() { err = errors.Join(err, unix.Unmount(disk, 0)) }()
	if *program == "" {
		if *program, err = tengen.Build(ctx, dir); err != nil {
			return err
		}
	}
	return fill(ctx, *program, dir, disk, stdout)
}

// diskSettings returns the settings of a run whose checkpoints take two megabytes each.
func diskSettings() []string {
	return append(tengen.Tiny(diskIterations), "network.filters=64", "network.hidden=32",
		"checkpoints.keep_last=3")
}

// fill trains on the full disk, and elsewhere for comparison.
func fill(ctx context.Context, program, dir, disk string, stdout io.Writer) error {
	roomy, small := filepath.Join(dir, "roomy"), filepath.Join(disk, "run")
	if err := start(ctx, program, roomy, false).wait(); err != nil {
		return fmt.Errorf("the run with enough space: %w", err)
	}
	want, err := tengen.Newest(run.Folder(roomy))
	if err != nil {
		return err
	}
	other := filepath.Join(disk, "other")
	if err := os.WriteFile(other, make([]byte, otherSize), 0o644); err != nil {
		return err
	}
	for n, resume := range []bool{false, true} {
		p := start(ctx, program, small, resume)
		line, err := p.until("the disk is full: waiting for room to write ")
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "the run reports: %s\n", line)
		if n == 0 {
			if err := p.command.Process.Kill(); err != nil {
				return err
			}
			_ = p.wait() // it was killed
			c, err := tengen.Newest(run.Folder(small))
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "killed; its checkpoints are valid, the newest of iteration %d\n",
				c.Iteration)
			continue
		}
		if err := os.Remove(other); err != nil {
			return err
		}
		if line, err = p.until("there is room on the disk again: "); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "there is space; the run reports: %s\n", line)
		if err := p.wait(); err != nil {
			return err
		}
	}
	got, err := tengen.Newest(run.Folder(small))
	if err == nil {
		err = tengen.Same(got, want)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "the run is complete after %d iterations: network, average and optimizer equal those of a run with enough space, to the bit\n", got.Iteration)
	return err
}

// child is a running tengen and its output.
type child struct {
	command *exec.Cmd
	failed  error // of starting it
	ended   chan error

	mu     sync.Mutex
	output strings.Builder
}

func start(ctx context.Context, program, folder string, resume bool) *child {
	p := &child{
		command: exec.CommandContext(ctx, program, tengen.Train(folder, resume, diskSettings())...),
		ended:   make(chan error, 1),
	}
	p.command.Stderr = p
	if p.failed = p.command.Start(); p.failed == nil {
		go func() { p.ended <- p.command.Wait() }()
	}
	return p
}

// Write receives the output of the process.
func (p *child) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.Write(b)
}

func (p *child) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// wait waits for the end of the process.
func (p *child) wait() error {
	if p.failed != nil {
		return p.failed
	}
	if err := <-p.ended; err != nil {
		return fmt.Errorf("tengen: %w\n%s", err, p.text())
	}
	return nil
}

// until waits for a line that contains words, and returns the line from there on.
func (p *child) until(words string) (line string, err error) {
	if p.failed != nil {
		return "", p.failed
	}
	const timeout = time.Minute
	for began := time.Now(); time.Since(began) < timeout; time.Sleep(20 * time.Millisecond) {
		if _, after, ok := strings.Cut(p.text(), words); ok {
			if rest, _, whole := strings.Cut(after, "\n"); whole {
				return words + rest, nil
			}
		}
		select {
		case err := <-p.ended:
			return "", fmt.Errorf("tengen ended (%v) without %q:\n%s", err, words, p.text())
		default:
		}
	}
	_ = p.command.Process.Kill()
	return "", fmt.Errorf("tengen did not report %q:\n%s", words, p.text())
}
