package checkpoints

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"tengen/nn"
)

// Checkpoint is the state of training after an iteration.
type Checkpoint struct {
	Iteration int    // iterations done; names the folder
	Step      uint64 // solver steps done
	Game      string // the game's canonical name
	// Params is the network, Average its averaged copy, nil where there is
	// none. Both are of one Spec.
	Params, Average *nn.Params
	// Optimizer holds the solver's tensors (momenta); it may be empty.
	Optimizer []nn.Tensor
	// State is JSON of the trainer's own: counters, schedule, random streams.
	// It may be empty.
	State json.RawMessage
	// Best is the iteration whose network is to be played with, where a gate has
	// let an earlier one stand; 0: this one.
	Best int
}

// Errors that those of this package wrap. All of them also say where.
var (
	// ErrNone: there is no checkpoint that could be used.
	ErrNone = errors.New("no checkpoint")
	// ErrExists: a sound checkpoint of that iteration is there already.
	ErrExists = errors.New("a checkpoint of that iteration exists")
	// ErrMissing: a file that belongs to the checkpoint is not there.
	ErrMissing = errors.New("missing")
	// ErrSize: a file has not the size that the manifest gives: it was cut or extended.
	ErrSize = errors.New("wrong size")
	// ErrChanged: a file's SHA-256 is not the one that the manifest gives.
	ErrChanged = errors.New("changed since it was written")
	// ErrMalformed: a file does not hold what it should.
	ErrMalformed = errors.New("malformed")
	// ErrSpec: the tensors are not those of the network described, or the
	// files describe different networks.
	ErrSpec = errors.New("tensors and network description disagree")
	// ErrVersion: the checkpoint has a format that this program does not read.
	ErrVersion = errors.New("unknown version")
)

// check says what is wrong with a checkpoint that is to be saved.
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
	}{{"network", c.Params.Tensors}, {"solver", c.Optimizer}}
	if c.Average != nil {
		lists = append(lists, struct {
			name    string
			tensors []nn.Tensor
		}{"average", c.Average.Tensors})
	}
	// A network that has gone wrong must not take the place of a good one.
	for _, list := range lists {
		for _, t := range list.tensors {
			for i, x := range t.Data {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					return fmt.Errorf("%s: number %d of %s is %v", list.name, i, t.Name, x)
				}
			}
		}
	}
	return nil
}
