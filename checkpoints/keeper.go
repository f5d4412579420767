package checkpoints

import (
	"errors"
	"fmt"
	"slices"

	"tengen/vfs"
)

// Keeper saves the checkpoints of a run and removes those that are no longer wanted. It lists their
// folder once, and again after an error, so that the time that it takes does not grow with the
// number of checkpoints; nobody else may save any there meanwhile. It is for use by one goroutine.
type Keeper struct {
	store  Store
	listed bool
	list   []Entry // in order of iteration, once listed
	// newest is the newest iteration known to be valid, since it was loaded or saved; -1: none is.
	newest int
}

// Keeper returns what keeps a store's checkpoints. It reads nothing yet.
func (s Store) Keeper() *Keeper { return &Keeper{store: s, newest: -1} }

// look lists the folder unless it is known, and removes what a crash left incomplete there.
func (k *Keeper) look() error {
	if k.listed {
		return nil
	}
	err := vfs.Clean(k.store.FS, k.store.Dir)
	if err == nil {
		k.list, err = k.store.List()
	}
	k.listed = err == nil
	return err
}

// Save writes a checkpoint and returns its folder. When it returns, the checkpoint
// survives a power cut; if it returns an error, the valid checkpoints are unchanged.
// It creates the folder of checkpoints if necessary, and removes incomplete
// checkpoints that a crash left there.
//
// If there is a valid checkpoint of that iteration, the error wraps ErrExists; a
// damaged one is replaced, and one of another run is an error. NaN and infinities are errors, so
// that a network that has diverged never becomes the latest.
func (k *Keeper) Save(c *Checkpoint) (path string, err error) {
	s := k.store
	path = s.path(c.Iteration)
	defer func(at string) {
		if err != nil {
			k.listed = false
			err = fmt.Errorf("save checkpoint %s: %w", at, err)
		}
	}(path)
	if err := c.check(); err != nil {
		return "", err
	}
	if err := vfs.MkdirAll(s.FS, s.Dir); err != nil {
		return "", err
	}
	// A list, and not Stat, which follows links: one that leads nowhere is in the way too.
	if err := k.look(); err != nil {
		return "", err
	}
	i, found := find(k.list, c.Iteration)
	if found {
		_, err := s.Load(path)
		if err == nil {
			k.newest = max(k.newest, c.Iteration)
			return "", ErrExists
		}
		if !damage(err) {
			return "", err
		}
		if err := vfs.Remove(s.FS, path); err != nil {
			return "", err
		}
		k.list = slices.Delete(k.list, i, i+1)
	}
	err = vfs.WriteFolder(s.FS, path, func(d *vfs.Folder) error { return writeAll(d, c) })
	if err != nil {
		return "", err
	}
	k.list = slices.Insert(k.list, i, Entry{c.Iteration, path})
	k.newest = max(k.newest, c.Iteration)
	return path, nil
}

// Latest is Store.Latest.
func (k *Keeper) Latest() (c *Checkpoint, passedOver []error, err error) {
	if err := k.look(); err != nil {
		return nil, nil, err
	}
	c, passedOver, err = k.store.latest(k.list)
	if c != nil {
		k.newest = c.Iteration
	}
	return c, passedOver, err
}

// Excess returns the checkpoints that a policy does not keep, oldest first: none that is newer than
// the newest valid one, and none at all if none is valid.
func (k *Keeper) Excess(p Policy) (list []Entry, err error) {
	defer func() {
		if err != nil {
			k.listed = false
			err = fmt.Errorf("retain checkpoints: %w", err)
		}
	}()
	if p.KeepLast < 0 || p.PerOctave < 0 {
		return nil, fmt.Errorf("the last %d and %d an octave: neither may be negative",
			p.KeepLast, p.PerOctave)
	}
	if err := k.look(); err != nil {
		return nil, err
	}
	if k.newest < 0 {
		if _, _, err := k.Latest(); err != nil {
			if errors.Is(err, ErrNone) {
				err = nil
			}
			return nil, err
		}
	}
	// Damaged ones newer than the newest valid one stay, for inspection.
	old, _ := find(k.list, k.newest-max(1, p.KeepLast)+1)
	for _, e := range k.list[:old] {
		if !p.Keeps(e.Iteration, k.newest) {
			list = append(list, e)
		}
	}
	return list, nil
}

// Retain removes the checkpoints that Excess returns. They are removed so that a crash leaves each
// whole or gone.
func (k *Keeper) Retain(p Policy) error {
	list, err := k.Excess(p)
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := vfs.Remove(k.store.FS, e.Path); err != nil {
			k.listed = false
			return fmt.Errorf("retain checkpoints: %w", err)
		}
		i, _ := find(k.list, e.Iteration)
		k.list = slices.Delete(k.list, i, i+1)
	}
	return nil
}
