package kernels

import (
	"tengen/nn"
	"tengen/nn/cuda/driver"
)

// Layered is the plan of the kernels planes and layer (layers.cu): fp32, one launch per layer
// over device memory, for every network.
type Layered struct {
	Spec             nn.Spec
	Channels, Inputs int // filters and planes, padded to multiples of 16
	element          int // bytes of an activation
}

// NewLayered returns the plan for a network.
func NewLayered(spec nn.Spec) *Layered {
	return &Layered{
		Spec: spec, Channels: up(spec.Filters, 16), Inputs: up(spec.Planes, 16), element: 4,
	}
}

// PlanesGrid returns the launch of kernel planes for n positions.
func (l *Layered) PlanesGrid(n int) driver.Grid {
	return driver.Grid{
		Blocks:  [3]int{min(1024, ceil(n*l.Spec.Cells()*l.Inputs, 256)), 1, 1},
		Threads: [3]int{256, 1, 1},
	}
}

// LayerGrid returns the launch of kernel layer for a convolution.
func (l *Layered) LayerGrid(n int) driver.Grid { return layerGrid(n*l.Spec.Cells(), l.Channels) }

// layerGrid returns the launch of kernel layer for a product of the given size.
func layerGrid(rows, outputs int) driver.Grid {
	const tile = 64
	return driver.Grid{
		Blocks: [3]int{ceil(rows, tile), ceil(outputs, tile), 1}, Threads: [3]int{256, 1, 1},
	}
}

// TrunkBytes returns the size of a position's output, and of each buffer between layers.
func (l *Layered) TrunkBytes() int { return l.element * l.Spec.Cells() * l.Channels }

// PlaneBytes returns the size of a position's planes as rows.
func (l *Layered) PlaneBytes() int { return l.element * l.Spec.Cells() * l.Inputs }

// LayerBytes returns the size of a layer's weights [Taps][inputs][Channels].
func (l *Layered) LayerBytes(layer int) int {
	if layer == 0 {
		return 4 * l.Spec.Taps() * l.Inputs * l.Channels
	}
	return 4 * l.Spec.Taps() * l.Channels * l.Channels
}

// MapsGrid returns the launch of kernel maps for n positions.
func (l *Layered) MapsGrid(n int) driver.Grid { return lineGrid(ceil(n*l.Spec.Cells(), 4)) }

// PolicyGrid returns the launch of kernel policy for n positions.
func (l *Layered) PolicyGrid(n int) driver.Grid { return lineGrid(ceil(n*l.Spec.Actions, 128)) }

// ValuesGrid returns the launch of kernel values for n positions.
func (l *Layered) ValuesGrid(n int) driver.Grid { return lineGrid(ceil(n*l.Spec.Players, 4)) }

// lineGrid returns a launch of blocks of 128 threads.
func lineGrid(blocks int) driver.Grid {
	return driver.Grid{Blocks: [3]int{blocks, 1, 1}, Threads: [3]int{128, 1, 1}}
}

func (l *Layered) pack(w *packer, layers []folded) {
	for i := range layers {
		in := l.Channels
		if i == 0 {
			in = l.Inputs
		}
		for tap := range l.Spec.Taps() {
			for c := range in {
				for o := range l.Channels {
					w.float(layers[i].at(o, c, tap))
				}
			}
		}
	}
}
