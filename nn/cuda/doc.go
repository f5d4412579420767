// Package cuda evaluates and trains networks on CUDA devices.
//
// [Open] opens a device of a driver.API: the real one (driver.Open, in builds with the tag gpu), or one
// emulated on the host. [Device.Load] copies a network's numbers there as [Weights], which implement
// nn.Network; its evaluators implement nn.Async. [NewTrainer] makes a train.Stepper.
//
//	d, err := cuda.Open(api, 0, cuda.Options{Cache: driver.DefaultFolder(), Log: log})
//	defer d.Close()
//	w, err := d.Load(params, kernels.BF16)
//	e := cuda.NewEvaluator(w)     // one a goroutine
//	a, b := e.NewBatch(2640), e.NewBatch(2640)
//	e.Start(a)                    // the device computes a while b is filled
//	…
//	e.Start(b)
//	e.Wait(a)
//	e.SetWeights(newer)           // for the batches that are started from now on
//
// # Which kernels
//
// When a network of a new shape comes, the plans that package kernels has for it are compiled, compared with
// the processor's results on a network of random numbers, and timed; the fastest that agrees is taken. Kernels that
// do not compile, that compute something else or that lose the device are passed over, down to plain ones that run
// everywhere, and the log says so. Compiled kernels and the choice are kept in Options.Cache.
//
// # Precision
//
// bf16 keeps activations and weights with 8 significant bits and tf32 with 11; sums, heads' sums and
// outputs are fp32 in all precisions. Tests hold outputs to the definition in float64 within 0.04 (bf16),
// 0.005 (tf32) and 1e-5 (fp32) of 1 + |output|, for networks of random numbers with up to three blocks.
//
// # Caveats
//
// A row's results are the same to the bit in every batch on one kind of device; other devices and ways (kernels.Way)
// have other last bits. Observations and results are in pinned memory, which is outside Go's heap: a batch's slices
// are not to be kept beyond the batch. A batch of more rows than 256 MB of workspace serve passes in parts. The
// device works best on whole rounds ([Weights.Round]), or on several batches at once.
// After a driver.LostError nothing on the device is of use; evaluators say so by Err.
package cuda
