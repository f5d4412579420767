package tengen

import (
	"fmt"
	"reflect"

	"tengen/checkpoints"
	"tengen/run"
)

// Newest loads all checkpoints of a run and returns the newest; any damage is an error.
func Newest(folder run.Folder) (*checkpoints.Checkpoint, error) {
	list, err := checkpoints.List(folder.Checkpoints())
	if err != nil {
		return nil, err
	}
	var newest *checkpoints.Checkpoint
	for _, e := range list {
		if newest, err = checkpoints.Load(e.Path); err != nil {
			return nil, err
		}
	}
	if newest == nil {
		return nil, fmt.Errorf("%w in %s", checkpoints.ErrNone, folder.Checkpoints())
	}
	return newest, nil
}

// Same returns an error if two checkpoints differ, to the bit, in their counters, network,
// averaged network or optimizer.
func Same(got, want *checkpoints.Checkpoint) error {
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"iteration", got.Iteration, want.Iteration},
		{"number of steps", got.Step, want.Step},
		{"network", got.Params.Tensors, want.Params.Tensors},
		{"averaged network", got.Average.Tensors, want.Average.Tensors},
		{"optimizer", got.Optimizer, want.Optimizer},
	} {
		if !reflect.DeepEqual(part.got, part.want) {
			return fmt.Errorf("the %s differs from the uninterrupted run's", part.name)
		}
	}
	return nil
}
