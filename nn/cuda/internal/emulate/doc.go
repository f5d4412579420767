// Package emulate implements driver.API by running the CUDA kernels' source on the host, with the
// same indexing, launches and synchronization as on a device.
//
// [Open] needs gcc; tests skip if it returns [ErrNoCompiler]. A source is compiled as C with
// host.h, which defines CUDA's names and the wrappers of kernels/device.h for the host. A block's
// threads are fibers; at shuffles, matrix instructions and barriers a thread waits for the
// others. Blocks run one after another.
//
//	api, err := emulate.Open(emulate.Options{})
//	if errors.Is(err, emulate.ErrNoCompiler) {
//		t.Skip(err)
//	}
//	ctx, err := api.Open(0)
//	defer ctx.Close()
//	image, _, err := ctx.Compile(driver.Source{
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
// # Detected errors
//
// Each of these ends the launch with a [driver.LostError] that names the kernel, the thread and
// the line:
//
//   - accesses outside an allocation or the block's shared memory: both end at
//     16 inaccessible pages, and 0xff bytes that fill the space before these are checked
//     after the launch; freed memory is inaccessible
//   - array indices out of bounds, misaligned vector accesses, int overflow, division by zero
//   - barriers and shuffles that some threads do not reach, deadlocks
//   - arguments whose number or types differ from the kernel's, and more threads or shared
//     memory than the device, KERNEL_BOUNDS or AllowShared permit
//   - C that is not C++, if gcc can tell; [CheckCUDA] checks the CUDA side of device.h's
//     conditions with g++, and finds the rest
//   - wgmma on devices that lack it, without a fence or a wait
//
// Unwritten memory is NaN (0xff bytes): device memory, shared memory at each block's start, and
// pinned memory. cp.async copies not before the thread waits for it, and wgmma multiplies not
// before the warpgroup waits.
//
// Threads run in order, each warp as far as it can; blocks run in order. With Options.Seed they
// run in a random order: a missing barrier then gives different results for different seeds. With
// Options.Reorder work in streams is delayed until the host waits, and then streams are
// interleaved at random, as far as events permit, those of contexts that wait for one another too.
//
// # Caveats
//
// Sums within a matrix instruction are added sequentially in fp32; a device adds them in another
// order. Fast functions (__expf and others) are the C library's. A kernel that spins until
// another block acts never ends. Speed, registers and bank conflicts are not modelled.
package emulate
