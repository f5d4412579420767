package kernels

import (
	"fmt"

	"tengen/nn/cuda/driver"
)

// Product is the plan of a layer's product (train_product.cu).
type Product struct {
	Source driver.Source // kernel "product"
	Layer  Layer
	Plain  bool // fused multiply-adds instead of the tensor cores
	// General is the kernel that needs no shape at compile time; Shape then adds it to the
	// arguments.
	General bool
	WGMMA   bool // uses wgmma, else mma.sync; it is General, and its blocks compute several tiles

	TileM, TileN   int // positions and channels per block
	WarpsM, WarpsN int
	Chunk, Stages  int // input channels at a time; stages of weights in shared memory
	Shared         int // dynamic shared memory per block, bytes

	positions int // of NewProduct
	split     int // tiles of the grid for these positions that are two blocks of half the positions
	sms       int // WGMMA: multiprocessors of the device
}

// NewProduct plans a layer's product of a number of positions, with which its kernel is fastest,
// for a device. It is plain for fp32, and for boards so wide that their border does not fit shared
// memory.
func NewProduct(l Layer, positions int, p Precision, d *driver.Device) (*Product, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	r := &Product{
		Layer: l, TileM: 128, TileN: divisor(l.Out, 16, 128), WarpsM: 8, WarpsN: 1,
		positions: positions,
	}
	if r.TileN%32 == 0 {
		r.WarpsM, r.WarpsN = 4, 2
	}
	if p == FP32 || !r.fit(p.Element(), d) {
		return r.AsPlain(p), nil
	}
	if r.Grid(positions).Blocks[0] < d.SMs {
		r.shrink(p.Element())
	}
	r.balance(d)
	r.Source = r.source(p)
	return r, nil
}

// balance splits tiles so that all multiprocessors end at about the same time: as many as the last
// round of blocks has, if that leaves most multiprocessors idle. Results have the same bits.
func (r *Product) balance(d *driver.Device) {
	if r.TileM != 32*r.WarpsM || d.SMs == 0 { // half a tile would be half a warp's
		return
	}
	columns := ceil(r.Layer.Out, r.TileN)
	// rounds is the time of the busiest multiprocessor in blocks; half a tile takes a little more
	// than half as long.
	const half = 0.55
	rounds := func(split int) float64 {
		blocks := ceil(r.positions, r.TileM/2) - ceil(r.positions, r.TileM) - split
		whole, halves := blocks*columns, (ceil(r.positions, r.TileM/2)-2*blocks)*columns
		base, idle := float64(whole/d.SMs), d.SMs-whole%d.SMs
		switch {
		case halves <= idle && idle < d.SMs:
			return base + 1
		case halves <= idle:
			return base + half*float64(min(1, halves))
		case halves <= 2*idle:
			return base + 2*half
		}
		return base + 2*half + half*float64(ceil(halves-2*idle, d.SMs))
	}
	best := 0.97 * rounds(0)
	for split := 1; split <= min(r.positions/r.TileM, d.SMs); split++ {
		if t := rounds(split); t < best {
			best, r.split = t, split
		}
	}
}

// source is the source of the tiled kernel for the layer's shape.
func (r *Product) source(p Precision) driver.Source {
	return trainingSource("train_product.cu", p, r.Layer.defines(
		fmt.Sprintf("TILE_M=%d", r.TileM), fmt.Sprintf("TILE_N=%d", r.TileN),
		fmt.Sprintf("WARPS_M=%d", r.WarpsM),
		fmt.Sprintf("WARPS_N=%d", r.WarpsN), fmt.Sprintf("CHUNK=%d", r.Chunk),
		fmt.Sprintf("STAGES=%d", r.Stages),
		fmt.Sprintf("SHARED_BYTES=%d", r.Shared)))
}

// shrink halves the positions of a block: a small batch then has blocks for more of the device's
// multiprocessors. Sums are made in the same order, so results have the same bits.
func (r *Product) shrink(element int) {
	r.TileM, r.WarpsM = 64, 4
	r.Shared = r.shared(r.Chunk*element, r.Stages)
}

// AsPlain returns the plan of the same product with the plain kernel.
func (r *Product) AsPlain(p Precision) *Product {
	q := &Product{
		Layer: r.Layer, Plain: true, General: r.General, TileM: 64, TileN: 64,
		positions: r.positions,
	}
	if r.General {
		q.Source = generalSource("train_product.cu", p, r.Layer.Taps, "PLAIN=1")
	} else {
		q.Source = trainingSource("train_product.cu", p, r.Layer.defines("PLAIN=1"))
	}
	return q
}

// generalTiles are the numbers of positions per block of the general kernels, which are compiled
// ahead.
var generalTiles = []int{128, 64}

// generalChunks are the numbers of input channels at a time of the general kernels, which are
// compiled ahead.
func generalChunks(p Precision) []int { return []int{128 / p.Element(), 16} }

// AsGeneral returns the plan of the same product with the kernel that needs no shape at compile
// time. It is plain where r is, and where the border does not fit shared memory. A small batch has
// blocks of 64 positions here too.
func (r *Product) AsGeneral(p Precision, d *driver.Device) *Product {
	q := &Product{
		Layer: r.Layer, General: true, TileM: 128, TileN: 64, WarpsM: 4, WarpsN: 2, Stages: 3,
		positions: r.positions,
	}
	if r.Plain {
		return q.AsPlain(p)
	}
	for _, q.Chunk = range generalChunks(p) {
		if q.Shared = q.shared(q.Chunk*p.Element(), q.Stages); q.Layer.In%q.Chunk == 0 &&
			q.Shared <= d.SharedBlock {
			if q.Grid(q.positions).Blocks[0] < d.SMs {
				q.shrink(p.Element())
			}
			q.balance(d)
			q.Source = generalProduct(p, q.Layer.Taps, q.TileM, q.Chunk)
			return q
		}
	}
	return q.AsPlain(p)
}

