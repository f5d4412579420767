// Package emulate runs the CUDA kernels' own source on the host, as a
// driver.API: what indexes, launches and waits is what a device would run.
//
// [Open] needs gcc; tests skip where it answers [ErrNoCompiler]. A source is compiled as C behind
// host.h, which says what CUDA's words and the wrappers of kernels/device.h
// mean here. A block's threads are fibers; shuffles, matrix instructions and
// barriers let a thread wait until the others have come. Blocks run one after another.
//
//	api, err := emulate.Open(emulate.Options{})
//	if errors.Is(err, emulate.ErrNoCompiler) {
//		t.Skip(err)
//	}
//	ctx, err := api.Open(0)
//	defer ctx.Close()
//	image, err := ctx.Compile(driver.Source{
//		Name: "scale.cu",
//		Text: `#include "device.h"
//			KERNEL(scale)(float *x, int n, float by) {
//				int i = blockIdx.x * blockDim.x + threadIdx.x;
//				if (i < n)
//					x[i] *= by;
//			}`,
//		Headers: map[string]string{"device.h": deviceHeader},
//	})
//	module, err := ctx.Load(image)
//	scale, err := ctx.Function(module, "scale")
//	x, err := ctx.Alloc(4 * len(rows))
//	err = ctx.CopyIn(x, driver.Bytes(rows), 0)
//	args := driver.NewArgs().Ptr(x).Int32(int32(len(rows))).Float32(0.5)
//	err = ctx.Launch(scale, driver.Grid{Blocks: [3]int{4, 1, 1}, Threads: [3]int{128, 1, 1}}, 0, args)
//	err = ctx.CopyOut(driver.Bytes(rows), x, 0)
//	err = ctx.Synchronize(0) // a kernel's failure shows here
//
// # What is found out
//
// Each ends the launch with a [driver.LostError] that names the kernel, the thread and the line:
//
//   - accesses outside an allocation or the block's shared memory: these end at
//     pages that can't be accessed, with 0xff bytes up to there that are checked after the
//     launch; freed memory can't be accessed at all
//   - array bounds, misaligned vector accesses, int overflow, division by zero
//   - barriers and shuffles that not all come to, deadlocks
//   - arguments whose number or types aren't the kernel's, and more threads or shared
//     memory than the device, KERNEL_BOUNDS or AllowShared permit
//   - C that C++ would not accept, where gcc can tell; [CheckCUDA] has g++ read
//     the other side of device.h's conditions, and finds the rest
//   - wgmma on devices that lack it, without a fence or a wait
//
// What is read before it is written is NaN (0xff bytes), in device memory,
// in shared memory at each block's start and in pinned memory. cp.async copies when
// the thread waits for it, not before, and wgmma multiplies when the warpgroup does.
//
// Threads run in their order, each warp as far as it can, blocks in theirs. With
// Options.Seed they run in any order: a missing barrier then gives other results
// from seed to seed. With Options.Reorder what is put into streams waits until the
// host does, and then the streams take turns at random within what events permit.
//
// # Caveats
//
// Sums within a matrix instruction are added one after another in fp32; a
// device adds them in another order. Fast functions (__expf and others) are the C
// library's. A kernel that spins until another block does something never ends. Nothing is
// known of speed, registers or bank conflicts.
package emulate
