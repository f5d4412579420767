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

// phase is what the process was doing.
type phase string

const (
	starting           phase = "start"              // up to the first line of the event log
	playing            phase = "self-play"          // up to the first byte of a segment
	writingSegment     phase = "segment write"      // a segment that holds something is open
	updating           phase = "update"             // from the segment's end to the checkpoint's beginning
	writingCheckpoint  phase = "checkpoint write"   // the folder has its temporary name
	removingCheckpoint phase = "checkpoint removal" // an old one has its temporary name
	finishing          phase = "between iterations" // from the checkpoint's name to the line in the event log
)

// phases are in the order in which they come.
var phases = []phase{starting, playing, writingSegment, updating, writingCheckpoint, removingCheckpoint, finishing}

// writes says whether it is a checkpoint or a segment that is being written.
func (p phase) writes() bool { return p == writingCheckpoint || p == writingSegment }

// tracker follows a process through the phases by what happens in its folder.
type tracker struct {
	logged     int       // lines of the event log, of this process
	segment    string    // that is open
	written    bool      // it holds something
	segmented  bool      // this iteration's segment is complete
	checkpoint string    // that is being written, by its temporary name
	removing   string    // old checkpoint, by its temporary name
	saved      bool      // this iteration's checkpoint has its name
	killed     bool      // what is closed from now on, the kernel may have closed
	since      time.Time // when the present phase began
	now        phase
}

func newTracker(at time.Time) *tracker { return &tracker{now: starting, since: at} }

// observe takes the next event. Where a phase ends with it, it says which and how long it took.
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
		t.checkpoint = "" // what was left by a kill is cleaned away
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
