package emulate_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
)

// reverseText reverses 256 numbers in shared memory, with a barrier or without.
const reverseText = `KERNEL(test)(int *x) {
	SHARED(int, s);
	s[threadIdx.x] = x[threadIdx.x];
	BARRIER;
	x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}`

// reverse runs reverseText and reports whether the result is right.
func reverse(t *testing.T, seed uint64, barrier string) bool {
	t.Helper()
	ctx := open(t, emulate.Options{Seed: seed})
	x := make([]int32, 256)
	for i := range x {
		x[i] = int32(i)
	}
	p := upload(t, ctx, x)
	must(t, ctx.Launch(kernel(t, ctx, reverseText, "BARRIER="+barrier), line(1, 256, 1024), 0,
		driver.NewArgs().Ptr(p)))
	got := download[int32](t, ctx, p, 256)
	slices.Reverse(got)
	return slices.Equal(got, x)
}

func TestMissingBarriersShow(t *testing.T) {
	for seed := range uint64(4) {
		if !reverse(t, seed, "__syncthreads()") {
			t.Errorf("seed %d: with a barrier the result is wrong", seed)
		}
		if reverse(t, seed, "") {
			t.Errorf("seed %d: without a barrier the result is right", seed)
		}
		if reverse(t, seed, "__syncwarp()") {
			t.Errorf("seed %d: with a barrier of warps alone the result is right", seed)
		}
	}
}

// TestSeedOrdersBlocks checks that blocks that depend on each other's order give different
// results for different seeds, and equal ones for the same seed.
func TestSeedOrdersBlocks(t *testing.T) {
	run := func(seed uint64) []int32 {
		ctx := open(t, emulate.Options{Seed: seed})
		f := kernel(t, ctx, `KERNEL(test)(int *next, int *order) {
			if (threadIdx.x == 0)
				order[atomicAdd(next, 1)] = blockIdx.x + 10 * (blockIdx.y + 10 * blockIdx.z);
		}`)
		next, order := upload(t, ctx, []int32{0}), upload(t, ctx, make([]int32, 4*3*2))
		g := driver.Grid{Blocks: [3]int{4, 3, 2}, Threads: [3]int{3, 1, 1}}
		must(t, ctx.Launch(f, g, 0, driver.NewArgs().Ptr(next).Ptr(order)))
		return download[int32](t, ctx, order, 24)
	}
	var want []int32
	for z := range int32(2) {
		for y := range int32(3) {
			for x := range int32(4) {
				want = append(want, x+10*y+100*z)
			}
		}
	}
	if got := run(0); !slices.Equal(got, want) {
		t.Errorf("without a seed blocks run in the order %v", got)
	}
	a, b := run(7), run(8)
	if slices.Equal(a, b) || slices.Equal(a, want) || !slices.Equal(a, run(7)) {
		t.Errorf("with seeds blocks run in the orders %v and %v", a, b)
	}
	slices.Sort(a)
	slices.Sort(want)
	if !slices.Equal(a, want) {
		t.Errorf("some blocks run twice or never: %v", a)
	}
}

// TestUnwrittenMemoryIsNaN checks device memory, both kinds of shared memory, and pinned memory.
func TestUnwrittenMemoryIsNaN(t *testing.T) {
	ctx := open(t, emulate.Options{})
	f := kernel(t, ctx, `KERNEL(test)(float *x) {
		SHARED(float, s);
		__shared__ float fixed[2];
		x[1] = s[3];
		x[2] = fixed[1];
		s[3] = fixed[1] = blockIdx.x;
	}`)
	p, err := ctx.Alloc(12)
	must(t, err)
	must(t, ctx.Launch(f, line(3, 1, 16), 0, driver.NewArgs().Ptr(p)))
	for i, v := range download[float32](t, ctx, p, 3) {
		if !math.IsNaN(float64(v)) {
			t.Errorf("number %d is %v", i, v)
		}
	}
	b, err := ctx.AllocHost(8)
	must(t, err)
	if v := driver.View[float32](b); !math.IsNaN(float64(v[0])) || !math.IsNaN(float64(v[1])) {
		t.Errorf("pinned memory holds %v", v)
	}
}

