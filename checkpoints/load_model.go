package checkpoints

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tengen/nn"
)

// Model is a network for playing, and where it is from.
type Model struct {
	Params     *nn.Params
	Game       string // canonical name of the game that it was trained on
	Iteration  int
	Step       uint64
	Path       string  // the file
	Average    bool    // whether Params is the averaged copy
	PassedOver []error // damaged checkpoints that would have been taken before this one
}

// LoadModel finds the network at path: a run's folder (which holds a folder
// "checkpoints"), a folder of checkpoints (of both, the newest sound one is taken, or
// the one that the gate holds for the best), one checkpoint, or a file such as
// model.safetensors. Of a checkpoint the averaged copy is taken where there is one. A
// file of its own is verified as far as its format allows, a checkpoint against its
// manifest.
func LoadModel(path string) (*Model, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w at %s: there is no such file or folder", ErrNone, path)
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
		if c.Best != 0 && c.Best != c.Iteration {
			best, err := s.Load(s.path(c.Best))
			if err == nil {
				c = best
			} else {
				passedOver = append(passedOver, err)
			}
		}
		m := modelOf(c, s.path(c.Iteration))
		m.PassedOver = passedOver
		return m, nil
	}
	return nil, fmt.Errorf("%w in %s; a run's folder, its checkpoints, one of them or a file %s is wanted", ErrNone, path, modelFile)
}

// exists says whether one of the files is there.
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
	m := &Model{Params: c.Params, Game: c.Game, Iteration: c.Iteration, Step: c.Step, Path: filepath.Join(path, modelFile)}
	if c.Average != nil {
		m.Params, m.Average, m.Path = c.Average, true, filepath.Join(path, averageFile)
	}
	return m
}
