//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

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

// event is an inotify event in a watched folder.
type event struct {
	folder string // relative to the run's: ".", "checkpoints" or "replay"
	name   string
	mask   uint32 // of package unix: IN_CREATE and so on
	at     time.Time
}

// watcher returns the events in a run's folder, in the kernel's order. It must be used by
// one goroutine.
type watcher struct {
	fd      int
	root    string
	folders map[int32]string
	buf     []byte
}

const watched = unix.IN_CREATE | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_MOVED_FROM |
	unix.IN_MOVED_TO | unix.IN_DELETE

// newWatcher watches a folder and, once they exist, its folders "checkpoints" and
// "replay".
func newWatcher(root string) (*watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("inotify: %w", err)
	}
	w := &watcher{fd: fd, root: root, folders: map[int32]string{}, buf: make([]byte, 1<<16)}
	for _, folder := range []string{".", run.CheckpointsFolder, run.ReplayFolder} {
		if err := w.add(folder); err != nil {
			w.close()
			return nil, err
		}
	}
	return w, nil
}

// add watches a folder of the run, if it exists.
func (w *watcher) add(folder string) error {
	d, err := unix.InotifyAddWatch(w.fd, filepath.Join(w.root, folder), watched|unix.IN_ONLYDIR)
	if err == unix.ENOENT {
		return nil
	}
	if err != nil {
		return fmt.Errorf("watch %s: %w", filepath.Join(w.root, folder), err)
	}
	w.folders[int32(d)] = folder
	return nil
}

func (w *watcher) close() { unix.Close(w.fd) }

// next waits for events up to the given time and returns them; there may be none.
func (w *watcher) next(wait time.Duration) ([]event, error) {
	timeout := unix.NsecToTimespec(max(0, wait).Nanoseconds())
	poll := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}}
	if _, err := unix.Ppoll(poll, &timeout, nil); err != nil && err != unix.EINTR {
		return nil, fmt.Errorf("inotify: %w", err)
	}
	n, err := unix.Read(w.fd, w.buf)
	now := time.Now()
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("inotify: %w", err)
	}
	var list []event
	for b := w.buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
		id, mask := int32(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[4:])
		length := binary.NativeEndian.Uint32(b[unsafe.Offsetof(unix.InotifyEvent{}.Len):])
		name, _, _ := bytes.Cut(b[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+length], []byte{
			0,
		})
		b = b[unix.SizeofInotifyEvent+length:]
		if mask&unix.IN_Q_OVERFLOW != 0 {
			return nil, errors.New("inotify: the queue of events overflowed")
		}
		e := event{w.folders[id], string(name), mask, now}
		if e.folder == "." && mask&unix.IN_CREATE != 0 &&
			(e.name == run.CheckpointsFolder || e.name == run.ReplayFolder) {
			if err := w.add(e.name); err != nil {
				return nil, err
			}
		}
		list = append(list, e)
	}
	return list, nil
}

// drain returns all events up to now.
func (w *watcher) drain() ([]event, error) {
	var list []event
	for {
		more, err := w.next(0)
		if err != nil || len(more) == 0 {
			return list, err
		}
		list = append(list, more...)
	}
}
