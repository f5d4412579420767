package checkpoints

import (
	"encoding/json"
	"errors"
	"fmt"

	"tengen/internal/runid"
	"tengen/nn"
)

// Checkpoint is the state of training after an iteration.
type Checkpoint struct {
	Iteration int    // completed iterations; the name of the folder
	Step      uint64 // completed optimizer steps
	Game      string // the game's canonical name
	// Run is the identity of the run; 0: an earlier version wrote the checkpoint, or it belongs to
	// none.
	Run runid.ID
	// Params is the network and Average the exponential moving average of its
	// weights, nil if there is none. Both have the same Spec.
	Params, Average *nn.Params
	// Optimizer holds the optimizer's tensors (momenta); it may be empty.
	Optimizer []nn.Tensor
	// State is the trainer's own JSON: counters, schedule, random streams. It may
	// be empty.
	State json.RawMessage
}

// The errors of this package wrap these, and name the file or folder.
var (
	// ErrNone: there is no usable checkpoint.
	ErrNone = errors.New("no checkpoint")
	// ErrExists: there is a valid checkpoint of that iteration already.
	ErrExists = errors.New("a checkpoint of that iteration exists")
	// ErrMissing: a file of the checkpoint does not exist.
	ErrMissing = errors.New("missing")
	// ErrSize: a file's size is not that in the manifest: it was truncated or extended.
	ErrSize = errors.New("wrong size")
	// ErrChanged: a file's SHA-256 is not that in the manifest.
	ErrChanged = errors.New("changed since it was written")
	// ErrMalformed: a file's contents are invalid.
	ErrMalformed = errors.New("malformed")
	// ErrSpec: the tensors do not match the network description, or the files
	// describe different networks.
	ErrSpec = errors.New("tensors and network description disagree")
	// ErrVersion: this program does not read the checkpoint's version.
	ErrVersion = errors.New("unknown version")
)

// check returns an error if the checkpoint can't be saved.
func (c *Checkpoint) check() error {
	switch {
	case c.Iteration < 0:
		return fmt.Errorf("iteration %d is negative", c.Iteration)
	case c.Game == "":
		return errors.New("the game has no name")
	case c.Params == nil:
		return errors.New("there is no network")
	case c.State != nil && !json.Valid(c.State):
		return errors.New("the trainer's state is not JSON")
	}
	lists := []struct {
		name    string
		tensors []nn.Tensor
	}{{"network", c.Params.Tensors}, {"optimizer", c.Optimizer}}
	if c.Average != nil {
		lists = append(lists, struct {
			name    string
			tensors []nn.Tensor
		}{"average", c.Average.Tensors})
	}
	// A network that has diverged must not replace a good one.
	for _, list := range lists {
		if err := nn.CheckFinite(list.tensors); err != nil {
			return fmt.Errorf("%s: %w", list.name, err)
		}
	}
	return nil
}
