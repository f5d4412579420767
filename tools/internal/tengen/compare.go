package tengen

import (
	"fmt"
	"reflect"

	"tengen/checkpoints"
	"tengen/run"
)

// Newest is the newest checkpoint of a run all of whose checkpoints are sound.
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

// Same says in what two checkpoints differ: counters, network, averaged
// network and solver are compared to the bit.
func Same(got, want *checkpoints.Checkpoint) error {
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"iteration", got.Iteration, want.Iteration},
		{"number of steps", got.Step, want.Step},
		{"network", got.Params.Tensors, want.Params.Tensors},
		{"averaged network", got.Average.Tensors, want.Average.Tensors},
		{"solver", got.Optimizer, want.Optimizer},
	} {
		if !reflect.DeepEqual(part.got, part.want) {
			return fmt.Errorf("the %s is not the undisturbed run's", part.name)
		}
	}
	return nil
}
