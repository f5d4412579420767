// Package backend is where networks are evaluated and trained: the processor, or
// CUDA devices. A [Backend] loads weights, makes evaluators and trainers, and says
// what it is.
//
//	b, err := backend.Open("auto", log) // or cpu, cuda, cuda:1, cuda:0,1
//	defer b.Close()
//	network, err := b.Load(params)
//	e := network.NewEvaluator() // one a goroutine
//	t, err := b.NewTrainer(params, config)
//
// A binary has the CUDA backend where it is built with the tag gpu; building it needs
// neither cgo nor a toolkit, and it opens the driver's libraries when it is first asked for
// a device. "auto" takes the first such device where there is one, else the processor,
// and tells the log which, and why.
//
// The processor's evaluators work while their caller waits; a device's work beside it
// (nn.Async), which self-play uses by playing two slates of games on each worker.
//
// Caveats: results of two backends differ in their last bits, and by about a
// hundredth where a device computes in bf16. A device that is lost stays lost for the process:
// [Advice] says what to do about it.
package backend
