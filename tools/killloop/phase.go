//go:build linux

package main

import (
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"tengen/replay"
	"tengen/run"
	"tengen/vfs"
)

// phase is what a process is doing.
type phase string

const (
	starting       phase = "start"         // up to the first line of the event log
	playing        phase = "self-play"     // up to the first byte of a segment
	writingSegment phase = "segment write" // a segment that is not empty is open
	// from the segment's end to the checkpoint's start
	updating           phase = "update"
	writingCheckpoint  phase = "checkpoint write"   // the folder has its temporary name
	removingCheckpoint phase = "checkpoint removal" // an old checkpoint has its temporary name
	// from the checkpoint's final name to the line in the event log
	finishing phase = "between iterations"
)

// phases are in chronological order.
var phases = []phase{
	starting, playing, writingSegment, updating, writingCheckpoint, removingCheckpoint, finishing,
}

// writes reports whether a checkpoint or a segment is being written.
func (p phase) writes() bool { return p == writingCheckpoint || p == writingSegment }

// tracker determines a process's phase from the events in its folder.
type tracker struct {
	logged     int       // lines of the event log, of this process
	segment    string    // the open one
	written    bool      // segment is not empty
	segmented  bool      // this iteration's segment is complete
	checkpoint string    // temporary name of the one being written
	removing   string    // temporary name of the one being removed
	saved      bool      // this iteration's checkpoint has its final name
	killed     bool      // files closed from now on may have been closed by the kernel
	since      time.Time // start of the current phase
	now        phase
}

func newTracker(at time.Time) *tracker { return &tracker{now: starting, since: at} }

// observe processes the next event. If it ends a phase, observe returns that phase and its
// duration.
func (t *tracker) observe(e event) (over phase, took time.Duration) {
	switch e.folder {
	case ".":
		t.runFolder(e)
	case run.ReplayFolder:
		t.replayFolder(e)
	case run.CheckpointsFolder:
		t.checkpointsFolder(e)
	}
	now := t.phase()
	if now == t.now {
		return "", 0
	}
	over, took = t.now, e.at.Sub(t.since)
	t.now, t.since = now, e.at
	return over, took
}

func (t *tracker) runFolder(e event) {
	if e.name == run.EventsFile && e.mask&unix.IN_MODIFY != 0 {
		t.logged++
		t.segmented, t.saved = false, false
	}
}

func (t *tracker) replayFolder(e event) {
	if !strings.HasSuffix(e.name, replay.Extension) {
		return
	}
	switch {
	case e.mask&unix.IN_CREATE != 0:
		t.segment, t.written = e.name, false
	case e.name != t.segment:
	case e.mask&unix.IN_MODIFY != 0:
		t.written = true
	case e.mask&unix.IN_CLOSE_WRITE != 0 && !t.killed:
		t.segment, t.segmented = "", true
	}
}

func (t *tracker) checkpointsFolder(e event) {
	if !vfs.IsTemporary(e.name) {
		return
	}
	switch {
	case e.mask&unix.IN_CREATE != 0:
		t.checkpoint = e.name
	case e.mask&unix.IN_MOVED_FROM != 0 && e.name == t.checkpoint:
		t.checkpoint, t.saved = "", true
	case e.mask&unix.IN_MOVED_TO != 0:
		t.removing = e.name
	case e.mask&unix.IN_DELETE != 0 && e.name == t.removing:
		t.removing = ""
	case e.mask&unix.IN_DELETE != 0 && e.name == t.checkpoint:
		t.checkpoint = "" // an incomplete one, left by a kill
	}
}

func (t *tracker) phase() phase {
	switch {
	case t.logged == 0:
		return starting
	case t.checkpoint != "":
		return writingCheckpoint
	case t.removing != "":
		return removingCheckpoint
	case t.segment != "" && t.written:
		return writingSegment
	case t.saved:
		return finishing
	case t.segmented:
		return updating
	}
	return playing
}
