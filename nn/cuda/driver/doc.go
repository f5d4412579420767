// Package driver is what the CUDA backend uses of a CUDA driver and of its
// run-time compiler, as an interface.
//
// An [API] lists devices and opens one as a [Context]: its memory, streams,
// events, modules and launches. Three things implement it: the real driver
// (func Open, in builds with the tag gpu; libraries are opened at run time, nothing
// is linked), nn/cuda/internal/emulate, which runs the kernels' source on the host, and
// driver/fake, whose calls can be made to fail.
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
// # Goroutines
//
// All methods may be called from any goroutine, several at once; a call makes
// its context current on the thread it happens to run on. What is put into one stream
// runs in the order in which it was put there, so one stream is best fed by one goroutine.
//
// # Errors
//
// Errors are one line each. Their kinds, for errors.As: [*LibraryError],
// [*VersionError], [*MemoryError], [*CompileError], [*LostError] and, for anything else that a
// call answered, [*CallError]. After a LostError nothing of the context can be
// used again; what is on the host is intact. A kernel's failure shows in a
// later call, usually Synchronize.
package driver