// TestAsyncCopiesAreLate checks that cp.async copies when its group is waited for, not before.
func TestAsyncCopiesAreLate(t *testing.T) {
	ctx := open(t, emulate.Options{})
	f := kernel(t, ctx, `KERNEL(test)(const int *x, int *y) {
		SHARED(int, s);
		cp_async_16(shared_of(s), x);
		cp_async_commit();
		cp_async_16_zero(shared_of(s + 4), x + 4, 8);
		cp_async_4(shared_of(s + 8), x + 8);
		cp_async_4_zero(shared_of(s + 9), x + 9, 0);
		cp_async_commit();
		for (int i = 0; i < 10; i++) y[i] = s[i];
		cp_async_wait(1);
		for (int i = 0; i < 10; i++) y[10 + i] = s[i];
		cp_async_wait(0);
		for (int i = 0; i < 10; i++) y[20 + i] = s[i];
	}`)
	x := upload(t, ctx, []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	y, err := ctx.Alloc(120)
	must(t, err)
	must(t, ctx.Launch(f, line(1, 1, 64), 0, driver.NewArgs().Ptr(x).Ptr(y)))
	want := []int32{
		-1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		1, 2, 3, 4, -1, -1, -1, -1, -1, -1,
		1, 2, 3, 4, 5, 6, 0, 0, 9, 0,
	}
	if got := download[int32](t, ctx, y, 30); !slices.Equal(got, want) {
		t.Errorf("shared memory before the waits, between and after is\n%v, not\n%v", got, want)
	}
}

// TestShuffles compares shuffles, ballots and partial warps with their descriptions in the CUDA
// C++ Programming Guide.
func TestShuffles(t *testing.T) {
	rng := random.New(1, random.Test, 5)
	values := make([]int32, 64)
	for i := range values {
		values[i] = rng.Int32N(1000)
	}
	at := func(lane, base, width int, from int) int32 { // own value outside the segment
		if from < 0 || from/width != lane/width {
			return values[base+lane]
		}
		return values[base+from]
	}
	for _, seed := range []uint64{0, 3} {
		for _, width := range []int{32, 8} {
			ctx := open(t, emulate.Options{Seed: seed})
			f := kernel(t, ctx, `KERNEL(test)(const int *x, int *y) {
				int i = threadIdx.x, v = x[i];
				unsigned all = 0xffffffffu;
				y[i * 8] = __shfl_sync(all, v, i * 3, WIDTH);
				y[i * 8 + 1] = __shfl_xor_sync(all, v, 5, WIDTH);
				y[i * 8 + 2] = __shfl_up_sync(all, v, 3, WIDTH);
				y[i * 8 + 3] = __shfl_down_sync(all, v, 3, WIDTH);
				y[i * 8 + 4] = (int)__ballot_sync(all, v > 500);
				y[i * 8 + 5] = __any_sync(all, v == 2000) + 2 * __all_sync(all, v < 2000);
				y[i * 8 + 6] = (int)(2 * __shfl_xor_sync(all, 0.5f * v, 1));
				y[i * 8 + 7] = i % 32 < 16 ? __shfl_xor_sync(0xffffu, v, 1) : __shfl_xor_sync(0xffff0000u, v, 2);
			}`, fmt.Sprint("WIDTH=", width))
			x := upload(t, ctx, values)
			y, err := ctx.Alloc(64 * 32)
			must(t, err)
			must(t, ctx.Launch(f, line(1, 64, 0), 0, driver.NewArgs().Ptr(x).Ptr(y)))
			got := download[int32](t, ctx, y, 512)
			for i := range 64 {
				lane, base := i%32, i/32*32
				segment := lane / width * width
				var ballot uint32
				for l := range 32 {
					if values[base+l] > 500 {
						ballot |= 1 << l
					}
				}
				half := 1
				if lane >= 16 {
					half = 2
				}
				xor := lane ^ 5
				want := []int32{
					values[base+segment+(i*3)%width], values[base+xor],
					at(lane, base, width, lane-3), at(lane, base, width, lane+3),
					int32(ballot), 2, values[base+lane^1], values[base+lane^half],
				}
				if !slices.Equal(got[i*8:i*8+8], want) {
					t.Fatalf("seed %d, width %d: thread %d has %v, not %v",
						seed, width, i, got[i*8:i*8+8], want)
				}
			}
		}
	}
}

// TestNamedBarriers passes data between warps by named barriers: one fills, the others take, for
// several rounds.
func TestNamedBarriers(t *testing.T) {
	for seed := range uint64(3) {
		ctx := open(t, emulate.Options{Seed: seed})
		f := kernel(t, ctx, `KERNEL(test)(int *y) {
			SHARED(int, s);
			int sum = 0;
			for (int round = 0; round < 5; round++)
				if (threadIdx.x < 32) {
					s[threadIdx.x] = round * 100 + threadIdx.x;
					barrier_arrive(1, 96); // filled
					barrier_sync(2, 96);   // taken
				} else {
					barrier_sync(1, 96);
					sum += s[(threadIdx.x + 7) % 32];
					barrier_arrive(2, 96);
				}
			y[threadIdx.x] = sum;
		}`)
		y, err := ctx.Alloc(96 * 4)
		must(t, err)
		must(t, ctx.Launch(f, line(1, 96, 128), 0, driver.NewArgs().Ptr(y)))
		for i, v := range download[int32](t, ctx, y, 96) {
			want := 0
			if i >= 32 {
				want = 1000 + 5*((i+7)%32)
			}
			if int(v) != want {
				t.Fatalf("seed %d: thread %d has %d, not %d", seed, i, v, want)
			}
		}
	}
}
