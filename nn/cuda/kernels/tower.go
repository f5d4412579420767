package kernels

import (
	"fmt"
	"sort"

	"tengen/nn"
	"tengen/nn/cuda/driver"
)

// Tower is the plan of kernel tower: the stem and all blocks in one launch (tower.h). NewTower
// chooses all sizes for the filters and the board of a network, a precision and a kind of device.
// Networks that differ in their depth, their heads and their planes, if these have no more channels
// than the filters, have the same kernel.
type Tower struct {
	Spec      nn.Spec
	Precision Precision // BF16, FP16 or TF32
	WGMMA     bool      // uses wgmma (tower_wgmma.h), else mma.sync (tower_mma.h)

	Channels, Inputs int // filters and planes, padded with zeros
	Positions        int // per block of threads
	Stride           int // bytes from row to row of activations
	InputStride      int // the same for planes

	// Registers: a pass is WarpsM · TilesM · 16 rows by WarpsN · TilesN · 8 columns. With WGMMA a
	// warp has 16 rows of each of TilesM tiles of 64 rows, and all columns.
	WarpsM, WarpsN, TilesM, TilesN int
	RowPasses, ColumnPasses        int
	BatchSteps                     int // WGMMA: steps issued together
	BlocksSM                       int // blocks per SM

	// The stream of weights: steps per stage in the blocks and in the stem, stages in shared
	// memory, bytes per stage, and the number of layers whose biases are kept.
	StageSteps, InputStageSteps, Stages, StageBytes, BiasSlots int

	// Offsets in shared memory, and its size.
	Y, Zeros, Bias, Ring, Shared int
}

// taps of a convolution; rows per block; steps per tap in the blocks and in the stem.
func (t *Tower) taps() int       { return t.Spec.Taps() }
func (t *Tower) rows() int       { return t.Positions * t.Spec.Cells() }
func (t *Tower) steps() int      { return t.Channels / t.Precision.step() }
func (t *Tower) inputSteps() int { return t.Inputs / t.Precision.step() }

func (t *Tower) passRows() int    { return t.WarpsM * t.TilesM * 16 }
func (t *Tower) passColumns() int { return t.WarpsN * t.TilesN * 8 }

// Threads returns the number of threads per block.
func (t *Tower) Threads() int { return 32 * t.WarpsM * t.WarpsN }

// Layers returns the number of convolutions.
func (t *Tower) Layers() int { return 1 + 2*t.Spec.Blocks }

// layerStages returns the number of stages of a layer's weights.
func (t *Tower) layerStages(layer int) int {
	if layer == 0 {
		return t.taps() * t.inputSteps() / t.InputStageSteps * t.ColumnPasses
	}
	return t.taps() * t.steps() / t.StageSteps * t.ColumnPasses
}

// WeightBytes returns the length of the stream of weights.
func (t *Tower) WeightBytes() int {
	return (t.layerStages(0) + (t.Layers()-1)*t.layerStages(1)) * t.StageBytes
}

// TrunkBytes returns the size of a position's output.
func (t *Tower) TrunkBytes() int { return t.Spec.Cells() * t.Channels * t.Precision.Element() }

// Grid returns the launch for n positions.
func (t *Tower) Grid(n int) driver.Grid {
	return driver.Grid{
		Blocks: [3]int{ceil(n, t.Positions), 1, 1}, Threads: [3]int{t.Threads(), 1, 1},
		Shared: t.Shared,
	}
}

// Registers estimates the registers per thread: sums, fragments of two steps (or two batches),
// addresses, and about 36 others.
func (t *Tower) Registers() int {
	sums := 4 * t.TilesM * t.TilesN
	if t.WGMMA {
		return 36 + sums + 8*t.TilesM*t.BatchSteps + 3*t.TilesM
	}
	return 36 + sums + 8*t.TilesM + 4*t.TilesN + 3*t.TilesM
}

// padChannels pads the number of filters so that tiles divide it.
func padChannels(filters int) int {
	switch {
	case filters <= 64:
		return up(filters, 16)
	case filters <= 256:
		return up(filters, 32)
	}
	return up(filters, 128)
}

// up rounds n up to a multiple.
func up(n, multiple int) int { return ceil(n, multiple) * multiple }

// rowStride returns an odd multiple of 16 bytes, so that eight consecutive rows begin in eight
// different groups of four banks. bytes is a multiple of 32.
func rowStride(bytes int) int { return bytes + 16 }

