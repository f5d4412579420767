package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

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

// formatVersion changes when readers of the metadata, of tensor names, or of the model's inputs
// and outputs must change.
const formatVersion = 1

// metadataOf returns the metadata of either format. Lists are JSON. The keys game, network,
// iteration and step are those of a checkpoint's model, so a safetensors file with BatchNorm kept
// is a valid model file.
func metadataOf(n *Network, fold bool) (map[string]string, error) {
	s := &n.Params.Spec
	batchNorm := "kept"
	if fold {
		batchNorm = "folded"
	}
	m := map[string]string{
		"format_version": strconv.Itoa(formatVersion),
		"game":           n.Game,
		"iteration":      strconv.Itoa(n.Iteration),
		"step":           strconv.FormatUint(n.Step, 10),
		"average":        strconv.FormatBool(n.Average),
		"batch_norm":     batchNorm,
		"players":        strconv.Itoa(s.Players),
	}
	lists := map[string]any{"network": s, "observation": []int{s.Planes, s.Height, s.Width}}
	if s.Value == nn.ValueCategorical {
		lists["support"] = s.Support
	}
	if g := n.Rules; g != nil {
		m["points_per_utility"] = strconv.FormatFloat(game.PointsPerUtility(g), 'g', -1, 64)
		lists["seats"] = game.SeatNames(g)
		if _, named := g.(game.Notated); named {
			start, actions := g.NewState(), make([]string, g.Actions())
			for a := range actions {
				actions[a] = game.ActionName(g, start, game.Action(a))
			}
			lists["actions"] = actions
		}
		if planes := planeNames(g); planes != nil {
			lists["planes"] = planes
		}
	}
	for key, value := range lists {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("metadata %s: %w", key, err)
		}
		m[key] = string(text)
	}
	return m, nil
}

// PlaneNamed is a Game that describes the planes of its observations ("stones of Black").
type PlaneNamed interface{ PlaneName(plane int) string }

// stones lists the families of games whose observation has a plane of stones for each seat, then
// a plane of ones for each seat if it is to move.
var stones = map[string]bool{"go": true, "mnk": true, "connect-four": true}

// planeNames describes the planes of an observation; nil if they are unknown.
func planeNames(g game.Game) []string {
	names := make([]string, g.Planes().C)
	if named, ok := g.(PlaneNamed); ok {
		for i := range names {
			names[i] = named.PlaneName(i)
		}
		return names
	}
	family, _, _ := strings.Cut(g.Name(), ":")
	if !stones[family] || len(names) != 2*g.Players() {
		return nil
	}
	for p := range g.Players() {
		seat := game.SeatName(g, game.Player(p))
		names[p], names[g.Players()+p] = "stones of "+seat, "ones where "+seat+" is to move"
	}
	return names
}
