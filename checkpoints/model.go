package checkpoints

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"tengen/checkpoints/safetensors"
	"tengen/internal/notation"
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
