package checkpoints

import (
	"fmt"
	"slices"

	"tengen/vfs"
)

// Policy says which checkpoints stay. Those that any of its parts names stay,
// and always the newest one that is sound.
type Policy struct {
	KeepLast  int   // the newest so many
	KeepEvery int   // those whose iteration is a multiple of this; 0: none
	Keep      []int // these iterations: the best, those being read
}

// Retain removes the checkpoints that the policy does not keep. Nothing is
// removed where none is sound.
func (s Store) Retain(p Policy) error {
	if p.KeepLast < 0 || p.KeepEvery < 0 {
		return fmt.Errorf("retain checkpoints: keep the last %d and every %d: neither may be negative", p.KeepLast, p.KeepEvery)
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
		return nil // nothing to verify for
	}
	_, newest, _, err := s.newest(list)
	if err != nil {
		return fmt.Errorf("retain checkpoints: %w", err)
	}
	for i, e := range list {
		// Damaged ones newer than the newest sound one stay too, for whoever
		// looks into what happened.
		if !remove[i] || i >= newest {
			continue
		}
		if err := vfs.Remove(s.FS, e.Path); err != nil {
			return fmt.Errorf("retain checkpoints: %w", err)
		}
	}
	return nil
}
