package kernels

import (
	"fmt"

	"tengen/nn/cuda/driver"
)

// Gradient is the plan of the gradient of a layer's weights for a number of positions, by kernel
// "gradient" of train_gradient.cu, or of train_gradient_wgmma.cu.
type Gradient struct {
	Source driver.Source
	Layer  Layer
	Plain  bool
	// General is the kernel that needs no shape at compile time; Shape then adds it to the
	// arguments.
	General bool
	WGMMA   bool // uses wgmma, else mma.sync; it is General

	TileI, TileO   int // channels of the input and of the output per block
	WarpsI, WarpsO int
	Depth, Stages  int // positions at a time; stages of them in shared memory
	Shared         int // dynamic shared memory per block, bytes

	Positions     int
	Parts, Length int // number of parts of the sum, and positions per part

	pace   pace
	cycles float64
}

// NewGradient returns the plan for a device.
func NewGradient(l Layer, positions int, p Precision, d *driver.Device) (*Gradient, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	r := &Gradient{
		Layer: l, TileI: divisor(l.In, 16, 64), TileO: divisor(l.Out, 16, 128), Depth: 32,
	}
	r.WarpsI = r.TileI / 16
	r.WarpsO = divisor(r.TileO/16, 1, 8/r.WarpsI)
	for r.Stages = 3; r.Stages >= 2; r.Stages-- {
		if r.Shared = r.shared(p.Element()); r.Shared <= d.SharedBlock {
			break
		}
	}
	r.pace = r.paceOf(p, d)
	r.divide(positions, 0)
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

// gradientTile is a tile of a gradient with wgmma: its channels of the input and of the output, and
// the stages and blocks for which a multiprocessor has shared memory and registers. 128 × 128
// channels are two tiles of 64 × 128 sums, 128 registers.
type gradientTile struct{ i, o, stages, blocks int }

var gradientTiles = []gradientTile{{128, 128, 6, 1}, {64, 192, 6, 1}, {64, 64, 5, 2}}

const gradientDepth = 64 // positions at a time with wgmma

// NewWGMMAGradient returns the plan with wgmma, which has other parts, or nil where there is none:
// it is for bf16 on devices of compute capability 9.0, and for convolutions whose channels are
// multiples of 64.
func NewWGMMAGradient(l Layer, positions int, p Precision, d *driver.Device) *Gradient {
	if l.validate() != nil || p != BF16 || d.Capability() != 90 || l.Taps != 9 || l.In%64 != 0 ||
		l.Out%64 != 0 {
		return nil
	}
	for _, t := range gradientTiles {
		if l.In%t.i != 0 || l.Out%t.o != 0 {
			continue
		}
		r := &Gradient{
			Layer: l, General: true, WGMMA: true, TileI: t.i, TileO: t.o, Depth: gradientDepth,
			Stages: t.stages, Shared: t.shared(), Source: t.source(),
			// One of four warps of a warpgroup for 16 channels of a tile, a warpgroup for a tap.
			WarpsI: 4, WarpsO: 3,
		}
		if r.Shared > d.SharedBlock {
			continue
		}
		r.pace = r.paceOf(p, d)
		r.divide(positions, 0)
		return r
	}
	return nil
}

// shared returns the dynamic shared memory of a block: of each stage the positions of dz and, with
// one more on either side, of x, and the table; and eight rows of zeros.
func (t *gradientTile) shared() int {
	row := 2*t.i + 16
	stage := gradientDepth*t.o*2 + (gradientDepth+2)*row + 3*gradientDepth*4
	return t.stages*up(stage, 1024) + 8*row
}

func (t *gradientTile) source() driver.Source {
	s := generalSource("train_gradient_wgmma.cu", BF16, 9, "WGMMA=1",
		fmt.Sprintf("TILE_I=%d", t.i), fmt.Sprintf("TILE_O=%d", t.o),
		fmt.Sprintf("DEPTH=%d", gradientDepth), fmt.Sprintf("STAGES=%d", t.stages),
		fmt.Sprintf("SHARED_BYTES=%d", t.shared()), fmt.Sprintf("BLOCKS_SM=%d", t.blocks))
	s.Headers["wgmma.h"] = wgmmaHeader(t.o, true)
	return s
}

// pace is the duration of a gradient's parts, in cycles of a multiprocessor, by a simple model.
type pace struct {
	sms   int
	step  float64 // 16 positions of a block
	alone float64 // share of the multiprocessor's rate that a lone block reaches
}

// partsRate is how many bytes of parts a multiprocessor writes or reads in a cycle: an H100 adds
// parts at 1.9 TB/s (docs/results/gpu/h100.parts.txt).
const partsRate = 8

// paceOf returns the pace of the tiled kernel on a device.
//
// For 128 × 128 channels on an H100, of 16 positions: wgmma's block has three taps, so it
// multiplies 3 · 128 · 128 · 16 numbers: 384 cycles at 2048 a cycle. Shared memory gives each of
// twelve warps 2 · 512 bytes of x (ldmatrix) and 64 of the table, which take a pass of 128, and
// each of the six products 4 KB of dz, and receives 2 · 4 KB and two rows in 66 of x: 45.7 KB, 357
// cycles. From L2 come 8.1 KB, 339 cycles. mma.sync's block has half of these channels: 310 cycles
// at 1270 a cycle, of shared memory 8 · (3 · 512 + 2048) bytes and 6.3 KB: 273 cycles. 630 were
// measured, twice the model, as of such blocks of other boards and in tf32; smaller blocks, two a
// multiprocessor, took 1.4 times the model (dense) to 1.7 (docs/results/gpu/h100.parts.txt).
func (r *Gradient) paceOf(p Precision, d *driver.Device) pace {
	peak, rate := rates(d)
	if r.WGMMA {
		rate = peak
	}
	element, taps := float64(p.Element()), float64(r.window())
	i, o, warps := float64(r.TileI), float64(r.TileO), float64(r.WarpsI*r.WarpsO)
	fill := 16 * element * (i*(1+(taps-1)/float64(r.Depth)) + o)
	var shared float64
	if r.WGMMA {
		shared = fill + warps*(i/64*512+128) + 3*i/64*o*32
	} else {
		shared = fill + warps*(taps*256+16*o/float64(r.WarpsO))*element
	}
	if p == TF32 {
		rate /= 2
	}
	w := pace{sms: max(1, d.SMs), alone: 1}
	w.step = slack * max(taps*i*o*16/rate, shared/128, fill/l2Rate)
	threads := 32 * r.WarpsI * r.WarpsO
	registers := r.TileI*r.TileO/128 + 40 // sums and others
	if !r.WGMMA {
		n := r.TileO / r.WarpsO
		registers = r.window()*(n/2+4) + n/4 + 60
	}
	if 2*threads*registers <= d.Registers && 2*(r.Shared+1024) <= d.SharedSM {
		w.alone = 0.7 // two blocks hide one another's waits
	}
	if !r.WGMMA {
		w.step *= 2
		if w.alone < 1 {
			w.step *= 0.75
		}
	}
	return w
}

// divide divides the positions into at most so many parts, 0 for any number: as many as are fastest
// by the model, since more blocks have more parts to add.
func (r *Gradient) divide(positions, most int) {
	const (
		unit  = 32   // of a part's positions
		fixed = 3000 // cycles of a block and of a sum without their loops
	)
	r.Positions = positions
	blocks, sms := r.blocks(), r.pace.sms
	if most == 0 {
		most = max(1, 4*sms/blocks)
	}
	least := 0.0
	for parts := 1; parts <= most; parts++ {
		length := ceil(ceil(positions, parts), unit) * unit
		n := ceil(positions, length)
		busiest := ceil(n*blocks, sms)
		cycles := float64(busiest) * (float64(length)/16*r.pace.step + fixed)
		if busiest == 1 {
			cycles /= r.pace.alone
		}
		if n > 1 {
			cycles += fixed + float64(8*n*r.Layer.Weights())/float64(partsRate*sms)
		}
		if parts == 1 || cycles < least {
			least, r.Parts, r.Length = cycles, n, length
		}
	}
	r.cycles = least
}

// Cycles returns how long a tiled gradient takes, the sum of its parts included, by the model.
func (r *Gradient) Cycles() float64 { return r.cycles }

// Over returns the gradient with the same kernel over another number of positions, in no more
// parts.
func (r *Gradient) Over(positions int) *Gradient {
	q := *r
	q.divide(positions, r.Parts)
	return &q
}

// AsPlain returns the plan of the same gradient, in the same parts, with the plain kernel.
func (r *Gradient) AsPlain(p Precision) *Gradient {
	q := *r
	q.Plain, q.WGMMA, q.TileI, q.TileO, q.Depth, q.Shared = true, false, 64, 64, 16, 0
	if r.General {
		q.Source = generalSource("train_gradient.cu", p, r.Layer.Taps, "PLAIN=1")
	} else {
		q.Source = trainingSource("train_gradient.cu", p, r.Layer.defines("PLAIN=1"))
	}
	return &q
}

// AsGeneral returns the plan of the same gradient, in the same parts, with the kernel that needs no
// shape at compile time. It is plain where r is.
func (r *Gradient) AsGeneral(p Precision) *Gradient {
	q := *r
	q.General = true
	if r.Plain {
		return q.AsPlain(p)
	}
	q.TileI, q.TileO, q.WarpsI, q.WarpsO, q.Depth, q.Stages = 64, 64, 4, 2, 32, 3
	q.Shared = q.shared(p.Element())
	q.Source = generalGradient(p, q.Layer.Taps)
	return &q
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

// Describe describes a kernel with tiles.
func (r *Gradient) Describe() string {
	way := "mma.sync"
	if r.WGMMA {
		way = "wgmma"
	}
	return fmt.Sprintf("%s, %d × %d channels a block of %d warps, %d parts", way, r.TileI, r.TileO,
		r.WarpsI*r.WarpsO, r.Parts)
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
