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
								w := kernels.NewWGMMAGradient(l, positions, precision, &device)
								if w != nil {
									if what := wrongGradient(w, precision, &device); what != "" {
										t.Fatalf("%s, %+v, %d positions: %s: %+v",
											device.Name, l, positions, what, w)
									}
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
	if r.WGMMA {
		switch {
		case r.TileI*r.TileO > 1<<14 || r.TileI%64 != 0 || r.TileO%64 != 0 || r.TileO > 256:
			return "the sums don't fit the registers"
		case l.In%r.TileI != 0 || l.Out%r.TileO != 0:
			return "tiles don't divide the channels"
		case r.Length%32 != 0 || r.Depth%32 != 0 || r.Stages < 4:
			return "the depth does not divide the parts"
		}
		return ""
	}
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

// TestGradientsFillDevices checks that gradients of sizes which people train leave hardly a
// multiprocessor idle, and that small batches have few parts.
func TestGradientsFillDevices(t *testing.T) {
	h100, a100, ada := emulate.Hopper(), emulate.Hopper(), emulate.Ampere()
	a100.Major, a100.SMs, a100.SharedBlock, a100.SharedSM = 8, 108, 163<<10, 164<<10
	ada.Minor, ada.SMs = 9, 128
	for _, device := range []driver.Device{h100, a100, ada} {
		for _, c := range []struct{ side, filters, rows int }{
			{5, 128, 4096}, {5, 64, 4096}, {9, 128, 1024}, {9, 128, 4096}, {9, 192, 1024},
			{9, 256, 1024}, {19, 256, 256}, {19, 256, 1024},
		} {
			l := kernels.Layer{
				Taps: 9, Height: c.side, Width: c.side, In: c.filters, Out: c.filters,
			}
			for _, p := range []kernels.Precision{kernels.TF32, kernels.BF16} {
				positions := c.side * c.side * c.rows
				g, err := kernels.NewGradient(l, positions, p, &device)
				if err != nil {
					t.Fatal(err)
				}
				w := kernels.NewWGMMAGradient(l, positions, p, &device)
				if (w != nil) != (device.Major == 9 && p == kernels.BF16) {
					t.Fatalf("%+v in %s on %s: with wgmma %v", c, p, device.Name, w)
				}
				for _, g := range []*kernels.Gradient{g, w} {
					if g == nil {
						continue
					}
					b := g.Grid().Blocks
					n := b[0] * b[1] * b[2]
					rounds := (n + device.SMs - 1) / device.SMs
					busy := float64(n) / float64(rounds*device.SMs) *
						float64(positions) / float64(g.Parts*g.Length)
					t.Logf("%d multiprocessors, %d × %d, %d filters, %d rows, %s: %s: %.0f µs computed",
						device.SMs, c.side, c.side, c.filters, c.rows, p, g.Describe(),
						g.Cycles()/1755) // at 1.755 GHz
					if busy < 0.9 {
						t.Errorf("%+v in %s on %d multiprocessors: %s: %.0f %% busy", c, p,
							device.SMs, g.Describe(), 100*busy)
					}
				}
			}
		}
	}
	l := kernels.Layer{Taps: 9, Height: 5, Width: 5, In: 128, Out: 128}
	for rows, most := range map[int]int{16: 4, 256: 24, 4096: 44} {
		g := kernels.NewWGMMAGradient(l, 25*rows, kernels.BF16, &h100)
		if g.Parts < most/2 || g.Parts > most || g.Over(25*rows).Parts != g.Parts {
			t.Errorf("%d rows: %d parts", rows, g.Parts)
		}
	}
}
