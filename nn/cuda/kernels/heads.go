package kernels

import (
	"fmt"

	"tengen/nn"
	"tengen/nn/cuda/driver"
)

// Heads is the plan of the kernels heads and values (heads.cu). They read a trunk
// [n][cells][Channels] and write logits [n][actions] and values [n][players].
type Heads struct {
	Spec      nn.Spec
	Precision Precision // of the trunk; in FP32 the hidden layers are a launch of kernel layer
	Channels  int

	// filters of the policy's 1 × 1 convolution, including the pass's; 0 without a policy
	Maps            int
	PolicyPositions int // per block
	HiddenColumns   int // all players' hidden layers, padded to a multiple of 64
	HiddenStages    int // of the hidden layers' product
	HiddenParts     int // of its sums
}

// Fixed sizes of heads.cu.
const (
	headsThreads  = 128
	valuesThreads = 128
	hiddenTile    = 64 // positions and columns per block
	hiddenSteps   = 4  // steps per stage
	hiddenParts   = 8  // of the sums of hidden layers

	policyPositions = 8 // per block, at most
)

// hiddenRing returns the number of stages in shared memory: that of 7.5 has no room for four.
func hiddenRing(p Precision) int {
	if p == FP16 {
		return 3
	}
	return 4
}

// NewHeads plans the heads over a trunk.
func NewHeads(spec nn.Spec, p Precision, channels int, d *driver.Device) (*Heads, error) {
	h := &Heads{
		Spec: spec, Precision: p, Channels: channels,
		HiddenColumns: up(spec.Players*spec.Hidden, hiddenTile),
		HiddenStages:  ceil(spec.Cells()*channels/p.step(), hiddenSteps),
	}
	if h.HiddenParts = 1; p != FP32 {
		h.HiddenParts = min(hiddenParts, h.HiddenStages)
	}
	switch spec.Policy {
	case nn.PolicyConv:
		h.Maps = 1
	case nn.PolicyConvPass, nn.PolicyDense:
		h.Maps = 2
	}
	for h.PolicyPositions = policyPositions; h.PolicyPositions > 1 && h.policyShared() > 40<<10; {
		h.PolicyPositions /= 2
	}
	if s := h.policyShared(); s > d.SharedBlock {
		return nil,
			fmt.Errorf(
				"the policy of a board of %d × %d needs %d bytes of shared memory; %s has %d",
				spec.Height, spec.Width, s, d.Name, d.SharedBlock)
	}
	return h, nil
}

func (h *Heads) policyShared() int { return 4 * h.PolicyPositions * h.Maps * h.Spec.Cells() }

// HiddenBytes returns the size of a position's hidden layers, in parts.
func (h *Heads) HiddenBytes() int { return 4 * h.HiddenColumns * h.HiddenParts }

// Split returns into how many blocks the sums of hidden layers are split for n positions: their
// parts, or 1 if the blocks fill the idle multiprocessors without that.
func (h *Heads) Split(n, idle int) int {
	if h.hiddenBlocks(n) >= idle {
		return 1
	}
	return h.HiddenParts
}

func (h *Heads) hiddenBlocks(n int) int {
	return ceil(n, hiddenTile) * h.HiddenColumns / hiddenTile
}

// Grid returns the launch of kernel heads for n positions.
func (h *Heads) Grid(n, split int) driver.Grid {
	blocks := h.hiddenBlocks(n) * split
	if h.Maps > 0 {
		blocks += ceil(n, h.PolicyPositions)
	}
	row, ring := hiddenSteps*stepBytes+16, hiddenRing(h.Precision)
	return driver.Grid{
		Blocks: [3]int{blocks, 1, 1}, Threads: [3]int{headsThreads, 1, 1},
		Shared: max(ring*hiddenTile*(row+hiddenSteps*stepBytes), h.policyShared()),
	}
}

// HiddenGrid returns the launch of kernel layer for the hidden layers of n positions.
func (h *Heads) HiddenGrid(n int) driver.Grid { return layerGrid(n, h.HiddenColumns) }

// ValuesGrid returns the launch of kernel values.
func (h *Heads) ValuesGrid(n int) driver.Grid {
	return driver.Grid{
		Blocks:  [3]int{ceil(n*h.Spec.Players, valuesThreads/32), 1, 1},
		Threads: [3]int{valuesThreads, 1, 1},
	}
}

// headsDefines returns the macros of heads.cu.
func headsDefines(p Precision) []string {
	return []string{
		fmt.Sprintf("HEADS_THREADS=%d", headsThreads),
		fmt.Sprintf("VALUES_THREADS=%d", valuesThreads),
		fmt.Sprintf("MOST_POSITIONS=%d", policyPositions),
		fmt.Sprintf("HIDDEN_STEPS=%d", hiddenSteps), fmt.Sprintf("HIDDEN_STAGES=%d", hiddenRing(p)),
		fmt.Sprintf("MOST_PARTS=%d", hiddenParts),
	}
}

