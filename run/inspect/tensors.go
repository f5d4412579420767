package inspect

import (
	"path/filepath"

	"tengen/checkpoints"
	"tengen/checkpoints/safetensors"
)

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
