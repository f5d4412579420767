package kernels_test

import (
	"fmt"
	"testing"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
)

// TestTrainingPlans checks the kernels' assumptions, for many shapes and two kinds of device.
func TestTrainingPlans(t *testing.T) {
	boards := [][2]int{
		{1, 1}, {1, 3}, {5, 5}, {6, 7}, {10, 5}, {13, 13}, {19, 19}, {2, 60}, {3, 400}, {1, 3000},
	}
	tiled, plain := 0, 0
	for _, device := range []driver.Device{emulate.Hopper(), emulate.Ampere()} {
		for _, precision := range precisions {
			for _, board := range boards {
				for _, in := range []int{16, 32, 48, 112, 128, 144, 272} {
					for _, out := range []int{16, 32, 48, 64, 80, 112, 128, 144, 256, 3200} {
						conv := kernels.Layer{
							Taps: 9, Height: board[0], Width: board[1], In: in, Out: out,
						}
						dense := kernels.Layer{Taps: 1, Height: 1, Width: 1, In: in, Out: out}
						all := []kernels.Layer{conv, dense, dense.Backward()}
						if board != boards[0] {
							all = all[:1]
						}
						for _, l := range all {
							p, err := kernels.NewProduct(l, 1<<20, precision, &device)
							if err != nil {
								t.Fatal(err)
							}
							few, err := kernels.NewProduct(l, 1, precision, &device)
							if err != nil {
								t.Fatal(err)
							}
							for _, p := range []*kernels.Product{p, few} {
								if what := wrongProduct(p, precision, &device); what != "" {
									t.Fatalf("%s, %s, %+v: %s: %+v",
										device.Name, precision, l, what, p)
								}
							}
							if few.Plain != p.Plain || few.Chunk != p.Chunk ||
								!p.Plain && p.TileM != 128 {
								t.Fatalf("%s, %s, %+v: %+v with few positions, %+v with many",
									device.Name, precision, l, few, p)
							}
							// As many blocks as before and more, if that leaves multiprocessors
							// without one.
							wide := *p
							if blocks := wide.Grid(1).Blocks[0]; !p.Plain &&
								(few.TileM == 64) != (blocks < device.SMs) {
								t.Fatalf("%s, %s, %+v: %d positions a block with %d blocks of 128",
									device.Name, precision, l, few.TileM, blocks)
							}
							if p.Plain {
								plain++
							} else {
								tiled++
							}
							if p.Plain && precision != kernels.FP32 && board[1] <= 60 {
								t.Errorf("%s, %s: %+v is plain", device.Name, precision, l)
							}
							for _, positions := range []int{1, 127, 102400} {
								g, err := kernels.NewGradient(l, positions, precision, &device)
								if err != nil {
									t.Fatal(err)
								}
								if what := wrongGradient(g, precision, &device); what != "" {
									t.Fatalf("%s, %s, %+v, %d positions: %s: %+v",
										device.Name, precision, l, positions, what, g)
								}
								if g.Plain != (precision == kernels.FP32) {
									t.Errorf("%s, %s: the gradient of %+v: plain is %v",
										device.Name, precision, l, g.Plain)
								}
							}
						}
					}
				}
			}
		}
	}
	if plain == 0 || tiled < plain {
		t.Errorf("%d plain plans, %d tiled", plain, tiled)
	}
	for _, l := range []kernels.Layer{
		{Taps: 3, Height: 1, Width: 1, In: 16, Out: 16},
		{Taps: 9, Height: 1, Width: 1, In: 8, Out: 16},
		{Taps: 9, Height: 1, Width: 1, In: 16, Out: 20},
	} {
		device := emulate.Hopper()
		if _, err := kernels.NewProduct(l, 1, kernels.TF32, &device); err == nil {
			t.Errorf("a product of %+v was planned", l)
		}
		if _, err := kernels.NewGradient(l, 1, kernels.TF32, &device); err == nil {
			t.Errorf("a gradient of %+v was planned", l)
		}
	}
}

// wrongGrid describes what a device would reject in a launch, "" if nothing.
func wrongGrid(g driver.Grid, d *driver.Device) string {
	threads := g.Threads[0] * g.Threads[1] * g.Threads[2]
	switch {
	case threads < 1 || threads > 1024 || threads%32 != 0:
		return fmt.Sprintf("%d threads", threads)
	case g.Blocks[0] < 1 || g.Blocks[1] < 1 || g.Blocks[2] < 1 || g.Blocks[1] > 65535 ||
		g.Blocks[2] > 65535:
		return fmt.Sprintf("blocks %v", g.Blocks)
	case g.Shared > d.SharedBlock:
		return fmt.Sprintf("%d bytes of shared memory", g.Shared)
	}
	return ""
}

func wrongProduct(p *kernels.Product, precision kernels.Precision, d *driver.Device) string {
	const positions = 16384 * 361
	g := p.Grid(positions)
	if what := wrongGrid(g, d); what != "" || p.Plain {
		return what
	}
	l, element := p.Layer, precision.Element()
	tilesM, tilesN := p.TileM/16/p.WarpsM, p.TileN/8/p.WarpsN
	// Sums, operands, addresses: KERNEL_BOUNDS requires two blocks per SM.
	registers := tilesM*tilesN*4 + tilesM*4 + tilesN*2 + 40
	switch {
	case p.TileM != 16*p.WarpsM*tilesM || p.TileN != 8*p.WarpsN*tilesN || tilesN%2 != 0:
		return "the warps don't cover the tile"
	case l.Out%p.TileN != 0 || l.In%p.Chunk != 0 || p.Chunk*element%32 != 0:
		return "tiles don't divide the channels"
	case p.Stages < 2:
		return "too few stages"
	case registers*g.Threads[0]*2 > d.Registers:
		return fmt.Sprintf("about %d registers per thread", registers)
	case g.Blocks[0] != l.Out/p.TileN*((positions+p.TileM-1)/p.TileM):
		return "the blocks don't cover the result"
	}
	return ""
}

func wrongGradient(r *kernels.Gradient, precision kernels.Precision, d *driver.Device) string {
	g, l := r.Grid(), r.Layer
	if what := wrongGrid(g, d); what != "" {
		return what
	}
	switch {
	case r.Parts < 1 || (r.Parts-1)*r.Length >= r.Positions || r.Parts*r.Length < r.Positions:
		return "the parts don't cover the positions"
	case r.Workspace() != r.Parts*l.Weights():
		return "the workspace does not hold the parts"
	case r.Parts > 1 && r.Workspace() > 300*9*128*128:
		return "the workspace is large"
	case r.Plain:
		return ""
	}
	tilesO := r.TileO / 8 / r.WarpsO
	switch {
	case r.TileI != 16*r.WarpsI || r.TileO != 8*r.WarpsO*tilesO || tilesO%2 != 0:
		return "the warps don't cover the tile"
	case l.In%r.TileI != 0 || l.Out%r.TileO != 0 || r.TileI*precision.Element()%16 != 0:
		return "tiles don't divide the channels"
	case r.Length%r.Depth != 0 || r.Depth%16 != 0 || r.Stages < 2:
		return "the depth does not divide the parts"
	case 3*tilesO*4+60 > 255:
		return "too many registers per thread"
	}
	return ""
}
