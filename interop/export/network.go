package export

import (
	"fmt"
	"io"

	"tengen/checkpoints/safetensors"
	"tengen/game"
	"tengen/nn"
)

// Network is a network to be exported.
type Network struct {
	Params *nn.Params
	Game   string    // canonical name of the game that it was trained on
	Rules  game.Game // the game itself; nil if this program does not know it

	Iteration int    // of training, when the network was saved
	Step      uint64 // of the optimizer
	Average   bool   // whether Params are averaged
	Version   string // of the writing program; may be empty
}

// Format is a file format.
type Format string

// The formats.
const (
	Safetensors Format = "safetensors"
	ONNX        Format = "onnx"
)

// Formats lists the formats.
func Formats() []Format { return []Format{ONNX, Safetensors} }

// Write writes a network with BatchNorm folded into the convolutions (fold) or kept. Equal
// networks give equal bytes. Auxiliary heads, which only training has, are left out, but for the
// belief in safetensors with BatchNorm kept: players read those files as models.
func Write(w io.Writer, format Format, n *Network, fold bool) error {
	n = n.evaluated(format, fold)
	tensors, err := tensorsOf(n.Params, fold)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	metadata, err := metadataOf(n, fold)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	switch format {
	case Safetensors:
		return safetensors.Write(w, tensors, metadata)
	case ONNX:
		return writeONNX(w, n, tensors, metadata, fold)
	}
	return fmt.Errorf("export: no format is called %q; there are onnx, safetensors", format)
}

// WriteHalf writes a network as safetensors whose weights are in half precision. It is an error if
// one of them is above 65504.
func WriteHalf(w io.Writer, n *Network, fold bool) error {
	n = n.evaluated(Safetensors, fold)
	tensors, err := tensorsOf(n.Params, fold)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	metadata, err := metadataOf(n, fold)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return safetensors.WriteHalf(w, tensors, metadata)
}

// evaluated returns the network without the auxiliary heads that a file leaves out.
func (n *Network) evaluated(format Format, fold bool) *Network {
	m := *n
	if m.Params = n.Params.WithoutAuxiliary(); format == Safetensors && !fold {
		m.Params = n.Params.ForPlay()
	}
	return &m
}

// Description describes an exported file.
type Description struct {
	Format   Format            `json:"format"`
	Folded   bool              `json:"batch_norm_folded"`
	Inputs   []Array           `json:"inputs,omitempty"`  // of an ONNX model
	Outputs  []Array           `json:"outputs,omitempty"` // likewise
	Tensors  []Array           `json:"tensors"`           // parameters, in the file's order
	Numbers  int               `json:"numbers"`           // of all tensors
	Metadata map[string]string `json:"metadata"`
}

// Array is a name and a shape; a length of -1 means any number of rows.
type Array struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
}

// Describe describes the file that Write writes for the same arguments.
func Describe(format Format, n *Network, fold bool) (*Description, error) {
	n = n.evaluated(format, fold)
	tensors, err := tensorsOf(n.Params, fold)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	d := &Description{Format: format, Folded: fold}
	if d.Metadata, err = metadataOf(n, fold); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	if format == ONNX {
		d.Inputs, d.Outputs = inputs(&n.Params.Spec), outputs(&n.Params.Spec)
	}
	for _, t := range tensors {
		d.Tensors = append(d.Tensors, Array{t.Name, t.Shape})
		d.Numbers += len(t.Data)
	}
	return d, nil
}
