package checkpoints

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tengen/internal/runid"
	"tengen/nn"
)

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