// generalProduct is the source of AsGeneral.
func generalProduct(p Precision, taps, tile, chunk int) driver.Source {
	return generalSource("train_product.cu", p, taps, fmt.Sprintf("TILE_M=%d", tile), "TILE_N=64",
		"WARPS_M=4", "WARPS_N=2", fmt.Sprintf("CHUNK=%d", chunk), "STAGES=3")
}

// wgmmaColumns are the numbers of channels of a tile with wgmma.
var wgmmaColumns = []int{128, 96, 64}

// AsWGMMA returns the plan of the same product with wgmma, whose sums are in another order. It is
// nil where that is not possible: in other precisions than bf16, for dense layers, on devices other
// than those of compute capability 9.0, with channels that are not multiples of 64, and on boards
// so wide that their border does not fit shared memory.
func (r *Product) AsWGMMA(p Precision, d *driver.Device) *Product {
	l := r.Layer
	if p != BF16 || d.Capability() != 90 || l.Taps != 9 || l.In%64 != 0 || l.Out%64 != 0 {
		return nil
	}
	q := &Product{
		Layer: l, General: true, WGMMA: true, TileM: 256, WarpsM: 8, WarpsN: 1, Chunk: 64,
		Stages: 6, positions: r.positions, sms: max(1, d.SMs),
	}
	for _, q.TileN = range wgmmaColumns {
		if l.Out%q.TileN == 0 {
			break
		}
	}
	const row = 2*64 + 16
	rows := up(q.TileM+2*(l.Width+1), 8)
	if q.Shared = q.Stages*q.TileN*2*64 + (2*rows+8)*row + 16*q.TileN*8; q.Shared > d.SharedBlock {
		return nil
	}
	q.Source = wgmmaProduct(q.TileN)
	return q
}

// wgmmaProduct is the source of AsWGMMA.
func wgmmaProduct(columns int) driver.Source {
	s := generalSource("train_product.cu", BF16, 9, "WGMMA=1", fmt.Sprintf("TILE_N=%d", columns),
		"STAGES=6")
	s.Headers["train_wgmma.h"] = trainingText("train_wgmma.h")
	s.Headers["wgmma.h"] = wgmmaHeader(columns, false)
	return s
}

// WGMMASources returns the sources of all products and gradients with wgmma, which are machine code
// for compute capability 9.0: products with biases and ReLU for inference, otherwise for training.
func WGMMASources() []driver.Source {
	var list []driver.Source
	for _, columns := range wgmmaColumns {
		list = append(list, wgmmaProduct(columns), forInference(wgmmaProduct(columns)))
	}
	for _, t := range gradientTiles {
		list = append(list, t.source())
	}
	return list
}

// Norm reports whether the product, in training, has a part in BatchNorm: six more arguments after
// positions (train_product.cu), which may be null.
func (r *Product) Norm() bool { return !r.Plain && r.Layer.Taps == 9 }

// Activates reports whether the product, in training, can make the activations that it multiplies
// of what the layer below has before its BatchNorm.
func (r *Product) Activates() bool {
	return r.Norm() && (r.General || r.Layer.In == r.Layer.Out)
}

// Shape adds to the arguments of a launch what a general kernel needs.
func (r *Product) Shape(args *driver.Args) *driver.Args {
	if r.General {
		r.Layer.shape(args)
	}
	return args
}

// fit chooses chunk and stages: the largest chunk, then three stages or else two, with which two
// blocks fit an SM; if there are none, with which one block fits.
func (r *Product) fit(element int, d *driver.Device) bool {
	unit := 32 / element
	for _, limit := range []int{min(d.SharedBlock, d.SharedSM/2-1024), d.SharedBlock} {
		for chunk := divisor(r.Layer.In, unit, 128/element); ; chunk = divisor(r.Layer.In,
			unit, chunk-1) {
			for stages := 3; stages >= 2; stages-- {
				if s := r.shared(chunk*element, stages); s <= limit {
					r.Chunk, r.Stages, r.Shared = chunk, stages, s
					return true
				}
			}
			if chunk == unit {
				break
			}
		}
	}
	return false
}

func (r *Product) shared(bytes, stages int) int {
	row, border, buffers := bytes+16, 0, stages
	if r.Layer.Taps == 9 {
		border, buffers = r.Layer.Width+1, 2
	}
	return buffers*(r.TileM+2*border+1)*row + stages*r.TileN*row
}

// Grid returns the launch for a number of positions.
func (r *Product) Grid(positions int) driver.Grid {
	threads := 32 * r.WarpsM * r.WarpsN
	if r.Plain {
		threads = 256
	}
	if r.WGMMA {
		tiles := ceil(positions, 64) * (r.Layer.Out / r.TileN) // the least
		return driver.Grid{
			Blocks:  [3]int{min(r.sms, tiles), 1, 1},
			Threads: [3]int{threads, 1, 1}, Shared: r.Shared,
		}
	}
	tiles := ceil(positions, r.TileM)
	if positions == r.positions {
		tiles += r.split
	}
	return driver.Grid{
		Blocks:  [3]int{tiles * ceil(r.Layer.Out, r.TileN), 1, 1},
		Threads: [3]int{threads, 1, 1}, Shared: r.Shared,
	}
}
