package checkpoints

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"tengen/checkpoints/safetensors"
	"tengen/internal/notation"
	"tengen/internal/runid"
	"tengen/nn"
)

// Keys of the metadata in a model's file.
const (
	metaGame      = "game"
	metaNetwork   = "network" // nn.Spec as JSON
	metaIteration = "iteration"
	metaStep      = "step"
	// metaBatchNorm is in files of package export alone.
	metaBatchNorm = "batch_norm"
	foldedNorm    = "folded"
)

// WriteModel writes a network, with the game, its Spec, the iteration and the step as metadata.
func WriteModel(w io.Writer, p *nn.Params, c *Checkpoint) error {
	spec, err := json.Marshal(p.Spec)
	if err != nil {
		return fmt.Errorf("network description: %w", err)
	}
	return safetensors.Write(w, p.Tensors, map[string]string{
		metaGame:      c.Game,
		metaNetwork:   string(spec),
		metaIteration: strconv.Itoa(c.Iteration),
		metaStep:      strconv.FormatUint(c.Step, 10),
	})
}

// ReadModel decodes a model's file. It checks the description in the metadata against
// the tensors before it allocates memory.
func ReadModel(data []byte) (*Model, error) {
	tensors, metadata, err := safetensors.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	m := &Model{Game: metadata[metaGame]}
	if m.Game == "" {
		return nil, fmt.Errorf("%w: its metadata does not name a game; tengen did not write it",
			ErrMalformed)
	}
	if m.Iteration, err = strconv.Atoi(metadata[metaIteration]); err != nil || m.Iteration < 0 {
		return nil, fmt.Errorf("%w: its metadata gives the iteration as %q",
			ErrMalformed, metadata[metaIteration])
	}
	if m.Step, err = strconv.ParseUint(metadata[metaStep], 10, 64); err != nil {
		return nil, fmt.Errorf("%w: its metadata gives the step as %q",
			ErrMalformed, metadata[metaStep])
	}
	if metadata[metaBatchNorm] == foldedNorm {
		return nil, fmt.Errorf("%w: BatchNorm is folded into the convolutions, for other programs; `%s` writes files that can be read here", ErrMalformed, notation.Command("export", "--no-fold"))
	}
	var spec nn.Spec
	if err := json.Unmarshal([]byte(metadata[metaNetwork]), &spec); err != nil {
		return nil, fmt.Errorf("%w: the network description in its metadata: %w", ErrMalformed, err)
	}
	if m.Params, err = fill(spec, tensors); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSpec, err)
	}
	return m, nil
}

// fill returns the network with the given description and tensors.
func fill(spec nn.Spec, tensors []nn.Tensor) (*nn.Params, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	have := 0.0
	byName := make(map[string]*nn.Tensor, len(tensors))
	for i := range tensors {
		have += float64(len(tensors[i].Data))
		byName[tensors[i].Name] = &tensors[i]
	}
	// NewParams allocates memory according to the description, so check that first.
	if want := spec.Count(); want != have {
		return nil,
			fmt.Errorf("the network described has %.0f numbers, the tensors have %.0f", want, have)
	}
	p, err := nn.NewParams(spec)
	if err != nil {
		return nil, err
	}
	if len(p.Tensors) != len(tensors) {
		return nil, fmt.Errorf("the network described has %d tensors, the file %d",
			len(p.Tensors), len(tensors))
	}
	for i := range p.Tensors {
		t := &p.Tensors[i]
		source, ok := byName[t.Name]
		if !ok {
			return nil,
				fmt.Errorf("the network described has a tensor %q, the file has none", t.Name)
		}
		if !slices.Equal(source.Shape, t.Shape) {
			return nil, fmt.Errorf("tensor %q has shape %v, but the network described wants %v",
				t.Name, source.Shape, t.Shape)
		}
		t.Data = source.Data
	}
	return p, nil
}

// Model is a network for playing and its origin.
type Model struct {
	Params     *nn.Params
	Game       string // canonical name of the game that it was trained on
	Iteration  int
	Step       uint64
	Run        runid.ID // as Checkpoint.Run; 0 for a single file
	Path       string   // the file
	Average    bool     // Params is the moving average of the weights
	PassedOver []error  // errors of damaged checkpoints that would have been preferred
}

// LoadModel loads the network at path: a run's folder, a folder of checkpoints, one
// checkpoint, or a file such as model.safetensors. Of several checkpoints it loads the
// newest valid one. Of a checkpoint it returns the
// averaged weights, if any. A checkpoint is verified against its manifest, a single
// file as far as its format allows.
func LoadModel(path string) (*Model, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if why := onDisk("").absent(path); why != "" {
			return nil, fmt.Errorf("%w at %s: %s", ErrNone, path, why)
		}
		return nil, fmt.Errorf("%w at %s: no such file or folder", ErrNone, path)
	}
	if err != nil {
		return nil, fmt.Errorf("load network: %w", err)
	}
	if !info.IsDir() {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("load network: %w", err)
		}
		m, err := ReadModel(data)
		if err != nil {
			return nil, fmt.Errorf("load network %s: %w", path, err)
		}
		m.Path = path
		return m, nil
	}
	single, err := exists(filepath.Join(path, manifestFile), filepath.Join(path, modelFile))
	if err != nil {
		return nil, fmt.Errorf("load network: %w", err)
	}
	if single {
		c, err := Load(path)
		if err != nil {
			return nil, err
		}
		return modelOf(c, path), nil
	}
	for _, dir := range []string{filepath.Join(path, Folder), path} {
		s := onDisk(dir)
		list, err := s.List()
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			continue
		}
		c, passedOver, err := s.Latest()
		if err != nil {
			return nil, err
		}
		m := modelOf(c, s.path(c.Iteration))
		m.PassedOver = passedOver
		return m, nil
	}
	return nil,
		fmt.Errorf("%w in %s; a run's folder, its checkpoints, one of them or a file %s is wanted",
			ErrNone, path, modelFile)
}

// Holds reports whether there is what LoadModel takes at path, sound or not: a folder with a
// checkpoint, or a file that begins as safetensors do.
func Holds(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		var head [9]byte // the length of the header, and the header's first byte
		_, err = io.ReadFull(f, head[:])
		return err == nil && head[8] == '{'
	}
	if single, _ := exists(filepath.Join(path, manifestFile),
		filepath.Join(path, modelFile)); single {
		return true
	}
	for _, dir := range []string{filepath.Join(path, Folder), path} {
		if list, err := onDisk(dir).List(); err == nil && len(list) > 0 {
			return true
		}
	}
	return false
}

// exists reports whether any of the files exists.
func exists(paths ...string) (bool, error) {
	for _, path := range paths {
		_, err := os.Stat(path)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}

func modelOf(c *Checkpoint, path string) *Model {
	m := &Model{
		Params: c.Params, Game: c.Game, Iteration: c.Iteration, Step: c.Step, Run: c.Run,
		Path: filepath.Join(path, modelFile),
	}
	if c.Average != nil {
		m.Params, m.Average, m.Path = c.Average, true, filepath.Join(path, averageFile)
	}
	return m
}
