package cudabackend

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
)

// opening is one opening of a device. One that was lost is closed when nothing uses its memory any
// more; another opening takes its place if the device comes back.
type opening struct {
	index  int // of the device in devices.list
	device *cuda.Device
	lost   atomic.Bool
	users  int // evaluators, trainers and calls under way; guarded by devices.mu
	closed bool
}

// How long a lost device is left alone before it is tried again: at first, and at most. Each
// attempt waits twice as long as the one before.
const (
	firstWait = 15 * time.Second
	mostWait  = 10 * time.Minute
)

// acquire keeps an opening's memory until release. It returns false if the opening is lost.
func (d *devices) acquire(o *opening) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o.closed || o.lost.Load() && len(d.list) > 1 {
		return false
	}
	o.users++
	return true
}

// release ends a use.
func (d *devices) release(o *opening) {
	d.mu.Lock()
	o.users--
	d.mu.Unlock()
	d.closeUnused(o)
}

// closeUnused closes a lost opening that nothing uses.
func (d *devices) closeUnused(o *opening) {
	d.mu.Lock()
	unused := o.users == 0 && o.lost.Load() && !o.closed
	if unused {
		o.closed = true
	}
	d.mu.Unlock()
	if unused {
		if err := o.device.Close(); err != nil { // it repeats the loss
			d.log.Debug("close a lost device", "name", d.nameOf(o.index), "err", err)
		}
	}
}

func (d *devices) nameOf(i int) string { return fmt.Sprintf("cuda:%d", d.spec.Ordinals[i]) }

// homes returns the indices of all devices in the order in which an evaluator would use them: those
// that play, from the home-th on, and last those that only train.
func (d *devices) homes(home int) []int {
	n := len(d.players)
	list := make([]int, 0, len(d.list))
	for k := range n {
		list = append(list, d.players[(home+k)%n])
	}
	for _, i := range d.trains {
		if !slices.Contains(d.players, i) {
			list = append(list, i)
		}
	}
	return list
}

// crew returns an opening for each part of a training step, acquired: that of the device for it,
// or, if that is lost, of another one with as few parts as possible. It returns nil if no device is
// left. Those that compute wrongly are left out.
func (d *devices) crew(wrong map[*opening]error) []*opening {
	acquire := func(o *opening) bool { return wrong[o] == nil && d.acquire(o) }
	list, parts := make([]*opening, len(d.trains)), map[int]int{}
	for k, i := range d.trains {
		if o := d.list[i].Load(); acquire(o) {
			list[k] = o
			parts[i]++
		}
	}
	for k, from := range d.trains {
		for most := 0; list[k] == nil && most < len(list); most++ {
			for n := range d.list {
				i := (from + n) % len(d.list)
				if o := d.list[i].Load(); parts[i] == most && acquire(o) {
					list[k] = o
					parts[i]++
					break
				}
			}
		}
		if list[k] == nil {
			d.dismiss(list)
			return nil
		}
	}
	return list
}

// dismiss releases the openings of a list.
func (d *devices) dismiss(list []*opening) {
	for _, o := range list {
		if o != nil {
			d.release(o)
		}
	}
}

// lose records that a device can't be used, logs it once, and tries to take it back every so often.
// Of a single device nothing is recorded: all calls return its error.
func (d *devices) lose(o *opening, err error) {
	if len(d.list) < 2 || !o.lost.CompareAndSwap(false, true) {
		return
	}
	d.losses[o.index].Add(1)
	d.epoch.Add(1)
	d.log.Warn("device lost; the others take its work", "name", d.nameOf(o.index), "err", err)
	d.closeUnused(o)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.again > 0 && !d.stopped {
		d.background.Go(func() { d.takeBack(o) })
	}
}

// takeBack opens a lost device again, until that works or the backend is closed.
func (d *devices) takeBack(lost *opening) {
	began, wait := time.Now(), d.again
	for attempt := 1; ; attempt++ {
		timer := time.NewTimer(wait)
		select {
		case <-d.stop:
			timer.Stop()
			return
		case <-timer.C:
		}
		wait = min(2*wait, max(mostWait, d.again))
		o, err := d.reopen(lost)
		if err != nil {
			d.log.Info("the lost device can't be used yet", "name", d.nameOf(lost.index), "attempt",
				attempt, "next", wait, "err", err)
			continue
		}
		d.mu.Lock()
		if d.stopped {
			d.mu.Unlock()
			_ = o.device.Close()
			return
		}
		d.all = append(d.all, o)
		d.list[lost.index].Store(o)
		d.mu.Unlock()
		d.epoch.Add(1)
		d.log.Info("a lost device is back", "name", d.nameOf(lost.index), "attempt",
			attempt, "away", time.Since(began).Round(time.Second))
		return
	}
}

// reopen opens a device anew, on a context of its own, since the lost one is still there as long as
// something uses its memory, and checks the kernels of all networks known so far on it.
func (d *devices) reopen(lost *opening) (*opening, error) {
	device, err := d.open(d.spec.Ordinals[lost.index], true)
	if err != nil {
		return nil, err
	}
	was, is := lost.device.Info(), device.Info()
	if was.UUID != is.UUID || was.Name != is.Name {
		err = fmt.Errorf("another device is in its place: %s", is.String())
	}
	if err == nil {
		err = device.Session().Synchronize(0)
	}
	d.mu.Lock()
	var known []nn.Spec
	for _, s := range d.known {
		known = append(known, s)
	}
	d.mu.Unlock()
	for _, s := range known {
		if err == nil {
			err = device.Prepare(s, d.inference)
		}
	}
	if err != nil {
		return nil, errors.Join(err, device.Close())
	}
	return &opening{index: lost.index, device: device}, nil
}

// note keeps a description of networks, whose kernels a device must have that comes back.
func (d *devices) note(s nn.Spec) {
	s = s.WithoutAuxiliary()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known[fmt.Sprintf("%+v", s)] = s
}

// errAllLost is the error of a call that no device is left for.
var errAllLost error = &driver.LostError{
	Device: "all devices", Call: "use a device", Code: 46, Reason: "each was lost before",
}
