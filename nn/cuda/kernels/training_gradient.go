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
	BlocksSM       int // blocks of a multiprocessor for which registers suffice; 0 is 1
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
	r := &Gradient{Layer: l}
	r.divide(positions)
	tiles := tiling{
		TileI: divisor(l.In, 16, 64), TileO: divisor(l.Out, 16, 128), blocksSM: 1,
		depth: gradientDepth,
	}
	tiles.WarpsI = tiles.TileI / 16
	tiles.WarpsO = divisor(tiles.TileO/16, 1, 8/tiles.WarpsI)
	if p == FP32 || !r.tile(tiles, p, d) {
		return r.AsPlain(p), nil
	}
	return r, nil
}

// tiling is how a gradient is shared among blocks and warps.
type tiling struct {
	TileI, TileO   int
	WarpsI, WarpsO int
	blocksSM       int // blocks of a multiprocessor for which registers must suffice
	depth          int // positions at a time
}

// divide chooses the parts for a number of positions. They are the same for all kernels of a
// layer.
func (r *Gradient) divide(positions int) {
	blocks := r.Layer.In / divisor(r.Layer.In, 16, 64) *
		(r.Layer.Out / divisor(r.Layer.Out, 16, 128))
	if r.Layer.Taps == 9 {
		blocks *= 3
	}
	parts := max(1, min(gradientBlocks/blocks, ceil(positions, 4*gradientDepth)))
	r.Positions = positions
	r.Length = ceil(ceil(positions, parts), gradientDepth) * gradientDepth
	r.Parts = ceil(positions, r.Length)
}

// gradientDepth divides the length of a part: the number of positions at a time of a tiled kernel,
// or half of it.
const gradientDepth = 32

// tile makes it the tiled kernel with the given tiles. It returns false if they don't fit shared
// memory.
func (r *Gradient) tile(t tiling, p Precision, d *driver.Device) bool {
	r.TileI, r.TileO, r.WarpsI, r.WarpsO, r.BlocksSM, r.Depth = t.TileI, t.TileO, t.WarpsI,
		t.WarpsO, t.blocksSM, t.depth
	for r.Stages = 3; r.Stages >= 2; r.Stages-- {
		if r.Shared = r.shared(p.Element()); r.Shared <= d.SharedBlock {
			break
		}
	}
	defines := r.Layer.defines(
		fmt.Sprintf("TILE_I=%d", r.TileI), fmt.Sprintf("TILE_O=%d", r.TileO),
		fmt.Sprintf("WARPS_I=%d", r.WarpsI),
		fmt.Sprintf("WARPS_O=%d", r.WarpsO), fmt.Sprintf("DEPTH=%d", r.Depth),
		fmt.Sprintf("STAGES=%d", r.Stages),
		fmt.Sprintf("SHARED_BYTES=%d", r.Shared))
	if t.blocksSM > 1 {
		defines = append(defines, fmt.Sprintf("BLOCKS_SM=%d", t.blocksSM))
	}
	r.Source = trainingSource("train_gradient.cu", p, defines)
	return r.Shared <= d.SharedBlock
}

// Variants returns tiled kernels of the same gradient, in the same parts and with the same bits,
// that keep more warps on a multiprocessor; which is fastest depends on the device. There are none
// of a small layer, and of a plain or general kernel.
func (r *Gradient) Variants(p Precision, d *driver.Device) []*Gradient {
	if r.Plain || r.General || r.Layer.In%64 != 0 || r.Layer.Out%128 != 0 {
		return nil
	}
	var list []*Gradient
	for _, t := range []tiling{
		{64, 64, 4, 2, 2, gradientDepth},
		{64, 128, 4, 4, 1, gradientDepth},
		{64, 128, 4, 4, 1, 2 * gradientDepth}, // which waits half as often
	} {
		v := &Gradient{Layer: r.Layer}
		v.divide(r.Positions)
		if v.tile(t, p, d) {
			list = append(list, v)
		}
	}
	return list
}

// For returns the plan with the same kernel for another number of positions.
func (r *Gradient) For(positions int) *Gradient {
	q := *r
	q.divide(positions)
	return &q
}

// Describe describes a tiled kernel.
func (r *Gradient) Describe() string {
	return fmt.Sprintf("%d × %d channels a block of %d warps, %d a multiprocessor, %d positions at a time",
		r.TileI, r.TileO, r.WarpsI*r.WarpsO, max(1, r.BlocksSM), r.Depth)
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
