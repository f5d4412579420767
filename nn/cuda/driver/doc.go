// Package driver is the part of a CUDA driver and its run-time compiler that the CUDA backend
// uses, as an interface.
//
// An [API] lists devices and opens one as a [Context]: its memory, streams, events, modules and
// launches. There are three implementations: the real driver (func Open, in builds with the tag
// gpu; libraries are opened at run time, nothing is linked), nn/cuda/internal/emulate, which runs
// the kernels' source on the host, and driver/fake, whose calls can be made to fail.
//
//	ctx, err := api.Open(0)
//	module, err := driver.Cache{Folder: dir}.Load(ctx, driver.Source{Name: "tower.cu", Text: text})
//	tower, err := ctx.Function(module, "tower")
//	x, err := ctx.Alloc(4 * n)
//	err = ctx.CopyIn(x, driver.Bytes(rows), stream)
//	args := driver.NewArgs().Ptr(x).Int32(int32(n)).Float32(0.5) // once, then reused
//	err = ctx.Launch(tower, driver.Grid{Blocks: [3]int{132, 1, 1}, Threads: [3]int{256, 1, 1}, Shared: 98304}, stream, args)
//	err = ctx.Synchronize(stream)
//
// [OpenMonitor] reads a device's utilization, memory, power and temperature, and [MeasurePeak] its
// peak rates, with which those of networks are compared: in builds with the tag gpu, if the
// libraries for it are there.
//
// # Goroutines
//
// All methods may be called from any goroutine, also concurrently; a call makes its context
// current on the thread that it runs on. Work in a stream runs in the order in which it was
// enqueued, so a stream should be used by one goroutine.
//
// # Errors
//
// Errors are one line each. Their types, for errors.As: [*LibraryError], [*VersionError],
// [*MemoryError], [*CompileError], [*LostError] and, for any other result of a call,
// [*CallError]. After a LostError the context can't be used; memory on the host is intact. A
// failure in a kernel is returned by a later call, usually Synchronize.
package driver
