package kernels

import (
	"fmt"

	"tengen/nn/cuda/driver"
)

// Cost is the estimate of a simple model for a tower or a layer's product on a device: cycles of an
// SM for one round of its blocks, or for its part of the product, by resource. It serves to choose
// a shape and to report the bottleneck; it was not fitted to measurements.
type Cost struct {
	Positions int     // of a round: blocks per SM × positions per block; of the SM's part
	Tensor    float64 // multiplications, at the rate of the instruction used
	Shared    float64 // shared memory: fragments read, weights written, 128 bytes per cycle
	L2        float64 // weights read, the SM's share of L2's bandwidth
	Fixed     float64 // ends of layers and barriers, which do not overlap with other work

	nominal float64 // nominal multiplications: whole 3×3 windows, unpadded channels
	peak    float64 // multiply-adds per cycle and SM of the fastest instruction
}

// slack is the ratio of a loop's duration to that of its busiest resource, since resources do not
// overlap perfectly.
const slack = 1.1

// Cycles returns the duration of a round.
func (c Cost) Cycles() float64 { return slack*max(c.Tensor, c.Shared, c.L2) + c.Fixed }

// Position returns the cycles of an SM per position.
func (c Cost) Position() float64 { return c.Cycles() / float64(c.Positions) }

// Share returns the fraction of the device's peak rate that is reached, counting nominal
// operations (padding of the board included, padded channels not).
func (c Cost) Share() float64 { return c.nominal / c.Cycles() / c.peak }

// Limit returns the name of the busiest resource.
func (c Cost) Limit() string {
	switch max(c.Tensor, c.Shared, c.L2) {
	case c.Tensor:
		return "tensor cores"
	case c.Shared:
		return "shared memory"
	}
	return "L2"
}

// rates returns bf16 multiply-adds per cycle and SM: the device's peak, and that of mma.sync.
// Hopper's mma.sync reaches about 62 % of its wgmma (Luo et al. 2024, Benchmarking and Dissecting
// the Nvidia Hopper GPU Architecture, table VII); tf32 has half of each.
func rates(d *driver.Device) (peak, mma float64) {
	switch c := d.Capability(); {
	case c == 80 || c >= 110 && c < 120:
		return 1024, 1024
	case c >= 90 && c < 110:
		return 2048, 1270
	}
	return 512, 512
}

// l2Rate is the number of bytes that an SM reads from L2 per cycle while all SMs read: about 5.5
// TB/s of an H100 over 132 SMs at 1.75 GHz.
const l2Rate = 24

// Cost returns the model's estimate.
//
// For 8 blocks of 128 filters on 5×5, bf16, on an H200's SM: a block has 10 positions, 250 of a
// pass's 256 rows. A layer multiplies 256 × 128 × 1152 numbers: 18,432 cycles at wgmma's 2048 per
// cycle, 29,700 with mma.sync. Shared memory with wgmma: each of 72 steps reads 256 rows of 32
// bytes once (ldmatrix) and the weights' 4 KB once for each of the four warpgroups, and receives
// 4 KB of the stream: 28 KB, 224 cycles of the 256 that the products take. With mma.sync and 64 ×
// 64 sums per warp: 2 × 16 KB + 4 KB, 288 cycles of 413; with 32 × 64 sums it would be 416, more
// than the products. Weights: 295 KB per layer, 12,300 cycles at 24 bytes per cycle. So all three
// are busy, the tensor cores most.
func (t *Tower) Cost(d *driver.Device) Cost {
	peak, rate := rates(d)
	c := Cost{Positions: t.Positions * t.BlocksSM, peak: peak}
	if t.WGMMA {
		rate = peak
	}
	if t.Precision == TF32 {
		c.peak, rate = peak/2, rate/2
	}
	warps := t.WarpsM * t.WarpsN
	if !t.WGMMA && warps*t.BlocksSM < 8 {
		rate *= 0.8 // a single warp per scheduler waits for its own loads
	}
	if t.WGMMA && warps*t.BlocksSM < 16 {
		rate *= 0.95 // fewer than four queues keep the tensor cores less busy
	}
	layer := func(steps, stages int) {
		steps *= t.taps()
		n := float64(t.RowPasses * t.ColumnPasses)
		products := float64(t.passRows() * t.passColumns() * steps * t.Precision.step())
		a, b := 512*t.TilesM*warps, 256*t.TilesN*warps
		if t.WGMMA {
			b = stepBytes * t.passColumns() * t.TilesM * warps / 4
		}
		stream := stepBytes * t.passColumns()
		c.Tensor += n * products / rate
		c.Shared += n * float64(steps*(a+b+stream)) / 128
		c.L2 += n * float64(steps*stream) / l2Rate
		// End of a pass: about 6 instructions for each pair of sums, one warp's at a time on four
		// schedulers; then the pipeline drains and fills.
		c.Fixed += n * (float64(warps*t.TilesM*t.TilesN*2*6)/4 + 600)
		// One barrier per stage, which wgmma's queue hides if stages are long.
		wait := 50.0
		if t.WGMMA {
			wait = max(0, 200-products/float64(stages)/rate)
			c.Fixed += n * float64(steps) / float64(t.BatchSteps) * 10 // issuing a batch
		}
		c.Fixed += n * float64(stages) * wait
	}
	layer(t.inputSteps(), t.layerStages(0)/t.ColumnPasses)
	for range 2 * t.Spec.Blocks {
		layer(t.steps(), t.layerStages(1)/t.ColumnPasses)
	}
	// Planes and output pass through device memory, at 20 bytes per cycle.
	c.Fixed += float64(t.Positions*(4*t.Spec.Planes*t.Spec.Cells()+t.TrunkBytes()))/20 + 2000
	blocks := float64(t.BlocksSM)
	// ends of layers overlap with other blocks
	c.Tensor, c.Shared, c.L2 = c.Tensor*blocks, c.Shared*blocks, c.L2*blocks
	f := float64(t.Spec.Filters)
	c.nominal = float64(c.Positions*t.Spec.Cells()*t.taps()) * f *
		(float64(t.Spec.Planes) + 2*float64(t.Spec.Blocks)*f)
	return c
}

