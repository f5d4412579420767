package kernels

import (
	"fmt"

	"tengen/nn/cuda/driver"
)

// gradientBlocks is the approximate number of blocks that compute the gradient of a layer's
// weights: two for each SM of an H200. It is the same for every device, so that the order of
// summation is too.
const gradientBlocks = 264

// Gradient is the plan of the gradient of a layer's weights (train_gradient.cu) for a number of
// positions.
type Gradient struct {
	Source driver.Source // kernel "gradient"
	Layer  Layer
	Plain  bool
	// General is the kernel that needs no shape at compile time; Shape then adds it to the
	// arguments.
	General bool

	TileI, TileO   int // channels of the input and of the output per block
	WarpsI, WarpsO int
	Depth, Stages  int // positions at a time; stages of them in shared memory
	Shared         int // dynamic shared memory per block, bytes

	Positions     int
	Parts, Length int // number of parts of the sum, and positions per part
}

// NewGradient returns the plan for a device. The parts depend only on the layer and the
// positions.
func NewGradient(l Layer, positions int, p Precision, d *driver.Device) (*Gradient, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	r := &Gradient{
		Layer: l, Positions: positions, TileI: divisor(l.In, 16, 64),
		TileO: divisor(l.Out, 16, 128), Depth: 32,
	}
	r.WarpsI = r.TileI / 16
	r.WarpsO = divisor(r.TileO/16, 1, 8/r.WarpsI)
	blocks := r.blocks()
	parts := max(1, min(gradientBlocks/blocks, ceil(positions, 4*r.Depth)))
	r.Length = ceil(ceil(positions, parts), r.Depth) * r.Depth
	r.Parts = ceil(positions, r.Length)
	for r.Stages = 3; r.Stages >= 2; r.Stages-- {
		if r.Shared = r.shared(p.Element()); r.Shared <= d.SharedBlock {
			break
		}
	}
	if p == FP32 || r.Shared > d.SharedBlock {
		return r.AsPlain(p), nil
	}
	r.Source = trainingSource("train_gradient.cu", p, l.defines(
		fmt.Sprintf("TILE_I=%d", r.TileI), fmt.Sprintf("TILE_O=%d", r.TileO),
		fmt.Sprintf("WARPS_I=%d", r.WarpsI),
		fmt.Sprintf("WARPS_O=%d", r.WarpsO), fmt.Sprintf("DEPTH=%d", r.Depth),
		fmt.Sprintf("STAGES=%d", r.Stages),
		fmt.Sprintf("SHARED_BYTES=%d", r.Shared)))
	return r, nil
}

// AsPlain returns the plan of the same gradient, in the same parts, with the plain kernel.
func (r *Gradient) AsPlain(p Precision) *Gradient {
	q := &Gradient{
		Layer: r.Layer, Plain: true, General: r.General, TileI: 64, TileO: 64, Depth: 16,
		Positions: r.Positions, Parts: r.Parts, Length: r.Length,
	}
	if r.General {
		q.Source = generalSource("train_gradient.cu", p, r.Layer.Taps, "PLAIN=1")
	} else {
		q.Source = trainingSource("train_gradient.cu", p, r.Layer.defines("PLAIN=1"))
	}
	return q
}

// AsGeneral returns the plan of the same gradient, in the same parts, with the kernel that needs no
// shape at compile time. It is plain where r is.
func (r *Gradient) AsGeneral(p Precision) *Gradient {
	q := &Gradient{
		Layer: r.Layer, General: true, TileI: 64, TileO: 64, WarpsI: 4, WarpsO: 2,
		Depth: 32, Stages: 3,
		Positions: r.Positions, Parts: r.Parts, Length: r.Length,
	}
	if r.Plain {
		return q.AsPlain(p)
	}
	q.Shared = q.shared(p.Element())
	q.Source = generalGradient(p, q.Layer.Taps)
	return q
}

// generalGradient is the source of AsGeneral.
func generalGradient(p Precision, taps int) driver.Source {
	return generalSource("train_gradient.cu", p, taps, "TILE_I=64", "TILE_O=64", "WARPS_I=4",
		"WARPS_O=2", "DEPTH=32", "STAGES=3")
}

// Shape adds to the arguments of a launch what a general kernel needs.
func (r *Gradient) Shape(args *driver.Args) *driver.Args {
	if r.General {
		r.Layer.shape(args)
	}
	return args
}

// window returns the number of taps per block.
func (r *Gradient) window() int {
	if r.Layer.Taps == 9 && !r.Plain {
		return 3
	}
	return 1
}

// blocks returns the number of blocks per part.
func (r *Gradient) blocks() int {
	return ceil(r.Layer.In, r.TileI) * ceil(r.Layer.Out, r.TileO) * (r.Layer.Taps / r.window())
}

func (r *Gradient) shared(element int) int {
	pad := 16
	if element == 4 {
		pad = 32
	}
	rows := r.Depth + r.window()/2*2 + 1
	return r.Stages *
		(rows*(r.TileI*element+pad) + r.Depth*(r.TileO*element+pad) + r.window()*r.Depth*4)
}

// Workspace returns the size of the parts in floats.
func (r *Gradient) Workspace() int { return r.Parts * r.Layer.Weights() }

// Grid returns the launch.
func (r *Gradient) Grid() driver.Grid {
	threads := 32 * r.WarpsI * r.WarpsO
	if r.Plain {
		threads = 256
	}
	return driver.Grid{
		Blocks: [3]int{
			ceil(r.Layer.In, r.TileI), ceil(r.Layer.Out, r.TileO),
			r.Layer.Taps / r.window() * r.Parts,
		},
		Threads: [3]int{threads, 1, 1}, Shared: r.Shared,
	}
}