// NewTower plans the tower for a device: of all shapes that fit, the fastest by the model (see
// Cost). It returns an error if none fits; use Layered then.
func NewTower(spec nn.Spec, p Precision, wgmma bool, d *driver.Device) (*Tower, error) {
	all, err := Towers(spec, p, wgmma, d)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Towers returns plans of all shapes that fit a device, the fastest by the model first, or an
// error if none fits. Their results are the same to the bit.
func Towers(spec nn.Spec, p Precision, wgmma bool, d *driver.Device) ([]*Tower, error) {
	if p == FP32 {
		return nil, fmt.Errorf("the tower computes in bf16, fp16 or tf32, not in %q", string(p))
	}
	if err := p.On(d); err != nil {
		return nil, err
	}
	if wgmma && (d.Capability() != 90 || p != BF16) {
		return nil,
			fmt.Errorf(
				"wgmma is for bf16 on devices of compute capability 9.0; this is %s on %d.%d",
				p, d.Major, d.Minor)
	}
	base := Tower{
		Spec: spec, Precision: p, WGMMA: wgmma, WarpsN: 1, BlocksSM: 1, BatchSteps: 1,
		Channels: padChannels(spec.Filters), Inputs: up(spec.Planes, p.step()),
	}
	base.Stride, base.InputStride = rowStride(base.Channels*p.Element()),
		rowStride(base.Inputs*p.Element())
	var all []*Tower
	cost := map[*Tower]float64{}
	for _, t := range base.shapes() {
		for _, blocks := range []int{1, 2} {
			t.BlocksSM = blocks
			threads := t.Threads() * blocks
			if threads > d.ThreadsSM || t.Registers() > registerLimit(d, threads) {
				continue
			}
			var best *Tower // over numbers of positions
			for _, positions := range t.positions() {
				u := t
				u.Positions = positions
				if !u.fit(d) {
					continue
				}
				if c := u.typical().Cost(d).Position(); best == nil || c < cost[best] {
					best = &u
					cost[best] = c
				}
			}
			if best != nil {
				all = append(all, best)
			}
		}
	}
	if len(all) == 0 {
		return nil,
			fmt.Errorf(
				"a position of %d × %d with %d filters does not fit the %d bytes of shared memory",
				spec.Height, spec.Width, spec.Filters, d.SharedBlock)
	}
	sort.SliceStable(all, func(i, j int) bool { return cost[all[i]] < cost[all[j]] })
	return all, nil
}

// registerLimit returns the maximum number of registers per thread for a number of threads on an
// SM.
func registerLimit(d *driver.Device, threads int) int {
	return min(255, d.Registers/threads/8*8)
}

// typical returns the same plan for a common depth and few planes: plans are chosen by its cost, so
// that the choice depends on the filters and the board alone.
func (t Tower) typical() *Tower {
	t.Spec.Blocks, t.Spec.Planes, t.Inputs = 8, t.Precision.step(), t.Precision.step()
	return &t
}

// shapes returns all ways to distribute a pass over warps and their tiles.
func (t Tower) shapes() []Tower {
	var all []Tower
	for _, tilesM := range []int{1, 2, 4} {
		t.TilesM = tilesM
		if t.WGMMA {
			// With wgmma, a pass's columns are N: all channels, up to 256.
			columns := divisor(t.Channels, 16, 256)
			t.TilesN = columns / 8
			for groups := 1; groups <= 4; groups++ {
				t.WarpsM = 4 * groups
				for _, steps := range []int{1, 2, 3, 4} {
					if t.BatchSteps = steps; t.steps()%steps == 0 {
						all = append(all, t)
					}
				}
			}
			continue
		}
		for _, warps := range []int{4, 8} {
			for warpsN := 1; warpsN <= warps; warpsN *= 2 {
				for tilesN := 2; tilesN <= 10; tilesN += 2 {
					t.WarpsM, t.WarpsN, t.TilesN = warps/warpsN, warpsN, tilesN
					if t.Channels%t.passColumns() == 0 {
						all = append(all, t)
					}
				}
			}
		}
	}
	return all
}

// positions returns the numbers of positions to try: those that fill one pass, or as many passes
// as one position needs, and slightly smaller ones.
func (t *Tower) positions() []int {
	cells := t.Spec.Cells()
	if cells >= t.passRows() {
		return []int{1}
	}
	most := t.passRows() / cells
	var all []int
	for n := most; n >= 1 && n > most-4; n-- {
		all = append(all, n)
	}
	return append(all, 2*t.passRows()/cells)
}

// fit chooses the stages and lays out shared memory; it returns false if that is too small.
func (t *Tower) fit(d *driver.Device) bool {
	// The longest stages up to 16 KB of which enough fit.
	step := stepBytes * t.passColumns()
	for _, steps := range t.stageLengths(t.steps()) {
		if steps*step > 16<<10 && steps > t.BatchSteps {
			continue
		}
		t.StageSteps = steps
		t.StageBytes = steps * step
		if t.InputStageSteps = t.inputStageSteps(); t.place(d) {
			return true
		}
	}
	return false
}

// place lays out shared memory with as many stages as fit; it returns false if they are too few.
func (t *Tower) place(d *driver.Device) bool {
	t.RowPasses = ceil(t.rows(), t.passRows())
	t.ColumnPasses = t.Channels / t.passColumns()
	limit := min(d.SharedBlock, d.SharedSM/t.BlocksSM-1024) // an SM reserves 1 KB per block
	t.Y = up(t.rows()*t.Stride, 128)
	t.Zeros = t.Y + up(t.rows()*max(t.Stride, t.InputStride), 128)
	t.Bias = t.Zeros + up(t.zerosBytes(), 128)
	least, most := 3, 6
	if t.WGMMA {
		least = 4 // wgmma reads one more stage than mma.sync
	}
	for t.Stages = most; t.Stages >= least; t.Stages-- {
		t.BiasSlots = 1 + ceil(t.Stages-1, t.layerStages(1)*t.RowPasses)
		t.Ring = up(t.Bias+t.BiasSlots*t.Channels*4, 128)
		if t.Shared = t.Ring + t.Stages*t.StageBytes; t.Shared <= limit {
			return true
		}
	}
	return false
}

// zerosBytes returns the size of the eight zero rows.
func (t *Tower) zerosBytes() int { return 8 * max(t.Stride, t.InputStride) }

// stageLengths returns the possible numbers of steps per stage, the longest first: whole taps, or
// equal parts of a tap, that divide a layer; with WGMMA whole batches.
func (t *Tower) stageLengths(steps int) []int {
	var all []int
	layer := t.taps() * steps
	for n := 1; n <= layer; n++ {
		if layer%n == 0 && (n%steps == 0 || steps%n == 0) && (!t.WGMMA || n%t.BatchSteps == 0) {
			all = append(all, n)
		}
	}
	sort.Sort(sort.Reverse(sort.IntSlice(all)))
	return all
}

// inputStageSteps returns the largest number of steps of the stem that fit a stage and divide the
// stem, whatever the number of planes.
func (t *Tower) inputStageSteps() int {
	n := t.taps()
	for n > 1 && n*stepBytes*t.passColumns() > t.StageBytes {
		n /= 3
	}
	return n
}

// defines returns the macros of tower.cu.
func (t *Tower) defines() []string {
	all := []string{
		fmt.Sprintf("POSITIONS=%d", t.Positions), fmt.Sprintf("STEPS=%d", t.steps()),
		fmt.Sprintf("STAGE_STEPS=%d", t.StageSteps),
		fmt.Sprintf("INPUT_STAGE_STEPS=%d", t.InputStageSteps),
		fmt.Sprintf("STAGES=%d", t.Stages), fmt.Sprintf("STAGE_BYTES=%d", t.StageBytes),
		fmt.Sprintf("BIAS_SLOTS=%d", t.BiasSlots),
		fmt.Sprintf("WARPS_M=%d", t.WarpsM), fmt.Sprintf("WARPS_N=%d", t.WarpsN),
		fmt.Sprintf("TILES_M=%d", t.TilesM), fmt.Sprintf("TILES_N=%d", t.TilesN),
		fmt.Sprintf("ROW_PASSES=%d", t.RowPasses), fmt.Sprintf("COLUMN_PASSES=%d", t.ColumnPasses),
		fmt.Sprintf("THREADS=%d", t.Threads()), fmt.Sprintf("BLOCKS_SM=%d", t.BlocksSM),
		fmt.Sprintf("STRIDE=%d", t.Stride),
		"X_OFFSET=0", fmt.Sprintf("Y_OFFSET=%d", t.Y), fmt.Sprintf("ZEROS_OFFSET=%d", t.Zeros),
		fmt.Sprintf("ZEROS_BYTES=%d", t.zerosBytes()),
		fmt.Sprintf("BIAS_OFFSET=%d", t.Bias), fmt.Sprintf("RING_OFFSET=%d", t.Ring),
	}
	if t.WGMMA {
		all = append(all, "WGMMA=1", fmt.Sprintf("A_STEPS=%d", t.BatchSteps))
	}
	return all
}
