package checkpoints

import (
	"fmt"
	"slices"

	"tengen/vfs"
)

// Policy says which checkpoints to keep: those that any of its fields selects, and
// always the newest valid one.
type Policy struct {
	KeepLast  int   // the number of newest checkpoints to keep
	KeepEvery int   // keep those whose iteration is a multiple of this; 0 means none
	Keep      []int // keep these iterations, such as the best one
}

// Retain removes the checkpoints that the policy does not keep, but none that is newer
// than the newest valid one. It removes nothing if none is valid.
func (s Store) Retain(p Policy) error {
	if p.KeepLast < 0 || p.KeepEvery < 0 {
		return fmt.Errorf(
			"retain checkpoints: keep the last %d and every %d: neither may be negative",
			p.KeepLast, p.KeepEvery)
	}
	list, err := s.List()
	if err != nil {
		return err
	}
	remove := make([]bool, len(list))
	any := false
	for i, e := range list {
		last := i >= len(list)-p.KeepLast
		every := p.KeepEvery > 0 && e.Iteration%p.KeepEvery == 0
		remove[i] = !last && !every && !slices.Contains(p.Keep, e.Iteration)
		any = any || remove[i]
	}
	if !any {
		return nil // do not verify any
	}
	_, newest, _, err := s.newest(list)
	if err != nil {
		return fmt.Errorf("retain checkpoints: %w", err)
	}
	for i, e := range list {
		// Keep damaged ones newer than the newest valid one, for inspection.
		if !remove[i] || i >= newest {
			continue
		}
		if err := vfs.Remove(s.FS, e.Path); err != nil {
			return fmt.Errorf("retain checkpoints: %w", err)
		}
	}
	return nil
}
