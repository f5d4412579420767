// Package cuda opens CUDA devices and evaluates networks on them; package training trains networks
// there.
//
// [Open] opens a device of a driver.API: the real driver (driver.Open, in builds with the tag gpu),
// or an emulation on the host. [Device.Load] copies a network's parameters to the device as
// [Weights], an nn.Network whose evaluators implement nn.Async.
//
//	d, err := cuda.Open(api, 0, cuda.Options{Cache: driver.DefaultFolder(), Log: log})
//	defer d.Close()
//	w, err := d.Load(params, kernels.BF16)
//	e := cuda.NewEvaluator(w)     // one per goroutine
//	a, b := e.NewBatch(2640), e.NewBatch(2640)
//	e.Start(a)                    // the device computes a while b is filled
//	…
//	e.Start(b)
//	err = e.Wait(a)
//
// # Which kernels
//
// For a network of a new shape, Load compiles the plans that package kernels has for it, compares
// their results with the processor's on a network of random numbers, and times them. It uses the
// fastest plan whose results agree. Plans that do not compile, that compute something else or that
// lose the device are skipped with a log message. The last resort are plain kernels that run on
// every device. Compiled kernels and the choice are kept in Options.Cache; the choice only if every
// faster plan was tried. All this happens on a context of its own ([Device.Trial]), which a faulty
// kernel may lose. Where a plan's kernels were compiled ahead (Options.Ahead), no other plan is
// tried.
//
// Few rows leave most of a device idle, whose blocks compute many positions each. A plan may have
// a second tower for them, whose blocks compute one position or two and which reads the same
// weights; see batch.chooseTower. Its results have the same bits. It reads and writes pinned memory
// in place of copies.
//
// # Precision
//
// Activations and weights have 8 significant bits in bf16 and 11 in fp16 and tf32. Sums and outputs
// are fp32 in all precisions. Tests compare outputs with a float64 implementation: they differ by
// at most 0.04 (bf16), 0.005 (fp16, tf32) or 1e-5 (fp32) of 1 + |output| for networks of random
// numbers with up to three blocks. Numbers of fp16 end at 65,504: Load refuses networks that exceed
// it, and an evaluation whose outputs are not finite is an error.
//
// # Caveats
//
// On one kind of device a row's results are the same to the bit in every batch. Other devices and
// other ways (kernels.Way) differ in the last bits. Observations and results are in pinned memory
// outside Go's heap: do not keep a batch's slices longer than the batch. A batch that needs more
// than 256 MB of workspace is evaluated in parts. Batches of whole rounds ([Weights.Round]), or
// several batches in flight, use the device best. Once a minute a stored batch is evaluated again;
// a device that gives it other bits computes wrongly, and counts as lost. After a driver.LostError
// everything on the device is gone; evaluators and trainers return that error from then on.
package cuda
