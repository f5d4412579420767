package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"tengen/checkpoints"
	"tengen/game"
	"tengen/nn"
	"tengen/search/nneval"
)

// Checkpoints describes a folder of checkpoints.
type Checkpoints struct {
	Count      int   `json:"count"`
	Verified   int   `json:"verified"`             // intact, of those that were read
	Iterations []int `json:"iterations,omitempty"` // of each, with Options.All
}

// Checkpoint describes a checkpoint, or a file with one network.
type Checkpoint struct {
	Path       string  `json:"path"`
	Iteration  int     `json:"iteration"`
	Step       uint64  `json:"step"`
	Game       string  `json:"game"`
	Network    nn.Spec `json:"network"`
	Parameters int     `json:"parameters"`
	Average    bool    `json:"average"`         // with an averaged copy
	Solver     int     `json:"solver_tensors"`  // number of tensors
	Games      *uint64 `json:"games,omitempty"` // played before it; null if unknown
}

// checkpoints inspects a folder of checkpoints, which may be missing.
func (i *inspector) checkpoints(dir string) error {
	list, err := checkpoints.List(dir)
	if err != nil {
		return err
	}
	f := &Checkpoints{Count: len(list)}
	i.found.Checkpoints = f
	// From the newest back to the first intact one, or all.
	for _, e := range slices.Backward(list) {
		if err := i.ctx.Err(); err != nil {
			return err
		}
		c, err := checkpoints.Load(e.Path)
		if err == nil && c.Iteration != e.Iteration {
			err = fmt.Errorf("it is of iteration %d", c.Iteration)
		}
		if err != nil {
			if _, e := os.Stat(e.Path); errors.Is(e, fs.ErrNotExist) {
				f.Count-- // the run in progress has removed it
				continue
			}
			i.found.damaged(damagedCheckpoint(e.Path, err))
			continue
		}
		i.owner(e.Path, 0, c.Run)
		f.Verified++
		if i.found.Checkpoint == nil {
			i.describe(e.Path, c)
		}
		if !i.all {
			break
		}
	}
	if i.all {
		for _, e := range list {
			f.Iterations = append(f.Iterations, e.Iteration)
		}
	}
	return i.leftovers(dir)
}

func damagedCheckpoint(path string, err error) Finding {
	return Finding{Path: path, What: strings.TrimPrefix(err.Error(), "checkpoint "+path+": ")}
}

// checkpoint inspects one checkpoint.
func (i *inspector) checkpoint(path string) error {
	c, err := checkpoints.Load(path)
	if err != nil {
		i.found.damaged(damagedCheckpoint(path, err))
		return nil
	}
	i.describe(path, c)
	return nil
}

// describe reports an intact checkpoint, and whether its network fits its game.
func (i *inspector) describe(path string, c *checkpoints.Checkpoint) {
	f := &Checkpoint{
		Path: path, Iteration: c.Iteration, Step: c.Step, Game: c.Game,
		Network: c.Params.Spec, Parameters: c.Params.Count(),
		Average: c.Average != nil, Solver: len(c.Optimizer),
	}
	var state struct {
		Games *uint64 `json:"games"`
	}
	if json.Unmarshal(c.State, &state) == nil {
		f.Games = state.Games
	}
	i.found.Checkpoint = f
	i.fits(path, c.Game, c.Params)
	if c.Average != nil {
		i.fits(path, c.Game, c.Average)
	}
}

// fits reports a network that does not fit its game, or whose evaluations of some positions are not
// finite.
func (i *inspector) fits(path, name string, p *nn.Params) {
	g, err := game.New(name)
	if err != nil {
		i.found.note(Finding{
			Path: path, What: fmt.Sprintf("this program does not know its game: %v", err),
		})
		return
	}
	if err := nneval.Fits(g, p.Spec); err != nil {
		i.found.damaged(Finding{Path: path, What: err.Error()})
		return
	}
	weights, err := nn.FoldBelief(p)
	if err != nil { // it has no belief
		weights = nn.Fold(p)
	}
	var notFinite *nn.NotFiniteError
	if errors.As(nneval.Probe(g, weights, path, nil), &notFinite) {
		i.found.damaged(Finding{Path: path, What: notFinite.Error()})
	}
}
