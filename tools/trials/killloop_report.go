//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tengen/configs"
	"tengen/run"
	"tengen/vfs"
)

// report is the result of all kills.
type report struct {
	Kills      int           `json:"kills"`
	Writes     int           `json:"during_writes"` // of a checkpoint or a segment
	Phases     map[phase]int `json:"phases"`
	Seed       uint64        `json:"seed"`
	Iterations int           `json:"iterations"` // of a run
	Runs       int           `json:"runs"`
	Cycle      string        `json:"cycle"`
	// each equal to the uninterrupted one to the bit; in an asynchronous cycle, verified by its
	// records
	Completed int `json:"completed"`
	Processes int `json:"sittings"`

	Uninterrupted float64 `json:"undisturbed_seconds"` // a run without kills
	Seconds       float64 `json:"seconds"`             // all processes
	// to kills: beyond the time of uninterrupted runs
	Lost float64 `json:"lost_seconds"`
	// of Lost: until the event log reported that the run continues
	StartUp float64 `json:"start_up_seconds"`
	Elapsed float64 `json:"elapsed_seconds"` // including the checks

	progress progress
}

func newReport(o *options, t *typical, whole *process) *report {
	return &report{
		Seed: o.seed, Cycle: o.cycle, Iterations: o.iterations, Phases: map[phase]int{},
		Uninterrupted: whole.took.Seconds(),
	}
}

// add counts a process.
func (r *report) add(s *process) {
	r.Processes++
	r.Seconds += s.took.Seconds()
	r.StartUp += s.start.Seconds()
	if s.start == 0 {
		r.StartUp += s.took.Seconds()
	}
	if s.killed {
		r.Kills++
		r.Phases[s.during]++
		if s.during.writes() {
			r.Writes++
		}
	}
}

func (r *report) finish(elapsed time.Duration) {
	r.Elapsed = elapsed.Seconds()
	r.Lost = r.Seconds - float64(r.Completed)*r.Uninterrupted
}

func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d kills of `tengen train` in %.0f s, seed %d: nothing is lost\n",
		r.Kills, r.Elapsed, r.Seed)
	for _, p := range phases {
		fmt.Fprintf(&b, "  %-20s %4d\n", p, r.Phases[p])
	}
	fmt.Fprintf(&b, "%d kills (%.0f %%) while a checkpoint or a segment was written\n",
		r.Writes, 100*float64(r.Writes)/float64(r.Kills))
	how := "equal to the uninterrupted run to the bit: network, average, optimizer, games"
	if r.Cycle == string(configs.CycleAsynchronous) {
		how = "with every game that was seen on disk, and as many samples as its positions ask for: nothing is lost or learned from twice"
	}
	fmt.Fprintf(&b, "%d runs of %d iterations (%s) in %d processes, each %s\n",
		r.Completed, r.Iterations, r.Cycle, r.Processes, how)
	fmt.Fprintf(&b, "time lost: %.1f s, %.2f s a kill, of which %.2f s to start (an uninterrupted run: %.1f s)\n",
		r.Lost, r.Lost/float64(r.Kills), r.StartUp/float64(r.Processes), r.Uninterrupted)
	return b.String()
}

// typical returns the durations of an uninterrupted run.
func (s *process) typical(iterations int) *typical {
	t := &typical{
		median: map[phase]time.Duration{}, start: s.start,
		iteration: (s.took - s.start) / time.Duration(iterations),
	}
	for p, list := range s.times {
		slices.Sort(list)
		t.median[p] = list[len(list)/2]
	}
	return t
}

// leftOver describes the incomplete checkpoint, if one was being written.
func leftOver(f run.Folder, p phase) string {
	if p != writingCheckpoint {
		return ""
	}
	entries, _ := os.ReadDir(f.Checkpoints())
	for _, e := range entries {
		if vfs.IsTemporary(e.Name()) {
			files, _ := os.ReadDir(filepath.Join(f.Checkpoints(), e.Name()))
			return fmt.Sprintf("%d files begun, ", len(files))
		}
	}
	return ""
}