// Shape adds what kernel heads knows of the network to the arguments of a launch.
func (h *Heads) Shape(args *driver.Args) *driver.Args {
	s, dense := &h.Spec, int32(0)
	if s.Policy == nn.PolicyDense {
		dense = 1
	}
	return args.Int32(int32(s.Cells())).Int32(int32(h.Channels)).Int32(int32(h.HiddenColumns)).
		Int32(int32(h.Maps)).Int32(int32(s.Actions)).Int32(int32(h.PolicyPositions)).Int32(dense)
}

// ValuesShape is Shape for kernel values.
func (h *Heads) ValuesShape(args *driver.Args) *driver.Args {
	s, linear := &h.Spec, int32(0)
	if s.Value == nn.ValueLinear {
		linear = 1
	}
	return args.Int32(int32(s.Players)).Int32(int32(s.Hidden)).Int32(int32(h.HiddenColumns)).
		Int32(int32(s.Outputs())).Int32(linear)
}

// packPolicy writes [Maps][Channels] and biases at offset weights, and the dense layer at offset
// dense.
func (h *Heads) packPolicy(w *packer, p *nn.Params) (weights, dense int) {
	weights = w.align(256)
	if h.Maps > 0 {
		weight := p.Get("policy.weight").Data
		bias := p.Get("policy.bias").Data
		if h.Spec.Policy == nn.PolicyConvPass {
			weight = append(append([]float32(nil), weight...), p.Get("policy.pass.weight").Data...)
			bias = append(append([]float32(nil), bias...), p.Get("policy.pass.bias").Data...)
		}
		for m := range h.Maps {
			for c := range h.Channels {
				if c < h.Spec.Filters {
					w.float(weight[m*h.Spec.Filters+c])
				} else {
					w.float(0)
				}
			}
		}
		for _, b := range bias {
			w.float(b)
		}
	}
	dense = w.align(256)
	if h.Spec.Policy == nn.PolicyDense {
		weight, length := p.Get("policy.dense.weight").Data, 2*h.Spec.Cells()
		for k := range length {
			for a := range h.Spec.Actions {
				w.float(weight[a*length+k])
			}
		}
		for _, b := range p.Get("policy.dense.bias").Data {
			w.float(b)
		}
	}
	return weights, dense
}

// packHidden writes the hidden layers' weights and biases and returns their offsets. Row k of the
// matrix is channel k % Channels of cell k / Channels. byColumns writes elements column after
// column.
func (h *Heads) packHidden(w *packer, p *nn.Params, byColumns bool) (weights, biases int) {
	s := &h.Spec
	rows := make([][]float32, h.HiddenColumns) // [Filters·Cells], channel-major, by column
	bias := make([]float32, h.HiddenColumns)
	for player := range s.Players {
		weight := p.Get(fmt.Sprintf("value.%d.hidden.weight", player)).Data
		for i := range s.Hidden {
			rows[player*s.Hidden+i] = weight[i*s.Filters*s.Cells() : (i+1)*s.Filters*s.Cells()]
		}
		copy(bias[player*s.Hidden:], p.Get(fmt.Sprintf("value.%d.hidden.bias", player)).Data)
	}
	at := func(k, column int) float32 {
		cell, channel := k/h.Channels, k%h.Channels
		if rows[column] == nil || channel >= s.Filters || cell >= s.Cells() {
			return 0
		}
		return rows[column][channel*s.Cells()+cell]
	}
	weights = w.align(256)
	if byColumns {
		for column := range h.HiddenColumns {
			for k := range s.Cells() * h.Channels {
				w.element(at(k, column))
			}
		}
	} else if h.Precision == FP32 {
		for k := range s.Cells() * h.Channels {
			for column := range h.HiddenColumns {
				w.float(at(k, column))
			}
		}
	} else {
		for tile := range h.HiddenColumns / hiddenTile {
			for step := range h.HiddenStages * hiddenSteps {
				w.fragments(hiddenTile, func(k, column int) float32 {
					return at(step*h.Precision.step()+k, tile*hiddenTile+column)
				})
			}
		}
	}
	biases = w.align(256)
	for _, b := range bias {
		w.float(b)
	}
	return weights, biases
}

// packValues writes [players][Hidden][outputs], biases [players][outputs] and the support.
func (h *Heads) packValues(w *packer, p *nn.Params) int {
	s := &h.Spec
	at := w.align(256)
	for player := range s.Players {
		weight := p.Get(fmt.Sprintf("value.%d.output.weight", player)).Data
		for k := range s.Hidden {
			for o := range s.Outputs() {
				w.float(weight[o*s.Hidden+k])
			}
		}
	}
	for player := range s.Players {
		for _, b := range p.Get(fmt.Sprintf("value.%d.output.bias", player)).Data {
			w.float(b)
		}
	}
	if s.Value == nn.ValueCategorical {
		for _, v := range s.Support {
			w.float(v)
		}
	}
	return at
}
