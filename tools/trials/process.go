//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"tengen/tools/internal/tengen"
)

// program is the `tengen train` under test.
type program struct {
	path     string   // of tengen
	settings []string // of the run
}

// aim is the time of a kill: a duration after the nth beginning of a phase, or after the
// start of the process.
type aim struct {
	at    phase // "" is the start
	nth   int   // from 1
	after time.Duration
}

// process describes a process that has ended.
type process struct {
	killed bool
	during phase         // when it was killed
	took   time.Duration // from start to end
	start  time.Duration // from start to the first line of the event log; 0 if it was not reached
	times  map[phase][]time.Duration
}

// start starts the program and waits for its end, or kills it at a unless a is nil.
func (p *program) start(ctx context.Context, folder string, resume bool, a *aim) (*process, error) {
	w, err := newWatcher(folder)
	if err != nil {
		return nil, err
	}
	defer w.close()
	var stderr bytes.Buffer
	c := exec.CommandContext(ctx, p.path, tengen.Train(folder, resume, p.settings)...)
	c.Stderr = &stderr
	began := time.Now()
	if err := c.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()

	s := &process{times: map[phase][]time.Duration{}}
	t := newTracker(began)
	observe := func(list []event) {
		for _, e := range list {
			before := t.now
			if over, took := t.observe(e); over != "" {
				s.times[over] = append(s.times[over], took)
			}
			if before == starting && t.now != starting {
				s.start = e.at.Sub(began)
			}
			if a != nil && a.at != "" && t.now == a.at && before != a.at {
				if a.nth--; a.nth == 0 {
					a = &aim{after: e.at.Add(a.after).Sub(began)}
				}
			}
		}
	}
	const look = 50 * time.Millisecond // between checks whether the process has ended by itself
	for over := false; !over; {
		wait := look
		if a != nil && a.at == "" {
			wait = min(look, a.after-time.Since(began))
		}
		list, err := w.next(wait)
		if err != nil {
			return nil, err
		}
		observe(list)
		if a != nil && a.at == "" && time.Since(began) >= a.after {
			list, err := w.drain()
			if err != nil {
				return nil, err
			}
			_ = c.Process.Kill() // it may just have ended by itself; see below
			observe(list)
			t.killed, s.killed = true, true
			err = <-ended
			over = true
			if c.ProcessState.Success() {
				s.killed = false
			} else if status := c.ProcessState.Sys().(unixStatus); !status.Signaled() ||
				status.Signal() != unix.SIGKILL {
				return nil, fmt.Errorf("tengen: %w\n%s", err, stderr.Bytes())
			}
			break
		}
		select {
		case err := <-ended:
			if err != nil {
				return nil, fmt.Errorf("tengen: %w\n%s", err, stderr.Bytes())
			}
			over = true
		default:
		}
	}
	s.took = time.Since(began)
	list, err := w.drain()
	if err != nil {
		return nil, err
	}
	a = nil
	observe(list)
	s.during = t.now
	return s, nil
}

// typical is the median durations of phases in the uninterrupted run.
type typical struct {
	median    map[phase]time.Duration
	iteration time.Duration
	start     time.Duration
}

// draw draws the time of the next kill: during a write, or any time.
func (t *typical) draw(rng *rand.Rand, write bool) *aim {
	if !write {
		return &aim{after: time.Duration(rng.Float64() * float64(t.start+3*t.iteration))}
	}
	at := writingCheckpoint
	if rng.IntN(2) == 0 {
		at = writingSegment
	}
	return &aim{
		at: at, nth: 1 + rng.IntN(3), after: time.Duration(rng.Float64() * float64(t.median[at])),
	}
}