// Cost returns the model's estimate for a tiled product of a number of positions: of the SM that
// has most tiles. Tiles of half the positions are not counted as such.
//
// For 128 filters on 5×5, bf16, on an H100's SM: with wgmma a round (64 channels, a tap) of a tile
// of 256 × 128 numbers takes 1,024 cycles at 2048 per cycle. Of shared memory it reads 33 KB by
// ldmatrix and 16 KB of weights for each of four warpgroups, and writes 16 KB and a ninth of the
// positions' 34 KB: 119 KB, 926 cycles of 128 bytes. Of L2 it reads 20 KB, 842 cycles. With
// mma.sync a round of a tile of 128 × 128 takes 826 cycles, 16 KB by ldmatrix are read twice and
// the weights' four times: 118 KB, 924 cycles, and 18 KB of L2, 774 cycles.
func (r *Product) Cost(positions int, p Precision, d *driver.Device) Cost {
	l := r.Layer
	peak, rate := rates(d)
	blocks := min(2, d.SharedSM/(r.Shared+1024))
	if r.WGMMA {
		rate, blocks = 0.95*peak, 1 // as in Tower.Cost: a block has two warpgroups
	}
	c := Cost{Positions: ceil(positions, d.SMs), peak: peak}
	if p == TF32 {
		c.peak, rate = peak/2, rate/2
	}
	rounds, row := float64(l.In/r.Chunk*l.Taps), float64(r.Chunk*p.Element())
	border := 0
	if l.Taps == 9 {
		border = l.Width + 1
	}
	tiles := func(n, positions int) {
		m, columns, n64 := float64(positions), float64(r.TileN), float64(n)*rounds
		stream := row * (columns + (m+2*float64(border))/float64(l.Taps))
		a, b, end, wait := m*float64(r.WarpsN), columns*float64(r.WarpsM), 6.0, 50.0
		if r.WGMMA {
			// Lanes exchange numbers before they write them; two batches are issued in a round.
			b, end, wait = columns*m/64, 12, 20
		}
		c.Tensor += n64 * m * columns * float64(r.Chunk) / rate
		c.Shared += n64 * (row*(a+b) + stream) / 128
		c.L2 += n64 * stream / l2Rate
		c.Fixed += (n64*wait + float64(n)*(m*columns/256*end+600)) / float64(blocks)
	}
	columns := l.Out / r.TileN
	if r.WGMMA {
		// As in tiles_of of train_wgmma.h.
		rest := ceil(positions, 64)
		whole := rest / 4 * columns / d.SMs * d.SMs / columns
		rest -= 4 * whole
		groups := 1
		for groups < 4 && ceil(rest, groups)*columns > d.SMs {
			groups++
		}
		tiles(ceil(whole*columns, d.SMs), r.TileM)
		tiles(min(1, rest), 64*groups)
	} else {
		tiles(ceil(ceil(positions, r.TileM)*columns, d.SMs), r.TileM)
	}
	c.nominal = float64(positions) * float64(l.Weights()) / float64(d.SMs)
	return c
}

// String describes the expected rate and the cycles of each resource.
func (c Cost) String() string {
	return fmt.Sprintf("%.0f %% of the device's rate expected (cycles: tensor cores %.0f, shared memory %.0f, L2 %.0f, other %.0f)",
		100*c.Share(), c.Tensor, c.Shared, c.L2, c.Fixed)
}

// Describe describes the plan in a line for people: "wgmma, 10 positions a block of 512 threads,
// …".
func (t *Tower) Describe(d *driver.Device) string {
	way := "mma.sync"
	if t.WGMMA {
		way = "wgmma"
	}
	return fmt.Sprintf("%s %s, %d positions (%d of %d rows) a block of %d threads, %d a multiprocessor, %d bytes of shared memory, %d stages of %d bytes; %s",
		t.Precision, way, t.Positions, t.rows(), t.RowPasses*t.passRows(), t.Threads(), t.BlocksSM,
		t.Shared, t.Stages, t.StageBytes, t.Cost(d))
}
