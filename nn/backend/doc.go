// Package backend evaluates and trains networks on the processor or on CUDA devices.
// A [Backend] loads weights and makes evaluators and trainers.
//
//	b, err := backend.Open("auto", log) // or cpu, cuda, cuda:1, cuda:0,1
//	defer b.Close()
//	network, err := b.Load(params)
//	e := network.NewEvaluator() // one per goroutine
//	t, err := b.NewTrainer(params, config)
//
// What only some backends can do is declared as an interface of its own, and found by a
// type assertion: [Monitored] (readings of the devices), [Measured] (peaks and precisions),
// [Prepared] (kernels for a network's shape).
//
// A binary built with the tag gpu has the CUDA backend. Building it needs neither cgo nor a
// toolkit; it opens the driver's libraries when a device is first asked for. "auto" takes the
// first device if there is one, else the processor, and logs which it took and why.
//
// The processor's evaluators compute while their caller waits. A device's evaluators work
// concurrently with it (nn.Async), and self-play then plays two groups of games on each worker.
//
// [Fallback] lets the processor take over where a device fails, for programs that somebody plays
// with.
//
// Caveats: results of two backends differ in their last bits, and by about one percent if
// a device computes in bf16. A device that is lost stays lost for the process; [Advice] says
// what to do then.
package backend
