package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tengen/checkpoints"
	"tengen/checkpoints/safetensors"
	"tengen/evaluate"
	"tengen/game"
	"tengen/nn"
)

// foundCheckpoints is what a folder of checkpoints holds.
type foundCheckpoints struct {
	Count      int   `json:"count"`
	Verified   int   `json:"verified"`             // sound, of those that were read
	Iterations []int `json:"iterations,omitempty"` // of each, with --all
}

func (f *foundCheckpoints) figures() []figure {
	text := "none"
	if f.Count > 0 {
		text = fmt.Sprintf("%d, of which %d verified", f.Count, f.Verified)
	}
	list := []figure{{"checkpoints", text}}
	for k, n := range f.Iterations {
		name := ""
		if k == 0 {
			name = "of iterations"
		}
		list = append(list, figure{name, fmt.Sprint(n)})
	}
	return list
}

// foundCheckpoint is a checkpoint, or a file of one network.
type foundCheckpoint struct {
	Path       string  `json:"path"`
	Iteration  int     `json:"iteration"`
	Step       uint64  `json:"step"`
	Game       string  `json:"game"`
	Network    nn.Spec `json:"network"`
	Parameters int     `json:"parameters"`
	Average    bool    `json:"average"`         // with an averaged copy
	Solver     int     `json:"solver_tensors"`  // number
	Games      *uint64 `json:"games,omitempty"` // played by then; null where the checkpoint does not say
}

func (f *foundCheckpoint) figures() []figure {
	at := fmt.Sprintf("iteration %d, step %s", f.Iteration, grouped(float64(f.Step)))
	if f.Games != nil {
		at += fmt.Sprintf(", %s games", grouped(float64(*f.Games)))
	}
	parts := ""
	if f.Average {
		parts = ", with an averaged copy"
	}
	s := f.Network
	return []figure{
		{"checkpoint", f.Path},
		{"at", at},
		{"game", f.Game},
		{"network", fmt.Sprintf("%s, %s parameters%s", network(s), grouped(float64(f.Parameters)), parts)},
		{"takes, gives", fmt.Sprintf("[%d, %d, %d]; %d actions, %d players × %d values", s.Planes, s.Height, s.Width, s.Actions, s.Players, s.Outputs())},
	}
}

// foundTensors is what a safetensors file holds.
type foundTensors struct {
	Count    int               `json:"count"`
	Numbers  int               `json:"numbers"`
	Metadata map[string]string `json:"metadata,omitempty"`
	List     []foundTensor     `json:"list,omitempty"` // with --all
}

type foundTensor struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
}

func (f *foundTensors) figures() []figure {
	list := []figure{{"tensors", fmt.Sprintf("%d, %s numbers in all", f.Count, grouped(float64(f.Numbers)))}}
	for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
		list = append(list, figure{inLine(key), inLine(f.Metadata[key])})
	}
	for _, t := range f.List {
		list = append(list, figure{inLine(t.Name), strings.ReplaceAll(fmt.Sprint(t.Shape), " ", ", ")})
	}
	return list
}

// inLine is text from a file as it may stand in a line of a table.
func inLine(text string) string {
	const longest = 200
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\x7f' }) {
		text = fmt.Sprintf("%q", text)
	}
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return text
}

// checkpoints looks at a folder of checkpoints, which may be missing.
func (i *inspector) checkpoints(dir string) error {
	list, err := checkpoints.List(dir)
	if err != nil {
		return err
	}
	f := &foundCheckpoints{Count: len(list)}
	i.found.Checkpoints = f
	// From the newest back to the first that is sound, or through all.
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
				f.Count-- // the run that is going has removed it
				continue
			}
			i.found.damaged(damagedCheckpoint(e.Path, err))
			continue
		}
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

func damagedCheckpoint(path string, err error) finding {
	return finding{Path: path, What: strings.TrimPrefix(err.Error(), "checkpoint "+path+": ")}
}

// checkpoint looks at one checkpoint.
func (i *inspector) checkpoint(path string) error {
	c, err := checkpoints.Load(path)
	if err != nil {
		i.found.damaged(damagedCheckpoint(path, err))
		return nil
	}
	i.describe(path, c)
	return nil
}

// describe tells of a checkpoint that is sound, and whether its network fits its game.
func (i *inspector) describe(path string, c *checkpoints.Checkpoint) {
	f := &foundCheckpoint{
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
	i.fits(path, c.Game, c.Params.Spec)
}

// fits tells where a network is not one for its game.
func (i *inspector) fits(path, name string, s nn.Spec) {
	g, err := game.New(name)
	if err != nil {
		i.found.note(finding{Path: path, What: fmt.Sprintf("this program does not know its game: %v", err)})
		return
	}
	if err := evaluate.Fits(g, s); err != nil {
		i.found.damaged(finding{Path: path, What: err.Error()})
	}
}

// tensors looks at a safetensors file.
func (i *inspector) tensors(path string) error {
	data, err := readWhole(path)
	if err != nil {
		return err
	}
	tensors, metadata, err := safetensors.Decode(data)
	if err != nil {
		i.found.damaged(finding{Path: path, What: err.Error()})
		return nil
	}
	f := &foundTensors{Count: len(tensors)}
	i.found.Tensors = f
	for _, t := range tensors {
		f.Numbers += len(t.Data)
		if i.all {
			f.List = append(f.List, foundTensor{t.Name, t.Shape})
		}
		for k, x := range t.Data {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				i.found.damaged(finding{Path: path, What: fmt.Sprintf("number %d of tensor %s is %v", k, inLine(t.Name), x)})
				break
			}
		}
	}
	m, err := checkpoints.ReadModel(data)
	switch name := filepath.Base(path); {
	case err == nil:
		i.found.Kind = kindModel
		i.found.Checkpoint = &foundCheckpoint{
			Path: path, Iteration: m.Iteration, Step: m.Step, Game: m.Game,
			Network: m.Params.Spec, Parameters: m.Params.Count(), Average: name == averageName,
		}
		i.fits(path, m.Game, m.Params.Spec)
	case name == modelName || name == averageName:
		i.found.damaged(finding{Path: path, What: err.Error()})
		f.Metadata = metadata
	default:
		f.Metadata = metadata
	}
	return nil
}

// canonical is a game's canonical name, or its name as it is where it is not known.
func canonical(name string) string {
	if g, err := game.New(name); err == nil {
		return g.Name()
	}
	return name
}
