package cuda

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"tengen/nn/cuda/driver"
	"tengen/vfs"
)

// Trial opens a context of its own on the device, for kernels that were never run: if they lose
// it, nothing else is lost. It shares compiled kernels with d. Close it after use.
func (d *Device) Trial() (*Device, error) {
	ctx, err := d.api.OpenSeparate(d.ordinal)
	if err != nil {
		return nil, err
	}
	t := &Device{
		api: d.api, ordinal: d.ordinal, info: d.info, o: d.o, images: d.images, from: d.from,
		networks: map[string]*network{},
	}
	t.session = Session{Context: ctx, device: t}
	return t, nil
}

// Survived checks that the device's own context is usable after a trial lost its own, and
// opens it again if it is not.
func (d *Device) Survived() error {
	err := d.Session().Synchronize(0)
	if !driver.Lost(err) {
		return err
	}
	if err := d.Reopen(); err != nil {
		return fmt.Errorf("the device can't be opened again: %w", err)
	}
	return nil
}

// trials opens a context for trials when it is needed, and a new one where the last was lost.
type trials struct {
	of     *Device
	device *Device
}

func (t *trials) open() (_ *Device, err error) {
	if t.device == nil {
		t.device, err = t.of.Trial()
	}
	return t.device, err
}

// close ends the context. Its errors repeat what its last call returned.
func (t *trials) close() {
	if t.device != nil {
		_ = t.device.Close()
		t.device = nil
	}
}

// The record of a trial: the number of processes that began it and did not end it, or that it
// lost the device.
const (
	mostBegun = 2
	lostMark  = "lost"
)

// trialPatience is how long a process waits for another that tries the same kernels.
var trialPatience = 20 * time.Second

// errPassing reports that kernels could not be tried for a reason that may pass.
var errPassing = errors.New("not tried now")

// underWay are this process's trials by the files of their records.
var underWay sync.Map // *trialRecord

// trialRecord is the record of a trial that devices of this process may make at the same time.
type trialRecord struct {
	mu    sync.Mutex
	users int  // devices that began it and did not end it
	lost  bool // one of these was lost
	end   func(lost, last bool)
}

// beginTrial records on disk that kernels are about to run for the first time; end records that
// they finished. So if they end the process (a device that hangs until the process is killed, or
// is lost), later processes know: beginTrial returns an error if the kernels lost the device
// once, or if two processes ended in their trial, as by an interrupt. A lock keeps other processes,
// in other containers too, from trying the same kernels at the same time; several devices of a
// process share it.
func (d *Device) beginTrial(s driver.Source) (end func(error), err error) {
	if d.o.Cache == "" {
		return func(error) {}, nil
	}
	file := filepath.Join(d.o.Cache, s.Key()+".trial")
	shared, _ := underWay.LoadOrStore(file, &trialRecord{})
	r := shared.(*trialRecord)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.users == 0:
		if r.end, err = d.record(file); err != nil {
			return nil, err
		}
		r.lost = false
	case r.lost:
		return nil, fmt.Errorf("%w: they lost another device", errDisagrees)
	}
	r.users++
	return func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lost = r.lost || driver.Lost(err)
		r.users--
		r.end(r.lost, r.users == 0)
	}, nil
}

// record is beginTrial for the first device of this process.
func (d *Device) record(file string) (end func(lost, last bool), err error) {
	nothing := func(bool, bool) {}
	if err := os.MkdirAll(d.o.Cache, 0o755); err != nil {
		d.o.Log.Warn("record a trial of kernels", "err", err)
		return nothing, nil
	}
	lock, err := vfs.OS{}.Lock(file+".lock", "try kernels")
	for began := time.Now(); errors.Is(err, vfs.ErrLocked) && time.Since(began) < trialPatience; {
		time.Sleep(50 * time.Millisecond)
		lock, err = vfs.OS{}.Lock(file+".lock", "try kernels")
	}
	if errors.Is(err, vfs.ErrLocked) {
		return nil, fmt.Errorf("%w: another process tries these kernels: %w", errPassing, err)
	}
	if err != nil {
		d.o.Log.Warn("lock a trial of kernels", "err", err)
	}
	release := func() {
		if lock == nil {
			return
		}
		if err := lock.Close(); err != nil {
			d.o.Log.Warn("unlock a trial of kernels", "err", err)
		}
	}
	text, _ := os.ReadFile(file) // without a record nothing is known
	mark := strings.TrimSpace(string(text))
	begun, _ := strconv.Atoi(mark)
	switch {
	case mark == lostMark:
		release()
		return nil,
			fmt.Errorf("%w: they lost the device in an earlier process; remove %s to try again",
				errDisagrees, file)
	case begun >= mostBegun:
		release()
		return nil,
			fmt.Errorf(
				"%w: %d processes ended while they tried these kernels; remove %s to try again",
				errPassing, begun, file)
	}
	record := func(mark string) {
		if err := os.WriteFile(file, []byte(mark), 0o644); err != nil {
			d.o.Log.Warn("record a trial of kernels", "err", err)
		}
	}
	record(strconv.Itoa(begun + 1))
	return func(lost, last bool) {
		if lost {
			record(lostMark)
		}
		if !last {
			return
		}
		defer release()
		if lost {
			return
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			d.o.Log.Warn("end a trial of kernels", "err", err)
		}
	}, nil
}
