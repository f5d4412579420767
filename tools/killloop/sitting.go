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

// program is `tengen train` in a folder, as it is started again and again.
type program struct {
	path     string   // of tengen
	settings []string // of the run
}

// aim is the moment at which a sitting ends: some time after the nth beginning
// of a phase, or after the start of the process.
type aim struct {
	at    phase // "" is the start
	nth   int   // from 1
	after time.Duration
}

// sitting is what became of one process.
type sitting struct {
	killed bool
	during phase         // when it was killed
	took   time.Duration // from start to end
	start  time.Duration // from start to the first line of the event log; 0: it did not come so far
	times  map[phase][]time.Duration
}

// sit starts the program and lets it run to its end, or kills it where a says so.
func (p *program) sit(ctx context.Context, folder string, resume bool, a *aim) (*sitting, error) {
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

	s := &sitting{times: map[phase][]time.Duration{}}
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
	const look = 50 * time.Millisecond // between looks at whether the process has ended by itself
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
			_ = c.Process.Kill() // that it has just ended by itself is seen below
			observe(list)
			t.killed, s.killed = true, true
			err = <-ended
			over = true
			if c.ProcessState.Success() {
				s.killed = false
			} else if status := c.ProcessState.Sys().(unixStatus); !status.Signaled() || status.Signal() != unix.SIGKILL {
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

// typical are the phases' durations in the undisturbed run.
type typical struct {
	median    map[phase]time.Duration
	iteration time.Duration
	start     time.Duration
}

// draw chooses the moment of the next kill: in a write, or any.
func (t *typical) draw(rng *rand.Rand, write bool) *aim {
	if !write {
		return &aim{after: time.Duration(rng.Float64() * float64(t.start+3*t.iteration))}
	}
	at := writingCheckpoint
	if rng.IntN(2) == 0 {
		at = writingSegment
	}
	return &aim{at: at, nth: 1 + rng.IntN(3), after: time.Duration(rng.Float64() * float64(t.median[at]))}
}
