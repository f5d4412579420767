package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tengen/checkpoints"
	"tengen/checkpoints/safetensors"
	"tengen/configs"
	"tengen/game"
	"tengen/nn"
	"tengen/replay/record"
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

// Tensors describes a safetensors file.
type Tensors struct {
	Count    int               `json:"count"`
	Numbers  int               `json:"numbers"`
	Metadata map[string]string `json:"metadata,omitempty"`
	List     []Tensor          `json:"list,omitempty"` // with Options.All
}

// Tensor is one tensor.
type Tensor struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"` // [filters, planes, 3, 3], for instance
}

// tensors inspects a safetensors file.
func (i *inspector) tensors(path string) error {
	data, err := readWhole(path)
	if err != nil {
		return err
	}
	return i.tensorsIn(path, data)
}

// tensorsIn inspects the bytes of a safetensors file.
func (i *inspector) tensorsIn(path string, data []byte) error {
	tensors, metadata, err := safetensors.Decode(data)
	if err != nil {
		i.found.damaged(Finding{Path: path, What: err.Error()})
		return nil
	}
	f := &Tensors{Count: len(tensors)}
	i.found.Tensors = f
	for _, t := range tensors {
		f.Numbers += len(t.Data)
		if i.all {
			f.List = append(f.List, Tensor{t.Name, t.Shape})
		}
	}
	m, err := checkpoints.ReadModel(data)
	switch name := filepath.Base(path); {
	case err == nil:
		i.found.Kind = KindModel
		i.found.Checkpoint = &Checkpoint{
			Path: path, Iteration: m.Iteration, Step: m.Step, Game: m.Game,
			Network: m.Params.Spec, Parameters: m.Params.Count(), Average: name == averageName,
		}
		i.fits(path, m.Game, m.Params)
	case name == modelName || name == averageName:
		i.found.damaged(Finding{Path: path, What: err.Error()})
		f.Metadata = metadata
	default:
		f.Metadata = metadata
	}
	return nil
}

// VerifyAsynchronous checks a checkpoint of an asynchronous cycle against the games of its run, all
// of which are wanted: with checkpoints.keep_last as great as the number of checkpoints none is
// removed. It returns an error unless games have the numbers from 0 on and random streams of their
// own, and the checkpoint's window held the last of the games that it has learned from.
func VerifyAsynchronous(
	config *configs.Config, games []*record.Game, c *checkpoints.Checkpoint,
) error {
	var s struct {
		Games  int `json:"games"`
		Window struct {
			Games int `json:"games"`
		} `json:"window"`
		Asynchronous *struct {
			Streams uint64 `json:"streams"`
		} `json:"asynchronous"`
	}
	if err := json.Unmarshal(c.State, &s); err != nil {
		return fmt.Errorf("the state of checkpoint %d: %w", c.Iteration, err)
	}
	if s.Asynchronous == nil {
		return fmt.Errorf("checkpoint %d is of another cycle", c.Iteration)
	}
	streams := map[uint64]uint64{}
	for i, g := range games {
		if g.Number != uint64(i) {
			return fmt.Errorf("game %d is in the place of game %d", g.Number, i)
		}
		if !g.EndOrder {
			return fmt.Errorf("game %d is of another cycle", g.Number)
		}
		if other, ok := streams[g.Stream]; ok {
			return fmt.Errorf("games %d and %d have the same random streams, %d",
				other, g.Number, g.Stream)
		}
		if streams[g.Stream] = g.Number; i < s.Games && g.Stream >= s.Asynchronous.Streams {
			return fmt.Errorf(
				"game %d has the random streams %d, of which %d are used at checkpoint %d",
				g.Number, g.Stream, s.Asynchronous.Streams, c.Iteration)
		}
	}
	if s.Games > len(games) {
		return fmt.Errorf("checkpoint %d has learned from %d games, of which %d are there",
			c.Iteration, s.Games, len(games))
	}
	if want := min(s.Games, config.Replay.Window(s.Games)); s.Window.Games != want {
		return fmt.Errorf("checkpoint %d has %d games in its window, which holds %d after %d games",
			c.Iteration, s.Window.Games, want, s.Games)
	}
	return nil
}
