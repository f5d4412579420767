//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"tengen/run"
)

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
